/* Calls and reads on AVRs, and what elements in assembly (src/rewrite/elements.h) use of the logger. Part of logger.c.
 *
 * There is room for an event of LOG_MOST bytes where motet_at is below the limit: motet_limit, with motet_limit_high as
 * its high byte. That is 0 while nothing is logged. Invariant: motet_lose and motet_interrupt change no register but
 * r0, r26, r27, r31.
 */
#ifndef ELEMENTS_AVR_H
#define ELEMENTS_AVR_H

#define ELEMENTS_TEXT(number)   #number
#define ELEMENTS_VALUE(number)  ELEMENTS_TEXT(number)
#define ELEMENTS_BOUND(address) "\t.word " #address "\n"

uint8_t log_known_count;

/* X is where the next event goes; without room the label 1 is next. */
#define ELEMENTS_ROOM              \
    "\tlds r26,motet_at\n"         \
    "\tlds r27,motet_at+1\n"       \
    "\tcpi r26,lo8(motet_limit)\n" \
    "\tlds r31,motet_limit_high\n" \
    "\tcpc r27,r31\n"              \
    "\tbrcc 1f\n"

__asm__("\t.global motet_limit, motet_at, motet_gap\n"
        "\t.set motet_end, motet_buffer+" ELEMENTS_VALUE(
            LOG_BUFFER) "\n"
                        "\t.set motet_limit, motet_end-" ELEMENTS_VALUE(
                            LOG_MOST) "\n"
                                      "\t.set motet_at, log\n"
                                      "\t.set motet_gap, log+2\n"
                                      "\t.section .data.motet_limit_high,\"aw\",@progbits\n"
                                      "\t.global motet_limit_high\n"
                                      "motet_limit_high:\n"
                                      "\t.byte hi8(motet_limit)\n"
                                      "\t.text");

/* ---- what was not logged ---- */

__asm__("\t.section .text.motet_lose,\"ax\",@progbits\n"
        "motet_interrupt:\n" /* a handler calls the component while that is executed, which is lost, too */
        "\tlds r31,motet_limit_high\n"
        "\ttst r31\n"
        "\tbreq 1f\n"
        "\tlds r26,motet_gap+3\n"
        "\tlds r27,motet_gap+4\n"
        "\tadiw r26,1\n"
        "\tsts motet_gap+4,r27\n"
        "\tsts motet_gap+3,r26\n"
        "1:\tclc\n" /* which says that there is no event */
        "\t.global motet_lose\n"
        "motet_lose:\n" /* there is no room for an event, or nothing is logged */
        "\tin r0,__SREG__\n"
        "\tcli\n"
        "\tlds r26,motet_gap+1\n"
        "\tlds r27,motet_gap+2\n"
        "\tadiw r26,1\n"
        "\tsts motet_gap+2,r27\n"
        "\tsts motet_gap+1,r26\n"
        "\tsts motet_limit_high,r1\n"
        "\tout __SREG__,r0\n"
        "\tret\n"
        "\t.text");

/* ---- calls ---- */

__asm__(ELEMENTS_ROUTINES); /* by motet cc: those that the program uses (src/rewrite/elements.h) */

#ifdef LOG_TIME
#define ELEMENTS_STAMP                \
    "\tpush r24\n"                    \
    "\tpush r25\n"                    \
    "\t" ELEMENTS_CALL " motet_now\n" \
    "\tpop r31\n"                     \
    "\tpop r30\n"                     \
    "\tst Z+,r24\n"                   \
    "\tst Z+,r25\n"                   \
    "\tmovw r24,r30\n"
#else
#define ELEMENTS_STAMP ""
#endif
#ifdef __AVR_HAVE_JMP_CALL__
#define ELEMENTS_CALL "call"
#define ELEMENTS_JUMP "jmp"
#else
#define ELEMENTS_CALL "rcall"
#define ELEMENTS_JUMP "rjmp"
#endif

__asm__("\t.section .text.motet_begin,\"ax\",@progbits\n"
        "\t.global motet_begin_back\n"
        "motet_begin_back:\n"
        "\tsts motet_side,r24\n"
        "\tmov r20,r24\n"
        "log_begin_return:\n"
        "\tori r24,0x80\n"
        "log_begin:\n" /* r24: the number, r22: bytes that follow, r20: log_known_side */
        "\tsts log_known_side,r20\n"
        "\tsts log_known_count,r1\n" ELEMENTS_ROOM "\tmovw r30,r26\n"
        "\tadd r30,r22\n"
        "\tadc r31,r1\n"
        "\tcpi r30,lo8(motet_end)\n"
        "\tldi r18,hi8(motet_end)\n"
        "\tcpc r31,r18\n"
        "\tbrcc 1f\n"
        "\tsts log_open+1,r27\n"
        "\tsts log_open,r26\n"
        "\tst X+,r24\n"
        "\tadiw r30,1\n"
        "\tsts motet_at+1,r31\n"
        "\tsts motet_at,r30\n"
        "\tmovw r24,r26\n"
        "\tret\n"
        "1:\trcall motet_lose\n"
        "log_begin_none:\n"
        "\tldi r24,0\n"
        "\tldi r25,0\n"
        "\tret\n"
        "\t.text");

__asm__("\t.section .text.motet_begin_in,\"ax\",@progbits\n"
        "\t.global motet_begin_end\n"
        "motet_begin_end:\n"
        "\tldi r20,0\n"
        "\trjmp log_begin_return\n"
        "2:\trcall motet_interrupt\n"
        "\trjmp log_begin_none\n"
        "\t.global motet_begin_in\n"
        "motet_begin_in:\n"
        "\tlds r25,motet_side\n"
        "\tsts motet_side,r24\n"
        "\tdec r25\n"
        "\tbrpl 2b\n"
        "\tmov r20,r24\n"
        "\tsubi r22,-(2+" ELEMENTS_VALUE(LOG_STAMP) ")\n"
                                                    "\trcall log_begin\n"
                                                    "\tsbiw r24,0\n"
                                                    "\tbreq 3f\n" ELEMENTS_STAMP "\tmovw r30,r24\n"
                                                    "\tin r18,__SP_L__\n"
                                                    "\tst Z+,r18\n"
                                                    "\tin r18,__SP_H__\n"
                                                    "\tst Z+,r18\n"
                                                    "\tmovw r24,r30\n"
                                                    "3:\tret\n"
                                                    "\t.text");

__asm__("\t.section .text.motet_begin_out,\"ax\",@progbits\n"
        "\t.global motet_begin_out\n"
        "motet_begin_out:\n"
        "\tldi r20,0\n"
#ifdef LOG_TIME
        "\tsubi r22,-2\n"
        "\trcall log_begin\n"
        "\tsbiw r24,0\n"
        "\tbreq 3f\n" ELEMENTS_STAMP "3:\tret\n"
#else
        "\trjmp log_begin\n"
#endif
        "\t.text");

/* ---- bytes ---- */

__asm__("\t.section .text.motet_bytes,\"ax\",@progbits\n"
        "\t.global motet_whole_out\n"
        "motet_whole_out:\n"
        "\tclt\n"
        "\trjmp 1f\n"
        "\t.global motet_whole\n"
        "motet_whole:\n"
        "\tset\n"
        "1:\tsbiw r24,0\n"
        "\tbreq 9f\n"
        "\tldi r20,0\n"
        "\trjmp 3f\n"
        "\t.global motet_put_out\n"
        "motet_put_out:\n"
        "\tclt\n"
        "\trjmp 1f\n"
        "\t.global motet_put\n"
        "motet_put:\n"
        "\tset\n"
        "1:\tldi r20,4\n"
        "\tsbiw r24,0\n"
        "\tbrne 3f\n"
        "\tmovw r22,r24\n"
        "3:\tlds r26,motet_at\n"
        "\tlds r27,motet_at+1\n"
        "\tldi r18,lo8(motet_end)\n"
        "\tldi r19,hi8(motet_end)\n"
        "\tsub r18,r26\n"
        "\tsbc r19,r27\n"
        "\tlds r21,motet_limit_high\n"
        "\ttst r21\n"
        "\tbreq 8f\n"
        "\tsub r18,r20\n"
        "\tsbc r19,r1\n"
        "\tbrcs 7f\n"
        "\tcp r18,r22\n"
        "\tcpc r19,r23\n"
        "\tbrcs 7f\n"
        "\ttst r20\n"
        "\tbreq 1f\n"
        "\tst X+,r24\n"
        "\tst X+,r25\n"
        "\tst X+,r22\n"
        "\tst X+,r23\n"
        "1:\tbrtc 2f\n"
        "\tlds r20,log_known_count\n"
        "\tmov r30,r20\n"
        "\tlsl r30\n"
        "\tlsl r30\n"
        "\tldi r31,0\n"
        "\tsubi r30,lo8(-(log_known))\n"
        "\tsbci r31,hi8(-(log_known))\n"
        "\tcpi r20," ELEMENTS_VALUE(LOG_KNOWN) "\n"
                                               "\tbrcc 2f\n"
                                               "\tinc r20\n"
                                               "\tsts log_known_count,r20\n"
                                               "\tst Z,r24\n"
                                               "\tstd Z+1,r25\n"
                                               "\tstd Z+2,r22\n"
                                               "\tstd Z+3,r23\n"
                                               "2:\tmovw r30,r24\n"
                                               "\trjmp log_put\n"
                                               "log_lost:\n"
                                               "7:\trcall motet_lose\n"
                                               "8:\tlds r26,log_open\n" /* the whole event is gone */
                                               "\tlds r27,log_open+1\n"
                                               "\trjmp log_commit\n"
                                               "9:\tret\n"
                                               "\t.text");

__asm__("\t.section .text.motet_append,\"ax\",@progbits\n"
        "log_append:\n"
        "\tlds r26,motet_at\n"
        "\tlds r27,motet_at+1\n"
        "\tmovw r30,r24\n"
        "\tldi r23,0\n"
        "log_put:\n" /* so many (r22) bytes from Z, to X, after which the next event comes */
        "\trjmp 6f\n"
        "5:\tld r0,Z+\n"
        "\tst X+,r0\n"
        "6:\tsubi r22,1\n"
        "\tsbci r23,0\n"
        "\tbrcc 5b\n"
        "log_commit:\n"
        "\tsts motet_at+1,r27\n"
        "\tsts motet_at,r26\n"
        "\tret\n"
        "\t.text");
void log_append(const void *bytes, uint8_t size); /* after what is in the buffer */

/* In a section of its own, which the linker drops where it is not used. */
__asm__("\t.section .text.motet_put_first,\"ax\",@progbits\n"
        "\t.global motet_put_first\n"
        "motet_put_first:\n" /* the only bytes of a call in, of which the event has just been begun */
        "\tsbiw r24,0\n"
        "\tbrne 3f\n"
        "\tmovw r22,r24\n"
        "3:\tlds r26,motet_at\n"
        "\tlds r27,motet_at+1\n"
        "\tldi r18,lo8(motet_end-4)\n"
        "\tldi r19,hi8(motet_end-4)\n"
        "\tsub r18,r26\n"
        "\tsbc r19,r27\n"
        "\tbrcs 7f\n"
        "\tcp r18,r22\n"
        "\tcpc r19,r23\n"
        "\tbrcs 7f\n"
        "\tst X+,r24\n"
        "\tst X+,r25\n"
        "\tst X+,r22\n"
        "\tst X+,r23\n"
        "\tldi r20,1\n"
        "\tsts log_known_count,r20\n"
        "\tsts log_known,r24\n"
        "\tsts log_known+1,r25\n"
        "\tsts log_known+2,r22\n"
        "\tsts log_known+3,r23\n"
        "\tmovw r30,r24\n"
        "\trjmp log_put\n"
        "7:\trjmp log_lost\n"
        "\t.text");

/* ---- reads ---- */

#if LOG_TARGETS > 1
extern const uint16_t log_owned[];
const uint16_t *log_owned_at = log_owned; /* those of the component that is logged */
#define ELEMENTS_OWNED "\tlds r30,log_owned_at\n\tlds r31,log_owned_at+1\n"
#else
#define ELEMENTS_OWNED "\tldi r30,lo8(log_owned)\n\tldi r31,hi8(log_owned)\n"
#endif

__asm__("\t.section .text.motet_knows,\"ax\",@progbits\n"
        "log_knows:\n" /* carry: what r24 leads to is known, or the component's own; changes r0, r26, r27, r30, r31 */
        "\tpush r18\n"
        "\tlds r26,motet_side\n"
        "\tlds r27,log_known_side\n"
        "\tcpse r26,r27\n"
        "\trjmp 3f\n"
        "\tlds r18,log_known_count\n"
        "\tldi r30,lo8(log_known)\n"
        "\tldi r31,hi8(log_known)\n"
        "1:\tsubi r18,1\n"
        "\tbrcs 3f\n"
        "\tmovw r26,r24\n"
        "\tld r0,Z+\n"
        "\tsub r26,r0\n"
        "\tld r0,Z+\n"
        "\tsbc r27,r0\n"
        "\tld r0,Z+\n"
        "\tcp r26,r0\n"
        "\tld r0,Z+\n"
        "\tcpc r27,r0\n"
        "\tbrcc 1b\n"
        "\trjmp 9f\n"
        "3:\n" ELEMENTS_OWNED /* how many of the bounds are not above it: an odd number, if it is its own */
        "\tldi r18,0\n"
        "4:\tlpm r0,Z+\n"
        "\tcp r24,r0\n"
        "\tlpm r0,Z+\n"
        "\tcpc r25,r0\n"
        "\tbrcs 5f\n"
        "\tinc r18\n"
        "\trjmp 4b\n"
        "5:\tlsr r18\n"
        "9:\tpop r18\n"
        "\tret\n"
        "\t.section .progmem.data.log_owned,\"a\",@progbits\n"
        "\t.balign 2\n"
        "log_owned:\n" LOG_OWNED(ELEMENTS_BOUND, ELEMENTS_BOUND) "\t.word 0xffff\n"
                                                                 "\t.text");

/* Of one or two bytes at r24. All registers stay but r0, r26, r27, r30, r31 and the result: the component's code needs
 * to save none (wrappers_declarations in src/rewrite/wrappers.c). */
__asm__("\t.section .text.motet_seen,\"ax\",@progbits\n"
        "log_seen_at:\n" /* on the stack: r20, which now has the number of bytes */
        "\trcall log_knows\n"
        "\tbrcs 2f\n"
        "log_seen_at_here:\n" ELEMENTS_ROOM "\tldi r30,0x70\n"
        "\tst X+,r30\n"
        "\tst X+,r20\n"
        "\tst X+,r24\n"
        "\tst X+,r25\n"
        "\tmovw r30,r24\n"
        "\tld r24,Z\n"
        "\tst X+,r24\n"
        "\tsbrs r20,1\n"
        "\trjmp 3f\n"
        "\tldd r25,Z+1\n"
        "\tst X+,r25\n"
        "3:\tsts motet_at+1,r27\n"
        "\tsts motet_at,r26\n"
        "\tpop r20\n"
        "\tret\n"
        "1:\trcall motet_lose\n"
        "2:\tmovw r30,r24\n"
        "\tld r24,Z\n"
        "\tsbrc r20,1\n"
        "\tldd r25,Z+1\n"
        "\tpop r20\n"
        "\tret\n"
        "\t.text");

/* The same with the value, of objects that must not be read twice; by the rules of C. */
__asm__("\t.section .text.motet_seen_value,\"ax\",@progbits\n"
        "log_seen:\n" /* r24: address, r22: value, r20: 1 or 2 bytes */
        "\trcall log_knows\n"
        "\tbrcs 2f\n"
        "log_seen_here:\n" ELEMENTS_ROOM "\tldi r30,0x70\n"
        "\tst X+,r30\n"
        "\tst X+,r20\n"
        "\tst X+,r24\n"
        "\tst X+,r25\n"
        "\tst X+,r22\n"
        "\tsbrc r20,1\n"
        "\tst X+,r23\n"
        "\tsts motet_at+1,r27\n"
        "\tsts motet_at,r26\n"
        "2:\tmovw r24,r22\n"
        "\tret\n"
        "1:\trcall motet_lose\n"
        "\trjmp 2b\n"
        "\t.text");

__asm__("\t.section .text.motet_seen_bytes,\"ax\",@progbits\n"
        "\t.global log_read\n"
        "log_read:\n" /* r24: address, r22: where the bytes are, r20: how many */
        "\trcall log_knows\n"
        "\tbrcs 9f\n" ELEMENTS_ROOM "\tmovw r30,r26\n"
        "\tadiw r30,4\n"
        "\tadd r30,r20\n"
        "\tadc r31,r1\n"
        "\tcpi r30,lo8(motet_end+1)\n"
        "\tldi r18,hi8(motet_end+1)\n"
        "\tcpc r31,r18\n"
        "\tbrcc 1f\n"
        "\tldi r18,0x70\n"
        "\tst X+,r18\n"
        "\tst X+,r20\n"
        "\tst X+,r24\n"
        "\tst X+,r25\n"
        "\tmovw r30,r22\n"
        "\tmov r22,r20\n"
        "\tldi r23,0\n"
        "\trjmp log_put\n"
        "1:\trjmp motet_lose\n"
        "9:\tret\n"
        "\t.text");

void log_read(const volatile void *at, const void *value, uint8_t size);

/* log_read() changes none of r20, r24, r25. */
__attribute__((naked)) void motet_look(const void *at, uint16_t size)
{
    __asm__ volatile("rjmp 3f\n"
                     "1:\tldi r20,32\n"
                     "\tcp r22,r20\n"
                     "\tcpc r23,r1\n"
                     "\tbrcc 2f\n"
                     "\tmov r20,r22\n"
                     "2:\tpush r22\n"
                     "\tpush r23\n"
                     "\tmovw r22,r24\n"
                     "\trcall log_read\n"
                     "\tpop r23\n"
                     "\tpop r22\n"
                     "\tadd r24,r20\n"
                     "\tadc r25,r1\n"
                     "\tsub r22,r20\n"
                     "\tsbc r23,r1\n"
                     "3:\tcp r22,r1\n"
                     "\tcpc r23,r1\n"
                     "\tbrne 1b\n"
                     "\tret");
}

__attribute__((naked)) uint32_t motet_seen4(const volatile void *at, uint32_t value)
{
    __asm__ volatile("push r23\n"
                     "\tpush r22\n"
                     "\tpush r21\n"
                     "\tpush r20\n"
                     "\tin r22,__SP_L__\n"
                     "\tin r23,__SP_H__\n"
                     "\tsubi r22,0xff\n"
                     "\tsbci r23,0xff\n"
                     "\tldi r20,4\n"
                     "\trcall log_read\n"
                     "\tpop r22\n"
                     "\tpop r23\n"
                     "\tpop r24\n"
                     "\tpop r25\n"
                     "\tret");
}

/* Naked, so that debug information knows their parameters. */
#define ELEMENTS_SEEN(name, type, size)                                             \
    type name##_here(const volatile void *at, type value);                          \
    __attribute__((naked)) type name(const volatile void *at, type value)           \
    {                                                                               \
        __asm__ volatile("ldi r20," #size "\n\trjmp log_seen");                     \
    }                                                                               \
    __attribute__((naked)) type name##_here(const volatile void *at, type value)    \
    {                                                                               \
        __asm__ volatile("ldi r20," #size "\n\trjmp log_seen_here");                \
    }                                                                               \
    type name##_at(const volatile void *at);                                        \
    __attribute__((naked)) type name##_at(const volatile void *at)                  \
    {                                                                               \
        __asm__ volatile("push r20\n\tldi r20," #size "\n\trjmp log_seen_at");      \
    }                                                                               \
    type name##_at_here(const volatile void *at);                                   \
    __attribute__((naked)) type name##_at_here(const volatile void *at)             \
    {                                                                               \
        __asm__ volatile("push r20\n\tldi r20," #size "\n\trjmp log_seen_at_here"); \
    }
ELEMENTS_SEEN(motet_seen1, uint8_t, 1)
ELEMENTS_SEEN(motet_seen2, uint16_t, 2)

/* ---- on and off ---- */

#if LOG_TARGETS > 1
static void elements_change_target(uint8_t component)
{
    for (log_owned_at = log_owned; component;)
        if (port_constant(&log_owned_at) == 0xffff)
            component--;
}
#endif

extern volatile uint8_t motet_limit_high;

static inline uint8_t elements_log(void)
{
    return motet_limit_high;
}

static inline void elements_stop(void)
{
    motet_limit_high = 0;
}

static inline void elements_resume(void)
{
    uint8_t high;
    __asm__("ldi %0,hi8(motet_limit)" : "=d"(high));
    motet_limit_high = high;
}

#endif
