/* How test firmwares print and end: in Motet through its port, with -DQEMU as semihosting of QEMU has it. */
#ifndef PORT_H
#define PORT_H

#include <stdint.h>

#ifdef QEMU
static inline void port_call(uint32_t operation, uint32_t argument)
{
    register uint32_t r0 __asm__("r0") = operation, r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt #0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static inline void port_put(char c)
{
    port_call(3, (uint32_t)(uintptr_t)&c);
}

static inline void port_end(unsigned status)
{
    uint32_t block[2] = {0x20026, status};
    port_call(0x20, (uint32_t)(uintptr_t)block);
}
#else
#include "motet.h"

static inline void port_put(char c)
{
    motet_putc(c);
}

static inline void port_end(unsigned status)
{
    motet_exit((uint8_t)status);
}
#endif

static inline void port_print(const char *s)
{
    while (*s)
        port_put(*s++);
}

static inline void port_number(unsigned v)
{
    if (v >= 10)
        port_number(v / 10);
    port_put((char)('0' + v % 10));
}

static inline void port_hex(uint32_t v)
{
    for (int i = 28; i >= 0; i -= 4)
        port_put("0123456789abcdef"[v >> i & 15]);
}

#endif
