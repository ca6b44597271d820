#include "logger.h"

#include <stddef.h>

#include "motet_log.h" /* by motet cc: LOG_BUFFER, LOG_TIME, LOG_RANGES */
#include "out.h"
#include "port.h"

enum { LOGGING, LOST, RESUMING, OFF };
enum { KNOWN = 4, CHUNK = 32 };

static uint8_t log_buffer[LOG_BUFFER];
static uint8_t *log_from = log_buffer; /* events that are not written out yet, */
static uint8_t *log_at = log_buffer;   /* up to here */
static uint8_t log_state, log_depth;
static uint8_t log_begun;       /* since the start */
static uint8_t log_restarts;    /* of that, since the last loss */
static uint8_t log_touched;     /* the component was entered while its variables were logged */
static uint8_t log_inside;      /* code of the component is executed */
static uint8_t log_interrupted; /* by a handler that called it, at this depth; 0: not */
static uint16_t log_lost, log_interruptions;

/* ---- room ---- */

/* NULL: there is none, or nothing is logged. Handlers may come here too. */
static inline uint8_t *log_reserve(uint16_t size)
{
    port_state was = port_lock();
    uint8_t *at = log_at;
    if (log_state == LOGGING && size <= (uint16_t)(log_buffer + LOG_BUFFER - at)) {
        log_at = at + size;
        port_unlock(was);
        return at;
    }
    if (log_state == LOGGING)
        log_state = LOST;
    log_lost++;
    port_unlock(was);
    return NULL;
}

static inline uint8_t *log_word(uint8_t *to, uint16_t word)
{
    *to++ = (uint8_t)word;
    *to++ = (uint8_t)(word >> 8);
    return to;
}

static inline uint8_t *log_stamp(uint8_t *to)
{
#ifdef LOG_TIME
    return log_word(to, (uint16_t)(LOG_TIME));
#else
    return to;
#endif
}
#ifdef LOG_TIME
enum { STAMP = 2 };
#else
enum { STAMP = 0 };
#endif

/* The first event of a life: the variables are those of the firmware's file. */
static __attribute__((noinline)) void log_start(void)
{
    log_begun = 1;
    uint8_t *at = log_reserve(2 + STAMP);
    if (at) {
        *at++ = EVENT_BEGIN;
        *at++ = BEGIN_START;
        log_stamp(at);
    }
}

/* ---- what a replay knows ---- */

static struct known {
    const uint8_t *first;
    uint16_t size;
} log_known[KNOWN];
static uint8_t log_known_count;

void motet_know(const void *bytes, uint16_t size)
{
    if (log_known_count < KNOWN)
        log_known[log_known_count++] = (struct known){bytes, size};
}

/* The component's variables that no code outside changes. */
static const uint16_t log_owned[][2] PORT_CONSTANT = {LOG_OWNED{0, 0}};

static uint8_t log_owns(uint16_t at)
{
    uint16_t size;
    for (uint8_t i = 0; (size = port_constant(&log_owned[i][1])); i++)
        if ((uint16_t)(at - port_constant(&log_owned[i][0])) < size)
            return 1;
    return 0;
}

static uint8_t log_knows(const volatile void *at)
{
    for (uint8_t i = log_known_count; i--;)
        if ((uint16_t)((const uint8_t *)at - log_known[i].first) < log_known[i].size)
            return 1;
    return log_owns((uint16_t)(uintptr_t)at);
}

/* ---- calls ---- */

/* A handler that calls the component while that is executed does so at a position that is not known. */
static __attribute__((noinline)) void log_interrupt(void)
{
    log_interrupted = log_depth + 1;
    if (log_state == LOGGING) {
        log_state = LOST;
        log_interruptions++;
    }
}

static __attribute__((noinline)) uint8_t *log_call_in(uint8_t function, uint16_t size, uint16_t sp)
{
    if (!log_begun)
        log_start();
    if (log_inside)
        log_interrupt();
    log_depth++;
    log_touched = log_inside = 1;
    log_known_count = 0;
    uint8_t *at = log_reserve(size + 3 + STAMP);
    if (!at)
        return at;
    *at++ = function;
    at = log_stamp(at);
    return log_word(at, sp);
}

static inline uint8_t *log_call_out(uint8_t function, uint16_t size)
{
    log_inside = 0;
    uint8_t *at = log_reserve(size + 1 + STAMP);
    if (!at)
        return at;
    *at++ = function;
    return log_stamp(at);
}

static inline uint8_t *log_return(uint8_t function, uint16_t size)
{
    uint8_t *at = log_reserve(size + 1);
    if (at)
        *at++ = function | EVENT_RETURN;
    return at;
}

static inline uint8_t *log_return_in(uint8_t function, uint16_t size)
{
    log_inside = log_interrupted && log_interrupted == log_depth;
    if (log_inside)
        log_interrupted = 0;
    log_depth--;
    return log_return(function, size);
}

static inline uint8_t *log_return_out(uint8_t function, uint16_t size)
{
    log_inside = 1;
    log_known_count = 0;
    return log_return(function, size);
}

uint8_t *log_call_in_any(uint8_t function, uint16_t size, uint16_t sp) __attribute__((used));
uint8_t *log_call_in_any(uint8_t function, uint16_t size, uint16_t sp)
{
    return log_call_in(function, size, sp);
}
PORT_WITH_STACK(motet_call_in, log_call_in_any);

uint8_t *motet_call_out(uint8_t function, uint16_t size)
{
    return log_call_out(function, size);
}

uint8_t *motet_return_in(uint8_t function, uint16_t size)
{
    return log_return_in(function, size);
}

uint8_t *motet_return_out(uint8_t function, uint16_t size)
{
    return log_return_out(function, size);
}

/* ---- calls with one value or none ---- */

void log_call_in_0(uint8_t function, uint16_t none, uint16_t sp) __attribute__((used));
void log_call_in_0(uint8_t function, uint16_t none, uint16_t sp)
{
    (void)none;
    log_call_in(function, 0, sp);
}
PORT_WITH_STACK(motet_call_in0, log_call_in_0);

void log_call_in_1(uint8_t function, uint8_t value, uint16_t sp) __attribute__((used));
void log_call_in_1(uint8_t function, uint8_t value, uint16_t sp)
{
    uint8_t *at = log_call_in(function, 1, sp);
    if (at)
        *at = value;
}
PORT_WITH_STACK(motet_call_in1, log_call_in_1);

void log_call_in_2(uint8_t function, uint16_t value, uint16_t sp) __attribute__((used));
void log_call_in_2(uint8_t function, uint16_t value, uint16_t sp)
{
    uint8_t *at = log_call_in(function, 2, sp);
    if (at)
        log_word(at, value);
}
PORT_WITH_STACK(motet_call_in2, log_call_in_2);

static inline void log_long(uint8_t *at, uint32_t value)
{
    log_word(log_word(at, (uint16_t)value), (uint16_t)(value >> 16));
}
static inline void log_byte(uint8_t *at, uint8_t value)
{
    *at = value;
}

void motet_call_out0(uint8_t function)
{
    log_call_out(function, 0);
}
void motet_return_in0(uint8_t function)
{
    log_return_in(function, 0);
}
void motet_return_out0(uint8_t function)
{
    log_return_out(function, 0);
}

#define LOG_CALL_OUT(size, type, put)                       \
    void motet_call_out##size(uint8_t function, type value) \
    {                                                       \
        uint8_t *at = log_call_out(function, size);         \
        if (at)                                             \
            put(at, value);                                 \
    }
LOG_CALL_OUT(1, uint8_t, log_byte)
LOG_CALL_OUT(2, uint16_t, log_word)
LOG_CALL_OUT(4, uint32_t, log_long)

#define LOG_RETURN(side, size, type, put)                        \
    type motet_return_##side##size(uint8_t function, type value) \
    {                                                            \
        uint8_t *at = log_return_##side(function, size);         \
        if (at)                                                  \
            put(at, value);                                      \
        return value;                                            \
    }
LOG_RETURN(in, 1, uint8_t, log_byte)
LOG_RETURN(in, 2, uint16_t, log_word)
LOG_RETURN(out, 1, uint8_t, log_byte)
LOG_RETURN(out, 2, uint16_t, log_word)
LOG_RETURN(out, 4, uint32_t, log_long)

uint8_t *motet_copy(uint8_t *to, const void *bytes, uint16_t size)
{
    for (const uint8_t *from = bytes; size; size--)
        *to++ = *from++;
    return to;
}

uint8_t *motet_put(uint8_t *to, const void *bytes, uint16_t size)
{
    return motet_copy(log_word(log_word(to, (uint16_t)(uintptr_t)bytes), size), bytes, size);
}

/* ---- reads ---- */

static uint8_t *log_read(const volatile void *at, uint8_t size)
{
    uint8_t *to = log_knows(at) ? NULL : log_reserve(size + 4);
    if (!to)
        return to;
    *to++ = EVENT_READ;
    to = log_word(to, (uint16_t)(uintptr_t)at);
    *to++ = size;
    return to;
}

uint8_t motet_seen1(const volatile void *at, uint8_t value)
{
    uint8_t *to = log_read(at, 1);
    if (to)
        *to = value;
    return value;
}

uint16_t motet_seen2(const volatile void *at, uint16_t value)
{
    uint8_t *to = log_read(at, 2);
    if (to)
        log_word(to, value);
    return value;
}

uint32_t motet_seen4(const volatile void *at, uint32_t value)
{
    uint8_t *to = log_read(at, 4);
    if (to)
        motet_copy(to, &value, 4);
    return value;
}

void motet_seen(const volatile void *at, void *value, uint8_t size)
{
    uint8_t *to = log_read(at, size);
    if (to)
        motet_copy(to, value, size);
}

void motet_look(const void *at, uint16_t size)
{
    for (const uint8_t *from = at; size;) {
        uint8_t count = size < CHUNK ? (uint8_t)size : CHUNK, *to = log_read(from, count);
        if (to)
            motet_copy(to, from, count);
        from += count;
        size -= count;
    }
}

/* ---- resuming: the component's variables come first ---- */

static const uint16_t log_ranges[][2] PORT_CONSTANT = {LOG_RANGES{0, 0}};
static uint8_t log_range;
static uint16_t log_done; /* bytes of that range */

/* Puts the next of it into the empty buffer. Interrupts are off. */
static void log_resume(void)
{
    uint8_t *at = log_at;
    if (log_state == LOST) {
        if (log_depth)
            return;
        *at++ = EVENT_GAP;
        at = log_word(at, log_lost);
        at = log_word(at, log_interruptions);
        log_lost = log_interruptions = 0;
        log_touched = 1;
        log_state = RESUMING;
    }
    if (log_touched) {
        log_restarts++;
        log_touched = log_range = 0;
        log_done = 0;
        *at++ = EVENT_BEGIN;
        *at++ = BEGIN_OVERFLOW;
        at = log_stamp(at);
    }
    uint16_t first = port_constant(&log_ranges[log_range][0]), size = port_constant(&log_ranges[log_range][1]);
    if (!size) {
        *at++ = EVENT_BEGUN;
        log_restarts = 0;
        log_state = LOGGING;
        log_lost = 0;
    } else {
        uint8_t count = size - log_done < CHUNK ? (uint8_t)(size - log_done) : CHUNK;
        *at++ = EVENT_BYTES;
        at = log_word(at, first + log_done);
        *at++ = count;
        at = motet_copy(at, (const uint8_t *)(uintptr_t)(first + log_done), count);
        log_done += count;
        if (log_done == size) {
            log_range++;
            log_done = 0;
        }
    }
    log_at = at;
}

/* ---- writing out ---- */

/* Events that wait become a page; what came meanwhile goes to the beginning of the buffer, or is the next page. */
static void log_written(void)
{
    enum { FEW = 48 };
    log_from = out_end();
    if ((uint16_t)(log_at - log_from) <= FEW && log_from != log_buffer) {
        log_at = motet_copy(log_buffer, log_from, (uint16_t)(log_at - log_from));
        log_from = log_buffer;
    }
}

/* A little of what is to be done; zero: there is nothing. Interrupts are off. */
static uint8_t log_step(void)
{
    if (out_busy()) {
        if (out_step())
            log_written();
    } else if (log_from != log_at) {
        out_begin(log_from, log_at);
    } else if (log_state == LOST || log_state == RESUMING) {
        log_resume();
    } else {
        return out_draining();
    }
    return 1;
}

/* Where the component is called so often that its variables cannot be written between two calls, the firmware's tasks
 * wait for that a while. Handlers do not, nor what the bus to the flash memory is held for. */
uint8_t motet_idle(void)
{
    enum { PATIENCE = 4, STEPS = 4000 };
    port_state was = port_lock();
    uint8_t more = log_step();
    for (uint16_t left = STEPS; left && log_state == RESUMING && log_restarts >= PATIENCE && !out_held(); left--) {
        port_let_in();
        log_step();
    }
    port_unlock(was);
    return more;
}
