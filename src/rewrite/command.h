/* Compiler commands: what a call of a C compiler is asked to do, as far as `motet cc` must know.
 *
 * Invariant: every argument is kept in its order; only those that name sources, the output and the stage are looked at.
 * What the compiler would compile is a source here too: nothing gets into a firmware unseen.
 */
#ifndef REWRITE_COMMAND_H
#define REWRITE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum command_stage { STAGE_PREPROCESS, STAGE_ASSEMBLY, STAGE_OBJECT, STAGE_LINK, STAGE_OTHER };

struct command {
    char **arguments; /* as given, those of response files in their places */
    size_t count;
    enum command_stage stage;
    const char *output; /* NULL: the compiler's own choice */
    bool *is_source;    /* of each argument: a file in C, C++ or assembly */
    const char **told;  /* of each source: the language that -x says it is in, NULL: its name tells */
    size_t sources;
    char target[8];   /* "avr", "msp430"; "arm" is a Cortex-M */
    char chip[24];    /* "atmega128", "" if not given */
    bool *is_library; /* of each argument: -l, or an archive */
    bool *is_object;  /* of each argument: another file for the linker */
    bool optimises;
    const char *types[9]; /* options that change the size or the sign of types, up to NULL */
};

bool command_parse(struct command *c, char **arguments, size_t count, struct motet_error *e);

/* Whether the option's argument is the next word. */
bool command_takes_next(const char *option);

/* Of a source, which is one of the arguments. */
const char *command_told(const struct command *c, const char *source);
bool command_is_assembly(const struct command *c, const char *source);
bool command_is_cpp(const struct command *c, const char *source);

void command_free(struct command *c);

#endif
