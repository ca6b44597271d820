/* Thumb instructions as text, in Arm's unified syntax. */
#ifndef ISA_CORTEX_DISASSEMBLE_H
#define ISA_CORTEX_DISASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

unsigned cortex_disassemble(const uint8_t *code, size_t size, uint32_t at, char *text, size_t text_size);

#endif
