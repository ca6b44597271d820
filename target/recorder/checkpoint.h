/* Checkpoints: all a replay needs to begin in the middle of a life, as it is when motet_idle is entered.
 *
 * Part of recorder.c. Stopping the firmware for as long as it takes to write its memory would be too long. So memory is
 * copied in pieces while the firmware goes on, with a check for each block; those that have changed are copied once
 * more; and at the end, with interrupts off, all blocks are compared with their checks, and what has changed since is
 * written together with stack and registers. Invariant: what is written last for an address is what was there at that
 * end; if the check of a block has missed a change, the digest of all, which does not rest on the checks, tells.
 */

static void sum_byte(struct sums *s, uint8_t byte)
{
    s->a += byte;
    s->b = (uint16_t)((s->b + s->b + ((int16_t)s->b < 0)) ^ s->a); /* turned by one */
}

static uint16_t check_of(const struct sums *s)
{
    return s->b ^ (uint16_t)(s->a << 7 | s->a >> 9);
}

static SMALL void digest_block(const struct sums *s)
{
    R.digest = (R.digest << 5 | R.digest >> 27) + (s->a | (uint32_t)s->b << 16);
}

/* ---- where memory is that counts ---- */

/* The recorder's own: one piece, for it is all in one section of one object. */
static SMALL uint16_t own_first(void)
{
    uint16_t first = (uint16_t)(uintptr_t)&R;
#if MOTET_CODEC != CODEC_PLAIN
    if ((uint16_t)(uintptr_t)&motet_codec < first)
        first = (uint16_t)(uintptr_t)&motet_codec;
#endif
#ifdef DUMP_PORT
    if ((uint16_t)(uintptr_t)&motet_dump < first)
        first = (uint16_t)(uintptr_t)&motet_dump;
#endif
    return first;
}

static uint16_t own_last(void)
{
    uint16_t last = (uint16_t)(uintptr_t)(&R + 1);
#if MOTET_CODEC != CODEC_PLAIN
    if ((uint16_t)(uintptr_t)(&motet_codec + 1) > last)
        last = (uint16_t)(uintptr_t)(&motet_codec + 1);
#endif
#ifdef DUMP_PORT
    if ((uint16_t)(uintptr_t)(&motet_dump + 1) > last)
        last = (uint16_t)(uintptr_t)(&motet_dump + 1);
#endif
    return last;
}

/* Where what comes at `at` or behind it begins: the recorder's own is left out. */
static SMALL uint16_t next_counting(uint16_t at)
{
    uint16_t own = own_first();
    if (at == own)
        at = own_last();
    return at;
}

static SMALL uint16_t block_end(uint16_t at, uint16_t last)
{
    uint16_t end = (uint16_t)((at | (BLOCK - 1)) + 1), own = own_first();
    if (at < own && end > own)
        end = own;
    return end < last ? end : last;
}

static uint16_t *check_at(uint16_t at)
{
    return &R.checks[(uint16_t)(at / BLOCK - (uint16_t)(uintptr_t)RAM_FIRST / BLOCK) % BLOCKS];
}

static SMALL struct sums sums_of(uint16_t at, uint16_t end)
{
    struct sums s = {0, 0};
    for (const uint8_t *byte = (const uint8_t *)(uintptr_t)at; byte != (const uint8_t *)(uintptr_t)end; byte++)
        sum_byte(&s, *byte);
    return s;
}

/* ---- writing ---- */

/* A page is open, its memory ready and there is room for so many bytes. Does a step of what is missing if not. */
static uint8_t can_save(uint8_t bytes)
{
    if (R.saved.open && PAYLOAD - R.saved.used < bytes) {
        if (flash_ready())
            close_page(&R.saved, R.copy_part, PAGE_CHECKPOINT | PAGE_CONTINUES);
        return 0;
    }
    if (!R.saved.open && R.saved.index == 0)
        R.copy_start = R.sequence;
    return open_page(&R.saved) && (FLASH_BUFFERS == 2 || flash_ready());
}

static SMALL uint8_t save_begin(uint8_t bytes)
{
    if (!can_save(bytes))
        return 0;
    flash_put(R.saved.buffer, MOTET_FLASH_FIRST + R.saved.slot, sizeof(struct page_header) + R.saved.used);
    return 1;
}

/* For the end, when nothing else may come between: there is room for so many bytes, whatever that takes. Each time the
 * memory is given something it is busy for a while, so as much as possible goes there at once. */
static SMALL void save_room(uint8_t bytes)
{
    if (R.saving && PAYLOAD - R.saved.used >= bytes)
        return;
    if (R.saving)
        flash_put_end();
    for (uint16_t patience = 0xffff; patience && !save_begin(bytes); patience--)
        ;
    R.saving = 1;
}

static SMALL void save_word(uint16_t word)
{
    put_byte(&R.saved, (uint8_t)word);
    put_byte(&R.saved, (uint8_t)(word >> 8));
}

static SMALL void save_at(uint16_t at)
{
    put_byte(&R.saved, SAVED_AT);
    save_word(at);
}

enum { SAVE_LEAST = 8 }; /* bytes of a page that are worth a piece */

/* Some bytes of a block, as many as go into the page after save_begin(SAVE_LEAST); returns where it goes on. */
static SMALL uint16_t save_piece(uint16_t at, uint16_t end, struct sums *s)
{
    enum { WORTH_A_FILL = 4, MOST_FILL = 125 };
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)at;
    uint16_t most = end - at, count = 1, room = PAYLOAD - 1 - R.saved.used;
    uint8_t same = 1;
    while (same < most && same < MOST_FILL && bytes[same] == bytes[0])
        same++;
    if (same >= WORTH_A_FILL) {
        put_byte(&R.saved, SAVED_FILL + same - 1);
        put_byte(&R.saved, bytes[0]);
        for (uint8_t i = 0; i < same; i++)
            sum_byte(s, bytes[0]);
        return at + same;
    }
    while (count < most && count < PIECE && count < room &&
           !(count + WORTH_A_FILL <= most && bytes[count] == bytes[count + 1] && bytes[count] == bytes[count + 2] &&
             bytes[count] == bytes[count + 3]))
        count++;
    put_byte(&R.saved, (uint8_t)(SAVED_BYTES + count - 1));
    for (uint8_t i = 0; i < count; i++) {
        put_byte(&R.saved, bytes[i]);
        sum_byte(s, bytes[i]);
    }
    return at + count;
}

/* All of it, now. */
static SMALL void save_range(uint16_t at, uint16_t end)
{
    struct sums s;
    save_room(SAVE_LEAST);
    save_at(at);
    while (at < end) {
        save_room(SAVE_LEAST);
        at = save_piece(at, end, &s);
    }
}

/* ---- in idle moments ---- */

static void copy_from(enum copying what)
{
    R.copying = (uint8_t)what;
    R.copy_at = next_counting((uint16_t)(uintptr_t)RAM_FIRST);
    R.copy_moved = R.copy_begins = 1;
    R.copy_sums = (struct sums){0, 0};
}

/* Some bytes of the block that is being copied. */
static uint8_t copy_piece(uint16_t end)
{
    if (!save_begin(SAVE_LEAST))
        return 0;
    if (R.copy_moved)
        save_at(R.copy_at);
    R.copy_moved = 0;
    R.copy_at = save_piece(R.copy_at, end, &R.copy_sums);
    flash_put_end();
    return 1;
}

/* A piece of work on a checkpoint. Zero if there is nothing to do now, or the flash is busy. */
static uint8_t step_copy(void)
{
    uint16_t last = heap_end(), at = R.copy_at, end = block_end(at, last);
    if (at >= last) {
        if (R.copying == COPIES)
            copy_from(COPIES_CHANGED);
        else
            R.copying = COPIED;
        R.copy_begins = 1;
        return 1;
    }
    if (R.copying == COPIES_CHANGED && R.copy_begins) { /* of a block that is as it was when it was copied: on */
        struct sums now = sums_of(at, end);
        if (check_of(&now) == *check_at(at)) {
            R.copy_at = next_counting(end);
            R.copy_moved = 1;
            return 1;
        }
        R.copy_moved = 1;
    }
    R.copy_begins = 0;
    if (!copy_piece(end))
        return 0;
    if (R.copy_at == end) {
        *check_at(at) = check_of(&R.copy_sums);
        R.copy_sums = (struct sums){0, 0};
        R.copy_begins = 1;
        if (next_counting(end) != end)
            R.copy_moved = 1;
        R.copy_at = next_counting(end);
    }
    return 1;
}

/* ---- the end, with interrupts off ---- */

static void save_changed(void)
{
    uint16_t last = heap_end(), end;
    R.digest = 0;
    for (uint16_t at = next_counting((uint16_t)(uintptr_t)RAM_FIRST); at < last; at = next_counting(end)) {
        end = block_end(at, last);
        struct sums now = sums_of(at, end);
        digest_block(&now);
        if (check_of(&now) != *check_at(at))
            save_range(at, end);
    }
}

static void save_stack(uint16_t sp)
{
    uint16_t last = (uint16_t)(uintptr_t)RAM_TOP, end;
    if (sp < heap_end()) /* a thread's */
        sp = heap_end();
    save_range(sp, last);
    for (uint16_t at = sp; at != last; at = end) {
        end = block_end(at, last);
        struct sums now = sums_of(at, end);
        digest_block(&now);
    }
}

#ifdef MOTET_REGISTERS
static const struct {
    uint16_t first, last;
} motet_ranges[] PORT_CONSTANT = {MOTET_REGISTERS};

/* How the firmware has set up the devices: those that the flash is reached by are not as it did. */
static void save_devices(const struct flash_pins *was)
{
    for (uint8_t i = 0; i < sizeof motet_ranges / sizeof *motet_ranges; i++) {
        uint16_t at = port_constant(&motet_ranges[i].first), last = port_constant(&motet_ranges[i].last);
        uint8_t length = (uint8_t)(last - at); /* less one */
        save_room(length + SAVE_LEAST);
        save_at(at);
        put_byte(&R.saved, SAVED_BYTES + length);
        for (; at <= last; at += register_size(at)) {
            uint16_t value = flash_was(was, at, read_register(at));
            put_byte(&R.saved, (uint8_t)value);
            if (register_size(at) == 2)
                put_byte(&R.saved, (uint8_t)(value >> 8));
        }
    }
}
#else
static void save_devices(const struct flash_pins *was)
{
    (void)was;
}
#endif

/* What timers are expected at, where that is not among the registers above. */
static SMALL void save_register(uint16_t at)
{
    uint16_t value;
    if (!at)
        return;
    value = read_register(at);
    save_room(6);
    save_at(at);
    put_byte(&R.saved, SAVED_BYTES + register_size(at) - 1);
    put_byte(&R.saved, (uint8_t)value);
    if (register_size(at) == 2)
        put_byte(&R.saved, (uint8_t)(value >> 8));
}

static void save_compares(void)
{
#if MOTET_CODEC == CODEC_TARDIS
    for (uint8_t i = 0; i < sizeof motet_compares / sizeof *motet_compares; i++) {
        save_register(port_constant(&motet_compares[i].at));
        save_register(port_constant(&motet_compares[i].control));
    }
#elif MOTET_CODEC == CODEC_MOTET
#define SAVE(number, wide, at, control) \
    save_register(at);                  \
    save_register(control);
    PORT_COMPARES(SAVE)
#undef SAVE
#endif
}

/* Of the CPU. */
static void save_registers(const uint8_t *frame)
{
    save_room(3 + FRAME_REGISTERS);
    put_byte(&R.saved, SAVED_REGISTERS);
    put_byte(&R.saved, FRAME_FIRST);
    put_byte(&R.saved, FRAME_REGISTERS);
    for (uint8_t i = 0; i < FRAME_REGISTERS; i++)
        put_byte(&R.saved, frame_byte(frame, i));
}

static void save_end(void)
{
    save_room(6);
    put_byte(&R.saved, SAVED_END);
    put_byte(&R.saved, BLOCK_BITS);
    save_word((uint16_t)R.digest);
    save_word((uint16_t)(R.digest >> 16));
    flash_put_end();
    R.saving = 0;
}

/* From motet_idle, with all registers as they were when it was entered, at `frame`. */
void motet_checkpoint_work(const uint8_t *frame);
void motet_checkpoint_work(const uint8_t *frame)
{
    struct flash_pins was;
    R.busy = 1;
    flash_open(&was);
    save_changed();
    save_stack(frame_sp(frame));
    save_devices(&was);
    save_compares();
    save_registers(frame);
    save_end();
    if (R.state == RECORDING) {
        put(EVENT_MARK << 8 | MARK_CHECKPOINT, motet_count);
        while (R.fill)
            codec_unit();
        codec_flush();
    }
    R.again_site = NO_SITE;
    R.turning = 1;
    R.flushed = 0;
    R.state = RECORDING;
    R.copying = COPY_CLOSES;
    flash_close(&was);
    R.busy = 0;
}

/* ---- when ---- */

/* Begins or goes on with a checkpoint. Returns 2 for motet_idle to take it. */
static uint8_t step_checkpoint(void)
{
    switch ((enum copying)R.copying) {
    case NO_COPY:
        if (R.turning || (R.state != LOST && !(R.state == RECORDING && since_start() >= MOTET_CHECKPOINT_EVERY)))
            return 0;
        R.saved.index = 0;
        R.copy_part = R.part + 1;
        copy_from(COPIES);
        return 1;
    case COPIES:
    case COPIES_CHANGED: return step_copy();
    case COPIED:
        if (R.again_count) { /* reads that were only counted can be more than goes out at once */
            put_again();
            return 1;
        }
        if (R.fill || R.turning || R.out_count > PIECE || !flash_ready() || !(R.state == RECORDING || R.flushed))
            return 0;
        if (R.saved.open && R.saved.used) { /* an empty page will do for what is left, mostly, without a wait */
            close_page(&R.saved, R.copy_part, PAGE_CHECKPOINT | PAGE_CONTINUES);
            return 1;
        }
        if (FLASH_BUFFERS == 2 && R.events_page.open && R.copy_begins) { /* so that there is another after that one */
            R.copy_begins = 0;
            return step_close();
        }
        if (!open_page(&R.saved))
            return R.looked != 0;
        return 2;
    case COPY_CLOSES:
        if (!flash_ready())
            return 0;
        close_page(&R.saved, R.copy_part, PAGE_CHECKPOINT | PAGE_CONTINUES);
        R.start = R.copy_start;
        R.copying = NO_COPY;
        return 1;
    }
    return 0;
}
