/* Cycle stamps on MSP430 (motet cc --stamp): Timer_A or Timer_B, counting SMCLK, takes the place of counted steps.
 *
 * Part of port_msp430.h; stamp_avr.h says how stamps work. SMCLK has the CPU's cycles while both it and MCLK are DCOCLK
 * undivided, as after a reset: then reads of the timer are synchronous, too (SLAU049, 11.2.1). Whoever leaves the
 * recorder writes the timer's control register, which sets it to zero, clears its overflow and says again what it is to
 * count; motet_enter reads that register and the count. Invariant: an interrupt that finds the timer changed, other
 * clocks, or SMCLK off while the CPU was not, is not recorded: something is lost there, and so a gap.
 *
 * An interrupt may be taken right behind the recorder's RETI, before an instruction of the application: stamps are one
 * more than the cycles executed, so that none is zero, which is for interrupts in the worker.
 *
 * Halfway round block 0 interrupts, whose flag is cleared as that is taken. It is off while the worker is at work;
 * where it finds the CPU asleep, in a mode that leaves SMCLK on, it turns itself off until the next interrupt. */
#if MOTET_STAMP == 0xa
#define STAMP_TIMER   "a"
#define STAMP_CONTROL "&0x160"
#define STAMP_BLOCK   "&0x162"
#define STAMP_COUNT   "&0x170"
#define STAMP_COMPARE "&0x172"
#define STAMP_HALFWAY 12
#else
#define STAMP_TIMER   "b"
#define STAMP_CONTROL "&0x180"
#define STAMP_BLOCK   "&0x182"
#define STAMP_COUNT   "&0x190"
#define STAMP_COMPARE "&0x192"
#define STAMP_HALFWAY 26
#endif
#define STAMP_CLOCKS "&0x58" /* BCSCTL2: all but DCOR is zero while both clocks are DCOCLK */
#define STAMP_RUNS   "0x220" /* SMCLK, continuous mode */
#define STAMP_CLEAR  "0x224"
#define STAMP_ON     "0x10" /* the interrupt of block 0 */

/* Cycles from setting the timer on the way out to the application, 7, and from an interrupt to reading it in
 * motet_enter, 35: the CPU's response, the vector's stub, and what comes before in STAMP_READ. Less one: see above. To
 * a handler it is five more than to the rest of the application, which replay knows (replay_stamps.h). What lies
 * between a write of the timer and a read right behind it is added by stamp_begin. */
#define STAMP_AWAY   41

#define STAMP_CLEARS "mov #" STAMP_CLEAR ", " STAMP_CONTROL "\n\t"
#define STAMP_LEAVE  "mov #" STAMP_ON ", " STAMP_BLOCK "\n\t" STAMP_CLEARS
/* The way out where r15 is not to be loaded. */
#define STAMP_SHORT STAMP_CLEARS "nop\n\tnop\n\t"
#define STAMP_IDLE  STAMP_CLEARS "nop\n\t" /* and another instruction behind it */
/* What is left in flags may be of a value that is only now being recorded, or of a loop that polls. Where steps are
 * counted these write over it before it can be kept; here it is cleared where SR lies on the stack. */
#define STAMP_FORGET(at) "and #0xf8, " at "(sp)\n\t"
#define STAMP_REST       "mov #0, " STAMP_BLOCK "\n\t"
/* Of an interrupt that has ended sleep nobody wants to know it. */
#define STAMP_READ                                                                                                   \
    "push sr\n\tpush r15\n\tbit #0x10, 8(sp)\n\tjnz 3f\n\tmov " STAMP_CONTROL ", &motet_stamp+2\n\tmov " STAMP_COUNT \
    ", &motet_stamp\n3:\t"
#define STAMP_SLOW "motet_entered:\n\tpop r15\n\tpop sr\n"
/* Of an interrupt in the worker only that it came in motet_idle: no cycle. */
#define STAMP_WINDOW                                                                                  \
    "mov #" STAMP_ON ", " STAMP_BLOCK "\n\tmov &motet_stamp+4, &motet_stamp\n\tmov #" STAMP_RUNS ", " \
    "&motet_stamp+2\n\t"
#define STAMP_ENTERS "push sr\n\tpush r15\n\tjmp motet_entered\n"
/* Behind a loop that polls. */
#define STAMP_POLLS                                                                                           \
    ".global motet_polled\n\t.type motet_polled,@function\n"                                                  \
    "motet_polled:\n\tpush sr\n\tdint\n\t" STAMP_FORGET(                                                      \
        "0") "push r15\n\tdec.b &motet_uncounted\n\tinc &motet_count\n\tjz 1f\n\t" STAMP_CLEARS "pop r15\n\t" \
             "reti\n1:\tmov #motet_wrapped_work, r15\n\tjmp motet_common\n"
#define WHICH_CODE ""

/* As ENTER_FAST of port_msp430.h. In loops that poll, where the timer has come round, and where it cannot tell, C does
 * it. */
#define STAMP_ENTER                                                                                      \
    "motet_entered:\n\ttst.b &motet_recorder+5\n\tjnz 9f\n\tcmp.b #1, &motet_recorder+4\n\tjne 9f\n\t"   \
    "tst.b &motet_recorder+12\n\tjnz 9f\n\t"                                                             \
    "cmp #" RECORDER_TEXT(MOTET_RING) "-" RECORDER_TEXT(                                                 \
        SCARCE) ", &motet_recorder+2\n\tjhs 9f\n\t"                                                      \
                "bit #0x10, 8(sp)\n\tjnz 4f\n\tcmp #" STAMP_RUNS ", &motet_stamp+2\n\tjne 9f\n\t"        \
                "bit #0x80, 8(sp)\n\tjnz 9f\n\tbit.b #0xfe, " STAMP_CLOCKS                               \
                "\n\tjnz 9f\n\ttst.b &motet_uncounted\n\tjnz 9f\n"                                       \
                "4:\tmov &motet_recorder, r15\n\t" NOTE_COMPARE "bit #0x10, 8(sp)\n\tjnz 5f\n\t"         \
                "bis #0xff00, r12\n\tmov r12, motet_recorder+24(r15)\n\t"                                \
                "mov &motet_stamp, motet_recorder+26(r15)\n\tsub &motet_stamp+4, "                       \
                "motet_recorder+26(r15)\n\tjz 7f\n\tmotet_next\n\t"                                      \
                "mov &motet_count, motet_recorder+24(r15)\n\tclr motet_recorder+26(r15)\n\t"             \
                "add #4, &motet_recorder+2\n\tjmp 6f\n"                                                  \
                "7:\tsub #0x300, motet_recorder+24(r15)\n\tmov &motet_count, motet_recorder+26(r15)\n\t" \
                "jmp 6f\n"                                                                               \
                "5:\tbis #0xfd00, r12\n\tmov r12, motet_recorder+24(r15)\n\tclr "                        \
                "motet_recorder+26(r15)\n\tmov #" STAMP_ON ", " STAMP_BLOCK "\n"                         \
                "6:\tmotet_next\n\tmov r15, &motet_recorder\n\tadd #4, &motet_recorder+2\n\t"            \
                "mov #-1, &motet_recorder+8\n\tclr &motet_count\n\tinc.b "                               \
                "&motet_recorder+20\n\t" STAMP_CLEARS "pop r15\n\tpop sr\n\tret\n"                       \
                "9:\tpop r15\n\tpop sr\n"

/* The timer as motet_enter has read it, its control register then, and STAMP_AWAY with what a write and a read take. */
uint16_t motet_stamp[3] __attribute__((section(".noinit"), used));
#define STAMP_TAKEN      motet_stamp[0]
#define STAMP_CONSTANT   motet_stamp[2]
#define STAMP_CAME_ROUND (motet_stamp[1] & 1) /* read before the count */

static void stamp_begin(void)
{
    __asm__ volatile(".global motet_stamps_of_timer" STAMP_TIMER "\n\t"
                     ".set motet_stamps_of_timer" STAMP_TIMER ", 1\n\t"
                     "mov #0x8000, " STAMP_COMPARE "\n\t" STAMP_CLEARS "mov " STAMP_COUNT ", &motet_stamp+4" ::
                         : "memory");
    STAMP_CONSTANT += STAMP_AWAY;
}

#define STAMP_VECTOR_OF(offset) MOTET_VECTOR(offset, motet_halfway)
STAMP_VECTOR_OF(STAMP_HALFWAY);
void motet_halfway(void) __attribute__((naked, used));
void motet_halfway(void)
{
    __asm__ volatile("bit #0x10, 0(sp)\n\tjz 1f\n\t" STAMP_REST "1:\treti");
}
