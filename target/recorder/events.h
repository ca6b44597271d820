/* What the application's code calls, through the stubs of the ports: events go into the ring, where they happen.
 *
 * Part of recorder.c. Invariant: interrupts are off; an event is in the ring as a whole or not at all, and the first
 * one that is not ends recording (LOSING). */

/* A unit stays free for reads that were only counted. */
static uint16_t ring_room(void)
{
    return R.fill + UNIT > MOTET_RING ? 0 : MOTET_RING - UNIT - R.fill;
}

static uint8_t room_for(uint16_t size)
{
    if (R.state == RECORDING && ring_room() < (R.starting ? NEARLY : size))
        work(WANT_ROOM);
    if (R.state == RECORDING && ring_room() >= size)
        return 1;
    if (R.state == RECORDING)
        R.state = LOSING;
    R.again_site = NO_SITE;
    return 0;
}

static void put_unit(uint16_t first, uint16_t second)
{
    uint16_t *unit = &R.ring[R.head / 2];
    unit[0] = first;
    unit[1] = second;
    R.head = R.head + UNIT == MOTET_RING ? 0 : R.head + UNIT;
    R.fill += UNIT;
}

/* Reads that were only counted. */
static void put_again(void)
{
    if (R.again_count)
        put_unit((uint16_t)(EVENT_AGAIN << 8 | R.again_count), 0);
    R.again_count = 0;
    R.again_site = NO_SITE;
}

static void put(uint16_t first, uint16_t second)
{
    put_again();
    put_unit(first, second);
}

/* One more read of 8 bits at the site of the last: bytes of a packet take a byte each. While there are such reads,
 * again_site has WIDE, which no site has by itself, and again_next is where in the ring they are counted. */
static void put_byte_again(uint8_t value)
{
    uint16_t *unit = &R.ring[R.again_next / 2];
    if (R.again_next == NO_RUN || !R.fill || (uint8_t)*unit == 0xff) {
        R.again_next = R.head;
        put_unit(EVENT_AGAIN << 8 | AGAIN | 1, value);
        return;
    }
    uint8_t count = *unit & (AGAIN - 1), at = (uint8_t)(count - 2) % UNIT;
    ++*unit;
    if (at == 0)
        put_unit(value, 0);
    else
        ((uint8_t *)R.ring)[(R.head ? R.head : MOTET_RING) - UNIT + at] = value;
}

void motet_read8_work(uint8_t value, uint8_t live, motet_site site);
void motet_read8_work(uint8_t value, uint8_t live, motet_site site)
{
    motet_count = 0;
    if (DUMP_MAY_BE(value))
        dump_look(site, value);
    if (!room_for(2 * UNIT))
        return;
    if (R.again_site == (site | WIDE)) {
        put_byte_again(value & live);
    } else {
        put(site, (value & live) | (KEEPS_LIVE ? live << 8 : 0));
        R.again_site = site | WIDE;
        R.again_next = NO_RUN;
    }
}

void motet_read16_work(uint16_t value, uint16_t live, motet_site site);
void motet_read16_work(uint16_t value, uint16_t live, motet_site site)
{
    motet_count = 0;
    if (!room_for(KEEPS_LIVE ? 2 * UNIT : UNIT))
        return;
    put(site | WIDE, value & live);
    if (KEEPS_LIVE && !(site & CLASS_BITS))
        put_unit(live, 0);
#ifdef PORT_AGAIN
    if (live == 0xffff) {
        R.again_site = site;
        R.again_next = value + 1;
    }
#endif
}

void motet_block_work(const uint8_t *bytes, uint16_t size, motet_site site);
void motet_block_work(const uint8_t *bytes, uint16_t size, motet_site site)
{
    motet_count = 0;
    if (size > MOTET_RING || !room_for(2 * UNIT + ((size + 3) & ~3u)))
        return;
    put(EVENT_BLOCK << 8, site);
    put(size, 0);
    for (uint16_t i = 0; i < size; i += 4) {
        uint8_t b[4] = {0};
        for (uint8_t k = 0; k < 4 && i + k < size; k++)
            b[k] = bytes[i + k];
        put((uint16_t)(b[0] | b[1] << 8), (uint16_t)(b[2] | b[3] << 8));
    }
}

static void note_wrap(void)
{
    motet_count = 0;
    if (room_for(UNIT))
        put(EVENT_WRAPPED << 8, 0);
}

void motet_wrapped_work(void);
void motet_wrapped_work(void)
{
    if ((motet_count += WRAPPED_STEP) == 0)
        note_wrap();
}

/* An entry that makes no event tells two moments apart all the same: an interrupt may come in it. */
static void count_entry(void)
{
    if (++motet_count == 0)
        note_wrap();
}

/* With stamps every entry counts that is no event: the timer has been set to zero. */
static inline void count_stamped(void)
{
#ifdef MOTET_STAMP
    count_entry();
#endif
}

void motet_pointer8_work(const volatile uint8_t *p, motet_site site, uint16_t unused, uint8_t *frame);
void motet_pointer8_work(const volatile uint8_t *p, motet_site site, uint16_t unused, uint8_t *frame)
{
    uint8_t value = *p;
    (void)unused;
    port_result(frame, value, 1);
    if ((uintptr_t)p < MOTET_REGISTER_END)
        motet_read8_work(value, 0xff, site);
    else
        count_entry();
}

void motet_pointer16_work(const volatile uint16_t *p, motet_site site, uint16_t unused, uint8_t *frame);
void motet_pointer16_work(const volatile uint16_t *p, motet_site site, uint16_t unused, uint8_t *frame)
{
    uint16_t value = *p;
    (void)unused;
    port_result(frame, value, 2);
    if ((uintptr_t)p < MOTET_REGISTER_END)
        motet_read16_work(value, 0xffff, site);
    else
        count_entry();
}

/* The value of the timer when this vector's interrupt comes, if that is known. */
static inline void note_compare(uint8_t vector)
{
#if MOTET_CODEC == CODEC_TARDIS
    const struct tardis_compare *c = motet_compares;
    for (uint8_t i = sizeof motet_compares / sizeof *c; i; i--, c++) {
        if (port_constant(&c->vector) != vector)
            continue;
        uint16_t at = port_constant(&c->at), control = port_constant(&c->control);
        if (!control || !(read_register(control) & TARDIS_CAPTURES))
            put(EVENT_WRAPPED << 8 | (1 + port_constant(&c->wide)), at ? read_register(at) : 0);
    }
#elif MOTET_CODEC == CODEC_MOTET
#define NOTE(number, wide, at, control)                                                 \
    if (vector == (number) && !((control) && read_register(control) & TARDIS_CAPTURES)) \
        put(EVENT_WRAPPED << 8 | (1 + (wide)), read_register(at));
    PORT_COMPARES(NOTE)
#undef NOTE
#else
    (void)vector;
#endif
}

#ifdef MOTET_STAMP
/* Where an interrupt came, by the timer (stamp_avr.h, stamp_msp430.h). In the place of the address are the cycles,
 * since they repeat as addresses do; of the stack pointer the address, where only that is certain; of the hash one more
 * bit of the cycles.
 */
static void put_place(uint8_t vector, uint16_t address, uint16_t count)
{
    uint16_t timer = STAMP_TAKEN, cycles = timer - STAMP_CONSTANT;
    if (STAMP_CAME_ROUND && timer >= STAMP_CONSTANT) {
        put(EVENT_LIBRARY << 8 | vector, cycles);
        put(count, 1);
        put(0, address);
    } else if (cycles) {
        put(EVENT_INTERRUPT << 8 | vector, cycles);
        put(count, address);
    } else {
        put(EVENT_INSIDE << 8 | vector, count);
    }
}

void motet_enter_work(uint8_t vector, uint16_t address, uint16_t unused, const uint8_t *frame);
void motet_enter_work(uint8_t vector, uint16_t address, uint16_t unused, const uint8_t *frame)
{
    uint16_t count = motet_count;
    uint8_t asleep = woke(address, frame);
    (void)unused;
    motet_count = 0;
    R.entered++;
    if (!asleep && R.state == RECORDING && stamp_fails(frame))
        R.state = LOSING;
    if (!room_for(4 * UNIT))
        return;
    if (!motet_uncounted) {
        address = 0;
        vector &= 0x7f; /* its highest bit is the address's */
    }
    note_compare(vector);
    if (asleep)
        put(EVENT_WOKE << 8 | vector, 0);
    else
        put_place(vector, address, count);
}
#else
/* The stack pointer tells activations of one function apart that come back to an address without a count in between:
 * recursion on its way up, and handlers that were interrupted by themselves. */
void motet_enter_work(uint8_t vector, uint16_t address, uint16_t hash, const uint8_t *frame);
void motet_enter_work(uint8_t vector, uint16_t address, uint16_t hash, const uint8_t *frame)
{
    uint16_t count = motet_count, sp = (uint16_t)(uintptr_t)(frame + FRAME_ABOVE);
    motet_count = 0;
    R.entered++;
    if (!room_for(MOTET_CODEC == CODEC_PLAIN ? 3 * UNIT : 4 * UNIT))
        return;
    note_compare(vector);
    if (in_stubs(address, frame)) {
        put(EVENT_INSIDE << 8 | vector, count);
    } else if (woke(address, frame)) {
        put(EVENT_WOKE << 8 | vector, 0);
    } else if (motet_uncounted || in_library(address, frame)) {
        put(EVENT_LIBRARY << 8 | vector, address);
        put(count, hash);
        put(R.mixed, sp);
    } else {
        put(EVENT_INTERRUPT << 8 | vector, address);
        put(count, sp);
    }
}
#endif
