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

/* Rounds of waiting for the flash; and pages that are left for what is recorded already, and for the checkpoint. */
enum { PATIENCE = 255 };
enum { RESERVE = MOTET_FLASH_PAGES / 4 < 128 ? MOTET_FLASH_PAGES / 4 : 128 };

/* After a loss what was kept goes out with a mark after it; recording goes on with a checkpoint. */
static void worker_note_loss(void)
{
    if (R.state == RECORDING && R.copy.doing != COPY_CLOSES && page_since_start() > MOTET_FLASH_PAGES - RESERVE)
        R.state = LOSING; /* before a checkpoint is there all that can be replayed would be overwritten */
    if (R.state == LOSING && ring_room() >= UNIT) {
        ring_put(EVENT_NOTICE << 8 | NOTICE_GAP, 0);
        R.state = LOST;
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
    for (; patience && (R.turning || R.fill || (!R.flushed && R.out_count > PIECE)); patience--) {
        worker_note_loss();
        out_step();
    }
    if (!R.flushed)
        codec_flush();
    R.flushed = R.state > LOSING;
    for (; patience && (R.turning || R.out_count || R.events_page.open || R.copy.doing == COPY_CLOSES); patience--) {
        out_check(1);
        out_step_end();
        out_settle();
        if (R.copy.doing == COPY_CLOSES)
            checkpoint_step();
    }
    for (; patience && !flash_ready(); patience--)
        ;
    flash_return();
}

/* There is a page after which nothing comes, and it says so. */
static void worker_open_last_page(void)
{
    flash_borrow();
    for (uint16_t patience = 0xffff; patience && !page_open(&R.events_page); patience--)
        ;
    flash_return();
}

/* ---- the worker ---- */

PRIVATE uint8_t worker_holds_up(void)
{
    return R.inside && worker_came() && R.fill <= MOTET_URGENT;
}

/* Something is to be done with the flash. */
static uint8_t worker_wants_flash(void)
{
    return R.out_count > PIECE || page_is_wanted() || R.turning || R.flushed || R.copy.doing || R.state != RECORDING ||
           page_since_start() >= MOTET_CHECKPOINT_EVERY ||
           (FLASH_SECTOR > 1 && R.erased != (uint8_t)(page_place(R.sequence) / FLASH_SECTOR + 1));
}

/* Bytes into a page, a page into the flash, a piece of a checkpoint, or a sector erased. Zero if there is nothing to do
 * now. Interrupts are off. */
static uint8_t worker_flash(void)
{
    uint8_t more;
    if (flash_taken() || (R.fill < MOTET_RING / 2 && flash_waits()))
        return 0;
    dump_if_wanted();
    worker_note_loss();
    if (!worker_wants_flash())
        return 0;
    flash_borrow();
    more = out_step_flash();
    if (!more && R.inside && !worker_came()) /* a checkpoint is of a moment in which none has come yet */
        more = checkpoint_step();
    if (!more && FLASH_SECTOR > 1 && !flash_was_allowed(&R.pins) && flash_ready())
        page_erase_ahead();
    flash_return();
    return more;
}

/* The flash is busy: wait for it, a little, if much waits for it. What is encoded has to be out of the way before the
 * next burst of events. */
static uint8_t worker_waits(void)
{
    enum { MUCH = OUT_ROOM / 4 > PIECE ? OUT_ROOM / 4 : PIECE };
    uint8_t much =
        worker_came() ? R.fill > MOTET_URGENT : R.out_count > MUCH || R.turning || (R.copy.doing && R.state == LOST);
    if (much && R.patience) {
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
        port_state was = port_lock();
        more |= worker_flash();
        port_unlock(was);
        out_settle();
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
    R.idle = 1;
    R.starting = 0;
    if (R.state == OFF)
        return 0;
    if (worker_came())
        return R.fill > MOTET_URGENT;
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

void motet_freeze_work(void)
{
    if (R.state == OFF || R.state == FROZEN)
        return;
    if (ring_has_room(UNIT))
        ring_put(EVENT_NOTICE << 8 | NOTICE_FROZEN, 0);
    R.state = FROZEN;
    R.events_page.h.codec |= PAGE_FROZEN;
    worker_do(WANT_FROZEN);
}

/* What is frozen may be overwritten. */
void motet_clear_work(void)
{
    entry_count_stamped();
    if (R.state != OFF && R.state != FROZEN)
        return;
    if (R.state == OFF)
        R.out_count = 0; /* the beginning of a part that has no events */
    R.events_page.h.codec &= (uint8_t)~PAGE_FROZEN;
    R.flushed = 1; /* nothing of this part is to come */
    R.state = LOST;
}

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
