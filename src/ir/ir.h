/* Intermediate representation: a firmware's C sources as one LLVM module, made for the firmware's own target.
 *
 * The user's compiler preprocesses each source, so that its headers and macros count; clang turns the result into IR
 * for the same target, without optimising it; the modules of all sources are linked into one. Invariant: types have the
 * target's sizes, every instruction that comes from a line of the source has that line, and LLVM's verifier accepts
 * the module: attributes that clang puts where LLVM does not allow them are removed, and so are those that forbid
 * passes (optnone, noinline).
 */
#ifndef IR_IR_H
#define IR_IR_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "ir/input.h"

/* The module, in the context. NULL if a source does not compile (its compiler has said why), or there is none. */
LLVMModuleRef ir_make(LLVMContextRef context, const struct ir_input *in, struct motet_error *e);

/* Lets local variables live in values instead of memory where that is possible: the pass mem2reg. */
bool ir_promote(LLVMModuleRef module, struct motet_error *e);

/* Passes of LLVM, as `opt -passes=` names them. */
bool ir_run_passes(LLVMModuleRef module, const char *passes, struct motet_error *e);

/* Keeps local variables of a function in memory through ir_promote(): all that have this name, also a parameter. How
 * many there are. Calls of the function IR_KEEP mark them; it does nothing and has no definition. */
#define IR_KEEP "motet.keep"
unsigned ir_keep_local(LLVMModuleRef module, LLVMValueRef function, const char *name);

/* A function or variable as its source calls it: without what the linker has added to tell namesakes apart. */
void ir_name(LLVMValueRef global, char *name, size_t size);

/* Where a function, variable or instruction is in the source: "" and 0 if that is not known. The file is as the
 * compiler was given it, and lives as long as the module. */
const char *ir_file(LLVMValueRef value, unsigned *line);

/* Whether it is an interrupt handler. */
bool ir_is_handler(LLVMValueRef function);

#endif
