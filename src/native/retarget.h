/* Retargeting: IR that was made for an AVR or MSP430, changed so that this computer can execute it.
 *
 * Arithmetic stays as it is, since IR has the widths of the target's types. Objects keep the target's layout, except
 * that pointers are this computer's (layout.h). Registers become an array, writes to them calls of the feeder
 * (target/native/feeder.c), and so do instructions in assembly that are known. Invariant: what executes gives the
 * results of the target, or a refusal names the place that would not.
 */
#ifndef NATIVE_RETARGET_H
#define NATIVE_RETARGET_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "native/native.h"
#include "native/refusals.h"
#include "native/shapes.h"

/* Everything of the firmware gets this prefix as a symbol, so that none of it takes the place of this computer's
 * library. Debuggers show the names of the source. */
#define RETARGET_PREFIX "node."

/* Symbols whose addresses are numbers: sizes of types with pointers on the target and here, "motet.size.12.18", and the
 * number of a file's first site. */
#define RETARGET_SIZE  "motet.size."
#define RETARGET_SITES "motet.sites."

struct retarget_variable {
    LLVMValueRef old, is; /* as it was; as it is now */
    LLVMTypeRef type;     /* as it was */
    bool shared;          /* with handlers: accesses to it count */
};

struct retarget {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTargetDataRef target; /* the layout of the firmware's own chip */
    LLVMTypeRef byte, word, bits32, bits64, pointer;
    LLVMValueRef registers; /* [65536 x i8] */
    struct retarget_variable *variables;
    size_t variable_count, variable_room, shared_count;
    const struct shapes *shapes;            /* types of the source, from debug information */
    const struct native_recorded *recorded; /* NULL: a program without a log */
    struct refusals *refusals;
};

struct component_program;

/* The module, changed in place; what it cannot keep in `refusals`. `assembly` is what motet cc put between functions;
 * `component` is NULL for a whole firmware. */
void retarget_module(LLVMModuleRef module, const struct shapes *shapes, const struct native_recorded *recorded,
                     const struct component_program *component, const char *assembly, struct refusals *refusals);

/* ---- for the files of this module ---- */

bool retarget_refuse(struct retarget *r, LLVMValueRef at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The type with its padding as members, so that this computer's layout is the target's. */
LLVMTypeRef retarget_type(struct retarget *r, LLVMTypeRef type);

/* A constant that an instruction or another constant refers to; `at` is for refusals. */
LLVMValueRef retarget_constant(struct retarget *r, LLVMValueRef constant, LLVMValueRef at);

/* An initial value, of retarget_type(type). */
LLVMValueRef retarget_initial(struct retarget *r, LLVMValueRef constant, LLVMTypeRef type, LLVMValueRef at);

/* The type that a variable had, or NULL. */
LLVMTypeRef retarget_type_of_variable(const struct retarget *r, LLVMValueRef is);

/* A function of the feeder: all arguments and the result are i64 or pointers. */
LLVMValueRef retarget_call_feeder(struct retarget *r, const char *name, LLVMValueRef *arguments, unsigned count);

/* Of a trace: takes away the bodies of functions that are not executed; lists those that are. */
void retarget_leave_out(struct retarget *r);
void retarget_traced(struct retarget *r);

/* Attributes of a function or a call that name a type. */
void retarget_attributes(struct retarget *r, LLVMValueRef at, LLVMTypeRef function, bool is_call);

void retarget_function(struct retarget *r, LLVMValueRef function);

/* What a program with a log has besides (recorded.c): steps at entries of functions, handlers, variables. */
void retarget_entries(struct retarget *r);
void retarget_handlers(struct retarget *r, const char *assembly);
void retarget_variables(struct retarget *r);

/* Finds the variables whose accesses count; and lets the feeder count those of a load or store, or of a copy of so many
 * bytes, where the builder is. */
void retarget_find_shared(struct retarget *r);
void retarget_count_access(struct retarget *r, LLVMValueRef instruction);
void retarget_count_copy(struct retarget *r, LLVMValueRef pointer, LLVMValueRef size, bool writes);

/* Whether a function or variable is the one of the source. */
bool retarget_is_at(LLVMValueRef global, const struct native_place *p);

/* An array of addresses for the feeder; NULL among them stays so. */
void retarget_table(struct retarget *r, const char *name, LLVMValueRef *globals, unsigned count);

/* Replaces a call of inline assembly. */
void retarget_assembly(struct retarget *r, LLVMValueRef call);

#endif
