/* AVR instructions as text, in the spelling of the instruction-set manual and avr-objdump. */
#ifndef ISA_AVR_DISASSEMBLE_H
#define ISA_AVR_DISASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

/* The instruction at byte address `at`, its bytes at `code`; returns how many bytes it takes (2 or 4; 0 if `size` is
 * under 2). What is not an instruction of any AVR, or is cut off, becomes `.word 0x....`. */
unsigned avr_disassemble(const uint8_t *code, size_t size, uint32_t at, char *text, size_t text_size);

#endif
