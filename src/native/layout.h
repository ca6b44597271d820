/* Layouts: where the members of a type lie in the native program.
 *
 * Integers and padding stay as the firmware's target has them; a pointer takes 8 bytes instead of 2. Invariant: an
 * offset of the native program is the target's, and 6 more for each pointer before it. Alignments of the target divide
 * 6, so its padding stays right.
 */
#ifndef NATIVE_LAYOUT_H
#define NATIVE_LAYOUT_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdint.h>

enum { POINTER_TARGET = 2, POINTER_NATIVE = 8, POINTER_GROWTH = POINTER_NATIVE - POINTER_TARGET };

/* How many pointers a value of the type holds. */
uint64_t layout_pointers(LLVMTypeRef type);

uint64_t layout_target_size(LLVMTargetDataRef target, LLVMTypeRef type);
uint64_t layout_native_size(LLVMTargetDataRef target, LLVMTypeRef type);

/* Of an element of a struct. */
uint64_t layout_native_offset(LLVMTargetDataRef target, LLVMTypeRef structure, unsigned element);

/* From an offset of the target to that of the native program, inside one object of the type or at its end. */
uint64_t layout_map_offset(LLVMTargetDataRef target, LLVMTypeRef type, uint64_t offset);

#endif
