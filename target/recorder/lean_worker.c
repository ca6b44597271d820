/* When what is done: pieces of work in motet_idle and in other entries. */
#include "codec.h"
#include "entries.h"
#include "flash.h"
#include "lean.h"
#include "out.h"
#include "pages.h"
#include "port.h"
#include "ring.h"
#include "start.h"
#include "worker.h"

#ifdef LEAN

/* Pieces without success before the flash counts as one that does not answer; and before an entry goes on. */
enum { PATIENCE = 0xffff, ROUNDS = 255 };

/* After a loss what was kept goes out, with a mark after it. */
static void lean_note_loss(void)
{
    if (R.state == LOSING && ring_room() >= UNIT) {
        ring_put(EVENT_NOTICE << 8 | NOTICE_GAP, 0);
        R.state = LOST;
    }
}

/* What is encoded ends here: it is checked, and goes out to its last byte. */
static void lean_end(void)
{
    if (!R.flushed)
        codec_flush();
    R.flushed = 1;
#ifdef __MSP430__
    R.calm = 0;
#endif
}

/* Whether an event is encoded in part. */
#if MOTET_CODEC == CODEC_BITS
#define LEAN_WITHIN R.coder.doing
#else
#define LEAN_WITHIN 0
#endif

/* The page's number, as far as R.confirmed has it. */
#define LEAN_INDEX (*(const uint8_t *)&R.events_page.h.index)

#ifdef __MSP430__
/* Whether to encode is all that is to be done, as long as no piece of what comes out is whole. */
static inline uint8_t lean_calm(void)
{
    return R.calm = R.events_page.open == PAGE_OPEN && R.confirmed == LEAN_INDEX && !lean_erases();
}
#endif

static uint8_t lean_encode(void)
{
    if (!R.fill || R.flushed || R.out_count > OUT_ROOM - CODEC_MOST)
        return 0;
    if (R.confirmed != LEAN_INDEX && !LEAN_WITHIN && codec_confirm()) {
        R.confirmed = LEAN_INDEX;
        return 1;
    }
#ifdef __MSP430__
    if (lean_calm())
        return 1; /* to find that out took long enough */
#endif
    codec_units();
    return 1;
}

/* After a loss what was kept goes out, with a mark after it; then it ends. */
static uint8_t lean_go_on(void)
{
    if (!R.fill && R.state > LOSING && R.out_count <= OUT_ROOM - CODEC_MOST)
        lean_end();
    return lean_encode();
}

static inline uint8_t lean_may_write(void)
{
    return (lean_wants_flash() || page_is_wanted() || lean_erases()) && !flash_taken() &&
           (R.fill >= MOTET_RING / 2 || !flash_waits());
}

#ifdef __MSP430__
/* Interrupts are off, and 200 microseconds are 800 cycles: one thing at a time. To take the bus, ask the flash and give
 * the bus back is a piece; if it is ready and nothing else is executed in between (R.due), to use it is the next. One
 * that is not ready is asked again after some pieces. */
enum { SKIPS = 6 };

SMALL uint8_t motet_lean_flash(void)
{
    uint8_t more;
    R.due = 0;
    flash_take();
    more = out_step_flash();
    if (!more && !flash_was_allowed(&R.pins))
        page_erase_ahead();
    flash_return();
    if (!more)
        R.skips = SKIPS;
    return more | R.fill;
}

PRIVATE SMALL uint8_t lean_piece(void)
{
    if (R.due)
        return motet_lean_flash();
    if (R.calm && R.fill && (R.out_count <= PIECE || (R.skips && R.out_count <= OUT_ROOM - CODEC_MOST))) {
        if (R.skips)
            R.skips--;
        codec_units();
        return 1;
    }
    R.calm = 0;
    if (R.state == OFF)
        return 0;
    lean_note_loss();
    if (lean_check()) {
        lean_calm();
        return 1;
    }
    if (R.skips) {
        R.skips--;
    } else if (lean_may_write()) {
        flash_borrow();
        R.due = flash_was_ready();
        flash_return();
        if (R.due)
            return 1;
        R.skips = SKIPS;
        if (R.fill)
            return 1;
    } else if (lean_wants_flash()) { /* it is the application's: there is room for some more that is encoded */
        R.skips = SKIPS;
    }
    return lean_go_on();
}
#else
PRIVATE SMALL uint8_t lean_piece(void)
{
    uint8_t more = 0;
    if (R.state == OFF)
        return 0;
    lean_note_loss();
    if (lean_may_write()) {
        flash_borrow();
        more = out_step_flash();
        flash_return();
    }
    return more ? 1 : lean_go_on();
}
#endif

PRIVATE SMALL void lean_flush(void)
{
    uint16_t patience = PATIENCE;
    uint8_t ended = R.flushed;
    if (R.state == OFF || flash_taken())
        return;
    ring_put_again();
    for (; patience && (R.fill || R.out_count > PIECE); patience--)
        lean_piece();
    lean_end();
    for (; patience && lean_wants_flash(); patience--)
        lean_piece();
    R.flushed = ended | (R.state > LOSING);
    start_wait_for_flash();
}

/* ---- in entries ---- */

/* Calls of motet_idle tell two moments apart that nothing else does. An interrupt that came since may be what the
 * application waits for. */
static inline uint8_t lean_idle(void)
{
    uint8_t came;
    if (!R.idle) {
        R.seen = R.entered;
        R.rounds = ROUNDS;
    }
    R.idle = R.lives = 1;
    came = R.seen != R.entered;
    if (came ? R.fill >= MOTET_URGENT : !R.resting || R.fill >= MOTET_BATCH) {
        R.resting = 0;
        if (!lean_piece()) {
            R.resting = !lean_wants_flash();
            if (flash_taken() || !--R.rounds)
                R.rounds = 0;
        }
        if (!R.resting && R.rounds)
            return 1;
    }
    R.came = came;
    R.idle = 0;
    entry_count();
    return 0;
}

/* Not in a handler that has interrupted it in an entry: the next interrupt would come in that handler, and the one
 * after that in the next. */
uint8_t motet_host_work(uint8_t on)
{
    uint8_t urgent = R.fill >= MOTET_URGENT, again = R.host == R.caller; /* also after an interrupt */
    if (R.patient == HOST_IDLES)
        return lean_idle();
#ifdef READS_ALL
    if (R.patient == HOST_ROOM) {
        ring_has_room(4 * UNIT);
        return 0;
    }
#endif
    if (!again)
        R.rounds = WHEN_FULL_WAITS && R.state == RECORDING ? ROUNDS : 4;
    if (R.caller >= R.host)
        R.host = 0;
    if (R.host)
        on = 0;
    if (on)
        R.lives = 1;
    if (!urgent && !(again && R.patient) &&
        (R.state <= RECORDING || (R.flushed && !lean_wants_flash()) /* after a loss, when all is written */))
        return 0;
    if ((!lean_piece() && (!urgent || flash_taken())) || !on || !--R.rounds)
        return 0;
    R.host = R.caller;
    return 1;
}

void motet_flush_work(void)
{
    lean_flush();
    entry_count_stamped();
}

#ifndef MOTET_WITHOUT_FREEZE
void motet_freeze_work(void)
{
    if (R.state == OFF || R.state == FROZEN)
        return;
    if (ring_has_room(UNIT))
        ring_put(EVENT_NOTICE << 8 | NOTICE_FROZEN, 0);
    R.state = FROZEN;
    R.flushed = 0;
    page_mark(PAGE_FROZEN);
    lean_flush();
}
#endif

#ifndef MOTET_WITHOUT_CLEAR
/* What is frozen may be overwritten, by the next life: without checkpoints nothing can be recorded before that. The
 * last page says so, which has no events. */
void motet_clear_work(void)
{
    entry_count_stamped();
    if (R.state != OFF && R.state != FROZEN)
        return;
    R.events_page.h.codec &= (uint8_t)~PAGE_FROZEN;
    R.flushed = 1;
    R.state = LOST;
    for (uint16_t patience = PATIENCE; patience; patience--) {
        flash_borrow();
        uint8_t opened = page_open(&R.events_page) || FLASH_SECTOR == 1 /* which is always possible */;
        flash_return();
        if (opened)
            break;
    }
    lean_flush();
}
#endif

/* What gives up does so after all is written that led there. */
void abort(void) __attribute__((weak, noreturn));
void abort(void)
{
    motet_flush();
    for (;;)
        ;
}

#ifdef MOTET_WATCHDOG
#error "profiles small and tiny write what a watchdog left in memory after the reset; leave MOTET_WATCHDOG out"
#endif

#endif
