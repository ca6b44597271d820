#include "logger.h"

#include <stdbool.h>
#include <stddef.h>

#include "motet_log.h" /* by motet cc: LOG_BUFFER, LOG_TIME, LOG_RANGES, LOG_OWNED */
#include "port.h"

#define LOG_MOST  14 /* bytes of an event without buffers, at most */
#define LOG_KNOWN 4
#ifdef LOG_TIME
#define LOG_STAMP 2
uint16_t motet_now(void)
{
    return (uint16_t)(LOG_TIME);
}
#else
#define LOG_STAMP 0
#endif

uint8_t motet_buffer[LOG_BUFFER] __attribute__((section(".bss.motet_buffer"), aligned(2)));
uint8_t *volatile motet_at = motet_buffer; /* where the next event goes */
volatile logger_side motet_side;

/* What was lost since the last event; it is logged as it stands here. */
#ifdef __AVR__
typedef uint8_t logger_first;
#else
typedef uint16_t logger_first; /* fields begin at even addresses */
#endif
volatile struct {
    logger_first gap;
    uint16_t lost, interrupts;
    uint8_t begin, reason;
} motet_gap = {.gap = EVENT_GAP, .begin = EVENT_BEGIN, .reason = BEGIN_OVERFLOW};
void motet_lose(void);
void motet_interrupt(void);

/* Bytes that a replay knows, as long as motet_side is log_known_side. */
struct known {
    const uint8_t *first;
    uint16_t size;
} log_known[LOG_KNOWN];
logger_side log_known_side;
uint8_t *log_open; /* where the event under way begins */

#ifdef __AVR__
#include "elements_avr.h"
#else
#include "elements_msp430.h"
#endif

/* ---- reads of any size ---- */

enum { CHUNK = 32 };

uint32_t motet_seen4(const volatile void *at, uint32_t value)
{
    log_read(at, &value, 4);
    return value;
}

void motet_seen(const volatile void *at, void *value, uint8_t size)
{
    log_read(at, value, size);
}

void motet_look(const void *at, uint16_t size)
{
    for (const uint8_t *from = at; size;) {
        uint8_t count = size < CHUNK ? (uint8_t)size : CHUNK;
        log_read(from, from, count);
        from += count;
        size -= count;
    }
}

/* ---- resuming: the component's variables come first ---- */

#include "out.h"

static const uint16_t log_ranges[][2] PORT_CONSTANT = {LOG_RANGES{0, 0}};

static struct log {
    uint8_t *from;             /* what is not written out yet */
    uint8_t resumes;           /* the variables are being written */
    uint8_t restarts;          /* of that, since the last loss */
    const uint16_t (*next)[2]; /* of the ranges */
    uint16_t left;             /* bytes of the one before */
    struct {                   /* as it is logged */
        uint8_t bytes, size;
        uint8_t *first;
    } piece;
    struct { /* what comes first of all: the build id, and that the variables are those of the firmware's file */
        const uint8_t *build[4];
        uint8_t begin[2 + LOG_STAMP];
    } start;
} log = {
    .from = (uint8_t *)&log.start,
    .piece = {.bytes = EVENT_BYTES},
    .start = {.build = {motet_build_id, motet_build_id16, motet_build_id32, motet_build_id48}, .begin = {EVENT_BEGIN}}};

/* Addresses relative to a register are shorter than absolute ones. */
static inline struct log *log_here(void)
{
    struct log *l = &log;
#ifdef __AVR__
    __asm__("" : "+b"(l));
#endif
    return l;
}

static uint8_t *log_gap(struct log *l, uint8_t *at)
{
    at = log_copy(at, (const void *)&motet_gap, sizeof motet_gap);
#ifdef LOG_TIME
    uint16_t now = motet_now();
    at = log_copy(at, &now, sizeof now);
#endif
    motet_gap.lost = motet_gap.interrupts = 0;
    l->resumes = 1;
    l->restarts++;
    l->next = log_ranges;
    l->left = 0;
    return at;
}

/* Puts the next of it into the empty buffer: few variables at once, so that no handler comes between. Interrupts are
 * off. */
static __attribute__((noinline)) void log_resume(struct log *l)
{
    enum { ROOM = LOG_BUFFER < 128 ? LOG_BUFFER / 2 : 64, HEAD = sizeof l->piece };
    uint8_t *at = motet_buffer, room = ROOM;
    if (!l->resumes || motet_gap.lost) { /* if the component was entered, all are written again */
        if (motet_side)
            return;
        at = log_gap(l, at);
    }
    while (room > HEAD) {
        if (!l->left) {
            l->piece.first = (uint8_t *)(uintptr_t)port_constant(&l->next[0][0]);
            l->left = port_constant(&l->next++[0][1]);
        }
        if (!l->left) {
            static const logger_first begun = EVENT_BEGUN;
            at = log_copy(at, &begun, sizeof begun);
            l->restarts = l->resumes = 0;
            motet_gap.reason = BEGIN_OVERFLOW;
            elements_resume();
            break;
        }
        room -= HEAD;
        l->piece.size = l->left < room ? (uint8_t)l->left : room;
        at = log_copy(at, &l->piece, HEAD);
        at = log_copy(at, l->piece.first, l->piece.size);
        l->piece.first += l->piece.size;
        l->left -= l->piece.size;
        room -= l->piece.size;
    }
    motet_at = at;
}

/* ---- switching off and on ---- */

#ifdef LOG_SWITCH
#ifdef __AVR__
#include "serial_avr.h"
#else
#include "serial_msp430.h"
#endif

static volatile uint8_t log_wanted = LOG_SWITCH;

void motet_log_switch(uint8_t on)
{
    log_wanted = on;
}

static void log_listen(void)
{
    static uint8_t last, same;
    uint8_t byte = serial_received();
    if (byte == SERIAL_NONE)
        return;
    same = byte == last ? same + 1 : 1;
    last = byte;
    if (same == LOG_SAME && (byte == LOG_COMMAND_OFF || byte == LOG_COMMAND_ON))
        motet_log_switch(byte == LOG_COMMAND_ON);
    same = same == LOG_SAME ? 0 : same;
}

/* Whether nothing is to be logged. The log says so, once there is room; what comes then begins with the variables. */
static uint8_t log_is_off(void)
{
    log_listen();
    if (log_wanted)
        return 0;
    if (elements_log() && !motet_side && motet_at < motet_buffer + LOG_BUFFER - LOG_MOST) {
        static const logger_first off = EVENT_OFF;
        motet_at = log_copy(motet_at, &off, sizeof off);
        elements_stop();
    }
    if (!elements_log()) {
        log.resumes = 0;
        motet_gap.lost = motet_gap.interrupts = 0;
        motet_gap.reason = BEGIN_ON;
    }
    return !elements_log();
}
#else
static inline uint8_t log_is_off(void)
{
    return 0;
}
#endif

/* ---- writing out ---- */

static uint8_t *log_to(const struct log *l)
{
    return l->from == (const uint8_t *)&l->start ? (uint8_t *)(uintptr_t)(&l->start + 1) : motet_at;
}

/* Events that wait become a page; what came meanwhile goes to the beginning of the buffer, or is the next page. */
static __attribute__((noinline)) void log_written(struct log *l)
{
    enum { FEW = 48 };
    uint8_t *end = out_end();
    uint16_t left = (uint16_t)(motet_at - end);
    bool first = l->from == (uint8_t *)&l->start;
    l->from = end;
    if (!first && left <= FEW)
        motet_at = log_copy(motet_buffer, end, left);
    if (first || left <= FEW)
        l->from = motet_buffer;
}

/* A little of what is to be done; zero: there is nothing. Interrupts are off. */
static uint8_t log_step(void)
{
    struct log *l = log_here();
    uint8_t off = log_is_off();
    if (out_busy()) {
        if (out_step())
            log_written(l);
    } else if (l->from != log_to(l)) {
        out_begin(l->from, log_to(l));
    } else if (!elements_log() && !off) {
        log_resume(l);
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
    for (uint16_t left = STEPS; left && log.resumes && log.restarts >= PATIENCE && !out_held(); left--) {
        port_let_in();
        log_step();
    }
    port_unlock(was);
    return more;
}
