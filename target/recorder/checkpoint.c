#include "checkpoint.h"

#include "codec.h"
#include "crc.h"
#include "flash.h"
#include "out.h"
#include "pages.h"
#include "port.h"
#include "ring.h"

#ifdef MOTET_NO_CHECKPOINT /* a log ends where something is lost, or the flash is full, until the next reset */
PRIVATE uint8_t checkpoint_make(void)
{
    return 0;
}
PRIVATE uint8_t checkpoint_step(void)
{
    return 0;
}
#else

/* A pointer that is kept in a register: what is near it takes a word less to reach than what has an address. */
#ifdef __AVR__
#define NEAR(p)                 \
    ({                          \
        __typeof__(p) p_ = (p); \
        __asm__("" : "+b"(p_)); \
        p_;                     \
    })
#else
#define NEAR(p) (p)
#endif

static inline uint16_t checkpoint_turned(uint16_t word)
{
#ifdef __AVR__
    __asm__("lsl %A0\n\trol %B0\n\tadc %A0, __zero_reg__" : "+r"(word));
#else
    __asm__("rla %0\n\tadc %0" : "+r"(word)::"cc");
#endif
    return word;
}

/* Adds bytes of memory. */
static SMALL void checkpoint_add(struct sums *s, uint16_t at, uint16_t end)
{
    uint16_t a = s->a, b = s->b;
    for (const uint8_t *byte = (const uint8_t *)(uintptr_t)at; byte != (const uint8_t *)(uintptr_t)end; byte++) {
        a += *byte;
        b = checkpoint_turned(b) ^ a;
    }
    s->a = a;
    s->b = b;
}

static SMALL uint16_t checkpoint_check_of(const struct sums *s)
{
    return s->b + (uint16_t)(s->a << 8 | s->a >> 8);
}

/* ---- where memory is that counts ---- */

/* The recorder's own is one piece: all of it is in one section of one object, between these (memory.S). */
extern uint8_t motet_own[], motet_own_end[];

static uint16_t checkpoint_first(void)
{
    return (uint16_t)(uintptr_t)RAM_FIRST;
}

/* Where what counts goes on from `at`: the recorder's own is left out. */
static SMALL uint16_t checkpoint_next(uint16_t at)
{
    return at == (uint16_t)(uintptr_t)motet_own ? (uint16_t)(uintptr_t)motet_own_end : at;
}

/* The end of the block at `at`, which ends at the latest with variables, heap or stack. */
static SMALL uint16_t checkpoint_block_end(uint16_t at)
{
    uint16_t end = (uint16_t)((at | (BLOCK - 1)) + 1), own = (uint16_t)(uintptr_t)motet_own;
    if (own <= at)
        own = port_heap_end();
    if (own <= at)
        own = (uint16_t)(uintptr_t)RAM_TOP;
    return end < own ? end : own;
}

static SMALL uint16_t *checkpoint_check_at(uint16_t at)
{
    uint8_t block = (uint8_t)(at / BLOCK - checkpoint_first() / BLOCK);
    return &R.checks[block < BLOCKS ? block : 0]; /* those of memory outside the chip share one: the last has it */
}

/* ---- writing ---- */

/* The page may be left to its end: nothing that is made at once is cut. */
static SMALL uint8_t checkpoint_has_room(void)
{
    return R.saved.open == PAGE_OPEN && R.saved.h.used <= PAYLOAD - COPY_ROOM;
}

/* What was made counts for the check of its page, where it has room. This needs no flash. */
static SMALL void checkpoint_check(void)
{
    R.saved.h.check = crc16_all(R.saved.h.check, R.copy.bytes, R.copy.count);
}

static SMALL void checkpoint_seal(void)
{
    R.saved.h.codec = MOTET_CODEC | PAGE_CHECKPOINT | PAGE_CONTINUES;
    page_seal(&R.saved);
}

static SMALL void checkpoint_pause(void)
{
    if (R.copy.open)
        flash_put_end();
    R.copy.open = 0;
}

/* It goes there, and more may follow. */
static SMALL void checkpoint_send(void)
{
    if (!R.copy.open)
        page_begin_payload(&R.saved);
    R.copy.open = 1;
    flash_send_all(R.copy.bytes, R.copy.count);
    R.saved.h.used += R.copy.count;
    R.copy.count = 0;
}

/* A step on the way to a page that has room. Zero if the flash is busy. */
static SMALL uint8_t checkpoint_page(void)
{
    if (R.saved.open)
        return page_close_on(&R.saved);
    if (R.saved.h.index == 0)
        R.copy.start = (uint16_t)R.sequence;
    return page_open(&R.saved) || page_comes();
}

/* At the end, with interrupts off: what was made goes out, without a pause while there is room, for the memory is busy
 * after each. Then there is room again. */
static SMALL void checkpoint_out(void)
{
    if (R.copy.count) {
        checkpoint_check();
        checkpoint_send();
    }
    if (checkpoint_has_room())
        return;
    checkpoint_pause();
    checkpoint_seal();
    for (uint16_t patience = 0xffff; patience && R.saved.open != PAGE_OPEN; patience--)
        checkpoint_page();
}

PRIVATE SMALL void checkpoint_byte(uint8_t byte)
{
    R.copy.bytes[R.copy.count++] = byte;
    if (R.copy.count == COPY_ROOM)
        checkpoint_out();
}

PRIVATE SMALL void checkpoint_word(uint16_t word)
{
    checkpoint_byte((uint8_t)word);
    checkpoint_byte((uint8_t)(word >> 8));
}

static SMALL void checkpoint_at(uint16_t at)
{
    checkpoint_byte(CHECKPOINT_AT);
    checkpoint_word(at);
}

static SMALL void checkpoint_run(const void *from, uint8_t count)
{
    const uint8_t *byte = from;
    checkpoint_byte(SAVED_BYTES - 1 + count);
    for (; count; count--)
        checkpoint_byte(*byte++);
}

PRIVATE void checkpoint_bytes(uint16_t at, const void *from, uint8_t count)
{
    checkpoint_at(at);
    checkpoint_run(from, count);
}

/* Some bytes from `at` on, which are added to the sums as they were copied: an interrupt or DMA may change them
 * meanwhile. Returns where it goes on. */
static SMALL uint16_t checkpoint_piece(uint16_t at, uint16_t end, struct sums *s)
{
    enum { WORTH_A_FILL = 4, MOST_FILL = 125 };
    const volatile uint8_t *bytes = (const volatile uint8_t *)(uintptr_t)at;
    uint8_t most = end - at < MOST_FILL ? (uint8_t)(end - at) : MOST_FILL, same = 0, byte = *bytes, fills;
    do
        same++;
    while (same < most && bytes[same] == byte);
    if (at != R.copy.told)
        checkpoint_at(at);
    fills = same >= WORTH_A_FILL;
    if (fills) {
        checkpoint_byte(CHECKPOINT_FILL - 1 + same);
        checkpoint_byte(byte);
    } else {
        same = most < COPY_PIECE ? most : COPY_PIECE;
        checkpoint_byte(SAVED_BYTES - 1 + same);
    }
    R.copy.told = at + same;
    for (; same; same--) {
        if (!fills)
            checkpoint_byte(byte = *bytes++);
        s->a += byte;
        s->b = checkpoint_turned(s->b) ^ s->a;
    }
    return R.copy.told;
}

/* ---- memory: twice in idle moments, and in the end with interrupts off ---- */

static SMALL void checkpoint_from(uint8_t what)
{
    R.copy.doing = what;
    R.copy.at = checkpoint_first();
    R.copy.begins = 1;
}

/* A piece of a checkpoint: of the stack only what is above `sp`, when it is taken. */
static SMALL void checkpoint_step_copy(uint16_t sp)
{
    struct copy *c = NEAR(&R.copy);
    uint16_t at = checkpoint_next(c->at), heap = port_heap_end(), end;
    struct sums *s = &c->sums;
    if (at >= heap && at < sp)
        at = sp;
    if (at >= (c->doing == COPY_TAKEN ? (uint16_t)(uintptr_t)RAM_TOP : heap)) {
        checkpoint_from(c->doing + 1);
        return;
    }
    end = checkpoint_block_end(at);
    if (c->begins) {
        *s = (struct sums){0, 0};
        checkpoint_add(s, at, end);
    }
    if (c->begins && c->doing != COPIES && at < heap &&
        checkpoint_check_of(s) == *checkpoint_check_at(at)) { /* as it was when copied */
        c->at = end;
    } else {
        if (c->begins)
            *s = (struct sums){0, 0};
        c->at = checkpoint_piece(at, end, s);
        *checkpoint_check_at(at) = checkpoint_check_of(s);
    }
    c->begins = c->at == end;
    if (c->begins && c->doing == COPY_TAKEN)
        checkpoint_add(&c->digest, (uint16_t)(uintptr_t)s, (uint16_t)(uintptr_t)(s + 1));
}

/* What has changed, and the stack. */
static void checkpoint_memory(uint16_t sp)
{
    if (sp < port_heap_end()) /* a thread's: what is above the heap counts, but for a byte that parts the two */
        sp = port_heap_end() + 1;
    R.copy.digest = (struct sums){0, 0};
    checkpoint_from(COPY_TAKEN);
    while (R.copy.doing == COPY_TAKEN)
        checkpoint_step_copy(sp);
}

/* ---- and the rest, in the end ---- */

static SMALL void checkpoint_device(uint16_t at)
{
    uint16_t value = port_register(at);
    checkpoint_byte((uint8_t)value);
    if (port_register_size(at) == 2)
        checkpoint_byte((uint8_t)(value >> 8));
}

static const struct {
    uint16_t first, last;
} checkpoint_ranges[] PORT_CONSTANT = {CHIP_REGISTERS};

/* How the firmware has set up the devices: those that the flash is reached by, saved last, are not as it did. */
static void checkpoint_devices(void)
{
    for (uint8_t i = 0; i < sizeof checkpoint_ranges / sizeof *checkpoint_ranges; i++) {
        uint16_t at = port_constant(&checkpoint_ranges[i].first), last = port_constant(&checkpoint_ranges[i].last);
        uint8_t length = (uint8_t)(last - at); /* less one */
        checkpoint_at(at);
        checkpoint_byte(SAVED_BYTES + length);
        for (; at <= last; at += port_register_size(at))
            checkpoint_device(at);
    }
    flash_save_pins(&R.pins);
}

/* What timers are expected at, where that is not among the registers above. */
static SMALL __attribute__((unused)) void checkpoint_compare(uint16_t at)
{
    checkpoint_at(at);
    checkpoint_byte(SAVED_BYTES + port_register_size(at) - 1);
    checkpoint_device(at);
}

static void checkpoint_compares(void)
{
#if MOTET_CODEC == CODEC_TARDIS
    for (uint8_t i = 0; i < PORT_COMPARES; i++) {
        uint16_t at = port_constant(&motet_compares[i].at), control = port_constant(&motet_compares[i].control);
        if (at)
            checkpoint_compare(at);
        if (control)
            checkpoint_compare(control);
    }
#elif MOTET_CODEC == CODEC_MOTET
#define SAVE(number, wide, at, control) \
    checkpoint_compare(at);             \
    if (control)                        \
        checkpoint_compare(control);
    CHIP_COMPARES(SAVE)
#undef SAVE
#endif
}

/* Of the CPU, and the end. */
static void checkpoint_cpu(const uint8_t *frame)
{
    const uint8_t *build = motet_build;
    checkpoint_byte(CHECKPOINT_REGISTERS);
    checkpoint_byte(FRAME_FIRST);
    checkpoint_byte(FRAME_REGISTERS);
    port_save(frame);
    checkpoint_byte(CHECKPOINT_END);
    checkpoint_byte(CHIP_BLOCK_BITS);
    checkpoint_word(R.copy.digest.a);
    checkpoint_word(R.copy.digest.b);
    for (uint8_t left = PAGE_BUILD; left; left--)
        checkpoint_byte(port_byte(build++));
    checkpoint_out();
    checkpoint_pause();
}

/* In motet_idle, with all registers as they were when it was entered, at `frame`. */
static void checkpoint_take(const uint8_t *frame)
{
    checkpoint_memory(port_frame_sp(frame));
    checkpoint_devices();
    checkpoint_compares();
    checkpoint_cpu(frame);
    if (R.state == RECORDING) {
        ring_put(EVENT_NOTICE << 8 | NOTICE_CHECKPOINT, motet_count - COUNT_FIRST);
        while (R.fill)
            codec_units();
        codec_flush();
    }
    R.again_site = NO_SITE;
    R.turning = 1;
    R.flushed = 0;
    R.state = RECORDING;
    R.copy.doing = COPY_CLOSES;
}

/* ---- when ---- */

PRIVATE uint8_t checkpoint_make(void)
{
    if (!R.copy.doing) {
        if (R.turning || (R.state != LOST && !(R.state == RECORDING && page_since_start() >= MOTET_CHECKPOINT_EVERY)))
            return 0;
        R.saved.h.index = 0;
        R.saved.h.part = R.events_page.h.part + 1;
        R.copy.told = 0;
        checkpoint_from(COPIES);
        return 1;
    }
    if (R.copy.count || R.saved.open != PAGE_OPEN)
        return 0;
    /* It is taken on an empty page, which will do for what is left, mostly, without a wait. */
    if (!checkpoint_has_room() || R.copy.doing == COPY_CLOSES || (R.copy.doing == COPIED && R.saved.h.used)) {
        checkpoint_seal();
        return 1;
    }
    if (R.copy.doing == COPIED)
        return 0;
    checkpoint_step_copy(0);
    checkpoint_check();
    return 1;
}

PRIVATE uint8_t checkpoint_step(void)
{
    if (!R.copy.doing)
        return 0;
    if (R.saved.open != PAGE_OPEN) {
        if (!checkpoint_page())
            return 0;
        if (!R.saved.open && R.copy.doing == COPY_CLOSES) {
            R.start = R.copy.start;
            R.copy.doing = NO_COPY;
        }
        return 1;
    }
    if (!flash_ready())
        return 0;
    if (R.copy.count) {
#ifdef __MSP430__
        uint8_t sent = page_put_payload(&R.saved, R.copy.bytes, R.copy.count);
        R.saved.h.used += sent;
        R.copy.count -= sent;
        for (uint8_t i = 0; i < R.copy.count; i++) /* an interrupt has come */
            R.copy.bytes[i] = R.copy.bytes[i + sent];
#else
        checkpoint_send();
        checkpoint_pause();
#endif
        return 1;
    }
    if (R.copy.doing != COPIED || R.saved.h.used)
        return 0;
    if (R.again_count) { /* reads that were only counted can be more than goes out at once */
        ring_put_again();
        return 1;
    }
    if (R.fill || R.turning || out_waiting() > PIECE || !(R.state == RECORDING || R.flushed))
        return 0;
#ifdef __MSP430__ /* at once: interrupts are not let in */
    R.holds = 0;
#endif
    checkpoint_take((const uint8_t *)(uintptr_t)R.caller);
#ifdef __MSP430__
    R.holds = 1;
#endif
    return 1;
}
#endif
