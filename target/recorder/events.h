/* What the application's code calls, through the stubs of the ports: events go into the ring, where they happen.
 *
 * Part of recorder.c. Invariant: interrupts are off; an event is in the ring as a whole or not at all, and the first
 * one that is not ends recording (LOSING). */
static void make_room(void);

#if MOTET_CODEC == CODEC_MOTET
static uint8_t room_for(uint16_t size);
#include "codec_record.h"
#else
static inline uint16_t ring_room(void)
{
    return MOTET_RING - R.fill;
}
#endif

static uint8_t room_for(uint16_t size)
{
    if (R.state != RECORDING)
        return 0;
    if (R.starting && ring_room() < NEARLY)
        make_room();
    if (ring_room() < size) {
        R.state = LOSING;
        return 0;
    }
    R.events++;
    return 1;
}

#if MOTET_CODEC != CODEC_MOTET
static void put(uint16_t first, uint16_t second)
{
    uint16_t *unit = &R.ring[R.head / 2];
    unit[0] = first;
    unit[1] = second;
    R.head = R.head + UNIT == MOTET_RING ? 0 : R.head + UNIT;
    R.fill += UNIT;
}

static uint8_t codec_settle(void)
{
    return 0;
}

static void note_read(uint16_t value, uint16_t live, uint16_t site, uint8_t wide)
{
    if (room_for(UNIT))
        put(wide ? site | WIDE : site, value & live);
}
#endif

void motet_read8_work(uint8_t value, uint8_t live, motet_site site);
void motet_read8_work(uint8_t value, uint8_t live, motet_site site)
{
    motet_count = 0;
    note_read(value, live, site, 0);
}

void motet_read16_work(uint16_t value, uint16_t live, motet_site site);
void motet_read16_work(uint16_t value, uint16_t live, motet_site site)
{
    motet_count = 0;
    note_read(value, live, site, 1);
}

void motet_block_work(const uint8_t *bytes, uint16_t size, motet_site site);
#if MOTET_CODEC == CODEC_MOTET
/* As so many reads, of which none is missing. */
void motet_block_work(const uint8_t *bytes, uint16_t size, motet_site site)
{
    motet_count = 0;
    if (size > MOTET_RING / (2 * UNIT))
        R.state = R.state == RECORDING ? LOSING : R.state;
    else if (room_for(2 * UNIT * size))
        for (; size; size--)
            note_symbol(READ_DATA, site, *bytes++, 0xff);
}
#else
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
#endif

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

uint8_t motet_pointer8_work(const volatile uint8_t *p, motet_site site);
uint8_t motet_pointer8_work(const volatile uint8_t *p, motet_site site)
{
    uint8_t value = *p;
    if ((uintptr_t)p < MOTET_REGISTER_END)
        motet_read8_work(value, 0xff, site);
    return value;
}

uint16_t motet_pointer16_work(const volatile uint16_t *p, motet_site site);
uint16_t motet_pointer16_work(const volatile uint16_t *p, motet_site site)
{
    uint16_t value = *p;
    if ((uintptr_t)p < MOTET_REGISTER_END)
        motet_read16_work(value, 0xffff, site);
    return value;
}

/* An interrupt that came where an address and a count tell it, and in library code a hash. */
static void note_interrupt(uint16_t first, uint16_t address, uint16_t count, uint16_t hash, uint8_t library)
{
#if MOTET_CODEC == CODEC_MOTET
    put_first(first, address);
    append(count, hash);
    if (library)
        append((uint16_t)(motet_sums[0] | motet_sums[1] << 8), 0);
    end_stretch(ENDS_INTERRUPT, CODEC.predictor.check);
#else
    put(first, address);
    put(count, hash);
    if (library)
        put((uint16_t)(motet_sums[0] | motet_sums[1] << 8), 0);
#endif
}

static void note_inside(uint16_t first, uint16_t count)
{
#if MOTET_CODEC == CODEC_MOTET
    put_first(first, count);
    end_stretch(ENDS_INTERRUPT, CODEC.predictor.check);
#else
    put(first, count);
#endif
}

static void note_wake(uint8_t vector)
{
#if MOTET_CODEC == CODEC_MOTET
    note_symbol(READ_WAKE, SITE_WAKE, vector, 0xff);
#else
    put((uint16_t)(EVENT_WOKE << 8 | vector), 0);
#endif
}

void motet_enter_work(uint8_t vector, uint16_t address, uint16_t hash, uint16_t status);
void motet_enter_work(uint8_t vector, uint16_t address, uint16_t hash, uint16_t status)
{
    uint16_t count = motet_count;
    motet_count = 0;
    R.entered++;
    if (!room_for(3 * UNIT))
        return;
    if (in_stubs(address))
        note_inside((uint16_t)(EVENT_INSIDE << 8 | vector), count);
    else if (woke(address, status))
        note_wake(vector);
    else if (motet_uncounted || in_library(address))
        note_interrupt((uint16_t)(EVENT_LIBRARY << 8 | vector), address, count, hash, 1);
    else
        note_interrupt((uint16_t)(EVENT_INTERRUPT << 8 | vector), address, count, 0, 0);
}
