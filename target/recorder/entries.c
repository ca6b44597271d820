#include "entries.h"

#include "codec_tardis.h"
#include "dump.h"
#include "ring.h"
#include "stamp.h"

#ifndef READS_ALL
void motet_read8_work(uint8_t value, uint8_t live, motet_site site)
{
    motet_count_anew();
    if (DUMP_MAY_BE(value))
        dump_look(site, value);
    if (!ring_has_room(2 * UNIT))
        return;
    if (R.again_site == (site | WIDE)) {
        ring_put_byte(value & live);
    } else {
        ring_put(site, (value & live) | (KEEPS_LIVE ? live << 8 : 0));
        R.again_site = site | WIDE;
        R.again_next = NO_RUN;
    }
}

void motet_read16_work(uint16_t value, uint16_t live, motet_site site)
{
    motet_count_anew();
#ifdef LEAN
    R.compares = 0;
#endif
    if (!ring_has_room(KEEPS_LIVE ? 2 * UNIT : UNIT))
        return;
    ring_put(site | WIDE, value & live);
    if (KEEPS_LIVE && !(site & CLASS_BITS))
        ring_put_unit(live, 0);
#ifdef PORT_AGAIN
    if (live == 0xffff) {
        R.again_site = site;
        R.again_next = value + 1;
    }
#endif
}
#endif

#ifndef MOTET_WITHOUT_BLOCK
void motet_block_work(const uint8_t *bytes, uint16_t size, motet_site site)
{
    uint16_t all = 2 * UNIT + ((size + 3) & ~3u);
    motet_count_anew();
    if (size >= MOTET_RING || all >= MOTET_RING)
        all = MOTET_RING - 1; /* which there is never room for: it is lost */
    if (!ring_has_room((RING_SIZE)all))
        return;
    ring_put(EVENT_BLOCK << 8, site);
    ring_put(size, 0);
    for (; size; size -= size < UNIT ? size : UNIT, bytes += UNIT) /* the last unit has some bytes from beyond */
        ring_put((uint16_t)(bytes[0] | bytes[1] << 8), (uint16_t)(bytes[2] | bytes[3] << 8));
}
#endif

#ifdef COUNTS_ALL
void motet_counts(void);
PRIVATE void entry_count(void)
{
    motet_counts();
}
#else
static void entry_wrap(void)
{
    motet_count_anew();
    if (ring_has_room(UNIT))
        ring_put(EVENT_WRAPPED << 8, 0);
}

void motet_wrapped_work(void)
{
    if ((motet_count += WRAPPED_STEP) == 0)
        entry_wrap();
}

PRIVATE void entry_count(void)
{
    if (++motet_count == 0)
        entry_wrap();
}

#ifdef MOTET_STAMP
void motet_breathe_work(void)
{
    R.breathes = 0;
    entry_count();
}
#endif
#endif

#if !defined MOTET_WITHOUT_POINTER8 && !defined READS_ALL
void motet_pointer8_work(const volatile uint8_t *p, motet_site site, uint16_t unused, uint8_t *frame)
{
    uint8_t value = *p;
    (void)unused;
    port_result(frame, value, 1);
    if ((uintptr_t)p < CHIP_REGISTER_END)
        motet_read8_work(value, 0xff, site);
    else
        entry_count();
}
#endif

#if !defined MOTET_WITHOUT_POINTER16 && !defined READS_ALL
void motet_pointer16_work(const volatile uint16_t *p, motet_site site, uint16_t unused, uint8_t *frame)
{
    uint16_t value = *p;
    (void)unused;
    port_result(frame, value, 2);
    if ((uintptr_t)p < CHIP_REGISTER_END)
        motet_read16_work(value, 0xffff, site);
    else
        entry_count();
}
#endif

#ifndef ENTERS_ALL

/* What follows comes after ring_put_again(). The value of the timer when this vector's interrupt comes, if that is
 * known. */
static inline void entry_note_compare(uint8_t vector)
{
#if MOTET_CODEC == CODEC_TARDIS
    const struct tardis_compare *c = motet_compares;
    for (uint8_t i = PORT_COMPARES; i; i--, c++) {
        if (port_constant(&c->vector) != vector)
            continue;
        uint16_t at = port_constant(&c->at), control = port_constant(&c->control);
        if (!control || !(port_register(control) & TARDIS_CAPTURES))
            ring_put_unit(EVENT_WRAPPED << 8 | (1 + port_constant(&c->wide)), at ? port_register(at) : 0);
    }
#elif MOTET_CODEC == CODEC_MOTET || MOTET_CODEC == CODEC_BITS
#define NOTE(number, wide, at, control)                                                 \
    if (vector == (number) && !((control) && port_register(control) & TARDIS_CAPTURES)) \
        ring_put_unit(EVENT_WRAPPED << 8 | (1 + (wide)), port_register(at));
    CHIP_COMPARES(NOTE)
#undef NOTE
#else
    (void)vector;
#endif
}

/* An interrupt. One in the recorder has only a count, one that has ended sleep nothing. */
static inline void entry_put(uint8_t kind, uint8_t vector, uint16_t address, uint16_t count, uint16_t sp, uint16_t hash,
                             uint16_t second)
{
#if MOTET_CODEC == CODEC_BITS /* for which all are alike but the last, and a hash comes after */
    if (kind <= EVENT_WOKE)
        address = sp = 0;
    ring_put_unit((uint16_t)(kind << 8) | vector, address);
    if (kind == EVENT_WOKE)
        return;
    ring_put_unit(count, sp);
    if (kind == EVENT_LIBRARY)
        ring_put_unit(hash, second);
#else
    if (kind <= EVENT_WOKE) {
        ring_put_unit((uint16_t)(kind << 8) | vector, kind == EVENT_INSIDE ? count : 0);
        return;
    }
    ring_put_unit((uint16_t)(kind << 8) | vector, address);
    if (kind == EVENT_LIBRARY) {
        ring_put_unit(count, hash);
        count = second;
    }
    ring_put_unit(count, sp);
#endif
}

#ifdef MOTET_STAMP
/* Where an interrupt came, by the timer (stamp.h). In the place of the address are the cycles,
 * since they repeat as addresses do; of the stack pointer the address, where only that is certain; of the hash one more
 * bit of the cycles.
 */
static void entry_put_place(uint8_t vector, uint16_t address, uint16_t count)
{
    uint16_t timer = STAMP_TAKEN, cycles = timer - STAMP_CONSTANT;
    uint8_t kind = EVENT_INSIDE;
    if (STAMP_CAME_ROUND && timer >= STAMP_CONSTANT)
        kind = EVENT_LIBRARY;
    else if (cycles)
        kind = EVENT_INTERRUPT;
    entry_put(kind, vector, cycles, count, address, 1, 0);
}

void motet_enter_work(uint8_t vector, uint16_t address, uint16_t unused, const uint8_t *frame)
{
    uint16_t count = motet_count - COUNT_FIRST;
    uint8_t asleep = port_woke(address, frame);
    (void)unused;
    motet_count_anew();
    R.entered++;
    R.lives = 1;
    if (!asleep && R.state == RECORDING && stamp_fails(frame))
        R.state = LOSING;
    if (!R.breathes && (R.fill >= MOTET_URGENT || R.state == LOSING || R.state == LOST))
        stamp_come_soon();
    if (!ring_has_room(4 * UNIT))
        return;
    ring_put_again();
    if (!motet_uncounted) {
        address = 0;
        vector &= 0x7f; /* its highest bit is the address's */
    }
    entry_note_compare(vector);
    if (asleep)
        ring_put_unit(EVENT_WOKE << 8 | vector, 0);
    else
        entry_put_place(vector, address, count);
}
#else
/* In the recorder, an interrupt comes where the entry begins; but after the entry has pushed the status it has its own
 * address, and so the stack pointer from which its handler runs. That tells activations of one function apart that come
 * back to an address without a count in between: recursion on its way up, and handlers that were interrupted by
 * themselves. */
void motet_enter_work(uint8_t vector, uint16_t address, uint16_t hash, const uint8_t *frame)
{
    uint16_t count = motet_count - COUNT_FIRST, sp = (uint16_t)(uintptr_t)(frame + FRAME_ABOVE);
    motet_count_anew();
    R.entered++;
    R.lives = 1;
    if (!ring_has_room(MOTET_CODEC == CODEC_PLAIN ? 3 * UNIT : 4 * UNIT))
        return;
    ring_put_again();
    entry_note_compare(vector);
    uint8_t kind = EVENT_INTERRUPT;
    if (port_in_stubs(address, frame)) {
        if (!port_is_deeper(address, frame) && !PORT_MEASURES)
            kind = EVENT_INSIDE;
    } else if (port_woke(address, frame)) {
        kind = EVENT_WOKE;
    } else if (motet_uncounted || port_in_library(address, frame)) {
        kind = EVENT_LIBRARY;
    }
    entry_put(kind, vector, address, count, sp, hash, R.mixed);
}
#endif

#endif
