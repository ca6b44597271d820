/* Encoding with the motet codec: an arithmetic coder of 32 bits without carries, and events out of the ring. */
#include "codec_motet.h"

struct coder {
    uint32_t low, high;
};

static struct codec {
    struct coder coder;
    struct model model;
    uint16_t block; /* bytes of a block still to come */
} motet_codec __attribute__((section(".noinit")));

enum { CODEC_MOST = 14 }; /* bytes that a unit of the ring can become */

static void put_bit(struct coder *c, uint16_t p, unsigned bit)
{
    uint32_t middle = c->low + (uint32_t)(uint16_t)((c->high - c->low) >> 16) * p;
    if (bit)
        c->high = middle;
    else
        c->low = middle + 1;
    while (!((c->low ^ c->high) & 0xff000000)) {
        out((uint8_t)(c->high >> 24));
        c->low <<= 8;
        c->high = c->high << 8 | 0xff;
    }
}

static unsigned code16(struct coder *c, uint16_t *p, unsigned bit)
{
    put_bit(c, *p, bit);
    *p = (uint16_t)(bit ? *p + ((uint16_t)(0xffff - *p) >> 4) : *p - (*p >> 4));
    return bit;
}

static unsigned code8(struct coder *c, uint8_t *p, unsigned bit)
{
    put_bit(c, (uint16_t)(*p << 8), bit);
    *p = (uint8_t)(bit ? *p + ((uint8_t)(0xff - *p) >> 4) : *p - (*p >> 4));
    return bit;
}

static void codec_begin(void)
{
    motet_codec.coder.low = 0;
    motet_codec.coder.high = 0xffffffff;
    motet_codec.block = 0;
    model_begin(&motet_codec.model);
}

static void encode_interrupt(uint8_t kind, const uint16_t *unit)
{
    uint16_t address = unit[1];
    model_vector(&motet_codec.coder, &motet_codec.model, unit[0] & 0xff);
    if (kind == EVENT_INSIDE)
        model_number(&motet_codec.coder, motet_codec.model.length[1], unit[1]);
    if (kind != EVENT_INTERRUPT && kind != EVENT_LIBRARY)
        return;
    R.fill -= UNIT;
    unit = oldest();
    model_address(&motet_codec.coder, &motet_codec.model, address);
    model_number(&motet_codec.coder, motet_codec.model.length[1], unit[0]);
    if (kind == EVENT_LIBRARY) {
        model_raw(&motet_codec.coder, 16, unit[1]);
        R.fill -= UNIT;
        model_raw(&motet_codec.coder, 16, oldest()[0]);
    }
}

static void encode_block(const uint16_t *unit)
{
    model_raw(&motet_codec.coder, 16, unit[1]);
    R.fill -= UNIT;
    unit = oldest();
    model_raw(&motet_codec.coder, 16, motet_codec.block = unit[0]);
}

static void encode_bytes(const uint16_t *unit)
{
    for (uint8_t i = 0; i < 4 && motet_codec.block; i++, motet_codec.block--)
        model_byte(&motet_codec.coder, &motet_codec.model, i & 1 ? unit[i / 2] >> 8 : unit[i / 2] & 0xff);
}

/* The oldest unit, and what belongs to it. */
static void codec_unit(void)
{
    const uint16_t *unit = oldest();
    uint8_t kind = (uint8_t)(unit[0] >> 8), other = kind >= EVENT_MARK;
    if (motet_codec.block) {
        encode_bytes(unit);
        R.fill -= UNIT;
        if (!motet_codec.block)
            model_behind(&motet_codec.coder, &motet_codec.model);
        return;
    }
    code16(&motet_codec.coder, &motet_codec.model.other[motet_codec.model.before], other);
    if (!other) {
        model_read(&motet_codec.coder, &motet_codec.model, unit[0] & 0x7fff, unit[0] >> 15, unit[1]);
    } else {
        model_tree8(&motet_codec.coder, motet_codec.model.kind, 3, kind & 7);
        if (kind == EVENT_MARK)
            model_raw(&motet_codec.coder, 8, unit[0] & 0xff), model_raw(&motet_codec.coder, 16, unit[1]);
        else if (kind == EVENT_BLOCK)
            encode_block(unit);
        else if (kind != EVENT_WRAPPED)
            encode_interrupt(kind, unit);
    }
    R.fill -= UNIT;
    if (!motet_codec.block)
        model_behind(&motet_codec.coder, &motet_codec.model);
}

/* All that was encoded so far can be decoded from what has come out. */
static void codec_flush(void)
{
    code16(&motet_codec.coder, &motet_codec.model.other[motet_codec.model.before], 1);
    model_tree8(&motet_codec.coder, motet_codec.model.kind, 3,
                0); /* no event: the coder begins anew, the model goes on */
    for (uint8_t i = 0; i < 4; i++) {
        out((uint8_t)(motet_codec.coder.low >> 24));
        motet_codec.coder.low <<= 8;
    }
    motet_codec.coder.low = 0;
    motet_codec.coder.high = 0xffffffff;
}
