/* The recorder on AVR: entries that keep every register, and the few things C cannot say.
 *
 * To the application interrupts can come between the entry of a stub and its CLI, and in the window of motet_idle, but
 * nowhere else in the recorder; these addresses all lie between motet_stubs and motet_library, and the way out (RETI,
 * or RET where interrupts were off) leaves no gap. Those that come in the worker are led to the window. */
#include <avr/pgmspace.h>

/* Beyond 128 KB of program memory return addresses have three bytes, the highest at the lowest address; the 17th bit of
 * an interrupted one is the highest of its vector's number. What is done with that byte stands here, in the order in
 * which it is used. */
#define LOW_PLACE(label) "ldi r24, lo8(pm(" label "))\n\tpush r24\n\tldi r24, hi8(pm(" label "))\n\tpush r24\n\t"
#define LOW_BELOW(label) "ldi r20, lo8(pm(" label "))\n\tcp r22, r20\n\tldi r20, hi8(pm(" label "))\n\tcpc r23, r20\n\t"
#ifdef __AVR_3_BYTE_PC__
#define PC_BYTES    3
#define WIDE_ON     "ldi r23, hh8(pm(motet_on))\n\t"
#define WIDE_OFF    "ldi r23, hh8(pm(motet_off))\n"
#define WIDE_GO_ON  "st X+, r23\n\t"
#define WIDE_ROOM   "push r24\n\t"
#define WIDE_STUB   "ldd r24, Z+35\n\tsts motet_recorder+19, r24\n\tldd r24, Z+36\n\tsts motet_recorder+18, r24\n\t"
#define WIDE_VECTOR "ldd r25, Z+34\n\tsbrc r25, 0\n\tori r24, 0x80\n\t"
#define WIDE_KEEP                                                                                              \
    "pop r0\n\tlds r24, motet_recorder+13\n\tmov r25, r24\n\tandi r24, 0x7f\n\tsts motet_recorder+13, r24\n\t" \
    "ldi r24, 0\n\tlsl r25\n\trol r24\n\tsts motet_recorder+15, r24\n\t" /* is not needed any more */
#define PUSH_PLACE(label) LOW_PLACE(label) "ldi r24, hh8(pm(" label "))\n\tpush r24\n\t"
#define WIDE_PUSH         "lds r24, motet_recorder+15\n\tpush r24\n\t"
#define LOW_INTERRUPTED   "ldd r22, Z+22\n\tldd r23, Z+21\n\t"
#define INTERRUPTED       LOW_INTERRUPTED "ldd r21, Z+20\n\t"
#define IS_BELOW(label)   LOW_BELOW(label) "ldi r20, hh8(pm(" label "))\n\tcpc r21, r20\n\t"
#define WIDE_BIT          "ldd r25, Z+20\n\tsbrc r25, 0\n\tori r24, 0x80\n\t"
#else
#define PC_BYTES          2
#define WIDE_ON           ""
#define WIDE_OFF          ""
#define WIDE_GO_ON        ""
#define WIDE_ROOM         ""
#define WIDE_STUB         "ldd r24, Z+34\n\tsts motet_recorder+19, r24\n\tldd r24, Z+35\n\tsts motet_recorder+18, r24\n\t"
#define WIDE_VECTOR       ""
#define WIDE_KEEP         ""
#define PUSH_PLACE(label) LOW_PLACE(label)
#define WIDE_PUSH         ""
#define LOW_INTERRUPTED   "ldd r22, Z+20\n\tldd r23, Z+19\n\t" /* pushed low byte first: high at the lower address */
#define INTERRUPTED       LOW_INTERRUPTED
#define IS_BELOW(label)   LOW_BELOW(label)
#define WIDE_BIT          ""
#endif
#define PUSH_REST                                                                                          \
    "push r2\n\tpush r3\n\tpush r4\n\tpush r5\n\tpush r6\n\tpush r7\n\tpush r8\n\tpush r9\n\tpush r10\n\t" \
    "push r11\n\tpush r12\n\tpush r13\n\tpush r14\n\tpush r15\n\tpush r16\n\tpush r17\n\tpush r28\n\tpush r29\n\t"
#define POP_REST                                                                                                     \
    "pop r29\n\tpop r28\n\tpop r17\n\tpop r16\n\tpop r15\n\tpop r14\n\tpop r13\n\tpop r12\n\tpop r11\n\tpop r10\n\t" \
    "pop r9\n\tpop r8\n\tpop r7\n\tpop r6\n\tpop r5\n\tpop r4\n\tpop r3\n\tpop r2\n\t"
/* The other registers, 18 bytes, by routines that return over Z where that holds an address. */
#if PC_BYTES == 3
#define REST ".macro motet_rest\n\t" PUSH_REST ".endm\n.macro motet_rest_load\n\t" POP_REST ".endm\n"
#else
#define REST                                                        \
    ".macro motet_rest\n\trcall motet_push_rest\n\t.endm\n"         \
    ".macro motet_rest_load\n\trcall motet_pop_rest\n\t.endm\n"     \
    "motet_push_rest:\n\tpop r31\n\tpop r30\n\t" PUSH_REST "ijmp\n" \
    "motet_pop_rest:\n\tpop r31\n\tpop r30\n\t" POP_REST "ijmp\n"
#endif
#define PLACE_7       PUSH_PLACE("7f")
#define PLACE_8       PUSH_PLACE("8f")
#define BELOW_CODE    IS_BELOW("__ctors_start")
#define BELOW_LIBRARY IS_BELOW("motet_library")

#define PORT_TARDIS   (6 | TARDIS_NARROW) /* bits of a vector's number; timers have 8 bits or 16 */

/* What may be a byte of the dump's command is looked at in C (dump.h). */
#if defined UDR0 && defined RXC0 && !defined MOTET_NO_DUMP
#define DUMP_TEST   "cpi r24, " RECORDER_TEXT(DUMP_FIRST) "\n\tbreq 9f\n\tlds r18, motet_dump\n\ttst r18\n\tbrne 9f\n\t"
#define DUMP_WANTED "lds r24, motet_dump+1\n\ttst r24\n\tbrne 9f\n\t"
#else
#define DUMP_TEST   ""
#define DUMP_WANTED ""
#endif

#ifdef SMCR
#define SLEEP_CONTROL SMCR
#define SLEEP_ADDRESS "0x53"
#else
#define SLEEP_CONTROL MCUCR
#define SLEEP_ADDRESS "0x55"
#endif
#ifdef RAMPZ
#define LOAD_WORD  "elpm"
#define PAGE_BEGIN "in r20, 0x3b\n\tpush r20\n\tldi r20, 0\n\trol r20\n\tout 0x3b, r20\n\t"
#define PAGE_END   "pop r21\n\tout 0x3b, r21\n\t"
#else
#define LOAD_WORD  "lpm"
#define PAGE_BEGIN ""
#define PAGE_END   ""
#endif

/* What is left in flags may be of a value that is only now being recorded, or of a loop that polls, and the application
 * may keep it (SREG is, before interrupts are turned off): all but the one that lets interrupts in are cleared. */
#define FORGET_FLAGS "bst r0, 7\n\tclr r0\n\tbld r0, 7\n\t"
#ifdef MOTET_STAMP
#include "stamp_avr.h"
#else
#define STAMP_LEAVE  ""
#define STAMP_EVEN   ""
#define STAMP_REST   ""
#define STAMP_AWAKE  "rjmp motet_return\n\t"
#define STAMP_READ   ""
#define STAMP_WINDOW ""
#define STAMP_POLLS  "motet_rare motet_wrapped, motet_wrapped_work\n"
#define STAMP_DOZE   "rjmp motet_leave\n"
#define WHICH_CODE                                                                                              \
    "lds r20, motet_uncounted\n\ttst r20\n\tbrne 5f\n\t" BELOW_CODE "brcs 5f\n\t" BELOW_LIBRARY "brcs 4f\n5:\t" \
    "motet_rest\n\tin r24, __SP_L__\n\tin r25, __SP_H__\n\tcall motet_hash_work\n\tmotet_rest_load\n\t"         \
    "movw r20, r24\n\t"                                                                                         \
    "in r30, __SP_L__\n\tin r31, __SP_H__\n\t" LOW_INTERRUPTED "ldd r24, Z+6\n"
#endif

/* Reads and interrupts are many, and some are timed by the firmware: where nothing is out of the ordinary they do
 * without C what events.h does. r0 has SREG then, and it and r18, r19, r30 and r31 are pushed. */
#define LITTLE_LEFT                                              \
    "lds r18, motet_recorder+4\n\tcpi r18, 1\n\tbrne 9f\n\t"     \
    "lds r30, motet_recorder+2\n\tlds r31, motet_recorder+3\n\t" \
    "cpi r30, lo8(" RECORDER_TEXT(MOTET_RING) "-" RECORDER_TEXT( \
        SCARCE) ")\n\t"                                          \
                "ldi r18, hi8(" RECORDER_TEXT(MOTET_RING) "-" RECORDER_TEXT(SCARCE) ")\n\tcpc r31, r18\n\tbrlo 2f\n"
/* Where the next unit goes, and what is a byte from there. */
#define NEXT_UNIT                                              \
    "lds r30, motet_recorder\n\tlds r31, motet_recorder+1\n\t" \
    "subi r30, lo8(-(motet_recorder+24))\n\tsbci r31, hi8(-(motet_recorder+24))\n\t"

#if MOTET_CODEC == CODEC_TARDIS && PC_BYTES == 3
#error "the tardis codec knows addresses of 16 bits; record with another"
#endif
#if MOTET_CODEC == CODEC_MOTET /* the compare register of a timer that fired */
#ifdef TIMER0_COMP_vect_num
#define COMPARES(number) RECORDER_TEXT(TIMER##number##_COMP_vect_num)
#define COMPARE_0        "0x51"
#define COMPARE_2        "0x43"
#else
#define COMPARES(number) RECORDER_TEXT(TIMER##number##_COMPA_vect_num)
#define COMPARE_0        "0x47"
#define COMPARE_2        "0xb3"
#endif
#define NOTE_COMPARE "rcall motet_compare\n\t"
#define COMPARE                                                                                                  \
    "motet_compare:\n\tcpi r24, " COMPARES(0) "\n\tbreq 1f\n\tcpi r24, " COMPARES(                               \
        2) "\n\tbreq 2f\n\tret\n"                                                                                \
           "1:\tlds r18, " COMPARE_0 "\n\trjmp 3f\n2:\tlds r18, " COMPARE_2 "\n3:\t" NEXT_UNIT                   \
           "std Z+2, r18\n\tldi r18, 1\n\tst Z, r18\n\tldi r18, 0xfb\n\tstd Z+1, r18\n\tldi r18, 0\n\tstd Z+3, " \
           "r18\n\t"                                                                                             \
           "rjmp motet_advance\n"
#else
#define NOTE_COMPARE ""
#define COMPARE      ""
#endif

#if MOTET_CODEC == CODEC_TARDIS /* wants more to be noted */
#define READS                                                                                                \
    "motet_rare motet_read8, motet_read8_work, motet_forget\n\tmotet_rare motet_read16, motet_read16_work, " \
    "motet_forget\n"
#define ENTER_FAST ""
#else
#define READS                                                                                                          \
    ".macro motet_begin_fast\n\tpush r0\n\tin r0, __SREG__\n\tcli\n\tpush r18\n\tpush r19\n\tpush r30\n\tpush "        \
    "r31\n\t.endm\n"                                                                                                   \
    ".macro motet_end_fast\n\tpop r31\n\tpop r30\n\tpop r19\n\tpop r18\n\t.endm\n" /* The next unit is there. */       \
    "motet_advance:\n\tlds r30, motet_recorder\n\tlds r31, motet_recorder+1\n\tadiw r30, 4\n\t"                        \
    "cpi r30, lo8(" RECORDER_TEXT(MOTET_RING) ")\n\tldi r18, hi8(" RECORDER_TEXT(                                      \
        MOTET_RING) ")\n\tcpc r31, r18\n\t"                                                                            \
                    "brne 1f\n\tldi r30, 0\n\tldi r31, 0\n1:\tsts motet_recorder, r30\n\tsts motet_recorder+1, "       \
                    "r31\n\t"                                                                                          \
                    "lds r30, motet_recorder+2\n\tlds r31, motet_recorder+3\n\tadiw r30, 4\n\t"                        \
                    "sts motet_recorder+2, r30\n\tsts motet_recorder+3, r31\n\tret\n" COMPARE                          \
                    "motet_other:\n\tldi r18, 0xff\n\tsts motet_recorder+8, r18\n\tsts motet_recorder+9, r18\n"        \
                    "motet_done:\n\trcall motet_advance\n"                                                             \
                    "motet_noted:\n\tldi r18, 0\n\tsts motet_count, r18\n\tsts motet_count+1, "                        \
                    "r18\n\tmotet_end_fast\n\trjmp motet_leave\n" /* A read of 8 bits: at the site of the last it goes \
                                                                into its unit (put_byte_again).                        \
                                                              */                                                       \
                    ".global motet_read8\n\t.type motet_read8,@function\n"                                             \
                    "motet_read8:\n\tmotet_begin_fast\n\t" FORGET_FLAGS DUMP_TEST LITTLE_LEFT                          \
                    "9:\tmotet_end_fast\n\tmotet_go motet_read8_work\n"                                                \
                    "2:\tlds r18, motet_recorder+8\n\tlds r19, motet_recorder+9\n\tcp r18, r20\n\tbrne 7f\n\t"         \
                    "mov r18, r21\n\tori r18, 0x80\n\tcp r19, r18\n\tbrne 7f\n\t"                                      \
                    "lds r30, motet_recorder+10\n\tlds r31, motet_recorder+11\n\tcpi r31, 0xff\n\tbreq 3f\n\t"         \
                    "subi r30, lo8(-(motet_recorder+24))\n\tsbci r31, hi8(-(motet_recorder+24))\n\t"                   \
                    "ld r18, Z\n\tcpi r18, 0xff\n\tbreq 3f\n\tmov r19, r18\n\tsubi r19, 2\n\t"                         \
                    "inc r18\n\tst Z, r18\n\tandi r19, 3\n\tbrne 4f\n\trcall motet_advance\n4:\t"                      \
                    "lds r30, motet_recorder\n\tlds r31, motet_recorder+1\n\tmov r18, r30\n\tor r18, r31\n\tbrne "     \
                    "8f\n\t"                                                                                           \
                    "ldi r30, lo8(" RECORDER_TEXT(MOTET_RING) ")\n\tldi r31, hi8(" RECORDER_TEXT(                      \
                        MOTET_RING) ")\n"                                                                              \
                                    "8:\tadd r30, r19\n\tbrcc 6f\n\tinc r31\n6:\t"                                     \
                                    "subi r30, lo8(-(motet_recorder+20))\n\tsbci r31, hi8(-(motet_recorder+20))\n\t"   \
                                    "mov r18, r24\n\tand r18, r22\n\tst Z, r18\n\trjmp motet_noted\n"                  \
                                    "3:\trjmp 9b\n"                                                                    \
                                    "7:\tsts motet_recorder+8, r20\n\tmov r18, r21\n\tori r18, 0x80\n\tsts "           \
                                    "motet_recorder+9, r18\n\t"                                                        \
                                    "ldi r18, 0xff\n\tsts motet_recorder+10, r18\n\tsts motet_recorder+11, "           \
                                    "r18\n\t" NEXT_UNIT "st Z, r20\n\tstd Z+1, r21\n\tmov r18, r24\n\tand r18, "       \
                                    "r22\n\tstd Z+2, r18\n\tldi r18, 0\n\tstd Z+3, r18\n\t"                            \
                                    "rjmp motet_done\n\t.size motet_read8, .-motet_read8\n"                            \
                                    ".global motet_read16\n\t.type motet_read16,@function\n"                           \
                                    "motet_read16:\n\tmotet_begin_fast\n\t" FORGET_FLAGS LITTLE_LEFT                   \
                                    "9:\tmotet_end_fast\n\tmotet_go motet_read16_work\n"                               \
                                    "2:\t" NEXT_UNIT "st Z, r20\n\tmov r18, r21\n\tori r18, 0x80\n\tstd Z+1, r18\n\t"  \
                                    "mov r18, r24\n\tand r18, r22\n\tstd Z+2, r18\n\tmov r18, r25\n\tand r18, "        \
                                    "r23\n\tstd Z+3, r18\n\t"                                                          \
                                    "rjmp motet_other\n\t.size motet_read16, .-motet_read16\n"
/* Where the CPU may not sleep, on to 4. */
#define SLEEP_IS_ON "lds r30, " SLEEP_ADDRESS "\n\tsbrs r30, " RECORDER_TEXT(SE) "\n\trjmp 4f\n\t"
/* r18 and r19 have the interrupted address. SLEEP before it, and NOP there: the interrupt has ended sleep
 * (MOTET_SLEEP), which is put; else on to 4. */
#define BEHIND_SLEEP                                                                                      \
    "push r20\n\tpush r21\n\tmovw r30, r18\n\tsbiw r30, 1\n\tlsl r30\n\trol r31\n\t" PAGE_BEGIN LOAD_WORD \
    " r20, Z+\n\t" LOAD_WORD " r21, Z+\n\tsubi r20, 0x88\n\tsbci r21, 0x95\n\tor r20, r21\n\t" LOAD_WORD  \
    " r21, Z+\n\tor r20, r21\n\t" LOAD_WORD " r21, Z\n\tor r20, r21\n\t" PAGE_END                         \
    "tst r20\n\tpop r21\n\tpop r20\n\tbrne 4f\n\t" NOTE_COMPARE NEXT_UNIT                                 \
    "ldi r18, 0xfd\n\tstd Z+1, r18\n\tldi r18, 0\n\tstd Z+2, r18\n\tstd Z+3, r18\n"                       \
    "7:\tst Z, r24\n\tlds r18, motet_recorder+20\n\tinc r18\n\tsts motet_recorder+20, r18\n\trjmp motet_other\n"

/* The interrupted address lies behind five bytes, the stub's address and r24. */
#if PC_BYTES == 3
#define ENTER_FAST ""
#elif defined MOTET_STAMP
#define ENTER_FAST STAMP_ENTER
#else
#define ENTER_FAST                                                                                                   \
    "motet_begin_fast\n\tlds r18, motet_recorder+5\n\ttst r18\n\tbrne 9f\n\t" LITTLE_LEFT "9:\trjmp 8f\n"            \
    "2:\tin r30, __SP_L__\n\tin r31, __SP_H__\n\tldd r18, Z+10\n\tldd r19, Z+9\n\t"                                  \
    "cpi r18, lo8(pm(motet_stubs))\n\tldi r30, hi8(pm(motet_stubs))\n\tcpc r19, r30\n\tbrlo 3f\n\t"                  \
    "cpi r18, lo8(pm(motet_library))\n\tldi r30, hi8(pm(motet_library))\n\tcpc r19, r30\n\tbrsh 9b\n\t" NOTE_COMPARE \
        NEXT_UNIT                                                                                                    \
    "ldi r18, 0xfc\n\tstd Z+1, r18\n\tlds r18, motet_count\n\tstd Z+2, r18\n\tlds r18, motet_count+1\n\t"            \
    "std Z+3, r18\n\trjmp 7f\n"                                                                                      \
    "3:\tcpi r18, lo8(pm(__ctors_start))\n\tldi r30, hi8(pm(__ctors_start))\n\tcpc r19, r30\n\tbrlo "                \
    "9b\n\t" SLEEP_IS_ON BEHIND_SLEEP "4:\tlds r30, motet_uncounted\n\ttst r30\n\tbrne 8f\n\t" NOTE_COMPARE          \
    "in r30, __SP_L__\n\tin r31, __SP_H__\n\tldd r18, Z+10\n\tldd r19, Z+9\n\t" NEXT_UNIT                            \
    "st Z, r24\n\tstd Z+2, r18\n\tstd Z+3, r19\n\tldi r18, 0xff\n\tstd Z+1, r18\n\trcall motet_advance\n\t"          \
    "in r18, __SP_L__\n\tin r19, __SP_H__\n\tsubi r18, -10\n\tsbci r19, -1\n\t" NEXT_UNIT                            \
    "std Z+2, r18\n\tstd Z+3, r19\n\tlds r18, motet_count+1\n\tstd Z+1, r18\n\t"                                     \
    "lds r18, motet_recorder+20\n\tinc r18\n\tsts motet_recorder+20, r18\n\t"                                        \
    "lds r18, motet_count\n\tst Z, r18\n\trjmp motet_other\n"                                                        \
    "8:\tmotet_end_fast\n\tout __SREG__, r0\n\tpop r0\n"
#endif
#endif
/* What motet_idle does where there is nothing to do. */
#ifdef MOTET_DUMP
#define IDLE_FAST "motet_save\n\t"
#else
#define IDLE_FAST                                                                                                    \
    "push r0\n\tin r0, __SREG__\n\tcli\n\tpush r24\n\tpush r25\n\t"                                                  \
    "lds r24, motet_recorder+22\n\ttst r24\n\tbreq 9f\n\tlds r24, motet_recorder+4\n\tcpi r24, 1\n\tbrne 9f\n\t"     \
    "lds r24, motet_recorder+7\n\ttst r24\n\tbrne 9f\n\t" DUMP_WANTED                                                \
    "lds r24, motet_recorder+2\n\tlds r25, motet_recorder+3\n\tcpi r24, lo8(" RECORDER_TEXT(                         \
        MOTET_BATCH) ")\n\t"                                                                                         \
                     "sbci r25, hi8(" RECORDER_TEXT(                                                                 \
                         MOTET_BATCH) ")\n\tbrcc 9f\n\t"                                                             \
                                      "lds r24, motet_count\n\tlds r25, motet_count+1\n\tadiw r24, 1\n\tbreq 9f\n\t" \
                                      "sts motet_count, r24\n\tsts motet_count+1, r25\n\tpop r25\n\tpop r24\n\tldi " \
                                      "r24, 0\n\t" STAMP_DOZE "9:\tpop r25\n\tpop r24\n\tmotet_save_more\n\t"
#endif

/* clang-format off */
__asm__(".pushsection .text.motet_stubs,\"ax\",@progbits\n"
        ".global motet_stubs, motet_library\n"
        "motet_stubs:\n"
        /* 15 bytes; SREG as it was goes first behind r0. */
        ".macro motet_push\n\tpush r0\n\tin r0, __SREG__\n\tcli\n\tmotet_push_more\n\t.endm\n"
        ".macro motet_push_more\n\t"
        "push r0\n\tpush r1\n\tclr r1\n\t"
        "push r18\n\tpush r19\n\tpush r20\n\tpush r21\n\tpush r22\n\tpush r23\n\tpush r24\n\tpush r25\n\t"
        "push r26\n\tpush r27\n\tpush r30\n\tpush r31\n"
        ".endm\n"
        ".macro motet_save\n\tpush r0\n\tin r0, __SREG__\n\tcli\n\tmotet_save_more\n\t.endm\n"
        ".macro motet_save_more\n\tmotet_push_more\n\tldi r18, 1\n\tsts motet_recorder+6, r18\n\t.endm\n"
        ".macro motet_load\n\tsts motet_recorder+6, r1\n\tmotet_pop\n\t.endm\n"
        ".macro motet_pop\n\t"
        "pop r31\n\tpop r30\n\tpop r27\n\tpop r26\n\tpop r25\n\tpop r24\n\tpop r23\n\tpop r22\n\tpop r21\n\tpop r20\n\t"
        "pop r19\n\tpop r18\n\tpop r1\n\tpop r0\n"
        ".endm\n"
        REST
        /* What most entries share: motet_save, with the address of what is to be called in r18 and r19; it is given the
         * stack pointer there. */
        "motet_common:\n\t"
        "push r20\n\tpush r21\n\tpush r22\n\tpush r23\n\tpush r24\n\tpush r25\n\tpush r26\n\tpush r27\n\t"
        "push r30\n\tpush r31\n\tmovw r30, r18\n\tclr r1\n\tldi r18, 1\n\tsts motet_recorder+6, r18\n\t"
        "in r18, __SP_L__\n\tin r19, __SP_H__\n\ticall\n"
        "motet_return:\n\tmotet_load\n"
        "motet_leave:\n\t" STAMP_LEAVE
        "sbrs r0, 7\n\trjmp 1f\n\t"
        "lsl r0\n\tlsr r0\n\tout __SREG__, r0\n\tpop r0\n\treti\n"
        "1:\t" STAMP_EVEN "out __SREG__, r0\n\tpop r0\n\tret\n"
        /* With r0 pushed and SREG in it. */
        ".macro motet_go work\n\t"
        "push r0\n\tpush r1\n\tpush r18\n\tpush r19\n\tldi r18, lo8(gs(\\work))\n\tldi r19, hi8(gs(\\work))\n\t"
        "rjmp motet_common\n"
        ".endm\n"
        /* Each in a section of its own, so that the linker can leave out those that nobody calls. */
        ".macro motet_forget\n\t" FORGET_FLAGS ".endm\n"
        ".macro motet_rare name, work, also\n"
        ".pushsection .text.motet_stubs.\\name,\"ax\",@progbits\n"
        ".global \\name\n\t.type \\name,@function\n"
        "\\name:\n\tpush r0\n\tin r0, __SREG__\n\tcli\n\t\\also\n\tmotet_go \\work\n\t.size \\name, .-\\name\n\t.popsection\n"
        ".endm\n" READS "motet_rare motet_block, motet_block_work\n"
        STAMP_POLLS
        "motet_rare motet_pointer8, motet_pointer8_work\n"
        "motet_rare motet_pointer16, motet_pointer16_work\n"
        "motet_rare motet_begin, motet_begin_work\n"
        "motet_rare motet_flush, motet_flush_work\n"
        "motet_rare motet_freeze, motet_freeze_work\n"
        "motet_rare motet_clear, motet_clear_work\n"
        /* The worker and its caller, each with all its registers on its own stack: of the worker 18 that motet_rest
         * pushes, 15 as motet_save does, where to go on with them loaded (motet_on or motet_off), r24 and the address.
         * For motet_idle; interrupts are let in. */
        "motet_work_inside:\n\t"
        STAMP_REST
        "ldi r24, 1\n\tsts motet_recorder+5, r24\n\tldi r24, lo8(pm(motet_on))\n\tldi r25, hi8(pm(motet_on))\n\t"
        WIDE_ON "rjmp 1f\n"
        /* The same with interrupts off. */
        ".global motet_work\n\t.type motet_work,@function\n"
        "motet_work:\n\tldi r24, lo8(pm(motet_off))\n\tldi r25, hi8(pm(motet_off))\n\t"
        WIDE_OFF
        "1:\tmotet_rest\n\tin r26, __SP_L__\n\tin r27, __SP_H__\n\tsts motet_recorder+14, r26\n\tsts "
        "motet_recorder+15, r27\n\t"
        "lds r26, motet_recorder+16\n\tlds r27, motet_recorder+17\n\tout __SP_H__, r27\n\tout __SP_L__, r26\n\t"
        "adiw r26, 34\n\t" WIDE_GO_ON "st X+, r25\n\tst X, r24\n\t"
        "motet_rest_load\n\tmotet_pop\n\tout __SREG__, r0\n\tpop r0\n\tret\n"
        "motet_on:\n\tpop r24\n\treti\n"
        "motet_off:\n\tpop r24\n\tret\n"
        ".size motet_work, .-motet_work\n"
        /* Called by the worker: back to its caller. */
        ".global motet_yield\n\t.type motet_yield,@function\n"
        "motet_yield:\n\tcli\n\tpush r24\n\tpush r24\n\tpush r24\n\t" WIDE_ROOM "motet_push\n\tmotet_rest\n\t"
        "sts motet_recorder+5, r1\n\t"
        "in r26, __SP_L__\n\tin r27, __SP_H__\n\tsts motet_recorder+16, r26\n\tsts motet_recorder+17, r27\n\t"
        "lds r26, motet_recorder+14\n\tlds r27, motet_recorder+15\n\tout __SP_H__, r27\n\tout __SP_L__, r26\n\t"
        "motet_rest_load\n\tret\n\t.size motet_yield, .-motet_yield\n"
        /* r24 says whether an interrupt came, where the caller has interrupts off: he must not sleep then. */
        ".global motet_idle\n\t.type motet_idle,@function\n"
        "motet_idle:\n\t" IDLE_FAST "call motet_idle_begin\n\ttst r24\n\tbreq 3f\n\tcall motet_work_inside\n"
        "3:\tcall motet_idle_end\n\t"
        "in r30, __SP_L__\n\tin r31, __SP_H__\n\tldd r25, Z+14\n\tsbrc r25, 7\n\tclr r24\n\tstd Z+6, r24\n\t"
        STAMP_AWAKE ".size motet_idle, .-motet_idle\n"
        /* An interrupt came in the worker, of which motet_save has been done already. It waits where it is; the
         * interrupt comes once more, in the window, with all registers and the stack as the caller of motet_idle has
         * them: handlers that are interrupted themselves must look as they do in replay, where they come at the
         * entry. */
        "motet_inside:\n\tmotet_rest\n\tsts motet_recorder+5, r1\n\t"
        "in r24, __SP_L__\n\tin r25, __SP_H__\n\tcall motet_inside_work\n\t"
        "in r30, __SP_L__\n\tin r31, __SP_H__\n\tsts motet_recorder+16, r30\n\tsts motet_recorder+17, r31\n\t"
        WIDE_STUB "ldd r24, Z+24\n\t" WIDE_VECTOR "sts motet_recorder+13, r24\n\t"
        "lds r26, motet_recorder+14\n\tlds r27, motet_recorder+15\n\tout __SP_H__, r27\n\tout __SP_L__, r26\n\t"
        "motet_rest_load\n\tpop r0\n\tpop r0\n\t" WIDE_KEEP "motet_load\n\t"
        "sts motet_recorder+14, r24\n\t" /* the other stack pointer is not needed any more */
        "sbrs r0, 7\n\trjmp 5f\n\t"
        "lsl r0\n\tlsr r0\n\tout __SREG__, r0\n\tpop r0\n\t"
        PLACE_8 "rjmp 6f\n"
        "5:\tout __SREG__, r0\n\tpop r0\n\t"
        PLACE_7
        "6:\tlds r24, motet_recorder+14\n\tpush r24\n\tlds r24, motet_recorder+18\n\tpush r24\n\t"
        "lds r24, motet_recorder+19\n\tpush r24\n\t" WIDE_PUSH STAMP_WINDOW "lds r24, motet_recorder+13\n\trjmp motet_entered\n"
        "7:\tcli\n"
        "8:\trjmp motet_idle\n"
        /* From a vector's stub, which has pushed r24 and put the vector's number there; interrupts are off. The
         * interrupted return address lies behind 15 bytes of motet_save, those of the call and r24. */
        ".global motet_enter\n\t.type motet_enter,@function\n"
        "motet_enter:\n\t" STAMP_READ "motet_entered:\n\t" ENTER_FAST "motet_save\n\t"
        "lds r20, motet_recorder+5\n\ttst r20\n\tbreq 9f\n\trjmp motet_inside\n9:\t"
        "in r30, __SP_L__\n\tin r31, __SP_H__\n\t"
        INTERRUPTED WHICH_CODE
        "4:\tmovw r18, r30\n\t" WIDE_BIT "call motet_enter_work\n\trjmp motet_return\n\t.size motet_enter, .-motet_enter\n"
        ".popsection\n.pushsection .text.motet_stubs_end,\"ax\",@progbits\nmotet_library:\n"
        ".popsection\n");
/* clang-format on */

void motet_work(void);
void motet_yield(void);

typedef uint8_t port_state;
static inline port_state port_lock(void)
{
    port_state was;
    __asm__ volatile("in %0, __SREG__\n\tcli" : "=r"(was)::"memory");
    return was;
}
static inline void port_unlock(port_state was)
{
    __asm__ volatile("out __SREG__, %0" ::"r"(was) : "memory");
}

/* Words that handlers change, too. */
static inline uint16_t port_word(const uint16_t *at)
{
    port_state was = port_lock();
    uint16_t word = *at;
    port_unlock(was);
    return word;
}
static inline void port_set_word(uint16_t *at, uint16_t word)
{
    port_state was = port_lock();
    *at = word;
    port_unlock(was);
}
static inline void port_subtract(uint16_t *from, uint16_t number)
{
    port_state was = port_lock();
    *from -= number;
    port_unlock(was);
}

/* Rewritten code counts in the low byte and calls motet_wrapped when that has come round. */
enum { WRAPPED_STEP = 0x100 };

/* A result of an entry takes the place of the register that is loaded in the end. */
static inline void port_result(uint8_t *frame, uint16_t value, uint8_t size)
{
    frame[6] = (uint8_t)value;
    if (size == 2)
        frame[5] = (uint8_t)(value >> 8);
}

enum { FRAME_ABOVE = 16 + 2 * PC_BYTES }; /* from the stack pointer in motet_enter up to the interrupted one */

#ifndef MOTET_REGISTER_END
#define MOTET_REGISTER_END RAMSTART
#endif

enum { FRAME_SAVED = 18 + 15, FRAME_SREG = 18 + 14, FRAME_R24 = FRAME_SAVED + PC_BYTES };

#ifndef MOTET_STAMP
/* Of the interrupted registers and stack pointer; `sp` is below the registers that motet_enter pushed. */
uint16_t motet_hash_work(const uint8_t *sp);
uint16_t motet_hash_work(const uint8_t *sp)
{
    uint16_t interrupted =
        (uint16_t)(uintptr_t)(sp + FRAME_R24 + 1 + PC_BYTES); /* SP before the CPU pushed the address */
    struct mixed m = mix((struct mixed){0, 0}, interrupted);
    const uint8_t *at = sp + 1;
    for (uint8_t words = (FRAME_SREG - 1) / 2; words; words--, at += 2)
        m = mix(m, (uint16_t)(at[0] | at[1] << 8));
    m = mix(m, (uint16_t)(at[0] | at[2] << 8)); /* around SREG */
    m = mix(m, sp[FRAME_R24 + 1]);
    R.mixed = m.b;
    return m.a;
}
#endif

#if PC_BYTES == 3
typedef uint32_t code_address;
#define CODE_ADDRESS(label, to)                                                                                       \
    __asm__("ldi %A0, lo8(pm(" label "))\n\tldi %B0, hi8(pm(" label "))\n\tldi %C0, hh8(pm(" label "))\n\tldi %D0, 0" \
            : "=d"(to))
#else
typedef uint16_t code_address;
#define CODE_ADDRESS(label, to) __asm__("ldi %A0, lo8(pm(" label "))\n\tldi %B0, hi8(pm(" label "))" : "=d"(to))
#endif

/* The interrupted one, of which motet_enter has given the low bytes. */
static inline code_address whole_address(uint16_t low, const uint8_t *frame)
{
    (void)frame;
    return PC_BYTES == 3 ? low | (code_address)frame[20] << (PC_BYTES == 3 ? 16 : 0) : low;
}

static SMALL uint16_t code_word(code_address at)
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

/* The worker was interrupted, and may go on with interrupts off. Where it has just read SREG to turn them off and put
 * that back later (so do port_lock() and the compiler's code for frames, libgcc's too) it reads it once more. */
void motet_inside_work(uint8_t *sp);
void motet_inside_work(uint8_t *sp)
{
    enum { LOW = 34 + 2 * PC_BYTES, HIGH = LOW - 1, CLI_OPCODE = 0x94f8, IN_SREG = 0xb60f, ANY_REGISTER = 0x01f0 };
    code_address address = (uint16_t)(sp[HIGH] << 8 | sp[LOW]);
#if PC_BYTES == 3
    address |= (code_address)sp[HIGH - 1] << 16;
#endif
    if (code_word(address) == CLI_OPCODE && (code_word(address - 1) & ~ANY_REGISTER) == IN_SREG) {
        address--;
        sp[HIGH] = (uint8_t)(address >> 8);
        sp[LOW] = (uint8_t)address;
#if PC_BYTES == 3
        sp[HIGH - 1] = (uint8_t)(address >> 16);
#endif
    }
}

#ifndef MOTET_STAMP
static uint8_t in_stubs(uint16_t low, const uint8_t *frame)
{
    code_address first, last, address = whole_address(low, frame);
    CODE_ADDRESS("motet_stubs", first);
    CODE_ADDRESS("motet_library", last);
    return address >= first && address < last;
}

/* Also functions with loops that do not count, which motet cc puts before the rest, among constants. */
static uint8_t in_library(uint16_t low, const uint8_t *frame)
{
    code_address first, last, address = whole_address(low, frame);
    CODE_ADDRESS("__ctors_start", first);
    CODE_ADDRESS("motet_library", last);
    return address < first || address >= last;
}
#endif

/* The interrupt has ended sleep: see MOTET_SLEEP. */
static uint8_t woke(uint16_t low, const uint8_t *frame)
{
    enum { SLEEP_OPCODE = 0x9588, NOP_OPCODE = 0 };
    code_address address = whole_address(low, frame);
    return (SLEEP_CONTROL & 1 << SE) && code_word(address) == NOP_OPCODE && code_word(address - 1) == SLEEP_OPCODE;
}

/* What start-up code has initialised; the recorder's own lies in .noinit. */
extern uint8_t __data_start[], __bss_end[];
#define RAM_FIRST __data_start
#define RAM_LAST  __bss_end
#define RAM_TOP   (RAMEND + 1)

extern uint8_t __heap_start[];
extern uint8_t *__brkval __attribute__((weak)); /* where malloc() has got to */

static SMALL uint16_t heap_end(void)
{
    return (uint16_t)(uintptr_t)(&__brkval && __brkval ? __brkval : __heap_start);
}

/* Where the linker puts what must lie in the first 64 KB. */
#define PORT_CONSTANT __attribute__((section(".progmem.gcc_motet")))
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

/* Of motet_idle: r29, r28 and r17 to r2 lie at `frame` + 1, then an address, then what motet_save pushed. Here in the
 * order r0 to r31, SREG, SP. */
enum { FRAME_FIRST = 0, FRAME_REGISTERS = 35 /* bytes */, FRAME_IDLE = 18 + PC_BYTES + 15 };

static __attribute__((unused)) const uint8_t frame_places[FRAME_REGISTERS - 2]
    __attribute__((section(".progmem.gcc_motet"))) = {FRAME_IDLE,
                                                      FRAME_IDLE - 2,
                                                      18,
                                                      17,
                                                      16,
                                                      15,
                                                      14,
                                                      13,
                                                      12,
                                                      11,
                                                      10,
                                                      9,
                                                      8,
                                                      7,
                                                      6,
                                                      5,
                                                      4,
                                                      3,
                                                      PC_BYTES + 30,
                                                      PC_BYTES + 29,
                                                      PC_BYTES + 28,
                                                      PC_BYTES + 27,
                                                      PC_BYTES + 26,
                                                      PC_BYTES + 25,
                                                      PC_BYTES + 24,
                                                      PC_BYTES + 23,
                                                      PC_BYTES + 22,
                                                      PC_BYTES + 21,
                                                      2,
                                                      1,
                                                      PC_BYTES + 20,
                                                      PC_BYTES + 19,
                                                      FRAME_IDLE - 1};

#ifndef MOTET_NO_CHECKPOINT
static void save_byte(uint8_t byte);
static inline void port_save(const uint8_t *frame)
{
    uint16_t sp = (uint16_t)(uintptr_t)(frame + FRAME_IDLE);
    for (uint8_t i = 0; i < sizeof frame_places; i++)
        save_byte(frame[pgm_read_byte(&frame_places[i])]);
    save_byte((uint8_t)sp);
    save_byte((uint8_t)(sp >> 8));
}
#endif

/* The lowest byte in use when motet_idle was entered. */
static inline uint16_t frame_sp(const uint8_t *frame)
{
    return (uint16_t)(uintptr_t)(frame + FRAME_IDLE + 1);
}

/* A thread that begins with the function; its stack pointer, for motet_work(). */
static uint16_t port_thread(uint8_t *top, void (*function)(void))
{
    top[-1] = (uint8_t)(uintptr_t)function;
    top[-2] = (uint8_t)((uintptr_t)function >> 8);
    return (uint16_t)(uintptr_t)(top - 34 - 2 * PC_BYTES - 1); /* the rest is zero */
}

#ifdef WDTCSR
/* After a reset by the watchdog it goes on with its shortest period, some 15 ms (ATmega328P, 10.8.2): too short for
 * what that reset has left to be written. Until that is done it has its longest. */
static inline uint8_t port_slow_watchdog(void)
{
    uint8_t was = WDTCSR & (uint8_t) ~(1 << WDIF | 1 << WDCE);
    if (was & 1 << WDE)
        __asm__ volatile("wdr\n\tsts %0, %1\n\tsts %0, %2" ::"n"(_SFR_MEM_ADDR(WDTCSR)),
                         "r"((uint8_t)(1 << WDCE | 1 << WDE)), "r"((uint8_t)(1 << WDE | 1 << WDP3 | 1 << WDP0)));
    return was;
}
static inline void port_set_watchdog(uint8_t was)
{
    if (was & 1 << WDE)
        __asm__ volatile("wdr\n\tsts %0, %1\n\tsts %0, %2" ::"n"(_SFR_MEM_ADDR(WDTCSR)),
                         "r"((uint8_t)(1 << WDCE | 1 << WDE)), "r"(was));
}
#else /* is off after a reset */
static inline uint8_t port_slow_watchdog(void)
{
    return 0;
}
static inline void port_set_watchdog(uint8_t was)
{
    (void)was;
}
#endif

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
