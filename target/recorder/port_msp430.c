#include "port.h"

#include "checkpoint.h"
#include "mix.h"

#ifndef ENTERS_ALL
#ifndef MOTET_STAMP
/* r4 to r15 lie at `sp`. */
uint16_t motet_hash_work(const uint8_t *sp)
{
    enum { REGISTERS = 12, ABOVE = 14 + 20 };
    const uint16_t *at = (const uint16_t *)sp;
    struct mixed m = {0, 0};
    for (uint8_t i = REGISTERS; i; i--)
        m = mix(m, *at++);
    if ((uintptr_t)sp <= CHIP_RAM_LAST + 1 - 2 - ABOVE)
        m.b ^= sp[ABOVE] ^ sp[ABOVE + 1];
    R.mixed = m.b;
    return m.a;
}

extern const uint8_t motet_stubs[], motet_library[];

PRIVATE uint8_t port_in_stubs(uint16_t address, const uint8_t *frame)
{
    (void)frame;
    return address >= (uint16_t)(uintptr_t)motet_stubs && address < (uint16_t)(uintptr_t)motet_library;
}

PRIVATE uint8_t port_is_deeper(uint16_t address, const uint8_t *frame)
{
    const uint16_t *at = (const uint16_t *)(uintptr_t)address;
    (void)frame;
    return at[-1] == PUSH_SR || at[-2] == PUSH_SR;
}

PRIVATE uint8_t port_in_library(uint16_t address, const uint8_t *frame)
{
    (void)frame;
    return address >= (uint16_t)(uintptr_t)motet_library;
}
#endif

/* The CPU was off. */
PRIVATE uint8_t port_woke(uint16_t address, const uint8_t *frame)
{
    (void)address;
    return (frame[FRAME_STATUS] & CPUOFF) != 0;
}
#endif

#ifndef MOTET_NO_CHECKPOINT
PRIVATE void port_save(const uint8_t *frame)
{
    checkpoint_word(R.window);
    checkpoint_word((uint16_t)(uintptr_t)(frame + FRAME_SAVED));
    checkpoint_word(*(const uint16_t *)(frame + FRAME_SR));
    checkpoint_word(0);
    for (uint8_t i = 0; i < FRAME_SR; i++) {
        if (i == FRAME_RETURN)
            i += 2;
        checkpoint_byte(frame[i]);
    }
}
#endif

/* It begins as it goes on later: with interrupts on, unless motet_work turns them off. */
PRIVATE uint16_t port_thread(uint8_t *top, void (*function)(void))
{
    ((uint16_t *)top)[-1] = (uint16_t)(uintptr_t)function;
    ((uint16_t *)top)[-2] = GIE;
    return (uint16_t)(uintptr_t)(top - 34); /* the rest is zero */
}
