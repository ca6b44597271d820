/* Checkpoints: all a replay needs to begin in the middle of a life, as it is when motet_idle is entered.
 *
 * Part of recorder.c. Stopping the firmware for as long as it takes to write its memory would be too long. So memory is
 * copied in pieces while the firmware goes on, with a check for each block; those that have changed are copied once
 * more; and at the end, with interrupts off, all blocks are compared with their checks, and what has changed since is
 * written together with stack and registers. Invariant: what is written last for an address is what was there at that
 * end; if the check of a block has missed a change, the digest of all, which does not rest on the checks, tells.
 */

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

static inline uint16_t turned(uint16_t word)
{
#ifdef __AVR__
    __asm__("lsl %A0\n\trol %B0\n\tadc %A0, __zero_reg__" : "+r"(word));
#else
    __asm__("rla %0\n\tadc %0" : "+r"(word)::"cc");
#endif
    return word;
}

/* Adds bytes of memory. */
static SMALL void sums_add(struct sums *s, uint16_t at, uint16_t end)
{
    uint16_t a = s->a, b = s->b;
    for (const uint8_t *byte = (const uint8_t *)(uintptr_t)at; byte != (const uint8_t *)(uintptr_t)end; byte++) {
        a += *byte;
        b = turned(b) ^ a;
    }
    s->a = a;
    s->b = b;
}

static SMALL uint16_t check_of(const struct sums *s)
{
    return s->b ^ (uint16_t)(s->a << 8 | s->a >> 8);
}

/* ---- where memory is that counts ---- */

/* The recorder's own is one piece: all of it is in one section of one object, between these. */
#ifdef __AVR__
#define NOINIT ".noinit,\"aw\",@nobits"
#else
#define NOINIT ".noinit,\"aw\",@progbits"
#endif
__asm__(".pushsection " NOINIT "\nmotet_own:\n\t.subsection 1\nmotet_own_end:\n\t.popsection");
extern uint8_t motet_own[], motet_own_end[];

static uint16_t memory_first(void)
{
    return (uint16_t)(uintptr_t)RAM_FIRST;
}

/* Where what counts goes on from `at`: the recorder's own is left out. */
static SMALL uint16_t next_counting(uint16_t at)
{
    return at == (uint16_t)(uintptr_t)motet_own ? (uint16_t)(uintptr_t)motet_own_end : at;
}

/* The end of the block at `at`, which ends at the latest with variables, heap or stack. */
static SMALL uint16_t block_end(uint16_t at)
{
    uint16_t end = (uint16_t)((at | (BLOCK - 1)) + 1), own = (uint16_t)(uintptr_t)motet_own;
    if (own <= at)
        own = heap_end();
    if (own <= at)
        own = (uint16_t)(uintptr_t)RAM_TOP;
    return end < own ? end : own;
}

static SMALL uint16_t *check_at(uint16_t at)
{
    uint8_t block = (uint8_t)(at / BLOCK - memory_first() / BLOCK);
    return &R.checks[block < BLOCKS ? block : 0]; /* those of memory outside the chip share one: the last has it */
}

/* ---- writing ---- */

static SMALL void close_saved(void)
{
    R.saved.h.codec = MOTET_CODEC | PAGE_CHECKPOINT | PAGE_CONTINUES;
    close_page(&R.saved);
}

static SMALL void save_pause(void)
{
    if (R.copy.open)
        flash_put_end();
    R.copy.open = 0;
}

/* A page is open, its memory ready and there is room for so many bytes: they can go there. Does a step of what is
 * missing if not. Each time the memory is given something it is busy for a while, so at the end as much as possible
 * goes there at once, without a pause. */
static SMALL uint8_t save_begin(uint8_t bytes)
{
    if (R.saved.open && PAYLOAD - R.saved.h.used < bytes) {
        save_pause();
        if (flash_ready())
            close_saved();
        return 0;
    }
    if (R.copy.open)
        return 1;
    if (!R.saved.open && R.saved.h.index == 0)
        R.copy.start = (uint16_t)R.sequence;
    if (!open_page(&R.saved))
        return 0;
    begin_payload(&R.saved);
    R.copy.open = 1;
    return 1;
}

/* For the end, when nothing else may come between: there is room for so many bytes, whatever that takes. */
static SMALL void save_room(uint8_t bytes)
{
    for (uint16_t patience = 0xffff; patience && !save_begin(bytes); patience--)
        ;
}

static SMALL void save_byte(uint8_t byte)
{
    put_byte(&R.saved, byte);
}

static SMALL void save_word(uint16_t word)
{
    save_byte((uint8_t)word);
    save_byte((uint8_t)(word >> 8));
}

static SMALL void save_at(uint16_t at)
{
    save_byte(SAVED_AT);
    save_word(at);
}

static SMALL void save_run(const void *from, uint8_t count)
{
    const uint8_t *byte = from;
    save_byte(SAVED_BYTES - 1 + count);
    for (; count; count--)
        save_byte(*byte++);
}

/* Bytes that are not found there. */
static void save_bytes(uint16_t at, const void *from, uint8_t count)
{
    save_at(at);
    save_run(from, count);
}

enum { SAVE_LEAST = 4 + PIECE }; /* bytes that a piece can become */

/* Some bytes from `at` on, which are added to the sums; returns where it goes on. */
static SMALL uint16_t save_piece(uint16_t at, uint16_t end, struct sums *s)
{
    enum { WORTH_A_FILL = 4, MOST_FILL = 125 };
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)at;
    uint8_t most = end - at < MOST_FILL ? (uint8_t)(end - at) : MOST_FILL, same = 0;
    do
        same++;
    while (same < most && bytes[same] == *bytes);
    if (at != R.copy.told)
        save_at(at);
    if (same >= WORTH_A_FILL) {
        save_byte(SAVED_FILL - 1 + same);
        save_byte(*bytes);
    } else {
        same = most < PIECE ? most : PIECE;
        save_run(bytes, same);
    }
    end = R.copy.told = at + same;
    sums_add(s, at, end);
    return end;
}

/* ---- memory: twice in idle moments, and in the end with interrupts off ---- */

static SMALL void copy_from(uint8_t what)
{
    R.copy.doing = what;
    R.copy.at = memory_first();
    R.copy.begins = 1;
}

/* A piece of a checkpoint: of the stack only what is above `sp`, when it is taken. Zero if the flash is busy. */
static SMALL uint8_t step_copy(uint16_t sp)
{
    struct copy *c = NEAR(&R.copy);
    uint16_t at = next_counting(c->at), heap = heap_end(), end;
    struct sums *s = &c->sums;
    if (at >= heap && at < sp)
        at = sp;
    if (at >= (c->doing == COPY_TAKEN ? (uint16_t)(uintptr_t)RAM_TOP : heap)) {
        copy_from(c->doing + 1);
        return 1;
    }
    end = block_end(at);
    if (c->begins) {
        *s = (struct sums){0, 0};
        sums_add(s, at, end);
    }
    if (c->begins && c->doing != COPIES && at < heap && check_of(s) == *check_at(at)) { /* as it was when copied */
        c->at = end;
    } else {
        if (!save_begin(SAVE_LEAST))
            return 0;
        if (c->begins)
            *s = (struct sums){0, 0};
        c->at = save_piece(at, end, s);
        if (c->doing != COPY_TAKEN)
            save_pause();
        *check_at(at) = check_of(s);
    }
    c->begins = c->at == end;
    if (c->begins && c->doing == COPY_TAKEN)
        sums_add(&c->digest, (uint16_t)(uintptr_t)s, (uint16_t)(uintptr_t)(s + 1));
    return 1;
}

/* What has changed, and the stack. */
static void save_memory(uint16_t sp)
{
    if (sp < heap_end()) /* a thread's: what is behind the heap counts, but for a byte that parts the two */
        sp = heap_end() + 1;
    R.copy.digest = (struct sums){0, 0};
    copy_from(COPY_TAKEN);
    for (uint16_t patience = 0xffff; patience && R.copy.doing == COPY_TAKEN; patience--)
        if (step_copy(sp))
            patience = 0xffff;
}

/* ---- and the rest, in the end ---- */

static SMALL void save_register(uint16_t at)
{
    uint16_t value = read_register(at);
    save_byte((uint8_t)value);
    if (register_size(at) == 2)
        save_byte((uint8_t)(value >> 8));
}

#ifdef MOTET_REGISTERS
static const struct {
    uint16_t first, last;
} motet_ranges[] PORT_CONSTANT = {MOTET_REGISTERS};

/* How the firmware has set up the devices: those that the flash is reached by, saved last, are not as it did. */
static void save_devices(void)
{
    for (uint8_t i = 0; i < sizeof motet_ranges / sizeof *motet_ranges; i++) {
        uint16_t at = port_constant(&motet_ranges[i].first), last = port_constant(&motet_ranges[i].last);
        uint8_t length = (uint8_t)(last - at); /* less one */
        save_room(length + SAVE_LEAST);
        save_at(at);
        save_byte(SAVED_BYTES + length);
        for (; at <= last; at += register_size(at))
            save_register(at);
    }
    save_room(FLASH_PINS_SAVED);
    flash_save_pins(&R.pins);
}
#else
static void save_devices(void) {}
#endif

/* What timers are expected at, where that is not among the registers above. */
static SMALL __attribute__((unused)) void save_compare(uint16_t at)
{
    save_room(SAVE_LEAST);
    save_at(at);
    save_byte(SAVED_BYTES + register_size(at) - 1);
    save_register(at);
}

static void save_compares(void)
{
#if MOTET_CODEC == CODEC_TARDIS
    for (uint8_t i = 0; i < sizeof motet_compares / sizeof *motet_compares; i++) {
        uint16_t at = port_constant(&motet_compares[i].at), control = port_constant(&motet_compares[i].control);
        if (at)
            save_compare(at);
        if (control)
            save_compare(control);
    }
#elif MOTET_CODEC == CODEC_MOTET
#define SAVE(number, wide, at, control) \
    save_compare(at);                   \
    if (control)                        \
        save_compare(control);
    PORT_COMPARES(SAVE)
#undef SAVE
#endif
}

/* Of the CPU, and the end. */
static void save_registers(const uint8_t *frame)
{
    save_room(3 + FRAME_REGISTERS + 6);
    save_byte(SAVED_REGISTERS);
    save_byte(FRAME_FIRST);
    save_byte(FRAME_REGISTERS);
    port_save(frame);
    save_byte(SAVED_END);
    save_byte(BLOCK_BITS);
    save_word(R.copy.digest.a);
    save_word(R.copy.digest.b);
    save_pause();
}

/* In motet_idle, with all registers as they were when it was entered, at `frame`. */
static void take_checkpoint(const uint8_t *frame)
{
    save_memory(frame_sp(frame));
    save_devices();
    save_compares();
    save_registers(frame);
    if (R.state == RECORDING) {
        put(EVENT_MARK << 8 | MARK_CHECKPOINT, motet_count);
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

/* Begins or goes on with a checkpoint, or takes it. */
static uint8_t step_checkpoint(void)
{
    switch ((enum copying)R.copy.doing) {
    case NO_COPY:
        if (R.turning || (R.state != LOST && !(R.state == RECORDING && since_start() >= MOTET_CHECKPOINT_EVERY)))
            return 0;
        R.saved.h.index = 0;
        R.saved.h.part = R.events_page.h.part + 1;
        R.copy.told = 0;
        copy_from(COPIES);
        return 1;
    case COPIES:
    case COPIES_CHANGED: return step_copy(0);
    case COPIED:
        if (R.again_count) { /* reads that were only counted can be more than goes out at once */
            put_again();
            return 1;
        }
        if (R.fill || R.turning || R.out_count > PIECE || !flash_ready() || !(R.state == RECORDING || R.flushed))
            return 0;
        if (R.saved.open && R.saved.h.used) { /* an empty page will do for what is left, mostly, without a wait */
            close_saved();
            return 1;
        }
        if (!open_page(&R.saved))
            return 0;
        take_checkpoint((const uint8_t *)(uintptr_t)R.caller);
        return 1;
    case COPY_TAKEN: break;
    case COPY_CLOSES:
        if (!flash_ready())
            return 0;
        close_saved();
        R.start = R.copy.start;
        R.copy.doing = NO_COPY;
        return 1;
    }
    return 0;
}
