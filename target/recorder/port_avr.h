/* The recorder on AVR: entries that keep every register, and the few things C cannot say. Program memory up to 128 KB.
 *
 * Interrupts can come between the entry of a stub and its CLI, and in the window of motet_idle, but nowhere else in the
 * recorder; these addresses all lie between motet_stubs and motet_library, and the way out (RETI, or RET where
 * interrupts were off) leaves no gap. */
#include <avr/pgmspace.h>

#define PORT_TARDIS (6 | TARDIS_NARROW) /* bits of a vector's number; timers have 8 bits or 16 */

__asm__(".pushsection .text.motet_stubs,\"ax\",@progbits\n"
        ".global motet_stubs, motet_library\n"
        "motet_stubs:\n"
        /* 15 bytes; SREG as it was goes first behind r0. */
        ".macro motet_save\n\t"
        "push r0\n\tin r0, __SREG__\n\tcli\n\tpush r0\n\tpush r1\n\tclr r1\n\t"
        "push r18\n\tpush r19\n\tpush r20\n\tpush r21\n\tpush r22\n\tpush r23\n\tpush r24\n\tpush r25\n\t"
        "push r26\n\tpush r27\n\tpush r30\n\tpush r31\n\t"
        "ldi r18, 1\n\tsts motet_recorder+6, r18\n"
        ".endm\n"
        ".macro motet_load\n\t"
        "sts motet_recorder+6, r1\n\t"
        "pop r31\n\tpop r30\n\tpop r27\n\tpop r26\n\tpop r25\n\tpop r24\n\tpop r23\n\tpop r22\n\tpop r21\n\tpop r20\n\t"
        "pop r19\n\tpop r18\n\tpop r1\n\tpop r0\n"
        ".endm\n"
        ".macro motet_return\n\t"
        "motet_load\n\t"
        "sbrs r0, 7\n\trjmp 1f\n\t"
        "lsl r0\n\tlsr r0\n\tout __SREG__, r0\n\tpop r0\n\treti\n"
        "1:\tout __SREG__, r0\n\tpop r0\n\tret\n"
        ".endm\n"
        ".macro motet_entry name, work\n"
        ".global \\name\n\t.type \\name,@function\n"
        "\\name:\n\tmotet_save\n\tcall \\work\n\tmotet_return\n\t.size \\name, .-\\name\n"
        ".endm\n"
        "motet_entry motet_read8, motet_read8_work\n"
        "motet_entry motet_read16, motet_read16_work\n"
        /* Those that are not in a hurry share their way out. */
        ".macro motet_rare name, work\n"
        ".global \\name\n\t.type \\name,@function\n"
        "\\name:\n\tmotet_save\n\tldi r30, lo8(pm(\\work))\n\tldi r31, hi8(pm(\\work))\n\trjmp motet_common\n\t"
        ".size \\name, .-\\name\n"
        ".endm\n"
        "motet_common:\n\ticall\n\tmotet_return\n"
        "motet_rare motet_block, motet_block_work\n"
        "motet_rare motet_wrapped, motet_wrapped_work\n"
        /* The result takes the place of the register that is loaded in the end. */
        ".macro motet_pointer name, work, size\n"
        ".global \\name\n\t.type \\name,@function\n"
        "\\name:\n\tmotet_save\n\tcall \\work\n\t"
        "in r30, __SP_L__\n\tin r31, __SP_H__\n\tstd Z+6, r24\n\t"
        ".if \\size == 2\n\tstd Z+5, r25\n\t.endif\n\t"
        "motet_return\n\t.size \\name, .-\\name\n"
        ".endm\n"
        "motet_pointer motet_pointer8, motet_pointer8_work, 1\n"
        "motet_pointer motet_pointer16, motet_pointer16_work, 2\n"
        "motet_rare motet_begin, motet_begin_work\n"
        "motet_rare motet_flush, motet_flush_work\n"
        "motet_rare motet_freeze, motet_freeze_work\n"
        "motet_rare motet_clear, motet_clear_work\n"
        /* Pieces, with a window for interrupts between them, until there is no more to do or one came. Where the caller
         * has interrupts off, r24 says whether one came: he must not sleep then. */
        ".global motet_idle\n\t.type motet_idle,@function\n"
        "motet_idle:\n\tmotet_save\n"
        "2:\tcall motet_idle_work\n\t"
        "tst r24\n\tbrne 8f\n\trjmp 3f\n8:\t"
        "cpi r24, 2\n\tbreq 6f\n\t"
        /* The window, with all registers and the stack as the caller has them: handlers that are interrupted themselves
         * must look as they do in replay, where they come at the entry. */
        "motet_load\n\tsbrs r0, 7\n\trjmp 7f\n\t"
        "lsl r0\n\tlsr r0\n\tout __SREG__, r0\n\tpop r0\n\tsei\n\tnop\n\trjmp motet_idle\n"
        "7:\tout __SREG__, r0\n\tpop r0\n\tsei\n\tnop\n\tcli\n\trjmp motet_idle\n"
        /* A checkpoint, which wants the other registers too. */
        "6:\t"
        "push r2\n\tpush r3\n\tpush r4\n\tpush r5\n\tpush r6\n\tpush r7\n\tpush r8\n\tpush r9\n\tpush r10\n\t"
        "push r11\n\tpush r12\n\tpush r13\n\tpush r14\n\tpush r15\n\tpush r16\n\tpush r17\n\tpush r28\n\tpush r29\n\t"
        "in r24, __SP_L__\n\tin r25, __SP_H__\n\tcall motet_checkpoint_work\n\t"
        "pop r29\n\tpop r28\n\tpop r17\n\tpop r16\n\tpop r15\n\tpop r14\n\tpop r13\n\tpop r12\n\tpop r11\n\tpop r10\n\t"
        "pop r9\n\tpop r8\n\tpop r7\n\tpop r6\n\tpop r5\n\tpop r4\n\tpop r3\n\tpop r2\n\t"
        "rjmp 2b\n"
        "3:\tcall motet_idle_end\n\t"
        "in r30, __SP_L__\n\tin r31, __SP_H__\n\tldd r25, Z+14\n\tsbrc r25, 7\n\tclr r24\n\tstd Z+6, r24\n\t"
        "motet_return\n\t.size motet_idle, .-motet_idle\n"
        /* From a vector's stub, which has pushed r24 and put the vector's number there; interrupts are off. The
         * interrupted return address lies behind 15 bytes of motet_save, 2 of the call and r24. */
        ".global motet_enter\n\t.type motet_enter,@function\n"
        "motet_enter:\n\tmotet_save\n\t"
        "in r30, __SP_L__\n\tin r31, __SP_H__\n\t"
        "ldd r22, Z+20\n\tldd r23, Z+19\n\t" /* pushed low byte first: high at the lower address */
        "lds r20, motet_uncounted\n\ttst r20\n\tbrne 5f\n\t"
        "ldi r20, lo8(pm(__ctors_start))\n\tldi r21, hi8(pm(__ctors_start))\n\t"
        "cp r22, r20\n\tcpc r23, r21\n\tbrcs 5f\n\t"
        "ldi r20, lo8(pm(motet_library))\n\tldi r21, hi8(pm(motet_library))\n\t"
        "cp r22, r20\n\tcpc r23, r21\n\tbrcs 4f\n5:\t"
        "push r2\n\tpush r3\n\tpush r4\n\tpush r5\n\tpush r6\n\tpush r7\n\tpush r8\n\tpush r9\n\tpush r10\n\t"
        "push r11\n\tpush r12\n\tpush r13\n\tpush r14\n\tpush r15\n\tpush r16\n\tpush r17\n\tpush r28\n\tpush r29\n\t"
        "in r24, __SP_L__\n\tin r25, __SP_H__\n\tcall motet_hash_work\n\t"
        "pop r29\n\tpop r28\n\tpop r17\n\tpop r16\n\tpop r15\n\tpop r14\n\tpop r13\n\tpop r12\n\tpop r11\n\tpop r10\n\t"
        "pop r9\n\tpop r8\n\tpop r7\n\tpop r6\n\tpop r5\n\tpop r4\n\tpop r3\n\tpop r2\n\t"
        "movw r20, r24\n\t"
        "in r30, __SP_L__\n\tin r31, __SP_H__\n\t"
        "ldd r22, Z+20\n\tldd r23, Z+19\n\tldd r24, Z+6\n"
        "4:\tmovw r18, r30\n\tcall motet_enter_work\n\t"
        "motet_load\n\tout __SREG__, r0\n\tpop r0\n\tret\n\t.size motet_enter, .-motet_enter\n"
        "motet_library:\n"
        ".popsection\n");

/* Rewritten code counts in the low byte and calls motet_wrapped when that has come round. */
enum { WRAPPED_STEP = 0x100 };

enum { FRAME_ABOVE = 20 }; /* from the stack pointer in motet_enter up to the interrupted one */

#ifndef MOTET_REGISTER_END
#define MOTET_REGISTER_END RAMSTART
#endif

enum { FRAME_SAVED = 18 + 15, FRAME_SREG = 18 + 14, FRAME_R24 = FRAME_SAVED + 2 };

/* Of the interrupted registers and stack pointer; `sp` is below the registers that motet_enter pushed. */
uint16_t motet_hash_work(const uint8_t *sp);
uint16_t motet_hash_work(const uint8_t *sp)
{
    uint16_t interrupted = (uint16_t)(uintptr_t)(sp + FRAME_R24 + 1 + 2); /* SP before the CPU pushed the address */
    struct mixed m = mix((struct mixed){0, 0}, interrupted);
    const uint8_t *at = sp + 1;
    for (uint8_t words = (FRAME_SREG - 1) / 2; words; words--, at += 2)
        m = mix(m, (uint16_t)(at[0] | at[1] << 8));
    m = mix(m, (uint16_t)(at[0] | at[2] << 8)); /* around SREG */
    m = mix(m, sp[FRAME_R24 + 1]);
    R.mixed = m.b;
    return m.a;
}

static uint16_t code_word(uint16_t word_address)
{
#ifdef RAMPZ
    uint8_t rampz = RAMPZ;
    uint16_t w = pgm_read_word_far((uint32_t)word_address << 1);
    RAMPZ = rampz;
    return w;
#else
    return pgm_read_word(word_address << 1);
#endif
}

#ifdef SMCR
#define SLEEP_CONTROL SMCR
#else
#define SLEEP_CONTROL MCUCR
#endif

static uint8_t in_stubs(uint16_t address)
{
    uint16_t first, last;
    __asm__("ldi %A0, lo8(pm(motet_stubs))\n\tldi %B0, hi8(pm(motet_stubs))" : "=d"(first));
    __asm__("ldi %A0, lo8(pm(motet_library))\n\tldi %B0, hi8(pm(motet_library))" : "=d"(last));
    return address >= first && address < last;
}

/* Also functions with loops that do not count, which motet cc puts before the rest, among constants. */
static uint8_t in_library(uint16_t address)
{
    uint16_t first, last;
    __asm__("ldi %A0, lo8(pm(__ctors_start))\n\tldi %B0, hi8(pm(__ctors_start))" : "=d"(first));
    __asm__("ldi %A0, lo8(pm(motet_library))\n\tldi %B0, hi8(pm(motet_library))" : "=d"(last));
    return address < first || address >= last;
}

/* The interrupt has ended sleep: see MOTET_SLEEP. */
static uint8_t woke(uint16_t address, const uint8_t *frame)
{
    (void)frame;
    enum { SLEEP_OPCODE = 0x9588, NOP_OPCODE = 0 };
    return (SLEEP_CONTROL & 1 << SE) && code_word(address) == NOP_OPCODE && code_word(address - 1) == SLEEP_OPCODE;
}

/* What start-up code has initialised; the recorder's own lies in .noinit. */
extern uint8_t __data_start[], __bss_end[];
#define RAM_FIRST __data_start
#define RAM_LAST  __bss_end
#define RAM_TOP   (RAMEND + 1)

extern uint8_t __heap_start[];
extern uint8_t *__brkval __attribute__((weak)); /* where malloc() has got to */

static uint16_t heap_end(void)
{
    return (uint16_t)(uintptr_t)(&__brkval && __brkval ? __brkval : __heap_start);
}

#define PORT_CONSTANT PROGMEM
#define port_constant pgm_read_word

static inline uint16_t read_register(uint16_t at)
{
    return *(volatile uint8_t *)at;
}

static inline uint8_t register_size(uint16_t at)
{
    (void)at;
    return 1;
}

/* Of motet_idle: r29, r28 and r17 to r2 lie at `frame` + 1, then what motet_save pushed. Here in the order r0 to r31,
 * SREG, SP. */
enum { FRAME_FIRST = 0, FRAME_REGISTERS = 35 /* bytes */ };

static uint8_t frame_byte(const uint8_t *frame, uint8_t number)
{
    uint16_t sp = (uint16_t)(uintptr_t)(frame + FRAME_SAVED);
    switch (number) {
    case 0: return frame[FRAME_SAVED];
    case 1: return frame[31];
    case 28: return frame[2];
    case 29: return frame[1];
    case 30: return frame[20];
    case 31: return frame[19];
    case 32: return frame[FRAME_SREG];
    case 33: return (uint8_t)sp;
    case 34: return (uint8_t)(sp >> 8);
    default: return number < 18 ? frame[20 - number] : frame[48 - number];
    }
}

/* The lowest byte in use when motet_idle was entered. */
static uint16_t frame_sp(const uint8_t *frame)
{
    return (uint16_t)(uintptr_t)(frame + FRAME_SAVED + 1);
}

/* A range times p / 256. */
static inline uint16_t port_multiply(uint16_t range, uint8_t p)
{
    uint16_t result;
    __asm__("mul %B1, %2\n\tmovw %0, r0\n\tmul %A1, %2\n\tadd %A0, r1\n\tclr r1\n\tadc %B0, r1"
            : "=&r"(result)
            : "r"(range), "r"(p));
    return result;
}

#if MOTET_CODEC == CODEC_TARDIS
/* Compare registers of 16 bits are left out: an interrupt can come when half of one is written. */
static const struct tardis_compare motet_compares[] PORT_CONSTANT = {
#ifdef TIMER0_COMP_vect_num
    {TIMER0_COMP_vect_num, 0, _SFR_MEM_ADDR(OCR0), 0},
#endif
#ifdef TIMER2_COMP_vect_num
    {TIMER2_COMP_vect_num, 0, _SFR_MEM_ADDR(OCR2), 0},
#endif
#ifdef TIMER0_COMPA_vect_num
    {TIMER0_COMPA_vect_num, 0, _SFR_MEM_ADDR(OCR0A), 0},
#endif
#ifdef TIMER2_COMPA_vect_num
    {TIMER2_COMPA_vect_num, 0, _SFR_MEM_ADDR(OCR2A), 0},
#endif
#ifdef TIMER3_OVF_vect_num
    {TIMER3_OVF_vect_num, 1, 0, 0},
#endif
    {TIMER0_OVF_vect_num, 0, 0, 0},
    {TIMER1_OVF_vect_num, 1, 0, 0},
    {TIMER2_OVF_vect_num, 0, 0, 0},
};
#endif

/* For the motet codec: vector, whether the timer has 16 bits, its compare register, and one that says what that is. */
#ifdef TIMER0_COMP_vect_num
#define PORT_COMPARES(X) \
    X(TIMER0_COMP_vect_num, 0, _SFR_MEM_ADDR(OCR0), 0) X(TIMER2_COMP_vect_num, 0, _SFR_MEM_ADDR(OCR2), 0)
#else
#define PORT_COMPARES(X) \
    X(TIMER0_COMPA_vect_num, 0, _SFR_MEM_ADDR(OCR0A), 0) X(TIMER2_COMPA_vect_num, 0, _SFR_MEM_ADDR(OCR2A), 0)
#endif
