/* MSP430 instructions as text, in the spelling of the User's Guide, emulated forms included. */
#ifndef ISA_MSP430_DISASSEMBLE_H
#define ISA_MSP430_DISASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

/* The instruction at address `at`, its bytes at `code`; returns how many bytes it takes (2, 4 or 6; 0 if there is no
 * word). What is no instruction, or not all there, becomes `.word 0x....`. */
unsigned msp430_disassemble(const uint8_t *code, size_t size, uint32_t at, char *text, size_t text_size);

#endif
