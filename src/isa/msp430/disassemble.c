#include "isa/msp430/disassemble.h"

#include <stdio.h>

unsigned msp430_disassemble(const uint8_t *code, size_t size, uint32_t at, char *text, size_t text_size)
{
    (void)at;
    if (size < 2)
        return 0;
    snprintf(text, text_size, ".word 0x%04x", code[0] | code[1] << 8);
    return 2;
}
