/* One function of LLVM's IR made of a plan: the operations one after another, with their operands as constants.
 *
 * The operations are functions of the bitcode that operations_*.c gives; nothing here knows what one of them does. Each
 * gets the decoded instruction and returns the address of the next. Invariant: what is live (registers, flags, time) is
 * one struct on the function's own stack, which only the operations touch, so that LLVM makes values of its fields; the
 * caller's struct is read at the beginning and written at each way out.
 */
#ifndef TRANSLATE_EMIT_H
#define TRANSLATE_EMIT_H

#include <llvm-c/Core.h>

#include "translate/plan.h"

/* Whether the operation can do anything without the loop. */
bool emit_usable(LLVMModuleRef operations, const char *name);

/* Adds the function to the module that has the operations. Its entries are the checks of the plan, in their order. */
LLVMValueRef emit_function(LLVMModuleRef module, const struct heat_code *code, const struct plan *p, const char *name);

/* After LLVM has made values of what is live: what a way out would only write back unchanged. */
void emit_drop_unchanged(LLVMValueRef function);

#endif
