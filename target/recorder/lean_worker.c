/* When what is done: pieces of work in motet_idle and in other entries. */
#include "codec.h"
#include "entries.h"
#include "flash.h"
#include "lean.h"
#include "out.h"
#include "pages.h"
#include "port.h"
#include "ring.h"
#include "worker.h"

#ifdef LEAN

/* Pieces without success before the flash counts as one that does not answer; and before an entry goes on. */
enum { PATIENCE = 0xffff, ROUNDS = 255 };
/* Pages that are left for what waits when recording ends before it would overwrite its start. */
enum { RESERVE = FLASH_SECTOR + 4 };

/* After a loss what was kept goes out, with a mark after it. */
static void lean_note_loss(void)
{
    if (R.state == RECORDING && page_since_start() > MOTET_FLASH_PAGES - RESERVE)
        R.state = LOSING;
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
}

static uint8_t lean_encode(void)
{
    if (!R.fill || R.flushed || R.out_count > OUT_ROOM - CODEC_MOST)
        return 0;
    if (R.confirmed != (uint8_t)R.events_page.h.index && codec_confirm()) {
        R.confirmed = (uint8_t)R.events_page.h.index;
    } else {
        uint8_t before = R.out_count, most = 3; /* what was certain comes to nothing, and takes little time */
        do
            codec_units();
        while (R.fill && R.out_count == before && --most);
    }
    return 1;
}

PRIVATE SMALL uint8_t lean_piece(void)
{
    uint8_t more = 0;
    if (R.state == OFF)
        return 0;
    lean_note_loss();
    if (!flash_taken() && (R.fill >= MOTET_RING / 2 || !flash_waits())) {
        flash_borrow();
        more = out_step_flash();
        if (!more && FLASH_SECTOR > 1 && !flash_was_allowed(&R.pins) && flash_ready())
            page_erase_ahead();
        flash_return();
    }
    if (more)
        return 1;
    if (!R.fill && R.state > LOSING && R.out_count <= OUT_ROOM - CODEC_MOST)
        lean_end();
    return lean_encode();
}

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
    for (; patience && (R.out_count || R.events_page.open); patience--)
        lean_piece();
    R.flushed = ended | (R.state > LOSING);
    for (; patience; patience--) {
        flash_borrow();
        uint8_t ready = flash_ready();
        flash_return();
        if (ready)
            return;
    }
}

/* ---- in entries ---- */

/* What an entry does that waits for nothing: it is not held up by more than what made it necessary. */
#ifdef MOTET_STAMP
#define LEAN_PATIENT (uint16_t)(uintptr_t) motet_breathe_work
#else
#define LEAN_PATIENT (uint16_t)(uintptr_t) motet_wrapped_work
#endif

/* After the end of a part. */
static uint8_t lean_has_more(void)
{
    return R.fill || R.out_count || R.events_page.open;
}

/* Not in a handler that has interrupted it in an entry: the next interrupt would come in that handler, and the one
 * after that in the next. */
uint8_t motet_host_work(uint8_t on, uint8_t again)
{
    if (!again)
        R.rounds = WHEN_FULL_WAITS && R.state == RECORDING ? ROUNDS : 4;
    if (R.caller >= R.host)
        R.host = 0;
    if (R.host)
        on = 0;
    if (on)
        R.lives = 1;
    if (R.fill < (again && R.after == LEAN_PATIENT ? MOTET_BATCH : MOTET_URGENT) &&
        (R.state <= RECORDING || !lean_has_more()))
        return 0;
    lean_piece();
    if (!on || !--R.rounds)
        return 0;
    R.host = R.caller;
    return 1;
}

/* Calls of motet_idle tell two moments apart that nothing else does. An interrupt that came since may be what the
 * application waits for. */
uint8_t motet_idle_work(void)
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
            R.resting = R.state == RECORDING ? R.out_count <= PIECE : !lean_has_more();
            R.rounds--;
        }
        if (!R.resting && R.rounds)
            return LEAN_AGAIN;
    }
    R.idle = 0;
    entry_count();
    return came;
}

void motet_flush_work(void)
{
    lean_flush();
    entry_count_stamped();
}

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
    flash_borrow();
    for (uint16_t patience = PATIENCE; patience && !page_open(&R.events_page); patience--)
        ;
    flash_return();
    lean_flush();
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
#error "profiles small and tiny write what a watchdog left in memory after the reset; leave MOTET_WATCHDOG out"
#endif

#endif
