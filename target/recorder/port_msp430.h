/* The recorder on MSP430: entries that keep every register, and the few things C cannot say.
 *
 * As on AVR, interrupts can come only between the entry of a stub and the instruction behind DINT, and in the window of
 * motet_idle; RETI puts back SR and returns at once. */
#include <msp430.h>

#define PORT_AGAIN
#define PORT_TARDIS            4 /* bits of a vector's number; timers have 16 bits */
#define RECORDER_TEXT(number)  RECORDER_TEXT_(number)
#define RECORDER_TEXT_(number) #number

/* What may be a byte of the dump's command is looked at in C (dump.h). */
#if defined MOTET_BOARD_TELOSB && !defined MOTET_NO_DUMP
#define DUMP_TEST "cmp.b #" RECORDER_TEXT(DUMP_FIRST) ", r12\n\tjeq 5f\n\ttst.b &motet_dump\n\tjnz 5f\n\t"
#else
#define DUMP_TEST ""
#endif

/* So are reads of state registers whose live bits are kept. */
#if MOTET_CODEC == CODEC_TARDIS
#define LIVE_TEST "bit #0x6000, r14\n\tjz 5f\n\t"
#else
#define LIVE_TEST ""
#endif

__asm__(
    ".pushsection .text.motet_stubs,\"ax\",@progbits\n"
    ".global motet_stubs, motet_library\n"
    "motet_stubs:\n"
    /* r11 at 0(sp), r12 at 2, r13 at 4, r14 at 6, r15 at 8, SR at 10 */
    ".macro motet_save\n\t"
    "push sr\n\tdint\n\tnop\n\tpush r15\n\tpush r14\n\tpush r13\n\tpush r12\n\tpush r11\n\t"
    "mov.b #1, &motet_recorder+6\n"
    ".endm\n"
    ".macro motet_load\n\t"
    "clr.b &motet_recorder+6\n\tpop r11\n\tpop r12\n\tpop r13\n\tpop r14\n\tpop r15\n"
    ".endm\n"
    ".macro motet_entry name, work\n"
    ".global \\name\n\t.type \\name,@function\n"
    "\\name:\n\tmotet_save\n\tcall #\\work\n\tmotet_load\n\treti\n"
    ".endm\n"
    ".macro motet_pointer name, work\n"
    ".global \\name\n\t.type \\name,@function\n"
    "\\name:\n\tmotet_save\n\tcall #\\work\n\tmov r12, 2(sp)\n\tmotet_load\n\treti\n"
    ".endm\n"
    /* Reads are many and some are timed by the firmware: without C where there is room (struct recorder). A read of
     * 16 bits at the site of the last, which gives one more than that, is only counted: firmware that reads a running
     * timer until it stands still would not come to an end if that took longer than the timer takes for a step. */
    ".macro motet_read name, work, wide\n"
    ".global \\name\n\t.type \\name,@function\n"
    "\\name:\n\tpush sr\n\tdint\n\t"
    ".if \\wide\n\t"
    "cmp r14, &motet_recorder+8\n\tjne 7f\n\tcmp r12, &motet_recorder+10\n\tjne 7f\n\t"
    "inc &motet_recorder+10\n\tclr &motet_count\n\tinc.b &motet_recorder+12\n\tjn 8f\n\treti\n"
    "8:\tmov #-1, &motet_recorder+8\n\treti\n"
    "7:\n\t.endif\n\t"
    "push r15\n\t" DUMP_TEST LIVE_TEST "tst.b &motet_recorder+12\n\tjnz 5f\n\t"
    "cmp.b #1, &motet_recorder+4\n\tjne 5f\n\t"
    "cmp #" RECORDER_TEXT(MOTET_RING) "-" RECORDER_TEXT(
        NEARLY) ", &motet_recorder+2\n\tjhs 5f\n\t"
                "mov &motet_recorder, r15\n\t"
                "mov r14, motet_recorder+14(r15)\n\tbis #\\wide, motet_recorder+14(r15)\n\t"
                "mov r12, motet_recorder+16(r15)\n\tand r13, motet_recorder+16(r15)\n\t"
                "add #4, r15\n\tcmp #" RECORDER_TEXT(
                    MOTET_RING) ", r15\n\tjne 6f\n\tclr r15\n"
                                "6:\tmov r15, &motet_recorder\n\tadd #4, &motet_recorder+2\n\t"
                                "mov #-1, &motet_recorder+8\n\t"
                                ".if \\wide\n\t"
                                "cmp #-1, r13\n\tjne 9f\n\tmov r14, &motet_recorder+8\n\t"
                                "mov r12, &motet_recorder+10\n\tinc &motet_recorder+10\n"
                                "9:\n\t.endif\n\t"
                                "clr &motet_count\n\tpop r15\n\treti\n"
                                "5:\tmov.b #1, &motet_recorder+6\n\t"
                                "push r14\n\tpush r13\n\tpush r12\n\tpush r11\n\tcall #\\work\n\tmotet_load\n\treti\n"
                                ".endm\n"
                                "motet_entry motet_read8, motet_read8_work\n"
                                "motet_read motet_read16, motet_read16_work, 0x8000\n"
                                "motet_entry motet_block, motet_block_work\n"
                                "motet_entry motet_wrapped, motet_wrapped_work\n"
                                "motet_pointer motet_pointer8, motet_pointer8_work\n"
                                "motet_pointer motet_pointer16, motet_pointer16_work\n"
                                "motet_entry motet_begin, motet_begin_work\n"
                                "motet_entry motet_flush, motet_flush_work\n"
                                "motet_entry motet_freeze, motet_freeze_work\n"
                                "motet_entry motet_clear, motet_clear_work\n"
                                /* Pieces, with a window for interrupts between them, until there is no more to do
                                 * or one came. Where the caller has interrupts off, r12 says whether one came: he
                                 * must not sleep then. */
                                ".global motet_idle\n\t.type motet_idle,@function\n"
                                "motet_idle:\n\tmotet_save\n"
                                "2:\tcall #motet_idle_work\n\t"
                                "tst.b r12\n\tjz 3f\n\t"
                                "cmp.b #2, r12\n\tjeq 6f\n\t"
                                /* The window, with all registers and the stack as the caller has them: handlers
                                 * that are interrupted themselves must look as they do in replay, where they come
                                 * at the entry. */
                                "bit #8, 10(sp)\n\tjz 7f\n\t"
                                "motet_load\n\tpop sr\n\tnop\n\tjmp motet_idle\n"
                                "7:\tmotet_load\n\tpop sr\n\teint\n\tnop\n\tdint\n\tnop\n\tjmp motet_idle\n"
                                /* A checkpoint, which wants the other registers too. */
                                "6:\tpush r10\n\tpush r9\n\tpush r8\n\tpush r7\n\tpush r6\n\tpush r5\n\tpush r4\n\t"
                                "mov sp, r12\n\tcall #motet_checkpoint_work\n\t"
                                "pop r4\n\tpop r5\n\tpop r6\n\tpop r7\n\tpop r8\n\tpop r9\n\tpop r10\n\t"
                                "jmp 2b\n"
                                "3:\tcall #motet_idle_end\n\t"
                                "bit #8, 10(sp)\n\tjz 4f\n\tclr r12\n4:\tmov.b r12, r12\n\tmov r12, 2(sp)\n\t"
                                "motet_load\n\treti\n"
                                /* From a vector's stub, which has pushed r12 and put the vector's number there;
                                 * interrupts are off. Behind what motet_save pushes: the stub's address at 12, r12
                                 * at 14, the interrupted SR at 16 and PC at 18. */
                                ".global motet_enter\n\t.type motet_enter,@function\n"
                                "motet_enter:\n\tpush sr\n\tpush r15\n\tpush r14\n\tpush r13\n\tpush r12\n\tpush "
                                "r11\n\t"
                                "mov.b #1, &motet_recorder+6\n\t"
                                "mov 14(sp), 2(sp)\n\t" /* the interrupted r12 in its place */
                                "push r12\n\t"
                                "mov 20(sp), r13\n\t"
                                "tst.b &motet_uncounted\n\tjnz 5f\n\t"
                                "cmp #motet_library, r13\n\tjlo 4f\n5:\t"
                                "mov r13, r14\n\tpop r12\n\t"
                                "push r10\n\tpush r9\n\tpush r8\n\tpush r7\n\tpush r6\n\tpush r5\n\tpush r4\n\t"
                                "mov r12, r10\n\tmov sp, r12\n\tcall #motet_hash_work\n\tmov r12, r14\n\tmov r10, "
                                "r12\n\t"
                                "pop r4\n\tpop r5\n\tpop r6\n\tpop r7\n\tpop r8\n\tpop r9\n\tpop r10\n\t"
                                "push r12\n"
                                "4:\tpop r12\n\tmov 18(sp), r13\n\tmov sp, r15\n\t"
                                "call #motet_enter_work\n\t"
                                "motet_load\n\tpop sr\n\tret\n"
                                "motet_library:\n"
                                ".popsection\n");

enum { WRAPPED_STEP = 0 }; /* rewritten code counts in all 16 bits */

enum { FRAME_STATUS = 16, FRAME_ABOVE = 20 }; /* from the stack pointer in motet_enter: SR, and the interrupted SP */

#ifndef MOTET_REGISTER_END
#define MOTET_REGISTER_END 0x200
#endif

/* Of the interrupted stack pointer and r4 to r15, which lie at `sp`. */
uint16_t motet_hash_work(const uint8_t *sp);
uint16_t motet_hash_work(const uint8_t *sp)
{
    enum { REGISTERS = 12, ABOVE = 14 + 20 };
    const uint16_t *at = (const uint16_t *)sp;
    struct mixed m = mix((struct mixed){0, 0}, (uint16_t)(uintptr_t)(sp + ABOVE));
    for (uint8_t i = REGISTERS; i; i--)
        m = mix(m, *at++);
    R.mixed = m.b;
    return m.a;
}

extern const uint8_t motet_stubs[], motet_library[];

static uint8_t in_stubs(uint16_t address)
{
    return address >= (uint16_t)(uintptr_t)motet_stubs && address < (uint16_t)(uintptr_t)motet_library;
}

static uint8_t in_library(uint16_t address)
{
    return address >= (uint16_t)(uintptr_t)motet_library;
}

/* The interrupt has ended sleep: the CPU was off. */
static uint8_t woke(uint16_t address, const uint8_t *frame)
{
    (void)address;
    return (frame[FRAME_STATUS] & CPUOFF) != 0;
}

/* What start-up code has initialised; the recorder's own lies in .noinit. */
extern uint8_t __data_start[], __bss_end[];
#define RAM_FIRST __data_start
#define RAM_LAST  __bss_end
extern uint8_t __stack[];
#define RAM_TOP __stack

extern uint8_t __heap_start[];
static uint16_t heap_end(void)
{
    return (uint16_t)(uintptr_t)__heap_start;
}

#define PORT_CONSTANT
#define port_constant *

static inline uint8_t register_size(uint16_t at)
{
    return at < 0x100 ? 1 : 2;
}

static inline uint16_t read_register(uint16_t at)
{
    return at < 0x100 ? *(volatile uint8_t *)at : *(volatile uint16_t *)at;
}

/* Of motet_idle: r4 to r15 lie at `frame`, then SR. Here in the order SP, SR, r3 (which is no register), r4 to r15. */
enum { FRAME_FIRST = 1, FRAME_REGISTERS = 30 /* bytes */, FRAME_SAVED = 26, FRAME_SR = 24 };

static uint8_t frame_byte(const uint8_t *frame, uint8_t number)
{
    uint16_t sp = (uint16_t)(uintptr_t)(frame + FRAME_SAVED);
    switch (number) {
    case 0: return (uint8_t)sp;
    case 1: return (uint8_t)(sp >> 8);
    case 2:
    case 3: return frame[FRAME_SR + number - 2];
    case 4:
    case 5: return 0;
    default: return frame[number - 6];
    }
}

/* The lowest byte in use when motet_idle was entered. */
static uint16_t frame_sp(const uint8_t *frame)
{
    return (uint16_t)(uintptr_t)(frame + FRAME_SAVED);
}

/* A range times p / 256. Interrupts are off, so that the multiplier is nobody else's. */
static inline uint16_t port_multiply(uint16_t range, uint8_t p)
{
#ifdef MPY_
    MPY = range;
    OP2 = p;
    return (uint16_t)(RESHI << 8 | RESLO >> 8);
#else
    return (uint16_t)((uint32_t)range * p >> 8);
#endif
}

#if MOTET_CODEC == CODEC_TARDIS
/* TACCR0 and TBCCR0. The other vectors of timers do not say which register fired. */
static const struct tardis_compare motet_compares[] PORT_CONSTANT = {{6, 1, 0x172, 0x162}, {13, 1, 0x192, 0x182}};
#endif

/* For the motet codec: vector, whether the timer has 16 bits, its compare register, and one that says what that is. */
#define PORT_COMPARES(X) X(6, 1, 0x172, 0x162) X(13, 1, 0x192, 0x182)
