/* The recorder on the node: one object, linked last before the libraries (docs/node-logs.md).
 *
 * Events are appended to a ring in RAM where they happen; in idle moments they are encoded and go to the flash as pages
 * that each stand for themselves. Invariant: what is in the flash as a valid page is a prefix of what happened since
 * its part began; what does not fit is never left out silently, but ends the part.
 */
#include "recorder.h"

#include "dump_protocol.h"

#if defined __AVR__
#include "flash_at45db.h"
#elif defined __MSP430__
#include "flash_m25p80.h"
#endif

#ifndef MOTET_FLASH_PAGES
#define MOTET_FLASH_PAGES FLASH_ALL
#endif
_Static_assert(MOTET_FLASH_FIRST % FLASH_SECTOR == 0 && MOTET_FLASH_PAGES % FLASH_SECTOR == 0 &&
                   MOTET_FLASH_PAGES >= 4 * FLASH_SECTOR && MOTET_FLASH_FIRST + MOTET_FLASH_PAGES <= FLASH_ALL,
               "MOTET_FLASH_FIRST and MOTET_FLASH_PAGES must be whole sectors of the flash, at least four");

/* Pages between two starts that a replay can have. */
#ifndef MOTET_CHECKPOINT_EVERY
#define MOTET_CHECKPOINT_EVERY (MOTET_FLASH_PAGES / 2)
#endif
/* Pages that are left for what is recorded already, and for the checkpoint. */
enum { PATIENCE = 255 };
#define RECORDER_BEGUN 0x5eed
enum { RESERVE = MOTET_FLASH_PAGES / 4 < 128 ? MOTET_FLASH_PAGES / 4 : 128 };

enum { PAYLOAD = PAGE_BYTES - sizeof(struct page_header), OUT_ROOM = PIECE + MOTET_AHEAD };
enum { BLOCKS = (RAM_SIZE + BLOCK - 1) / BLOCK }; /* RAM begins with one, on all these chips */

/* OFF: not begun, or the log is frozen. LOSING: something was lost, and the mark of it is not in the ring yet. LOST: it
 * is; a checkpoint comes next. FROZEN: nothing comes. */
enum state { OFF, RECORDING, LOSING, LOST, FROZEN };

/* Of a checkpoint: memory is copied; blocks that have changed are copied again; it can be taken; it is
 * being taken; it is, and its last page has to be closed. */
enum copying { NO_COPY, COPIES, COPIES_CHANGED, COPIED, COPY_TAKEN, COPY_CLOSES };

/* Two sums over a block of memory, which cost little. */
struct sums {
    uint16_t a, b;
};

/* A page that is being put together: its header is written last, with the check of what was before. */
struct stream {
    struct page_header h;
    uint8_t open, buffer;
};

/* A checkpoint that is being made. */
struct copy {
    uint8_t doing;            /* enum copying */
    uint8_t begins;           /* at a block's first byte */
    uint8_t open;             /* bytes are on their way into the page */
    uint16_t at;              /* of memory */
    uint16_t told;            /* what comes next is from there, if nothing else is said */
    uint16_t start;           /* sequence number of its first page, its low half */
    struct sums sums, digest; /* of the block so far; of all */
};

/* All the recorder's own memory but the codec's. Start-up code leaves it alone, and replay does not compare it. The
 * first members are known to the ports' assembly. */
struct recorder {
    uint16_t head, fill; /* of the ring: where the next unit goes, and how many bytes wait */
    uint8_t state;
    uint8_t inside;                  /* the worker is at work for motet_idle: interrupts are let in */
    uint8_t busy;                    /* in the recorder's own code: not all here agrees */
    uint8_t idle;                    /* motet_idle has been called and has not ended */
    uint16_t again_site, again_next; /* the last event was a read there, if it was: one more than it gave */
    uint8_t again_count;             /* so many such reads came that are not in the ring yet */
    uint8_t vector;                  /* of an interrupt that came in the worker, on its way to the application */
    uint16_t caller, worker;         /* stack pointers of the one that has to wait */
    uint16_t stub;                   /* where that interrupt's stub goes on */
    uint8_t entered;                 /* counts interrupts, recorded or not */
    uint8_t starting;                /* motet_idle has not been called yet */
    uint8_t resting;                 /* the worker has nothing to do but wait for more events */
    uint8_t wanted;                  /* enum wanted, of the worker */
    uint16_t ring[MOTET_RING / 2];
    uint16_t tail;     /* where its oldest unit is */
    uint8_t out_count; /* of what is encoded, on its way to the flash */
    uint8_t out_most;  /* the encoder stops behind so many */
    uint8_t out[OUT_ROOM];
    uint8_t stack[MOTET_STACK];
    struct stream events_page, saved; /* of events, and of a checkpoint */
    struct flash_pins pins;           /* as they were before open_flash() */
    uint32_t sequence;                /* of the next page */
    uint16_t start;                   /* of the first page of the newest start that can be replayed, its low half */
    uint8_t buffer;                   /* of the flash, used last */
    uint8_t sent;                     /* so many of what is encoded are in the page already */
    uint8_t checked;                  /* so many of them count for the check of the page */
#if MOTET_CODEC == CODEC_PLAIN
    uint16_t last[2];    /* read that was encoded, by the plain codec */
    uint16_t behind;     /* units of the event under way that are still to come */
    uint8_t block;       /* the next of them says how many more there are */
    uint8_t bytes, byte; /* reads that a unit stands for, and where in it the next is */
#endif
    uint8_t flushed;  /* the part is encoded to its end */
    uint8_t turning;  /* so it is, and the next begins behind it */
    uint8_t erased;   /* 1 + the sector behind which there was a look whether it is erased */
    uint8_t patience; /* rounds that motet_idle still waits for the flash */
    uint8_t seen;     /* of them by motet_idle, when it began */
    uint8_t was_busy; /* as motet_boot found it */
#ifndef MOTET_STAMP
    uint16_t mixed; /* the second half of the hash of registers */
#endif
    struct copy copy;        /* of memory, for a checkpoint */
    uint16_t checks[BLOCKS]; /* of blocks as they were copied */
    uint16_t begun;          /* by motet_boot, in this life or the one before: RECORDER_BEGUN and the build */
};
_Static_assert(offsetof(struct recorder, state) == 4 && offsetof(struct recorder, inside) == 5 &&
                   offsetof(struct recorder, busy) == 6 && offsetof(struct recorder, again_site) == 8 &&
                   offsetof(struct recorder, again_next) == 10 && offsetof(struct recorder, again_count) == 12 &&
                   offsetof(struct recorder, vector) == 13 && offsetof(struct recorder, caller) == 14 &&
                   offsetof(struct recorder, worker) == 16 && offsetof(struct recorder, stub) == 18 &&
                   offsetof(struct recorder, entered) == 20 && offsetof(struct recorder, starting) == 21 &&
                   offsetof(struct recorder, resting) == 22 && offsetof(struct recorder, ring) == 24 &&
                   offsetof(struct recorder, out_count) == MOTET_RING + 26 &&
                   offsetof(struct recorder, out_most) == MOTET_RING + 27 &&
                   offsetof(struct recorder, out) == MOTET_RING + 28 && RECORDING == 1,
               "as the ports know it");
__attribute__((section(".noinit"))) struct recorder motet_recorder;
#define R motet_recorder

#ifndef MOTET_STAMP
/* A hash of 32 bits, word by word: a sum that is turned before each, and beside it the sums so far. Sums alone agree
 * where one register counts up and another down. */
struct mixed {
    uint16_t a, b;
};
static inline struct mixed mix(struct mixed m, uint16_t word)
{
    m.a = (uint16_t)((m.a << 1 | m.a >> 15) + word);
    m.b = (uint16_t)(m.b << 8 | m.b >> 8) ^ m.a;
    return m;
}
#endif

#if defined __AVR__
#include "port_avr.h"
#elif defined __MSP430__
#include "port_msp430.h"
#endif

volatile uint16_t motet_count;
volatile uint8_t motet_uncounted;
extern const char motet_build_id[] __attribute__((weak));

static SMALL void open_flash(void)
{
    flash_open(&R.pins);
}

static SMALL void close_flash(void)
{
    flash_close(&R.pins);
}

#include "dump.h"
enum wanted { WANT_NOTHING, WANT_ROOM, WANT_FLUSH, WANT_FROZEN };
static void work(enum wanted what);
static uint8_t holds_up(void);

/* An interrupt came since motet_idle was called. */
static inline uint8_t came(void)
{
    return R.seen != *(volatile uint8_t *)&R.entered;
}
#include "events.h"
#include "pages.h"
#ifdef MOTET_NO_CHECKPOINT /* a log ends where something is lost, or the flash is full, until the next reset */
static uint8_t step_checkpoint(void)
{
    return 0;
}
#else
#include "checkpoint.h"
#endif

_Static_assert(2 * CODEC_MOST <= MOTET_AHEAD || MOTET_CODEC == CODEC_TARDIS /* waits for the flash */,
               "what is encoded last, a mark and the end, must have room");

#if MOTET_CODEC == CODEC_MOTET
_Static_assert(sizeof motet_recorder + sizeof motet_codec + sizeof motet_coder <= 2048, "all of the recorder in 2 KB");
#elif MOTET_CODEC == CODEC_TARDIS
_Static_assert(sizeof motet_recorder + sizeof motet_codec <= 2048, "all of the recorder in 2 KB");
#else
_Static_assert(sizeof motet_recorder <= 2048, "all of the recorder in 2 KB");
#endif

/* After a loss what was kept goes out with a mark behind it; recording goes on with a checkpoint. */
static void note_loss(void)
{
    if (R.state == RECORDING && R.copy.doing != COPY_CLOSES && since_start() > MOTET_FLASH_PAGES - RESERVE)
        R.state = LOSING; /* before a checkpoint is there all that can be replayed would be overwritten */
    if (R.state == LOSING && ring_room() >= UNIT) {
        put(EVENT_MARK << 8 | MARK_GAP, 0);
        R.state = LOST;
    }
}

/* All there is, into the flash, however long that takes, unless the flash does not answer. */
static void flush(void)
{
    uint16_t patience = 0xffff;
    if (R.state == OFF || flash_taken())
        return;
    put_again();
    put_again();
    open_flash();
    for (; patience && (R.turning || R.fill || (!R.flushed && R.out_count > PIECE)); patience--) {
        note_loss();
        step();
    }
    if (!R.flushed)
        codec_flush();
    R.flushed = R.state > LOSING;
    for (; patience && (R.turning || R.out_count || R.events_page.open || R.copy.doing == COPY_CLOSES); patience--) {
        check_out(1);
        step_end();
        settle_out();
        if (R.copy.doing == COPY_CLOSES)
            step_checkpoint();
    }
    for (; patience && !flash_ready(); patience--)
        ;
    close_flash();
}

/* There is a page behind which nothing comes, and it says so. */
static void open_last_page(void)
{
    open_flash();
    for (uint16_t patience = 0xffff; patience && !open_page(&R.events_page); patience--)
        ;
    close_flash();
}

/* ---- the worker ----
 *
 * What moves events from the ring to the flash is a thread of its own, with a stack of its own, so that an interrupt
 * may come at any instruction while it encodes: its handler then runs on the application's stack, as if it had come at
 * the entry of motet_idle, where replay has it, and the worker waits until motet_idle is called again. Whoever needs
 * its work done at once (the ring is full, a flush) lets it go on with interrupts off. It holds the flash only while
 * they are. */

/* From here on the ring comes before an interrupt that the application waits for. */
#ifndef MOTET_URGENT
#define MOTET_URGENT (MOTET_RING / 4 * 3)
#endif
/* The worker holds up the application, and nothing it does is urgent. */
static uint8_t holds_up(void)
{
    return R.inside && came() && R.fill <= MOTET_URGENT;
}

/* Something is to be done with the flash. */
static uint8_t wants_flash(void)
{
    return R.out_count > PIECE || wants_page() || R.turning || R.flushed || R.copy.doing || R.state != RECORDING ||
           since_start() >= MOTET_CHECKPOINT_EVERY ||
           (FLASH_SECTOR > 1 && R.erased != (uint8_t)(place_of(R.sequence) / FLASH_SECTOR + 1));
}

/* Bytes into a page, a page into the flash, a piece of a checkpoint, or a sector erased. Zero if there is nothing to do
 * now. Interrupts are off. */
static uint8_t flash_work(void)
{
    uint8_t more;
    if (flash_taken() || (R.fill < MOTET_RING / 2 && flash_waits()))
        return 0;
    dump_if_wanted();
    note_loss();
    if (!wants_flash())
        return 0;
    open_flash();
    more = step_flash();
    if (!more && R.inside && !came()) /* a checkpoint is of a moment in which none has come yet */
        more = step_checkpoint();
    if (!more && FLASH_SECTOR > 1 && !flash_was_allowed(&R.pins) && flash_ready())
        erase_ahead();
    close_flash();
    return more;
}

/* The flash is busy: wait for it, a little, if much waits for it. What is encoded has to be out of the way before the
 * next burst of events. */
static uint8_t worth_waiting(void)
{
    enum { MUCH = OUT_ROOM / 4 > PIECE ? OUT_ROOM / 4 : PIECE };
    uint8_t much =
        came() ? R.fill > MOTET_URGENT : R.out_count > MUCH || R.turning || (R.copy.doing && R.state == LOST);
    if (much && R.patience) {
        R.patience--;
        return 1;
    }
    return 0;
}

static void serve(void)
{
    if (R.wanted == WANT_ROOM) {
        if (R.events_page.h.index) /* else there is nothing yet to be kept */
            note_loss();           /* a node may never come to rest */
        make_room();
    }
    if (R.wanted == WANT_FROZEN && !flash_taken())
        open_last_page();
    if (R.wanted >= WANT_FLUSH)
        flush();
    R.wanted = WANT_NOTHING;
}

static void worker(void)
{
    for (;;) {
        uint8_t more;
        R.resting = 0;
        if (R.wanted) {
            serve();
            motet_yield();
            continue;
        }
        more = encode();
        if (holds_up()) {
            motet_yield();
            continue;
        }
        check_out(0);
        port_state was = port_lock();
        more |= flash_work();
        port_unlock(was);
        settle_out();
        if (more) {
            R.patience = PATIENCE;
        } else if (!worth_waiting()) {
            R.resting = R.state <= RECORDING && !wants_flash();
            motet_yield();
        }
    }
}

/* Something is to be done by the worker at once. */
static SMALL void work(enum wanted what)
{
    R.wanted = (uint8_t)what;
    R.out_most = 0; /* it is not to encode more than it has begun with */
    do
        motet_work();
    while (R.wanted);
}

/* Whether the worker is to go on. Not if there was an interrupt since motet_idle was called, for that may be what the
 * application waits for, unless the ring fills. */
uint8_t motet_idle_begin(void);
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
    if (came())
        return R.fill > MOTET_URGENT;
    return !R.resting || R.fill >= MOTET_BATCH || R.state != RECORDING || dump_is_wanted();
}

/* Calls of motet_idle tell two moments apart that nothing else does. Returns whether an interrupt came meanwhile. */
uint8_t motet_idle_end(void);
uint8_t motet_idle_end(void)
{
    uint8_t interrupted = R.idle && R.seen != R.entered;
    R.idle = 0;
    count_entry();
    return interrupted;
}

void motet_flush_work(void);
void motet_flush_work(void)
{
    work(WANT_FLUSH);
    count_stamped();
}

void motet_freeze_work(void);
void motet_freeze_work(void)
{
    if (R.state == OFF || R.state == FROZEN)
        return;
    if (room_for(UNIT))
        put(EVENT_MARK << 8 | MARK_FROZEN, 0);
    R.state = FROZEN;
    R.events_page.h.codec |= PAGE_FROZEN;
    work(WANT_FROZEN);
}

/* What is frozen may be overwritten. */
void motet_clear_work(void);
void motet_clear_work(void)
{
    count_stamped();
    if (R.state != OFF && R.state != FROZEN)
        return;
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

/* ---- the beginning ---- */

/* Whether a page of a log is there. */
static SMALL uint8_t header_at(uint16_t slot)
{
    struct page_header *h = &R.saved.h;
    uint8_t *byte = (uint8_t *)h, count = sizeof *h;
    flash_read(MOTET_FLASH_FIRST + slot);
    do
        *byte++ = exchange(0);
    while (h->magic == PAGE_MAGIC && --count);
    command_end();
    return h->magic == PAGE_MAGIC && h->used <= PAYLOAD && place_of(h->sequence) == slot;
}

/* Behind the newest page there is, found from strides that become finer: behind each that is newer than the best one.
 * Where one is not valid its neighbour is looked at, for it may be damaged. */
static void find_end(void)
{
    const struct page_header *h = &R.saved.h;
    uint16_t first = 0, count = MOTET_FLASH_PAGES;
    R.state = RECORDING;
    for (uint16_t stride = 256; stride > 1 || (stride && R.sequence); stride /= 16) {
        for (uint16_t i = first; i < first + count; i += stride) {
            if ((!header_at(i) && !header_at(i + 1)) || h->sequence < R.sequence)
                continue;
            R.sequence = h->sequence + 1;
            R.events_page.h.part = h->part + 2; /* the next one may be that of a checkpoint that was not completed */
            R.state = (h->codec & PAGE_FROZEN) && h->build == (uint16_t)(uintptr_t)motet_build_id ? OFF : RECORDING;
        }
        if (R.sequence) {
            first = place_of(R.sequence - 1);
            count = stride;
        }
    }
}

static uint16_t ram_check(void)
{
    uint16_t crc = 0;
    for (const uint8_t *at = RAM_FIRST; at < (const uint8_t *)RAM_LAST; at++)
        crc = crc16(crc, *at);
    return crc;
}

static SMALL void wait_for_flash(void)
{
    uint16_t patience = 0xffff;
    open_flash();
    while (!flash_ready() && --patience)
        ;
    close_flash();
}

/* Other firmware that ran before, and has its variables there too, would have the worker go on in code that is gone. */
static inline uint16_t begun_here(void)
{
    return (uint16_t)(uintptr_t)motet_build_id ^ RECORDER_BEGUN;
}

/* Whether memory holds what the recorder has left there before a reset, and not what it has by chance. */
static uint8_t was_recording(void)
{
    return R.begun == begun_here() && !R.was_busy && R.state >= RECORDING && R.state <= LOST && R.head < MOTET_RING &&
           R.fill <= MOTET_RING && (R.head | R.fill | R.tail) % UNIT == 0 && R.out_count <= OUT_ROOM &&
           R.checked <= R.out_count && R.events_page.h.used <= PAYLOAD && R.saved.h.used <= PAYLOAD &&
           R.tail < MOTET_RING && R.worker - (uint16_t)(uintptr_t)R.stack < MOTET_STACK;
}

/* What the life before this one had recorded and not yet written is its most interesting part. */
static void recover(void)
{
    R.events_page.h.codec |= PAGE_RECOVERED;
    if (R.copy.doing != COPY_CLOSES)
        R.copy.doing = NO_COPY;
    if (R.state == RECORDING && ring_room() < UNIT)
        R.state = LOSING;
    if (R.state == RECORDING)
        put(EVENT_MARK << 8 | MARK_RESET, 0);
    work(WANT_FLUSH);
}

void motet_begin_work(void);
void motet_begin_work(void)
{
    uint8_t watchdog = port_slow_watchdog();
    uint16_t check = ram_check();
    wait_for_flash();
    if (was_recording())
        recover();
    for (uint16_t i = 0; i < sizeof R; i++)
        ((volatile uint8_t *)&R)[i] = 0;
    R.worker = port_thread(R.stack + MOTET_STACK, worker);
    codec_begin();
    open_flash();
    find_end();
    close_flash();
    R.start = (uint16_t)R.sequence;
    R.starting = 1;
    R.events_page.h.codec = MOTET_CODEC;
    R.begun = begun_here();
    dump_begin();
#ifdef MOTET_STAMP
    stamp_begin();
#endif
    motet_count = 0;
    if (R.state == RECORDING)
        put(EVENT_MARK << 8 | MARK_BEGIN, check);
    port_set_watchdog(watchdog);
}

void motet_begin(void);

void motet_boot(void)
{
    R.was_busy = R.busy; /* when the life before ended; entries set it */
    flash_pins();
    dump_pins();
    motet_begin();
}
