/* Calls and reads on MSP430s, and what elements in assembly (src/rewrite/elements.h) use of the logger. Part of
 * logger.c.
 *
 * There is room for an event of LOG_MOST bytes where motet_at is below motet_limit, which is 0 while nothing is logged.
 * Invariant: motet_lose and motet_interrupt change no register.
 */
#ifndef ELEMENTS_MSP430_H
#define ELEMENTS_MSP430_H

__asm__("\t.section .text.motet_lose,\"ax\",@progbits\n"
        "\t.global motet_interrupt\n"
        "motet_interrupt:\n" /* a handler calls the component while that is executed */
        "\ttst &motet_limit\n"
        "\tjz 1f\n"
        "\tinc &motet_gap+4\n"
        "1:\tret\n"
        "\t.global motet_lose\n"
        "motet_lose:\n" /* there is no room for an event, or nothing is logged */
        "\tinc &motet_gap+2\n"
        "\tclr &motet_limit\n"
        "\tret\n"
        "\t.text");

struct known *log_known_end = log_known; /* of those that are used */
extern uint8_t *volatile motet_at;
__asm__("\t.global motet_at, motet_gap\n"
        "\t.set motet_at, log\n"
        "\t.set motet_gap, log+2");
uint8_t *volatile motet_limit = motet_buffer + LOG_BUFFER - LOG_MOST;

static inline uint8_t elements_log(void)
{
    return motet_limit != 0;
}

static inline void elements_stop(void)
{
    motet_limit = 0;
}

static inline void elements_resume(void)
{
    motet_limit = motet_buffer + LOG_BUFFER - LOG_MOST;
}

static inline uint8_t *elements_word(uint8_t *to, uint16_t word)
{
    *(uint16_t *)(void *)to = word;
    return to + 2;
}

static inline uint16_t elements_room(const uint8_t *at)
{
    return (uint16_t)(motet_buffer + LOG_BUFFER - at);
}

/* Fields begin at even addresses. */
static uint8_t *log_copy(uint8_t *to, const void *bytes, uint16_t size)
{
    for (const uint8_t *from = bytes; size; size--)
        *to++ = *from++;
    return to + ((uintptr_t)to & 1);
}

static void log_append(const void *bytes, uint8_t size)
{
    log.at = log_copy(log.at, bytes, size);
}

/* ---- calls ---- */

static __attribute__((noinline)) uint8_t *log_begin(uint8_t number, uint8_t size, logger_side known)
{
    uint8_t *at = motet_at;
    log_known_side = known;
    log_known_end = log_known;
    if (at >= motet_limit || size > elements_room(at) - 2) {
        motet_lose();
        return NULL;
    }
    log_open = at;
    motet_at = at + 2 + size;
    return elements_word(at, number);
}

static inline uint8_t *elements_stamp(uint8_t *to)
{
#ifdef LOG_TIME
    return elements_word(to, motet_now());
#else
    return to;
#endif
}

uint8_t *log_begin_in(uint8_t function, uint8_t size, uint16_t sp) __attribute__((used));
uint8_t *log_begin_in(uint8_t function, uint8_t size, uint16_t sp)
{
    logger_side was = motet_side;
    motet_side = function;
    if (was && was != (logger_side)-1) {
        motet_interrupt();
        motet_lose();
        return NULL;
    }
    uint8_t *at = log_begin(function, size + 2 + LOG_STAMP, function);
    return at ? elements_word(elements_stamp(at), sp) : at;
}

/* With the stack pointer before the call. */
__asm__("\t.section .text.motet_begin_in,\"ax\",@progbits\n"
        "\t.global motet_begin_in\n"
        "motet_begin_in:\n"
        "\tmov r1, r14\n"
        "\tincd r14\n"
        "\tbr #log_begin_in\n"
        "\t.text");

uint8_t *motet_begin_out(uint8_t function, uint8_t size)
{
    uint8_t *at = log_begin(function, size + LOG_STAMP, 0);
    return at ? elements_stamp(at) : at;
}

uint8_t *motet_begin_end(uint8_t function, uint8_t size)
{
    return log_begin(function | EVENT_RETURN, size, 0);
}

uint8_t *motet_begin_back(uint8_t function, uint8_t size)
{
    motet_side = function;
    return log_begin(function | EVENT_RETURN, size, function);
}

/* ---- bytes ---- */

#define ELEMENTS_TEXT(number)  #number
#define ELEMENTS_VALUE(number) ELEMENTS_TEXT(number)

__asm__("\t.section .text.motet_bytes,\"ax\",@progbits\n"
        "\t.global motet_whole_out\n"
        "motet_whole_out:\n"
        "\tmov #log_known+4*" ELEMENTS_VALUE(
            LOG_KNOWN) ", r11\n" /* no room for what is known */
                       "\tjmp 1f\n"
                       "\t.global motet_whole\n"
                       "motet_whole:\n"
                       "\tmov &log_known_end, r11\n"
                       "1:\tclr r14\n"
                       "\ttst r12\n"
                       "\tjnz 3f\n"
                       "\tret\n"
                       "\t.global motet_put_out\n"
                       "motet_put_out:\n"
                       "\tmov #log_known+4*" ELEMENTS_VALUE(
                           LOG_KNOWN) ", r11\n"
                                      "\tjmp 1f\n"
                                      "\t.global motet_put\n"
                                      "motet_put:\n"
                                      "\tmov &log_known_end, r11\n"
                                      "1:\tmov #4, r14\n"
                                      "\ttst r12\n"
                                      "\tjnz 3f\n"
                                      "\tclr r13\n"
                                      "3:\ttst &motet_limit\n"
                                      "\tjz 8f\n"
                                      "\tmov #motet_buffer+" ELEMENTS_VALUE(
                                          LOG_BUFFER) "-1, r15\n"
                                                      "\tsub &motet_at, r15\n"
                                                      "\tsub r14, r15\n"
                                                      "\tjlo 7f\n"
                                                      "\tcmp r13, r15\n"
                                                      "\tjlo 7f\n"
                                                      "\tmov &motet_at, r15\n"
                                                      "\ttst r14\n"
                                                      "\tjz 1f\n"
                                                      "\tmov r12, 0(r15)\n"
                                                      "\tmov r13, 2(r15)\n"
                                                      "\tadd r14, r15\n"
                                                      "1:\tcmp #log_known+4*" ELEMENTS_VALUE(
                                                          LOG_KNOWN) ", r11\n"
                                                                     "\tjhs 2f\n"
                                                                     "\tmov r12, 0(r11)\n"
                                                                     "\tmov r13, 2(r11)\n"
                                                                     "\tadd #4, r11\n"
                                                                     "\tmov r11, &log_known_end\n"
                                                                     "2:\tinc r13\n" /* two bytes at a time, from any
                                                                                        address */
                                                                     "\tbic #1, r13\n"
                                                                     "\tjz 5f\n"
                                                                     "4:\tmov.b @r12+, r14\n"
                                                                     "\tmov.b @r12+, r11\n"
                                                                     "\tswpb r11\n"
                                                                     "\tbis r11, r14\n"
                                                                     "\tmov r14, 0(r15)\n"
                                                                     "\tincd r15\n"
                                                                     "\tdecd r13\n"
                                                                     "\tjnz 4b\n"
                                                                     "5:\tmov r15, &motet_at\n"
                                                                     "\tret\n"
                                                                     "7:\tcall #motet_lose\n"
                                                                     "8:\tmov &log_open, &motet_at\n" /* the whole event
                                                                                                         is gone */
                                                                     "\tret\n"
                                                                     "\t.text");

/* The only bytes of a call in, of which the event has just been begun; changes neither r12 nor r13. */
__asm__("\t.section .text.motet_put_first,\"ax\",@progbits\n"
        "\t.global motet_put_first\n"
        "motet_put_first:\n"
        "\tmov r13, r14\n"
        "\ttst r12\n"
        "\tjnz 3f\n"
        "\tclr r14\n"
        "3:\tmov #motet_buffer+" ELEMENTS_VALUE(
            LOG_BUFFER) "-5, r15\n"
                        "\tsub &motet_at, r15\n"
                        "\tjlo 7f\n"
                        "\tcmp r14, r15\n"
                        "\tjlo 7f\n"
                        "\tmov &motet_at, r15\n"
                        "\tmov r12, 0(r15)\n"
                        "\tmov r14, 2(r15)\n"
                        "\tadd #4, r15\n"
                        "\tmov r12, &log_known\n"
                        "\tmov r14, &log_known+2\n"
                        "\tmov #log_known+4, &log_known_end\n"
                        "\tmov r12, r11\n"
                        "\ttst r14\n"
                        "\tjz 5f\n"
                        "4:\t.short 0x4bff, 0\n" /* mov.b @r11+, 0(r15), which LLVM's assembler does not have */
                        "\tinc r15\n"
                        "\tdec r14\n"
                        "\tjnz 4b\n"
                        "\tinc r15\n"
                        "\tbic #1, r15\n"
                        "5:\tmov r15, &motet_at\n"
                        "\tret\n"
                        "7:\tcall #motet_lose\n"
                        "\tmov &log_open, &motet_at\n"
                        "\tret\n"
                        "\t.text");

/* ---- reads ---- */

#define ELEMENTS_BOUND(address) address,
static const uint16_t log_owned[] = {LOG_OWNED(ELEMENTS_BOUND, ELEMENTS_BOUND) 0xffff};
#if LOG_TARGETS > 1
static const uint16_t *log_owned_at = log_owned; /* those of the component that is logged */

static void elements_change_target(uint8_t component)
{
    for (log_owned_at = log_owned; component;)
        if (*log_owned_at++ == 0xffff)
            component--;
}
#else
#define log_owned_at log_owned
#endif

static uint8_t elements_know(const volatile void *bytes)
{
    uint16_t at = (uint16_t)(uintptr_t)bytes;
    if (log_known_side == motet_side)
        for (const struct known *k = log_known; k != log_known_end; k++)
            if ((uint16_t)(at - (uint16_t)(uintptr_t)k->first) < k->size)
                return 1;
    uint8_t own = 0; /* of the bounds, an odd number is not above it */
    for (const uint16_t *bound = log_owned_at; at >= *bound; bound++)
        own ^= 1;
    return own;
}

static inline uint8_t *elements_read(const volatile void *at, uint8_t size)
{
    uint8_t *to = motet_at;
    if (to >= motet_limit || (size > LOG_MOST - 6 && size > elements_room(to) - 6)) {
        motet_lose();
        return NULL;
    }
    motet_at = to + 4 + ((size + 1) & ~1);
    return elements_word(elements_word(to, (uint16_t)(EVENT_READ | size << 8)), (uint16_t)(uintptr_t)at);
}

uint8_t motet_seen1_here(const volatile void *at, uint8_t value)
{
    uint8_t *to = elements_read(at, 1);
    if (to)
        elements_word(to, value);
    return value;
}

uint16_t motet_seen2_here(const volatile void *at, uint16_t value)
{
    uint8_t *to = elements_read(at, 2);
    if (to)
        elements_word(to, value);
    return value;
}

uint8_t motet_seen1(const volatile void *at, uint8_t value)
{
    return elements_know(at) ? value : motet_seen1_here(at, value);
}

uint16_t motet_seen2(const volatile void *at, uint16_t value)
{
    return elements_know(at) ? value : motet_seen2_here(at, value);
}

static void log_read(const volatile void *at, const void *value, uint8_t size)
{
    uint8_t *to = elements_know(at) ? NULL : elements_read(at, size);
    if (to)
        log_copy(to, value, size);
}

/* ---- of any size ---- */

uint32_t motet_seen4(const volatile void *at, uint32_t value)
{
    log_read(at, &value, 4);
    return value;
}

void motet_look(const void *at, uint16_t size)
{
    enum { CHUNK = 32 };
    for (const uint8_t *from = at; size;) {
        uint8_t count = size < CHUNK ? (uint8_t)size : CHUNK;
        log_read(from, from, count);
        from += count;
        size -= count;
    }
}

#endif
