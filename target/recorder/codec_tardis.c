/* The tardis codec on the node: events out of the ring, chunks into the page. */
#include "codec.h"
#include "event.h"
#include "out.h"
#include "port.h"
#include "recorder.h"
#include "ring.h"
#include "tardis_encode.h"

#define COMPARE_OF(vector, wide, at, control) {vector, wide, at, control},
PRIVATE const struct tardis_compare motet_compares[PORT_COMPARES] PORT_CONSTANT = {CHIP_COMPARES(COMPARE_OF)
                                                                                       CHIP_OVERFLOWS(COMPARE_OF)};

struct codec {
    struct tardis tardis;
    uint16_t block;       /* bytes of a block still to come */
    uint8_t reads;        /* of 8 bits, each for itself */
    uint16_t site, value; /* of the last read */
    uint16_t live;
};
extern struct codec motet_codec;
struct codec motet_codec __attribute__((section(".noinit")));
_Static_assert(sizeof(struct recorder) + sizeof(struct codec) <= 2048, "all of the recorder in 2 KB");
#define CODEC motet_codec

/* At the end of a part all goes out at once, and may have to wait for the flash. */
PRIVATE void tardis_out(struct tardis *t, uint8_t byte)
{
    (void)t;
    for (uint16_t patience = 0xffff; R.out_count == OUT_ROOM && patience; patience--) {
        out_check(1);
        out_step_page();
        out_settle();
    }
    if (R.out_count < OUT_ROOM)
        out_put(byte);
    else if (R.state == RECORDING)
        R.state = LOSING; /* the flash does not answer */
}

PRIVATE void codec_begin(void)
{
    tardis_begin(&CODEC.tardis, PORT_TARDIS, motet_compares, PORT_COMPARES);
    CODEC.block = 0;
}

static void codec_read(void)
{
    tardis_read(&CODEC.tardis, CODEC.site & (uint16_t)~WIDE, CODEC.site >> 15, CODEC.live, CODEC.value);
}

/* Of narrow reads the live bits stand above the value, of wide ones of state registers in a unit after it. */
static void codec_new_read(const uint16_t *unit)
{
    CODEC.site = unit[0];
    CODEC.value = unit[1];
    CODEC.live = 0xffff;
    if (!(unit[0] & WIDE)) {
        CODEC.value &= 0xff;
        CODEC.live = unit[1] >> 8;
    } else if (tardis_class(unit[0] & (uint16_t)~WIDE) == TARDIS_CLASS_STATE) {
        ring_take();
        CODEC.live = ring_oldest()[0];
    }
    codec_read();
}

static void codec_bytes(const uint8_t *bytes, uint8_t most);

/* Some of the reads that a unit stands for. Returns whether there are more. */
static uint8_t codec_again(uint16_t *unit)
{
    if ((uint8_t)unit[0] > AGAIN) {
        ring_close(); /* no more of them here */
        CODEC.block = unit[0] & (AGAIN - 1);
        CODEC.reads = 1;
        codec_bytes((const uint8_t *)&unit[1], 2);
        return 0;
    }
    for (uint8_t i = 0; i < 4 && (uint8_t)unit[0]; i++, unit[0]--) {
        CODEC.value++;
        codec_read();
    }
    return (uint8_t)unit[0] != 0;
}

static void codec_interrupt(uint8_t kind, const uint16_t *unit)
{
    uint8_t vector = (uint8_t)unit[0];
    uint16_t address = unit[1], count, sp, hash[2];
    if (kind == EVENT_INSIDE) {
        tardis_interrupt(&CODEC.tardis, TARDIS_INSIDE, vector, 0, unit[1], 0, NULL);
        return;
    }
    ring_take();
    unit = ring_oldest();
    count = unit[0];
    sp = hash[0] = unit[1];
    if (kind == EVENT_LIBRARY) {
        ring_take();
        unit = ring_oldest();
        hash[1] = unit[0];
        sp = unit[1];
    }
    tardis_interrupt(&CODEC.tardis, kind == EVENT_LIBRARY ? TARDIS_LIBRARY : TARDIS_CODE, vector, address, count, sp,
                     hash);
}

/* Bytes of a block, and reads of 8 bits that follow one at the same site. */
static void codec_bytes(const uint8_t *bytes, uint8_t most)
{
    for (; most && CODEC.block; most--, CODEC.block--) {
        CODEC.value = *bytes++;
        if (CODEC.reads) {
            codec_read();
        } else {
            CODEC.tardis.check = event_note(CODEC.tardis.check, CODEC.value);
            tardis_byte(&CODEC.tardis, (uint8_t)CODEC.value);
        }
    }
    if (!CODEC.block && !CODEC.reads)
        tardis_event(&CODEC.tardis);
}

static void codec_block(const uint16_t *unit)
{
    CODEC.tardis.check = event_note(CODEC.tardis.check, unit[1]);
    ring_take();
    CODEC.block = ring_oldest()[0];
    CODEC.reads = 0;
    if (!CODEC.block)
        tardis_event(&CODEC.tardis);
}

/* The oldest unit, and what belongs to it. */
static void codec_unit(void)
{
    uint16_t *unit = ring_oldest();
    uint8_t kind = (uint8_t)(unit[0] >> 8);
    if (CODEC.block) {
        codec_bytes((const uint8_t *)unit, UNIT);
    } else if (kind < EVENT_AGAIN) {
        codec_new_read(unit);
    } else {
        switch (kind) {
        case EVENT_AGAIN:
            if (codec_again(unit))
                return;
            break;
        case EVENT_NOTICE: tardis_notice(&CODEC.tardis, (uint8_t)unit[0], unit[1]); break;
        case EVENT_WRAPPED:
            if ((uint8_t)unit[0])
                tardis_expect(&CODEC.tardis, (uint8_t)unit[0] - 1, unit[1]);
            else
                tardis_order(&CODEC.tardis, TARDIS_WRAPPED);
            break;
        case EVENT_WOKE: tardis_woke(&CODEC.tardis, (uint8_t)unit[0]); break;
        case EVENT_BLOCK: codec_block(unit); break;
        default: codec_interrupt(kind, unit); break;
        }
    }
    ring_take();
}

PRIVATE void codec_units(void)
{
    do
        codec_unit();
    while (ring_units() && !codec_waits());
}

PRIVATE uint8_t codec_confirm(void)
{
    if (CODEC.block)
        return 0;
    tardis_notice(&CODEC.tardis, NOTICE_CHECK, CODEC.tardis.check);
    return 1;
}

PRIVATE void codec_flush(void)
{
    codec_confirm();
    tardis_flush(&CODEC.tardis);
}
