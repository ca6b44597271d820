/* What firmware that records itself calls: inserted by `motet cc`, or written by hand.
 *
 * Everything the firmware cannot know beforehand passes through here on its way in: values of registers, memory that
 * hardware filled, and where interrupts came. Invariant: an entry leaves every register, flag and byte of the
 * application as it was (but for its result), is atomic, and takes part in no decision of the firmware, so that a
 * replay which skips it and puts the logged value in place executes the same instructions.
 *
 * docs/node-logs.md says how the pieces work together.
 */
#ifndef MOTET_RECORD_H
#define MOTET_RECORD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The place of a read: class << 13 | number, numbers below 6144. */
typedef uint16_t motet_site;
enum { MOTET_STATE = 0, MOTET_TIMER = 1, MOTET_DATA = 2, MOTET_WHOLE = 3 };
#define MOTET_SITE(class, number) ((motet_site)((class) << 13 | (number)))

/* Loop rounds and function entries since the last event; every event sets it to its first value (config.h). */
extern volatile uint16_t motet_count;

/* Not zero while code runs that loops without counting (a delay): the position of an interrupt in it then has the
 * registers too. */
extern volatile uint8_t motet_uncounted;

void motet_boot(void); /* first in main: begins a log, or a new part of one */

/* Before the CPU sleeps: moves what was recorded to the flash, a bounded piece at a time. Called with interrupts off it
 * lets them in between two pieces, and says whether one came: then do not sleep, as if it had ended sleep. */
uint8_t motet_idle(void);
void motet_flush(void);  /* writes out all there is, now */
void motet_freeze(void); /* flushes, and records no more, also after a reset: what led here is kept */
void motet_clear(void);  /* lifts that: recording goes on with a checkpoint, over the oldest pages */

/* What must always hold: if it does not the log is frozen. */
#define motet_invariant(condition) ((condition) ? (void)0 : motet_freeze())

/* What is read through a pointer that may lead to registers. */
uint8_t motet_pointer8(const volatile void *p, motet_site site);
uint16_t motet_pointer16(const volatile void *p, motet_site site);

/* Memory that hardware (DMA) has written. */
void motet_block(void *bytes, uint16_t size, motet_site site);

#if defined __AVR__

#define MOTET_CALL "call "

static inline __attribute__((always_inline)) void MOTET_STEP(void)
{
    uint8_t low;
    __asm__ volatile("lds %0, motet_count\n\tsubi %0, 0xff\n\tsts motet_count, %0\n\tbrne 1f\n\t"
                     "call motet_wrapped\n1:"
                     : "=&d"(low));
}

#define MOTET_VALUE "r24"
#define MOTET_LIVE  "r22"
#define MOTET_PLACE "r20"
#define MOTET_FLAGS "cc"

/* Before the definition of handler __vector_NUMBER, which keeps its text: gives the handler another name for the linker
 * and puts before it what records the interrupt. */
#define MOTET_VECTOR(number)                                                         \
    void __vector_##number(void) __asm__("__vector_" #number "_motet");              \
    __asm__(".pushsection .text.motet_vectors,\"ax\",@progbits\n\t"                  \
            ".global __vector_" #number "\n\t.type __vector_" #number ",@function\n" \
            "__vector_" #number ":\n\t"                                              \
            "push r24\n\tldi r24," #number "\n\tcall motet_enter\n\tpop r24\n\t"     \
            "jmp __vector_" #number "_motet\n\t"                                     \
            ".size __vector_" #number ", .-__vector_" #number "\n\t.popsection")

/* Only SLEEP itself leads to the NOP: an interrupt that returns to it has ended sleep. */
#define MOTET_SLEEP() __asm__ volatile("sleep\n\tnop" ::: "memory")

#elif defined __MSP430__

#define MOTET_CALL  "call #"

static inline __attribute__((always_inline)) void MOTET_STEP(void)
{
    __asm__ volatile("inc.b &motet_count\n\tjnz 1f\n\tcall #motet_wrapped\n1:" ::: "r2", "memory");
}

#define MOTET_VALUE "r12"
#define MOTET_LIVE  "r13"
#define MOTET_PLACE "r14"
#define MOTET_FLAGS "r2" /* clang knows SR by no other name */

/* Before the definition of the handler `name`, whose attribute says interrupt(63) instead of interrupt(offset). */
#define MOTET_VECTOR(offset, name)                                                                         \
    __asm__(".pushsection __interrupt_vector_" #offset ",\"ax\",@progbits\n\t.short motet_vector_" #offset \
            "\n\t.popsection\n\t.pushsection .text.motet_vectors,\"ax\",@progbits\n\t"                     \
            ".global motet_vector_" #offset ", motet_handler_" #offset "\n\t"                              \
            ".set motet_handler_" #offset ", " #name "\n\t.type motet_vector_" #offset ",@function\n"      \
            "motet_vector_" #offset ":\n\t"                                                                \
            "push r12\n\tmov #" #offset "/2, r12\n\tcall #motet_enter\n\tpop r12\n\tbr #" #name "\n\t"     \
            ".size motet_vector_" #offset ", .-motet_vector_" #offset "\n\t.popsection")

#endif

/* The value as the application sees it: `value`, just read. Its `live` bits are recorded. */
static inline uint8_t motet_read8(uint8_t value, uint8_t live, motet_site site)
{
    register uint8_t v __asm__(MOTET_VALUE) = value;
    register uint8_t l __asm__(MOTET_LIVE) = live;
    register motet_site s __asm__(MOTET_PLACE) = site;
    __asm__ volatile(MOTET_CALL "motet_read8" : "+r"(v) : "r"(l), "r"(s) : MOTET_FLAGS);
    return v;
}

static inline uint16_t motet_read16(uint16_t value, uint16_t live, motet_site site)
{
    register uint16_t v __asm__(MOTET_VALUE) = value;
    register uint16_t l __asm__(MOTET_LIVE) = live;
    register motet_site s __asm__(MOTET_PLACE) = site;
    __asm__ volatile(MOTET_CALL "motet_read16" : "+r"(v) : "r"(l), "r"(s) : MOTET_FLAGS);
    return v;
}

#ifdef __cplusplus
}
#endif

#endif
