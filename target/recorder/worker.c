#include "worker.h"

#include "checkpoint.h"
#include "codec.h"
#include "dump.h"
#include "entries.h"
#include "flash.h"
#include "out.h"
#include "pages.h"
#include "port.h"
#include "ring.h"

#ifndef LEAN /* lean_worker.c is for that */

/* Rounds of waiting for the flash; and pages that are left for what is recorded already, and for the checkpoint. */
enum { PATIENCE = 255 };
/* A loss comes soon after the last one, if it does within so many pages. Entries between those in which the worker goes
 * on then, less one, a power of two. */
enum { SOON = 16, FEWEST = 15 };
enum { RESERVE = MOTET_FLASH_PAGES / 4 < 128 ? MOTET_FLASH_PAGES / 4 : 128 };

/* After a loss what was kept goes out with a mark after it; recording goes on with a checkpoint. */
static void worker_note_loss(void)
{
    if (R.state == RECORDING && COPY_DOING != COPY_CLOSES && page_since_start() > MOTET_FLASH_PAGES - RESERVE)
        R.state = LOSING; /* before a checkpoint is there all that can be replayed would be overwritten */
    if (R.state == LOSING && ring_room() >= UNIT) {
        ring_put(EVENT_NOTICE << 8 | NOTICE_GAP, 0);
        R.state = LOST;
        R.turns = R.events_page.h.index > SOON ? FEWEST : R.turns << 1 | FEWEST;
    }
}

PRIVATE void worker_flush(void)
{
    uint16_t patience = 0xffff;
    if (R.state == OFF || flash_taken())
        return;
    ring_put_again();
    ring_put_again();
    flash_borrow();
    for (; patience && (R.turning || R.fill || (!R.flushed && out_waiting() > PIECE)); patience--) {
        worker_note_loss();
        out_step();
    }
    if (!R.flushed)
        codec_flush();
    R.flushed = R.state > LOSING;
    for (; patience && (R.turning || out_waiting() || R.events_page.open || COPY_DOING == COPY_CLOSES); patience--) {
        out_check(1);
        out_step_end();
        out_settle();
        if (COPY_DOING == COPY_CLOSES && !checkpoint_make())
            checkpoint_step();
    }
    for (; patience && !flash_ready(); patience--)
        ;
    flash_return();
}

/* There is a page after which nothing comes, and it says so: not one whose header is written already. */
static void worker_open_last_page(void)
{
    flash_borrow();
    for (uint16_t patience = 0xffff; patience; patience--)
        if (FLASH_BUFFERS == 1 && R.events_page.open > PAGE_SEALED)
            page_close_on(&R.events_page);
        else if (page_open(&R.events_page))
            break;
    flash_return();
}

/* ---- the worker ---- */

/* So many bytes in the ring do not wait for the next time: after a loss all of them, which led there. */
static inline uint16_t worker_patient(void)
{
    return R.state == RECORDING ? MOTET_URGENT : 0;
}

PRIVATE uint8_t worker_holds_up(void)
{
    return R.inside && !R.hosted && worker_came() && R.fill <= worker_patient();
}

PRIVATE SMALL void worker_breathe(void)
{
    uint8_t left = R.hosted;
    if (!left)
        return;
    if (left == 1)
        motet_yield();
    else
        R.hosted = left - 1;
}

PRIVATE void worker_go_on(void)
{
    R.hosted = MOTET_BREATHS_OFF;
    R.window = 0; /* no checkpoint is of this moment */
    motet_work();
    R.hosted = 0;
}

/* Whether the worker goes on, perhaps once more, in an entry: HOST_OFF or, where the caller has them on, HOST_ON says
 * how interrupts are then. With them off only after a loss: a handler may be in a hurry. After a loss not
 * in each: what has to be written then is much, and a checkpoint that soon is followed by the next loss is worth
 * little. Not in a handler that has interrupted it in an entry: the next interrupt would come in that handler, and the
 * one after that in the next. */
uint8_t motet_host_begin(uint8_t again, uint8_t on, uint16_t sp)
{
    enum { HOST_NOT, HOST_OFF, HOST_ON };
    uint8_t recording = R.state == RECORDING, left = 0;
#ifdef MOTET_STAMP
    uint8_t calculates = R.after == (uint16_t)(uintptr_t)motet_breathe_work; /* and waits for nothing */
#else
    uint8_t calculates = on && R.after == (uint16_t)(uintptr_t)motet_wrapped_work;
#endif
#ifdef __MSP430__ /* its firmware sleeps, and what is written then need not be written here */
    if (!on)
        return HOST_NOT;
#else
    if (!on && recording)
        return HOST_NOT;
#endif
    if (on)
        R.lives = 1;
    if (sp == R.host && !again) /* an interrupt came in it: it goes on until its breaths are over */
        left = R.hosted;
    R.hosted = 0;
    if (sp >= R.host)
        R.host = 0;
    if (R.host || !R.lives || R.state == OFF || R.state == FROZEN || (again && !(WHEN_FULL_WAITS && recording)))
        return HOST_NOT;
    if (recording ? R.fill < (again || !calculates ? MOTET_URGENT : MOTET_BATCH) : !left && (++R.turn & R.turns))
        return HOST_NOT;
    if (recording || !left)
        left = calculates ? 255 : on ? MOTET_BREATHS : MOTET_BREATHS_OFF;
    R.hosted = left;
    R.host = sp;
    return on ? HOST_ON : HOST_OFF;
}

/* Something is to be done with the flash. */
static uint8_t worker_wants_flash(void)
{
    return out_is_wanted() || page_is_wanted() || R.turning || R.flushed || COPY_DOING || R.state != RECORDING ||
           page_since_start() >= MOTET_CHECKPOINT_EVERY ||
           (FLASH_SECTOR > 1 && R.erased != (uint8_t)(page_place(R.sequence) / FLASH_SECTOR + 1));
}

/* A checkpoint is of an entry; of motet_idle, before an interrupt has come in it. */
static uint8_t worker_may_save(void)
{
    return R.window && (R.hosted ? !R.idle : R.inside && !worker_came());
}

/* With the flash borrowed. */
static inline uint8_t worker_step(void)
{
    uint8_t more = out_step_flash();
    if (!more && worker_may_save())
        more = checkpoint_step();
    if (!more && FLASH_SECTOR > 1 && !flash_was_allowed(&R.pins) && flash_ready())
        page_erase_ahead();
    return more;
}

/* Bytes into a page, a page into the flash, a piece of a checkpoint, or a sector erased. Zero if there is nothing to do
 * now. Interrupts are off; on MSP430 they are let in before it and after it, and one that comes ends it. */
static uint8_t worker_flash(void)
{
    uint8_t more = 1;
    if (flash_taken() || (R.fill < MOTET_RING / 2 && flash_waits()))
        return 0;
    dump_if_wanted();
    worker_note_loss();
    if (!worker_wants_flash())
        return 0;
#ifdef __MSP430__
    if (R.inside)
        port_let_in();
    if (R.wanted || flash_taken())
        return 1;
    flash_borrow();
    R.holds = 1;
    if (!flash_was_ready()) {
        more = 0;
    } else if (R.pressed || flash_let_in()) {
        more = worker_step();
        R.pressed = 0;
        if (R.holds)
            flash_let_in();
    } else {
        R.pressed = 1;
    }
    if (R.holds)
        flash_return();
#else
    flash_borrow();
    more = worker_step();
    flash_return();
#endif
    return more;
}

/* The flash is busy: wait for it, a little, if much waits for it. What is encoded has to be out of the way before the
 * next burst of events. */
static uint8_t worker_waits(void)
{
    enum { MUCH = OUT_ROOM / 4 > PIECE ? OUT_ROOM / 4 : PIECE };
    uint8_t much =
        worker_came() ? R.fill > MOTET_URGENT : out_waiting() > MUCH || R.turning || (COPY_DOING && R.state == LOST);
    if (much && R.patience && !R.hosted) {
        R.patience--;
        return 1;
    }
    return 0;
}

static void worker_serve(void)
{
    if (R.wanted == WANT_ROOM) {
        if (R.events_page.h.index) /* else there is nothing yet to be kept */
            worker_note_loss();    /* a node may never come to rest */
        out_make_room();
    }
    if (R.wanted == WANT_FROZEN && !flash_taken())
        worker_open_last_page();
    if (R.wanted >= WANT_FLUSH)
        worker_flush();
    R.wanted = WANT_NOTHING;
}

PRIVATE void worker_run(void)
{
    for (;;) {
        uint8_t more;
        R.resting = 0;
        if (R.wanted) {
            worker_serve();
            motet_yield();
            continue;
        }
        more = out_encode();
        if (worker_holds_up()) {
            motet_yield();
            continue;
        }
        out_check(0);
        if (!more && worker_may_save())
            more = checkpoint_make();
        worker_breathe();
        port_state was = port_lock();
        more |= worker_flash();
        port_unlock(was);
        out_settle();
        worker_breathe();
        if (more) {
            R.patience = PATIENCE;
        } else if (!worker_waits()) {
            R.resting = R.state <= RECORDING && !worker_wants_flash();
            motet_yield();
        }
    }
}

PRIVATE SMALL void worker_do(enum wanted what)
{
    R.wanted = (uint8_t)what;
    R.hosted = 0;
    R.out_most = 0; /* it is not to encode more than it has begun with */
    do
        motet_work();
    while (R.wanted);
}

/* Whether the worker is to go on. Not if there was an interrupt since motet_idle was called, for that may be what the
 * application waits for, unless the ring fills. */
uint8_t motet_idle_begin(void)
{
    if (!R.idle) {
        R.seen = R.entered;
        R.patience = PATIENCE;
    }
    R.idle = R.lives = 1;
    R.hosted = 0;
    if (R.state == OFF)
        return 0;
    if (worker_came())
        return R.fill > worker_patient();
    return !R.resting || R.fill >= MOTET_BATCH || R.state != RECORDING || dump_is_wanted();
}

/* Calls of motet_idle tell two moments apart that nothing else does. Returns whether an interrupt came meanwhile. */
uint8_t motet_idle_end(void)
{
    uint8_t interrupted = R.idle && R.seen != R.entered;
    R.idle = 0;
    entry_count();
    return interrupted;
}

void motet_flush_work(void)
{
    worker_do(WANT_FLUSH);
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
    page_mark(PAGE_FROZEN);
    worker_do(WANT_FROZEN);
}
#endif

#ifndef MOTET_WITHOUT_CLEAR
/* What is frozen may be overwritten. */
void motet_clear_work(void)
{
    entry_count_stamped();
    if (R.state != OFF && R.state != FROZEN)
        return;
    if (R.state == OFF)
        R.out_count = OUT_FROM; /* the beginning of a part that has no events */
    R.events_page.h.codec &= (uint8_t)~PAGE_FROZEN;
    R.flushed = 1; /* nothing of this part is to come */
    R.state = LOST;
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
/* A watchdog that interrupts before it resets (motet cc has set it up so): all is written that led there. */
#ifndef WDT_vect_num
#error "the watchdog of this chip does not interrupt; what it left in memory is written after the reset"
#endif
#define WATCHDOG(number) MOTET_VECTOR(number)
WATCHDOG(WDT_vect_num);
void WDT_vect(void) __attribute__((signal, used, externally_visible));
void WDT_vect(void)
{
    motet_flush();
    for (;;)
        ;
}
#endif

#endif
