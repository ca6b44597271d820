#include "start.h"

#include "crc.h"
#include "dump.h"
#include "entries.h"
#include "flash.h"
#include "lean.h"
#include "out.h"
#include "pages.h"
#include "port.h"
#include "ring.h"
#include "stamp.h"
#include "worker.h"

#define RECORDER_BEGUN 0x5eed
#if defined LEAN && defined __MSP430__
#ifdef ENCODES_ON
#define START_ENCODER_FITS \
    (!R.encoder || (uint16_t)(R.encoder - (uint16_t)(uintptr_t)R.stack) <= MOTET_STACK - ENCODER_FRAME)
#else
#define START_ENCODER_FITS 1
#endif
#define START_SENT_FITS START_ENCODER_FITS
#else
#define START_SENT_FITS 1
#endif

/* Of a page that is looked at: the ring has no events yet. */
#define START_HEADER ((struct page_header *)R.ring)
/* Members of what a pointer leads to take less flash than those whose place is known. */
static inline struct page_header *start_header(void)
{
    struct page_header *h = START_HEADER;
    __asm__("" : "+r"(h));
    return h;
}
#undef START_HEADER
#define START_HEADER start_header()

/* Whether a page of a log is there. */
static SMALL uint8_t start_header_at(uint16_t slot)
{
    struct page_header *h = START_HEADER;
    uint8_t *byte = (uint8_t *)h, count = sizeof *h;
    flash_read(MOTET_FLASH_FIRST + slot);
    do
        *byte++ = flash_exchange(0);
    while (h->magic == PAGE_MAGIC && --count);
    flash_end();
    return h->magic == PAGE_MAGIC && h->used <= PAYLOAD && page_place(h->sequence) == slot;
}

/* After the newest page there is, found from strides that become finer: after each that is newer than the best one.
 * Where one is not valid its neighbour is looked at, for it may be damaged. */
static void start_find_end(void)
{
    const struct page_header *h = START_HEADER;
    uint16_t first = 0, count = MOTET_FLASH_PAGES;
    R.state = RECORDING;
    for (uint16_t stride = 256; stride > 1 || (stride && R.sequence); stride /= 16) {
        for (uint16_t i = first; i < first + count; i += stride) {
            if ((!start_header_at(i) && !start_header_at(i + 1)) || h->sequence < R.sequence)
                continue;
            R.sequence = h->sequence + 1;
            R.events_page.h.part = h->part + 2; /* the next one may be that of a checkpoint that was not completed */
            R.state = (h->codec & PAGE_FROZEN) && h->build == (uint16_t)(uintptr_t)motet_build_id ? OFF : RECORDING;
        }
        if (R.sequence) {
            first = page_place(R.sequence - 1);
            count = stride;
        }
    }
}

static uint16_t start_ram_check(void)
{
    return crc16_all(0, RAM_FIRST, (uint16_t)((uintptr_t)RAM_LAST - (uintptr_t)RAM_FIRST));
}

PRIVATE SMALL void start_wait_for_flash(void)
{
    uint16_t patience = 0xffff;
    flash_borrow();
    while (!flash_ready() && --patience)
        ;
    flash_return();
}

/* Other firmware that ran before, and has its variables there too, would have the worker go on in code that is gone. */
static inline uint16_t start_begun(void)
{
    return (uint16_t)(uintptr_t)motet_build_id ^ RECORDER_BEGUN;
}

/* Whether the ring is in bounds, and what the worker has. */
static inline uint8_t start_is_bounded(void)
{
#ifdef LEAN
    return !((R.fill | R.tail) & (uint8_t) ~(MOTET_RING - UNIT)) && R.out_from < OUT_ROOM && START_SENT_FITS;
#else
    return R.head < MOTET_RING && R.fill <= MOTET_RING && R.tail < MOTET_RING &&
           (R.head | R.fill | R.tail) % UNIT == 0 && R.out_count >= R.checked + OUT_FROM && R.saved.h.used <= PAYLOAD &&
           R.worker - (uint16_t)(uintptr_t)R.stack < MOTET_STACK;
#endif
}

/* Whether memory holds what the recorder has left there before a reset, and not what it has by chance. */
static uint8_t start_was_recording(void)
{
    return R.begun == start_begun() && !R.was_busy && R.state >= RECORDING && R.state <= LOST &&
           R.out_count <= OUT_ROOM && R.events_page.h.used <= PAYLOAD && start_is_bounded();
}

/* What the life before this one had recorded and not yet written is its most interesting part. */
static void start_recover(void)
{
    page_mark(PAGE_RECOVERED);
#ifndef MOTET_NO_CHECKPOINT
    if (R.copy.doing != COPY_CLOSES)
        R.copy.doing = NO_COPY;
#endif
    if (R.state == RECORDING && ring_room() < UNIT)
        R.state = LOSING;
    if (R.state == RECORDING)
        ring_put(EVENT_NOTICE << 8 | NOTICE_RESET, 0);
#ifdef LEAN
    lean_flush();
#else
    worker_do(WANT_FLUSH);
#endif
}

void motet_begin_work(void)
{
    uint8_t watchdog = port_slow_watchdog();
    uint16_t check = start_ram_check();
    start_wait_for_flash();
    if (start_was_recording())
        start_recover();
    for (uint16_t i = 0; i < sizeof R; i++)
        ((volatile uint8_t *)&R)[i] = 0;
#ifndef LEAN
    R.worker = port_thread(R.stack + MOTET_STACK, worker_run);
#endif
    out_begin_part();
    flash_borrow();
    start_find_end();
    flash_return();
    R.start = (uint16_t)R.sequence;
    R.events_page.h.codec = MOTET_CODEC;
    R.begun = start_begun();
    dump_begin();
#ifdef MOTET_STAMP
    stamp_begin();
#endif
    motet_count_anew();
    if (R.state == RECORDING)
        ring_put(EVENT_NOTICE << 8 | NOTICE_BEGIN, check);
    port_set_watchdog(watchdog);
}

void motet_boot(void)
{
    R.was_busy = R.busy; /* when the life before ended; entries set it */
    flash_pins();
    dump_pins();
    motet_begin();
}
