/* Building IR: each source through its preprocessor and clang, several at a time, into files of bitcode.
 *
 * Invariant: everything that a build has written is gone after build_free().
 */
#ifndef IR_BUILD_H
#define IR_BUILD_H

#include "ir/ir.h"

struct build_file {
    char *path; /* bitcode or assembly of LLVM */
};

struct build {
    struct build_file *files;
    size_t count, room;
    char folder[4096];             /* "": none was needed */
    bool all_variables, undefined; /* as in struct ir_input */
};

bool build_all(struct build *b, const struct ir_input *in, struct motet_error *e);
void build_free(struct build *b);

#endif
