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
    if (R.state == LOSING && R.fill <= MOTET_RING - 3 * UNIT) {
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
}

/* Whether an event is encoded in part. */
#ifdef ENCODES_ON
#define LEAN_WITHIN R.encoder
#else
#define LEAN_WITHIN 0
#endif

/* Whether events are still to be encoded. */
#ifdef ENCODES_ON
#define LEAN_WAITS (R.fill || R.encoder)
#else
#define LEAN_WAITS R.fill
#endif

/* The page's number, as far as R.confirmed has it. */
#define LEAN_INDEX (*(const uint8_t *)&R.events_page.h.index)

/* Done now, or by the stubs. */
#ifdef __MSP430__
static SMALL lean_did lean_do(void (*what)(void))
{
    if (R.on)
        return (lean_did)(uintptr_t)what;
    what();
    return LEAN_AGAIN;
}
#endif

static lean_did lean_encode_unit(void)
{
#ifdef ENCODES_ON
    R.limit = R.out_count > R.least ? OUT_ROOM - CODEC_MOST + 1 : R.least + 1;
    return lean_do(R.on ? motet_encode_on : motet_encode);
#else
    codec_units();
    return LEAN_AGAIN;
#endif
}

static lean_did lean_encode(void)
{
    if (!R.fill || R.flushed || R.out_count > OUT_ROOM - CODEC_MOST)
        return 0;
#ifndef ENCODES_ON /* which looks itself (bits_msp430.S) */
    if (R.confirmed != LEAN_INDEX && !LEAN_WITHIN && codec_confirm()) {
        R.confirmed = LEAN_INDEX;
        return LEAN_AGAIN;
    }
#endif
    return lean_encode_unit();
}

/* After a loss what was kept goes out, with a mark after it; then it ends. */
static lean_did lean_go_on(void)
{
    if (!R.fill && R.state > LOSING && R.out_count <= OUT_ROOM - CODEC_MOST)
        lean_end();
    return lean_encode();
}

/* So much waits that a frame of the radio has to: while that is fetched up to 140 bytes come out. */
#ifdef ENCODES_ON
#define LEAN_PRESSES (R.out_count >= 2 * PIECE)
#else
#define LEAN_PRESSES (R.fill >= MOTET_RING / 2)
#endif

static inline uint8_t lean_may_write(void)
{
    return (lean_wants_flash() || page_is_wanted() || lean_erases()) && !flash_taken() &&
           (LEAN_PRESSES || !flash_waits());
}

#ifdef __MSP430__
PRIVATE SMALL lean_did lean_piece(void)
{
#ifdef ENCODES_ON
    if (LEAN_WITHIN) /* first of all: what has come out is not complete */
        return lean_encode_unit();
#endif
    if (R.state == OFF)
        return 0;
    lean_note_loss();
    if (lean_is_full())
        return lean_do(lean_seal);
    if (R.skips) {
        R.skips--;
    } else if (lean_may_write()) {
        return lean_do(motet_flash);
    } else if (lean_wants_flash()) { /* it is the application's: there is room for some more that is encoded */
        R.skips = 1;
    }
    return lean_go_on();
}
#else
PRIVATE SMALL lean_did lean_piece(void)
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
    for (; patience && (LEAN_WAITS || R.out_count > PIECE); patience--)
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
static inline lean_did lean_idles(void)
{
    lean_did did;
#ifdef __MSP430__
    R.on = 1;
#endif
    if (!R.idle) {
        R.seen = R.entered;
        R.rounds = ROUNDS;
    }
    R.idle = R.lives = 1;
    R.came = 0;
    if (R.seen != R.entered) {
        R.came = 1;
        if (R.fill < MOTET_URGENT)
            return 0;
    } else if (R.resting && R.fill < MOTET_BATCH) {
        return 0;
    }
    R.resting = 0;
    did = lean_piece();
    if (did)
        return did;
    if (!lean_wants_flash()) {
        R.resting = 1;
        return 0;
    }
    return flash_taken() || !--R.rounds ? 0 : LEAN_AGAIN;
}
static SMALL lean_did lean_idle(void)
{
    lean_did did = lean_idles();
    if (!did) {
        R.idle = 0;
        entry_count();
    }
    return did;
}

/* On MSP430 who has interrupts off is in a hurry (lean_msp430.S), unless no interrupt has come yet: then all is done at
 * once, for what comes after the first one may be in a hurry for long. To come back costs less than to wait, as long as
 * there is room. */
#ifdef __MSP430__
static void lean_catch_up(void)
{
    while (lean_piece() && R.fill && --R.rounds)
        ;
}
#define LEAN_FULL         (MOTET_RING - 8 * UNIT + 1)
#define LEAN_GOES_ON(did) ((did) ? (did) : LEAN_AGAIN)
#else
#define LEAN_FULL         MOTET_URGENT
#define LEAN_GOES_ON(did) LEAN_AGAIN
#endif

/* Not in a handler that has interrupted it in an entry: the next interrupt would come in that handler, and the one
 * after that in the next. */
lean_did motet_host_work(uint8_t on)
{
    lean_did did;
    uint8_t again = R.patient; /* also after an interrupt */
    if (again == HOST_IDLES)
        return lean_idle();
#ifdef READS_ALL
    if (again == HOST_ROOM) {
#ifdef ENCODES_ON /* perhaps for what comes out, not for events */
        lean_piece();
#endif
        ring_has_room(4 * UNIT);
        return 0;
    }
#endif
    if (R.host != R.caller) {
        again = 0;
        R.rounds = WHEN_FULL_WAITS && R.state == RECORDING ? ROUNDS : 4;
    }
    if (R.caller >= R.host)
        R.host = 0;
    else
        on = 0;
    if (on)
        R.lives = 1;
#ifdef __MSP430__
    if (!on) {
        if (!R.lives)
            lean_catch_up();
        return 0;
    }
#endif
    if (R.fill < MOTET_URGENT && !again) {
        if (R.state <= RECORDING)
            return 0;
        if (R.flushed && !lean_wants_flash()) /* after a loss, when all is written */
            return 0;
    }
#ifdef __MSP430__
    R.on = on;
#endif
    did = lean_piece();
#ifndef __MSP430__
    if (!on)
        return 0;
#endif
    if (!did && (R.fill < LEAN_FULL || flash_taken()))
        return 0;
    if (!--R.rounds)
        return 0;
    R.host = R.caller;
    return LEAN_GOES_ON(did);
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
