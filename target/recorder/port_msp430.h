/* The recorder on MSP430: entries that keep every register, and the few things C cannot say.
 *
 * As on AVR, interrupts can come to the application only between the entry of a stub and the instruction behind DINT,
 * and in the window of motet_idle, where those are led that come in the worker; RETI puts back SR and returns at once.
 */
#include <msp430.h>

#define PORT_AGAIN
#define PORT_TARDIS 4 /* bits of a vector's number; timers have 16 bits */

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

/* An interrupt, as motet_enter_work in events.h has it, where nothing is out of the ordinary. With r15 and SR pushed
 * r12 of the application lies at 6, the interrupted SR at 8, PC at 10. */
/* The compare register of TACCR0 or TBCCR0, which fired, unless it captures: the vector's number, that register, and
 * its control. Not of the timer that tells cycles, which replay knows nothing of. */
#if defined MOTET_STAMP && MOTET_STAMP == 0xa
#define PORT_COMPARES(X) X(13, 1, 0x192, 0x182)
#elif defined MOTET_STAMP
#define PORT_COMPARES(X) X(6, 1, 0x172, 0x162)
#else
#define PORT_COMPARES(X) X(6, 1, 0x172, 0x162) X(13, 1, 0x192, 0x182)
#endif
#define NOTE_ONE(vector, wide, compare, control)                                               \
    "cmp #" #vector ", r12\n\tjne 1f\n\tbit #0x100, &" #control "\n\tjnz 1f\n\tmov &" #compare \
    ", motet_recorder+26(r15)\n\tmov #0xfb02, motet_recorder+24(r15)\n\tmotet_next\n\tadd #4, &motet_recorder+2\n1:\t"
#if MOTET_CODEC == CODEC_MOTET && defined MOTET_STAMP
#define NOTE_COMPARE PORT_COMPARES(NOTE_ONE)
#elif MOTET_CODEC == CODEC_MOTET
#define NOTE_COMPARE                                                                                \
    "cmp #6, r12\n\tjeq 1f\n\tcmp #13, r12\n\tjne 8f\n\tbit #0x100, &0x182\n\tjnz 8f\n\t"           \
    "mov &0x192, motet_recorder+26(r15)\n\tjmp 2f\n1:\tbit #0x100, &0x162\n\tjnz 8f\n\t"            \
    "mov &0x172, motet_recorder+26(r15)\n2:\tmov #0xfb02, motet_recorder+24(r15)\n\tmotet_next\n\t" \
    "add #4, &motet_recorder+2\n8:\t"
#else
#define NOTE_COMPARE ""
#endif

#ifdef MOTET_STAMP
#include "stamp_msp430.h"
#else
#define STAMP_CLEARS     ""
#define STAMP_LEAVE      ""
#define STAMP_SHORT      ""
#define STAMP_IDLE       ""
#define STAMP_FORGET(at) ""
#define STAMP_REST       ""
#define STAMP_READ       ""
#define STAMP_SLOW       ""
#define STAMP_WINDOW     ""
#define STAMP_ENTERS     "jmp motet_enter\n"
#define STAMP_POLLS      "motet_entry motet_wrapped, motet_wrapped_work\n"
#define WHICH_CODE                                                                                              \
    "push r12\n\tmov 20(sp), r13\n\ttst.b &motet_uncounted\n\tjnz 5f\n\tcmp #motet_library, r13\n\tjlo "        \
    "4f\n5:\tmov r13, r14\n\tpop r12\n\tmotet_rest\n\tmov r12, r10\n\tmov sp, r12\n\tcall #motet_hash_work\n\t" \
    "mov r12, r14\n\tmov r10, r12\n\tmotet_rest_load\n\tpush r12\n4:\tpop r12\n\t"
#endif

#if MOTET_CODEC == CODEC_TARDIS
#define ENTER_FAST STAMP_SLOW
#elif defined MOTET_STAMP
#define ENTER_FAST STAMP_ENTER
#else
#define MIX(word) "rla r13\n\tadc r13\n\tadd " word ", r13\n\tswpb r14\n\txor r13, r14\n\t" /* as mix() does */
#define ENTER_FAST                                                                                                    \
    "push sr\n\tpush r15\n\ttst.b &motet_recorder+5\n\tjnz 9f\n\tcmp.b #1, &motet_recorder+4\n\tjne 9f\n\t"           \
    "tst.b &motet_recorder+12\n\tjnz 9f\n\t"                                                                          \
    "cmp #" RECORDER_TEXT(MOTET_RING) "-" RECORDER_TEXT(                                                              \
        SCARCE) ", &motet_recorder+2\n\tjhs 9f\n\t"                                                                   \
                "mov &motet_recorder, r15\n\t" NOTE_COMPARE                                                           \
                "bit #0x10, 8(sp)\n\tjnz 5f\n\tcmp #motet_library, 10(sp)\n\tjhs 7f\n\tcmp #motet_stubs, "            \
                "10(sp)\n\tjhs 4f\n\t"                                                                                \
                "tst.b &motet_uncounted\n\tjnz 7f\n\t"                                                                \
                "bis #0xff00, r12\n\tmov r12, motet_recorder+24(r15)\n\tmov 10(sp), "                                 \
                "motet_recorder+26(r15)\n\tmotet_next\n\t"                                                            \
                "mov &motet_count, motet_recorder+24(r15)\n\tmov sp, motet_recorder+26(r15)\n\t"                      \
                "add #12, motet_recorder+26(r15)\n\tadd #4, &motet_recorder+2\n\tjmp 6f\n"                            \
                "7:\tpush r14\n\tpush r13\n\tmov sp, r13\n\tadd #16, r13\n\tmov r13, r14\n\t" MIX("r4") MIX("r5")     \
                    MIX("r6") MIX("r7") MIX("r8") MIX("r9") MIX("r10") MIX("r11") MIX("10(sp)") MIX("0(sp)")          \
                        MIX("2(sp)")                                                                                  \
                            MIX("4(sp)") "bis #0xfe00, r12\n\tmov r12, motet_recorder+24(r15)\n\tmov 14(sp), "        \
                                         "motet_recorder+26(r15)\n\tmotet_next\n\t"                                   \
                                         "mov &motet_count, motet_recorder+24(r15)\n\tmov r13, "                      \
                                         "motet_recorder+26(r15)\n\tmotet_next\n\t"                                   \
                                         "mov r14, motet_recorder+24(r15)\n\tpop r13\n\tpop r14\n\tmov sp, "          \
                                         "motet_recorder+26(r15)\n\t"                                                 \
                                         "add #12, motet_recorder+26(r15)\n\tadd #8, &motet_recorder+2\n\tjmp 6f\n"   \
                                         "4:\tbis #0xfc00, r12\n\tmov r12, motet_recorder+24(r15)\n\tmov "            \
                                         "&motet_count, motet_recorder+26(r15)\n\tjmp 6f\n"                           \
                                         "5:\tbis #0xfd00, r12\n\tmov r12, motet_recorder+24(r15)\n\tclr "            \
                                         "motet_recorder+26(r15)\n"                                                   \
                                         "6:\tmotet_next\n\tmov r15, &motet_recorder\n\tadd #4, "                     \
                                         "&motet_recorder+2\n\tmov #-1, &motet_recorder+8\n\t"                        \
                                         "clr &motet_count\n\tinc.b &motet_recorder+20\n\tpop r15\n\tpop sr\n\tret\n" \
                                         "9:\tpop r15\n\tpop sr\n"
#endif

/* An interrupt's handler may have used the multiplier: the worker's operands are given to it once more
 * (codec_coder.h). The interrupted PC lies at 32. */
#if MOTET_CODEC == CODEC_MOTET && defined MPY_
#define MULTIPLY_AGAIN                                                                                      \
    "mov 32(sp), r15\n\tsub #motet_product, r15\n\tcmp #motet_product_end-motet_product, r15\n\tjhs 1f\n\t" \
    "sub r15, 32(sp)\n1:\t"
#else
#define MULTIPLY_AGAIN ""
#endif

/* What motet_idle does where there is nothing to do. */
#ifdef MOTET_DUMP
#define IDLE_FAST "motet_save\n\t"
#else
#if defined MOTET_BOARD_TELOSB && !defined MOTET_NO_DUMP
#define DUMP_WANTED "tst.b &motet_dump+1\n\tjnz 9f\n\t"
#else
#define DUMP_WANTED ""
#endif
#define IDLE_FAST                                                                                              \
    "push sr\n\tdint\n\tnop\n\ttst.b &motet_recorder+22\n\tjz 9f\n\tcmp.b #1, &motet_recorder+4\n\tjne 9f\n\t" \
    "tst.b &motet_recorder+7\n\tjnz 9f\n\tcmp #" RECORDER_TEXT(                                                \
        MOTET_BATCH) ", &motet_recorder+2\n\tjhs 9f\n\t" DUMP_WANTED                                           \
                     "cmp #-1, &motet_count\n\tjeq 9f\n\tinc &motet_count\n\t" STAMP_IDLE "clr r12\n\treti\n"  \
                     "9:\tmotet_save_more\n\t"
#endif

__asm__(
    ".pushsection .text.motet_stubs,\"ax\",@progbits\n"
    ".global motet_stubs, motet_library\n"
    "motet_stubs:\n"
    /* r11 at 0(sp), r12 at 2, r13 at 4, r14 at 6, r15 at 8, SR at 10 */
    ".macro motet_save\n\tpush sr\n\tdint\n\tnop\n\tmotet_save_more\n\t.endm\n"
    ".macro motet_save_more\n\tpush r15\n\tpush r14\n\tpush r13\n\tpush r12\n\tpush r11\n\t"
    "mov.b #1, &motet_recorder+6\n\t.endm\n"
    ".macro motet_pop\n\tpop r11\n\tpop r12\n\tpop r13\n\tpop r14\n\tpop r15\n\t.endm\n"
    ".macro motet_load\n\tclr.b &motet_recorder+6\n\tmotet_pop\n\t.endm\n"
    /* The other registers, by routines that return over r15. */
    ".macro motet_rest\n\tcall #motet_push_rest\n\t.endm\n"
    ".macro motet_rest_load\n\tcall #motet_pop_rest\n\t.endm\n"
    "motet_push_rest:\n\tpop r15\n\tpush r10\n\tpush r9\n\tpush r8\n\tpush r7\n\tpush r6\n\tpush r5\n\tpush r4\n\tbr "
    "r15\n"
    "motet_pop_rest:\n\tpop r15\n\tpop r4\n\tpop r5\n\tpop r6\n\tpop r7\n\tpop r8\n\tpop r9\n\tpop r10\n\tbr r15\n"
    /* What most entries share: SR and r15 are pushed, and r15 has what is to be called. It is given the stack pointer
     * there. */
    "motet_common:\n\tpush r14\n\tpush r13\n\tpush r12\n\tpush r11\n\tmov.b #1, &motet_recorder+6\n\t"
    "mov r15, r11\n\tmov sp, r15\n\tcall r11\n"
    "motet_return:\n\tclr.b &motet_recorder+6\n\tpop r11\n\tpop r12\n\tpop r13\n\tpop r14\n\t" STAMP_LEAVE
    "pop r15\n\treti\n"
    /* The unit behind the one at r15. */
    ".macro motet_next\n\tadd #4, r15\n\tcmp #" RECORDER_TEXT(
        MOTET_RING) ", r15\n\tjne .Lin\\@\n\tclr r15\n.Lin\\@:\n\t.endm\n"
                    /* Each in a section of its own, so that the linker can leave out those that nobody calls. */
                    ".macro motet_entry name, work\n"
                    ".pushsection .text.motet_stubs.\\name,\"ax\",@progbits\n"
                    ".global \\name\n\t.type \\name,@function\n"
                    "\\name:\n\tpush sr\n\tdint\n\tnop\n\tpush r15\n\tmov #\\work, r15\n\tbr #motet_common\n"
                    ".popsection\n.endm\n"
                    /* Reads are many and some are timed by the firmware: without C where there is room (struct
                     * recorder). A read of 16 bits at the site of the last, which gives one more than that, is only
                     * counted: firmware that reads a running timer until it stands still would not come to an end if
                     * that took longer than the timer takes for a step. */
                    ".macro motet_read name, work, wide\n"
                    ".global \\name\n\t.type \\name,@function\n"
                    "\\name:\n\tpush sr\n\tdint\n\t" STAMP_FORGET(
                        "0") ".if \\wide\n\t"
                             "cmp r14, &motet_recorder+8\n\tjne 7f\n\tcmp r12, &motet_recorder+10\n\tjne 7f\n\t"
                             "inc &motet_recorder+10\n\tclr &motet_count\n\tinc.b &motet_recorder+12\n\tjn "
                             "8f\n\t" STAMP_SHORT "reti\n"
                             "8:\tmov #-1, &motet_recorder+8\n\t" STAMP_SHORT "reti\n"
                             "7:\n\t.endif\n\t"
                             "push r15\n\t" DUMP_TEST LIVE_TEST "tst.b &motet_recorder+12\n\tjnz 5f\n\t"
                             "cmp.b #1, &motet_recorder+4\n\tjne 5f\n\t"
                             "cmp #" RECORDER_TEXT(MOTET_RING) "-" RECORDER_TEXT(
                                 SCARCE) ", &motet_recorder+2\n\tjhs 5f\n\t"
                                         "mov &motet_recorder, r15\n\t"
                                         "mov r14, motet_recorder+24(r15)\n\tbis #\\wide, motet_recorder+24(r15)\n\t"
                                         "mov r12, motet_recorder+26(r15)\n\tand r13, motet_recorder+26(r15)\n\t"
                                         "motet_next\n\tmov r15, &motet_recorder\n\tadd #4, &motet_recorder+2\n\t"
                                         "mov #-1, r15\n\tcmp r15, r13\n\tjne 9f\n\tmov r14, r15\n\t"
                                         "mov r12, &motet_recorder+10\n\tinc &motet_recorder+10\n"
                                         "9:\tmov r15, &motet_recorder+8\n\t"
                                         "clr &motet_count\n\t" STAMP_CLEARS "pop r15\n\treti\n"
                                         "5:\tmov #\\work, r15\n\tjmp motet_common\n"
                                         ".endm\n"
                                         /* Reads of 8 bits at the site of the last go into its unit (put_byte_again in
                                          * events.h), all but the first without C. */
                                         ".global motet_read8\n\t.type motet_read8,@function\n"
                                         "motet_read8:\n\tpush sr\n\tdint\n\tpush r15\n\t" STAMP_FORGET("2")
                                             DUMP_TEST LIVE_TEST
    "cmp.b #1, &motet_recorder+4\n\tjne 5f\n\t"
    "cmp #" RECORDER_TEXT(MOTET_RING) "-" RECORDER_TEXT(
        SCARCE) ", &motet_recorder+2\n\tjhs 5f\n\t"
                "push r14\n\tbis #0x8000, r14\n\tcmp r14, &motet_recorder+8\n\tjne 7f\n\t"
                "mov &motet_recorder+10, r15\n\tcmp #-1, r15\n\tjeq 6f\n\t"
                "mov.b motet_recorder+24(r15), r14\n\tcmp.b #-1, r14\n\tjeq 6f\n\t"
                "sub #2, r14\n\tand #3, r14\n\t"
                "inc.b motet_recorder+24(r15)\n\t"
                "mov &motet_recorder, r15\n\ttst r14\n\tjnz 9f\n\tmotet_next\n\t"
                "mov r15, &motet_recorder\n\tadd #4, &motet_recorder+2\n"
                "9:\ttst r15\n\tjnz 8f\n\tmov #" RECORDER_TEXT(
                    MOTET_RING) ", r15\n"
                                "8:\tadd r14, r15\n\tmov.b r12, motet_recorder+20(r15)\n\t"
                                "and.b r13, motet_recorder+20(r15)\n\t"
                                "clr &motet_count\n\tpop r14\n\t" STAMP_CLEARS "pop r15\n\treti\n"
                                "7:\ttst.b &motet_recorder+12\n\tjnz 6f\n\t"
                                "mov r14, &motet_recorder+8\n\tmov #-1, "
                                "&motet_recorder+10\n\t"
                                "mov &motet_recorder, r15\n\tmov 0(sp), "
                                "motet_recorder+24(r15)\n\t"
                                "clr motet_recorder+26(r15)\n\tmov.b r12, "
                                "motet_recorder+26(r15)\n\t"
                                "and.b r13, motet_recorder+26(r15)\n\t"
                                "motet_next\n\tmov r15, &motet_recorder\n\tadd #4, "
                                "&motet_recorder+2\n\t"
                                "clr &motet_count\n\tpop r14\n\t" STAMP_CLEARS "pop r15\n\treti\n"
                                "6:\tpop r14\n"
                                "5:\tmov #motet_read8_work, r15\n\tjmp motet_common\n"
                                "motet_read motet_read16, motet_read16_work, 0x8000\n"
                                "motet_entry motet_block, motet_block_work\n" STAMP_POLLS
                                "motet_entry motet_pointer8, motet_pointer8_work\n"
                                "motet_entry motet_pointer16, motet_pointer16_work\n"
                                "motet_entry motet_begin, motet_begin_work\n"
                                "motet_entry motet_flush, motet_flush_work\n"
                                "motet_entry motet_freeze, motet_freeze_work\n"
                                "motet_entry motet_clear, motet_clear_work\n"
                                /* The worker and its caller, each with all its registers on
                                 * its own stack: of the worker r4 to r15, SR, where to go
                                 * on with them loaded (motet_on or motet_off), r12, SR and
                                 * the address. For motet_idle; interrupts are let in. */
                                "motet_work_inside:\n\t" STAMP_REST "mov.b #1, &motet_recorder+5\n\tmov "
                                "#motet_on, r14\n\tjmp 1f\n"
                                /* The same with interrupts off. */
                                ".global motet_work\n\t.type motet_work,@function\n"
                                "motet_work:\n\tmov #motet_off, r14\n"
                                "1:\tmotet_rest\n\tmov sp, &motet_recorder+14\n\tmov "
                                "&motet_recorder+16, sp\n\tmov r14, 26(sp)\n\t"
                                "motet_rest_load\n\tmotet_pop\n\tpop sr\n\tret\n"
                                "motet_on:\n\tpop r12\n\treti\n"
                                "motet_off:\n\tpop r12\n\tbic #8, 0(sp)\n\treti\n"
                                /* Called by the worker: back to its caller. */
                                ".global motet_yield\n\t.type motet_yield,@function\n"
                                "motet_yield:\n\tdint\n\tnop\n\tpush sr\n\tbis #8, "
                                "0(sp)\n\tpush r12\n\tpush r12\n\tpush sr\n\t"
                                "push r15\n\tpush r14\n\tpush r13\n\tpush r12\n\tpush "
                                "r11\n\tmotet_rest\n\t"
                                "clr.b &motet_recorder+5\n\tmov sp, "
                                "&motet_recorder+16\n\tmov &motet_recorder+14, sp\n\t"
                                "motet_rest_load\n\tret\n"
                                /* r12 says whether an interrupt came, where the caller has
                                 * interrupts off: he must not sleep then. */
                                ".global motet_idle\n\t.type motet_idle,@function\n"
                                "motet_idle:\n\t" IDLE_FAST "call #motet_idle_begin\n\ttst.b r12\n\tjz "
                                "3f\n\t"
                                "call #motet_work_inside\n"
                                "3:\tcall #motet_idle_end\n\t"
                                "bit #8, 10(sp)\n\tjz 4f\n\tclr r12\n4:\tmov.b r12, "
                                "r12\n\tmov r12, 2(sp)\n\tjmp motet_return\n"
                                /* An interrupt came in the worker, whose SR and r15 to r11
                                 * lie on its stack already. It waits where it is; the
                                 * interrupt comes once more, in the window, with all
                                 * registers and the stack as the caller of motet_idle has
                                 * them: handlers that are interrupted themselves must look
                                 * as they do in replay, where they come at the entry. */
                                "motet_inside:\n\tmotet_rest\n\t" MULTIPLY_AGAIN "clr.b "
                                "&motet_recorder+5\n\t"
                                "mov sp, &motet_recorder+16\n\tmov 26(sp), "
                                "&motet_recorder+18\n\t"
                                "mov.b 16(sp), &motet_recorder+13\n\tmov "
                                "&motet_recorder+14, sp\n\t"
                                "motet_rest_load\n\tadd #2, sp\n\tmotet_load\n\t"
                                "bit #8, 0(sp)\n\tjz 5f\n\t"
                                "bic #8, 0(sp)\n\tpop sr\n\tpush #8f\n\tjmp 6f\n"
                                "5:\tpop sr\n\tpush #7f\n"
                                "6:\tpush sr\n\tbis #8, 0(sp)\n\tpush r12\n\tpush "
                                "#0\n\tmov &motet_recorder+18, 0(sp)\n\t" STAMP_WINDOW
                                "mov.b &motet_recorder+13, r12\n\tbic #0xffbf, sr\n\t" STAMP_ENTERS "7:\tdint\n\tnop\n"
                                "8:\tjmp motet_idle\n"
                                /* From a vector's stub, which has pushed r12 and put the
                                 * vector's number there; interrupts are off. Behind what
                                 * motet_save pushes: the stub's address at 12, r12 at 14,
                                 * the interrupted SR at 16 and PC at 18. */
                                ".global motet_enter\n\t.type motet_enter,@function\n"
                                "motet_enter:\n\t" STAMP_READ ENTER_FAST
                                "motet_enter_slow:\n\tpush sr\n\tpush r15\n\tpush "
                                "r14\n\tpush r13\n\tpush r12\n\tpush "
                                "r11\n\t"
                                "mov.b #1, &motet_recorder+6\n\ttst.b "
                                "&motet_recorder+5\n\tjnz motet_inside\n\t"
                                "mov 14(sp), 2(sp)\n\t" /* the interrupted r12 in its place
                                                         */
    WHICH_CODE "mov 18(sp), r13\n\tmov sp, r15\n\t"
                                "call #motet_enter_work\n\tbr #motet_return\n"
                                ".popsection\n.pushsection "
                                ".text.motet_stubs_end,\"ax\",@progbits\nmotet_library:\n"
                                ".popsection\n");

void motet_work(void);
void motet_yield(void);

/* The recorder is compiled with -mhwmult=none: a library's multiplication by hardware keeps SR while it has interrupts
 * off, and would let them in where the worker goes on with interrupts off behind an interrupt that came just before.
 *
 * In the worker. An interrupt may still come behind DINT, and the worker then go on for another one who has interrupts
 * off: so it is not GIE alone that says whether they are let in again, but also for whom it is at work. */
typedef uint16_t port_state;
static inline port_state port_lock(void)
{
    port_state was;
    __asm__ volatile("mov r2, %0\n\tdint\n\tnop" : "=r"(was)::"memory");
    return was;
}
static inline void port_unlock(port_state was)
{
    if ((was & GIE) && R.inside)
        __asm__ volatile("eint" ::: "memory");
    else
        __asm__ volatile("" ::: "memory");
}

/* Words that handlers change, too: each of these is one instruction. */
static inline uint16_t port_word(const uint16_t *at)
{
    return *(const volatile uint16_t *)at;
}
static inline void port_set_word(uint16_t *at, uint16_t word)
{
    *(volatile uint16_t *)at = word;
}
static inline void port_subtract(uint16_t *from, uint16_t number)
{
    __asm__ volatile("sub %1, 0(%0)" ::"r"(from), "r"(number) : "memory", "cc");
}

/* A thread that begins with the function; its stack pointer, for motet_work(). */
static uint16_t port_thread(uint8_t *top, void (*function)(void))
{
    ((uint16_t *)top)[-1] = (uint16_t)(uintptr_t)function;
    return (uint16_t)(uintptr_t)(top - 34); /* the rest is zero */
}

/* A result of an entry takes the place of the register that is loaded in the end. */
static inline void port_result(uint8_t *frame, uint16_t value, uint8_t size)
{
    (void)size;
    *(uint16_t *)(frame + 2) = value;
}

enum { WRAPPED_STEP = 0 }; /* rewritten code counts in all 16 bits */

enum { FRAME_STATUS = 16, FRAME_ABOVE = 20 }; /* from the stack pointer in motet_enter: SR, and the interrupted SP */

#ifndef MOTET_REGISTER_END
#define MOTET_REGISTER_END 0x200
#endif

#ifndef MOTET_STAMP
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

static uint8_t in_stubs(uint16_t address, const uint8_t *frame)
{
    (void)frame;
    return address >= (uint16_t)(uintptr_t)motet_stubs && address < (uint16_t)(uintptr_t)motet_library;
}

static uint8_t in_library(uint16_t address, const uint8_t *frame)
{
    (void)frame;
    return address >= (uint16_t)(uintptr_t)motet_library;
}
#else
/* Whether the timer has counted other cycles than the CPU's: it or its clock was changed, or stood still. */
static uint8_t stamp_fails(const uint8_t *frame)
{
    return (motet_stamp[1] & ~1) != 0x220 || (frame[FRAME_STATUS] & SCG1) || (BCSCTL2 & 0xfe);
}
#endif

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
static inline uint16_t heap_end(void)
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

/* Of motet_idle: r4 to r10 lie at `frame`, then an address, r11 to r15, SR. Here in the order SP, SR, r3 (which is no
 * register), r4 to r15. */
enum { FRAME_FIRST = 1, FRAME_REGISTERS = 30 /* bytes */, FRAME_SAVED = 28, FRAME_SR = 26, FRAME_RETURN = 14 };

#ifndef MOTET_NO_CHECKPOINT
static void save_byte(uint8_t byte);
static void save_word(uint16_t word);
static inline void port_save(const uint8_t *frame)
{
    save_word((uint16_t)(uintptr_t)(frame + FRAME_SAVED));
    save_word(*(const uint16_t *)(frame + FRAME_SR));
    save_word(0);
    for (uint8_t i = 0; i < FRAME_SR; i++) {
        if (i == FRAME_RETURN)
            i += 2;
        save_byte(frame[i]);
    }
}
#endif

/* The lowest byte in use when motet_idle was entered. */
static inline uint16_t frame_sp(const uint8_t *frame)
{
    return (uint16_t)(uintptr_t)(frame + FRAME_SAVED);
}

/* Start-up code has turned the watchdog off. */
static inline uint8_t port_slow_watchdog(void)
{
    return 0;
}
static inline void port_set_watchdog(uint8_t was)
{
    (void)was;
}

#if MOTET_CODEC == CODEC_TARDIS
/* The other vectors of timers do not say which register fired. */
#define COMPARE_OF(vector, wide, compare, control) {vector, wide, compare, control},
static const struct tardis_compare motet_compares[] PORT_CONSTANT = {PORT_COMPARES(COMPARE_OF)};
#endif
