/* A component as a native program: only the code inside, with what stands for the code outside.
 *
 * Sources are those that motet cc has rewritten for --log-interface. Their wrappers (rewrite/wrappers.h) become calls
 * of target/native/component.c, by the number that the log has for the function. What code inside does not reach is
 * dropped, so that it need not be understood. Invariant: nothing of the firmware outside the component is executed.
 */
#ifndef NATIVE_COMPONENT_H
#define NATIVE_COMPONENT_H

#include "native/retarget.h"
#include "native/source.h"

enum { COMPONENT_FUNCTIONS = 0x70 }; /* as target/interface/logger.h has it */

struct component_wrapper {
    LLVMValueRef is;   /* the wrapper; its body is gone */
    LLVMValueRef real; /* of a function inside: the function */
    unsigned number;   /* in the log */
    char kind;         /* 'i' in, 'o' out, 'v' through a pointer */
};

struct component_program {
    struct component_wrapper list[COMPONENT_FUNCTIONS];
    size_t count;
};

/* The text of a source as it is compiled: numbers of functions count from `first` on, and what is read of others is
 * read after the feeder has put it there. How many functions it has. */
unsigned component_source(struct source *s, unsigned first);

/* Takes the wrappers out of a module for the chip, and drops what is outside. */
bool component_prepare(LLVMModuleRef module, const struct native_recorded *recorded, struct component_program *c,
                       struct motet_error *e);

/* When the code inside is retargeted: bodies of wrappers, and tables for the feeder. */
void component_finish(struct retarget *r, const struct component_program *c);

/* The text of the module, whose debug information is to have the names of the source. */
void component_plain_names(char *text);

#endif
