/* The tardis codec on the node: events out of the ring, chunks into the page. */
#include "codec_tardis_encode.h"

static struct codec {
    struct tardis tardis;
    uint16_t block;       /* bytes of a block still to come */
    uint8_t reads;        /* of 8 bits, each for itself */
    uint16_t site, value; /* of the last read */
    uint16_t live;
} motet_codec __attribute__((section(".noinit")));
#define CODEC motet_codec

enum {
    CODEC_CARRIES = 0,
    CODEC_MOST = 4 * (1 + TARDIS_CHUNK)
}; /* bytes that a unit of the ring can become: chunks of all streams */
_Static_assert(MOTET_AHEAD >= CODEC_MOST, "a unit can always be encoded when no whole piece waits");

static void check_out(uint8_t ends);
static uint8_t step_out(void);
static void settle_out(void);

/* At the end of a part all goes out at once, and may have to wait for the flash. */
static void tardis_out(struct tardis *t, uint8_t byte)
{
    (void)t;
    for (uint16_t patience = 0xffff; R.out_count == OUT_ROOM && patience; patience--) {
        check_out(1);
        step_out();
        settle_out();
    }
    if (R.out_count < OUT_ROOM)
        out(byte);
    else if (R.state == RECORDING)
        R.state = LOSING; /* the flash does not answer */
}

static void codec_begin(void)
{
    tardis_begin(&CODEC.tardis, PORT_TARDIS, motet_compares, sizeof motet_compares / sizeof *motet_compares);
    CODEC.block = 0;
}

static void encode_read(void)
{
    tardis_read(&CODEC.tardis, CODEC.site & (uint16_t)~WIDE, CODEC.site >> 15, CODEC.live, CODEC.value);
}

/* Of narrow reads the live bits stand above the value, of wide ones of state registers in a unit behind it. */
static void encode_new_read(const uint16_t *unit)
{
    CODEC.site = unit[0];
    CODEC.value = unit[1];
    CODEC.live = 0xffff;
    if (!(unit[0] & WIDE)) {
        CODEC.value &= 0xff;
        CODEC.live = unit[1] >> 8;
    } else if (tardis_class(unit[0] & (uint16_t)~WIDE) == TARDIS_CLASS_STATE) {
        ring_take();
        CODEC.live = oldest()[0];
    }
    encode_read();
}

static void encode_bytes(const uint8_t *bytes, uint8_t most);

/* Some of the reads that a unit stands for. Returns whether there are more. */
static uint8_t encode_again(uint16_t *unit)
{
    if ((uint8_t)unit[0] > AGAIN) {
        ring_close(); /* no more of them here */
        CODEC.block = unit[0] & (AGAIN - 1);
        CODEC.reads = 1;
        encode_bytes((const uint8_t *)&unit[1], 2);
        return 0;
    }
    for (uint8_t i = 0; i < 4 && (uint8_t)unit[0]; i++, unit[0]--) {
        CODEC.value++;
        encode_read();
    }
    return (uint8_t)unit[0] != 0;
}

static void encode_interrupt(uint8_t kind, const uint16_t *unit)
{
    uint8_t vector = (uint8_t)unit[0];
    uint16_t address = unit[1], count, sp, hash[2];
    if (kind == EVENT_INSIDE) {
        tardis_interrupt(&CODEC.tardis, TARDIS_INSIDE, vector, 0, unit[1], 0, NULL);
        return;
    }
    ring_take();
    unit = oldest();
    count = unit[0];
    sp = hash[0] = unit[1];
    if (kind == EVENT_LIBRARY) {
        ring_take();
        unit = oldest();
        hash[1] = unit[0];
        sp = unit[1];
    }
    tardis_interrupt(&CODEC.tardis, kind == EVENT_LIBRARY ? TARDIS_LIBRARY : TARDIS_CODE, vector, address, count, sp,
                     hash);
}

/* Bytes of a block, and reads of 8 bits that follow one at the same site. */
static void encode_bytes(const uint8_t *bytes, uint8_t most)
{
    for (; most && CODEC.block; most--, CODEC.block--) {
        CODEC.value = *bytes++;
        if (CODEC.reads)
            encode_read();
        else
            tardis_byte(&CODEC.tardis, (uint8_t)CODEC.value);
    }
    if (!CODEC.block && !CODEC.reads)
        tardis_event(&CODEC.tardis);
}

static void begin_block(const uint16_t *unit)
{
    CODEC.tardis.check = tardis_check(CODEC.tardis.check, unit[1]);
    ring_take();
    CODEC.block = oldest()[0];
    CODEC.reads = 0;
    if (!CODEC.block)
        tardis_event(&CODEC.tardis);
}

/* The oldest unit, and what belongs to it. */
static void codec_unit(void)
{
    uint16_t *unit = oldest();
    uint8_t kind = (uint8_t)(unit[0] >> 8);
    if (CODEC.block) {
        encode_bytes((const uint8_t *)unit, UNIT);
    } else if (kind < EVENT_AGAIN) {
        encode_new_read(unit);
    } else {
        switch (kind) {
        case EVENT_AGAIN:
            if (encode_again(unit))
                return;
            break;
        case EVENT_MARK: tardis_mark(&CODEC.tardis, (uint8_t)unit[0], unit[1]); break;
        case EVENT_WRAPPED:
            if ((uint8_t)unit[0])
                tardis_expect(&CODEC.tardis, (uint8_t)unit[0] - 1, unit[1]);
            else
                tardis_order(&CODEC.tardis, TARDIS_WRAPPED);
            break;
        case EVENT_WOKE: tardis_woke(&CODEC.tardis, (uint8_t)unit[0]); break;
        case EVENT_BLOCK: begin_block(unit); break;
        default: encode_interrupt(kind, unit); break;
        }
    }
    ring_take();
}

/* As many units as there are, and as there is room for. */
static void codec_units(void)
{
    do
        codec_unit();
    while (ring_units() && !codec_waits());
}

static void codec_flush(void)
{
    tardis_flush(&CODEC.tardis);
}
