#include "port.h"

#include "checkpoint.h"

#ifndef ENTERS_ALL
#ifdef __AVR_3_BYTE_PC__
#define CODE_ADDRESS(label, to)                                                                                       \
    __asm__("ldi %A0, lo8(pm(" label "))\n\tldi %B0, hi8(pm(" label "))\n\tldi %C0, hh8(pm(" label "))\n\tldi %D0, 0" \
            : "=d"(to))
#else
#define CODE_ADDRESS(label, to) __asm__("ldi %A0, lo8(pm(" label "))\n\tldi %B0, hi8(pm(" label "))" : "=d"(to))
#endif

/* The interrupted one, of which motet_enter has given the low bytes. */
static inline code_address port_whole_address(uint16_t low, const uint8_t *frame)
{
    (void)frame;
    return PC_BYTES == 3 ? low | (code_address)frame[20] << (PC_BYTES == 3 ? 16 : 0) : low;
}

static SMALL uint16_t port_code_word(code_address at)
{
#ifdef RAMPZ
    uint8_t rampz = RAMPZ;
    uint16_t w = pgm_read_word_far((uint32_t)at << 1);
    RAMPZ = rampz;
    return w;
#else
    return pgm_read_word(at << 1);
#endif
}
#endif

#ifndef LEAN
/* The worker was interrupted, and may go on with interrupts off. Where it has just read SREG to turn them off and put
 * that back later (so do port_lock() and the compiler's code for frames, libgcc's too) it reads it once more. */
void motet_inside_work(uint8_t *sp); /* called by the stubs */
void motet_inside_work(uint8_t *sp)
{
    enum { LOW = 34 + 2 * PC_BYTES, HIGH = LOW - 1, CLI_OPCODE = 0x94f8, IN_SREG = 0xb60f, ANY_REGISTER = 0x01f0 };
    code_address address = (uint16_t)(sp[HIGH] << 8 | sp[LOW]);
#ifdef __AVR_3_BYTE_PC__
    address |= (code_address)sp[HIGH - 1] << 16;
#endif
    if (port_code_word(address) == CLI_OPCODE && (port_code_word(address - 1) & ~ANY_REGISTER) == IN_SREG) {
        address--;
        sp[HIGH] = (uint8_t)(address >> 8);
        sp[LOW] = (uint8_t)address;
#ifdef __AVR_3_BYTE_PC__
        sp[HIGH - 1] = (uint8_t)(address >> 16);
#endif
    }
}
#endif

#ifndef ENTERS_ALL /* lean_avr.S */
#ifndef MOTET_STAMP
PRIVATE uint8_t port_in_stubs(uint16_t low, const uint8_t *frame)
{
    code_address first, last, address = port_whole_address(low, frame);
    CODE_ADDRESS("motet_stubs", first);
    CODE_ADDRESS("motet_library", last);
    return address >= first && address < last;
}

PRIVATE uint8_t port_is_deeper(uint16_t low, const uint8_t *frame)
{
    code_address address = port_whole_address(low, frame);
    return port_code_word(address) == IN_R0_SREG || port_code_word(address - 1) == IN_R0_SREG;
}

/* Also functions with loops that do not count, which motet cc puts before the rest, among constants. */
PRIVATE uint8_t port_in_library(uint16_t low, const uint8_t *frame)
{
    code_address first, last, address = port_whole_address(low, frame);
    CODE_ADDRESS("__ctors_start", first);
    CODE_ADDRESS("motet_library", last);
    return address < first || address >= last;
}
#endif

/* See MOTET_SLEEP. */
PRIVATE uint8_t port_woke(uint16_t low, const uint8_t *frame)
{
    enum { NOP_OPCODE = 0 };
    code_address address = port_whole_address(low, frame);
    return (SLEEP_CONTROL & 1 << SE) && port_code_word(address) == NOP_OPCODE &&
           port_code_word(address - 1) == SLEEP_OPCODE;
}
#endif

extern uint8_t __heap_start[];
extern uint8_t *__brkval __attribute__((weak)); /* where malloc() has got to */

PRIVATE SMALL uint16_t port_heap_end(void)
{
    return (uint16_t)(uintptr_t)(&__brkval && __brkval ? __brkval : __heap_start);
}

#ifndef MOTET_NO_CHECKPOINT
/* Where r0 to r31 and SREG are in the frame. */
/* clang-format off */
static const uint8_t port_places[FRAME_REGISTERS - 6] PORT_CONSTANT = {
    FRAME_IDLE, FRAME_IDLE - 2,
    18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3,
    PC_BYTES + 30, PC_BYTES + 29, PC_BYTES + 28, PC_BYTES + 27, PC_BYTES + 26, PC_BYTES + 25, PC_BYTES + 24,
    PC_BYTES + 23, PC_BYTES + 22, PC_BYTES + 21,
    2, 1,
    PC_BYTES + 20, PC_BYTES + 19,
    FRAME_IDLE - 1,
};
/* clang-format on */

PRIVATE void port_save(const uint8_t *frame)
{
    uint16_t sp = (uint16_t)(uintptr_t)(frame + FRAME_IDLE);
    for (uint8_t i = 0; i < sizeof port_places; i++)
        checkpoint_byte(frame[port_byte(&port_places[i])]);
    checkpoint_word(sp);
#ifdef __AVR_3_BYTE_PC__
    checkpoint_word((uint16_t)(R.window << 1));
    checkpoint_word((uint16_t)((uint16_t)R.window_high << 1 | R.window >> 15));
#else
    checkpoint_word((uint16_t)(R.window << 1)); /* in bytes */
    checkpoint_word(R.window >> 15);
#endif
}
#endif

PRIVATE uint16_t port_thread(uint8_t *top, void (*function)(void))
{
    top[-1] = (uint8_t)(uintptr_t)function;
    top[-2] = (uint8_t)((uintptr_t)function >> 8);
    return (uint16_t)(uintptr_t)(top - 34 - 2 * PC_BYTES - 1); /* the rest is zero */
}
