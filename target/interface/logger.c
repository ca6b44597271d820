#include "logger.h"

#include <stdbool.h>
#include <stddef.h>

#include "motet_log.h" /* by motet cc: LOG_BUFFER, LOG_TIME, LOG_RANGES, LOG_OWNED, LOG_TARGETS, LOG_SWITCH */
#include "out.h"
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

#if LOG_TARGETS > 1
volatile uint8_t motet_target;
#endif
uint8_t motet_buffer[LOG_BUFFER] __attribute__((section(".bss.motet_buffer"), aligned(2)));
volatile logger_side motet_side;

#ifdef __AVR__
typedef uint8_t logger_first;
#else
typedef uint16_t logger_first; /* fields begin at even addresses */
#endif

/* The first two are known to elements as motet_at and motet_gap. */
static struct log {
    uint8_t *volatile at; /* where the next event goes */
    volatile struct {     /* what was lost since the last event; it is logged as it stands here */
        logger_first gap;
        uint16_t lost, interrupts;
        uint8_t begin, reason;
    } gap;
    uint8_t *from, *to;        /* what is not written out yet; what is being */
    uint8_t restarts;          /* the variables are being written, so often since the last loss; 0: they are not */
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
#ifndef LOG_FLASH
    struct { /* the page that is being sent (out_serial.h) */
        uint8_t stage;
        const uint8_t *at, *end; /* bytes of the stage */
        struct {                 /* struct page_header, with an address as the build id */
            uint8_t magic, codec;
            const uint8_t *build;
            uint32_t sequence;
            uint16_t part;
            uint8_t index, index_high;
            uint16_t used, check;
        } h;
    } page;
#endif
} log;
_Static_assert(offsetof(struct log, at) == 0 && offsetof(struct log, gap) == 2, "as elements have it");

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

void motet_seen(const volatile void *at, void *value, uint8_t size)
{
    log_read(at, value, size);
}

/* ---- resuming: the component's variables come first ---- */

static const uint16_t log_ranges[][2] PORT_CONSTANT = {LOG_RANGES{0, 0}};

static struct log log = {
    .at = motet_buffer,
    .gap = {.gap = EVENT_GAP, .begin = EVENT_BEGIN, .reason = BEGIN_OVERFLOW},
    .from = (uint8_t *)&log.start,
    .piece = {.bytes = EVENT_BYTES},
    .start = {.build = {motet_build_id, motet_build_id16, motet_build_id32, motet_build_id48}, .begin = {EVENT_BEGIN}},
#ifndef LOG_FLASH
    .page = {.h = {.magic = PAGE_MAGIC, .codec = OUT_CODEC, .build = motet_build_id}},
#endif
};

static inline void log_forget(struct log *l)
{
    l->gap.lost = l->gap.interrupts = 0;
}

/* Addresses relative to a register are shorter than absolute ones. */
static inline struct log *log_here(void)
{
    struct log *l = &log;
#ifdef __AVR__
    __asm__("" : "+b"(l));
#endif
    return l;
}

static void log_gap(struct log *l)
{
#if LOG_TARGETS > 1
    uint8_t target[] = {EVENT_TARGET, motet_target};
    log_append(target, sizeof target);
#endif
    log_append((const void *)&l->gap, sizeof l->gap);
#ifdef LOG_TIME
    uint16_t now = motet_now();
    log_append(&now, sizeof now);
#endif
    log_forget(l);
    l->restarts++;
    l->next = log_ranges;
#if LOG_TARGETS > 1
    for (uint8_t left = motet_target; left; l->next++) {
        const uint16_t *size = &(*l->next)[1];
        if (!port_constant(&size))
            left--;
    }
#endif
    l->left = 0;
}

/* The next of the ranges; the last is empty. */
static inline void log_next(struct log *l)
{
    const uint16_t *range = *l->next++;
    l->piece.first = (uint8_t *)(uintptr_t)port_constant(&range);
    l->left = port_constant(&range);
}

/* Puts the next of it into the empty buffer: few variables at once, so that no handler comes between. Interrupts are
 * off. */
static __attribute__((noinline)) void log_resume(struct log *l)
{
    enum { ROOM = LOG_BUFFER < 128 ? LOG_BUFFER / 2 : 64, PIECE = 28 };
    if (!l->restarts || l->gap.lost) { /* if the component was entered, all are written again */
        if (motet_side)
            return;
        log_gap(l);
    }
    do {
        if (!l->left)
            log_next(l);
        if (!l->left) {
            static const logger_first begun = EVENT_BEGUN;
            log_append(&begun, sizeof begun);
            l->restarts = 0;
            l->gap.reason = BEGIN_OVERFLOW;
            elements_resume();
            return;
        }
        uint8_t size = l->left < PIECE ? (uint8_t)l->left : PIECE;
        l->piece.size = size;
        log_append(&l->piece, sizeof l->piece);
        log_append(l->piece.first, size);
        l->piece.first += size;
        l->left -= size;
    } while (l->at < motet_buffer + ROOM);
}

/* ---- switching off and on ---- */

#ifdef LOG_SWITCH
#ifdef __AVR__
#include "serial_avr.h"
#else
#include "serial_msp430.h"
#endif

static volatile uint8_t log_wanted = LOG_SWITCH;
#if LOG_TARGETS > 1
static volatile uint8_t log_chosen;

void motet_log_target(uint8_t component)
{
    if (component < LOG_TARGETS)
        log_chosen = component;
}
#endif

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
#if LOG_TARGETS > 1
    static const uint8_t targets[] = LOG_COMMAND_TARGETS;
    for (uint8_t i = 0; same == LOG_SAME && i < LOG_TARGETS; i++)
        if (byte == targets[i])
            motet_log_target(i);
#endif
    same = same == LOG_SAME ? 0 : same;
}

/* Ends logging. The log says so, once there is room; what comes then begins with the variables. Whether it has ended.
 */
static uint8_t log_ends(struct log *l, uint8_t reason)
{
    if (elements_log() && !motet_side && l->at < motet_buffer + LOG_BUFFER - LOG_MOST) {
        static const logger_first off = EVENT_OFF;
        log_append(&off, sizeof off);
        elements_stop();
    }
    if (elements_log())
        return 0;
    l->restarts = 0;
    log_forget(l);
    l->gap.reason = reason;
    return 1;
}

/* Another component becomes the target while nothing of the one before is under way. */
static inline void log_change_target(struct log *l)
{
#if LOG_TARGETS > 1
    if (log_chosen == motet_target || motet_side || !log_ends(l, BEGIN_TARGET))
        return;
    motet_target = log_chosen;
    elements_change_target(motet_target);
#else
    (void)l;
#endif
}

/* Whether nothing is to be logged. */
static uint8_t log_is_off(struct log *l)
{
    log_listen();
    log_change_target(l);
    return !log_wanted && log_ends(l, BEGIN_ON);
}
#else
static inline uint8_t log_is_off(struct log *l)
{
    (void)l;
    return 0;
}
#endif

/* ---- writing out ---- */

#ifdef LOG_FLASH
#include "out_flash.h"
#else
#include "out_serial.h"
#endif

/* Events that wait become a page; what came meanwhile goes to the beginning of the buffer, or is the next page. */
static void log_written(struct log *l)
{
    enum { FEW = 48 };
    uint8_t *end = l->to;
    uint16_t left = (uint16_t)(l->at - end);
    if (end != (uint8_t *)(&l->start + 1)) {
        l->from = end;
        if (left > FEW)
            return;
        l->at = motet_buffer;
        log_append(end, (uint8_t)left);
    }
    l->from = motet_buffer;
}

/* A little of what is to be done; zero: there is nothing. Interrupts are off. */
static __attribute__((noinline)) uint8_t log_step(void)
{
    struct log *l = log_here();
    uint8_t off = log_is_off(l);
    if (out_busy(l)) {
        out_step(l);
        return 1;
    }
    uint8_t *to = l->from == (uint8_t *)&l->start ? (uint8_t *)(&l->start + 1) : l->at;
    if (l->from != to) {
        l->to = to;
        out_begin(l);
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
    uint8_t more;
    for (uint16_t left = STEPS;;) {
        more = log_step();
        if (log.restarts < PATIENCE || out_held() || !--left)
            break;
        port_let_in();
    }
    port_unlock(was);
    return more;
}
