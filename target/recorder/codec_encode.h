/* Encoding with the motet codec: stretches out of the ring, and a range coder of 16 bits with carries (G. N. N. Martin,
 * 1979) whose decisions cost a multiplication of 16 by 8 bits. */

/* A byte is settled when no carry can reach it any more: one waits, and those behind it that are 0xff. */
static void settle(struct coder *c, uint8_t byte)
{
    if (byte == 0xff && c->waits) {
        if (c->full == MOST_FULL) /* once in 2^64 bytes: then what follows is lost, and said to be */
            R.state = R.state == RECORDING ? LOSING : R.state;
        else
            c->full++;
        return;
    }
    if (c->waits)
        out(c->byte);
    for (; c->full; c->full--)
        out(0xff);
    c->byte = byte;
    c->waits = 1;
}

static void carry(struct coder *c)
{
    c->byte++;
    if (!c->full)
        return;
    out(c->byte);
    for (; c->full > 1; c->full--)
        out(0);
    c->byte = 0;
    c->full = 0;
}

static void normalize(struct coder *c)
{
    while (c->range < 0x100) {
        settle(c, (uint8_t)(c->low >> 8));
        c->low <<= 8;
        c->range <<= 8;
    }
}

static void add_low(struct coder *c, uint16_t value)
{
    c->low += value;
    if (c->low < value)
        carry(c);
}

/* The range times p / 256. */
static inline uint16_t share(uint16_t range, uint8_t p)
{
    return (uint16_t)(range >> 8) * p + ((uint16_t)((uint8_t)range * p) >> 8);
}

static uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit)
{
    uint8_t p = *probability;
    uint16_t bound = share(c->range, p);
    if (bit) {
        c->range = bound;
        *probability = (uint8_t)(p + ((uint8_t)-p >> 4));
        bit = 1;
    } else {
        add_low(c, bound);
        c->range -= bound;
        *probability = (uint8_t)(p - (p >> 4));
    }
    if (c->range < 0x100)
        normalize(c);
    return bit;
}

static uint8_t code_raw(struct coder *c, uint8_t bits, uint8_t value)
{
    c->range >>= bits;
    add_low(c, (uint16_t)(c->range * value));
    normalize(c);
    return value;
}

enum { CODEC_MOST = 16 }; /* bytes that a unit of the ring can become */

static void codec_begin(void)
{
    CODEC.coder = (struct coder){.range = 0xffff};
    CODEC.length = 0;
    CODEC.pending = UNIT;
    CODEC.unsure = CODEC.check = 0;
    model_begin(&CODEC.model, &CODEC.predictor);
}

static void encode_stretch(uint8_t how, uint8_t length)
{
    model_ends(&CODEC.coder, &CODEC.model, how);
    model_length(&CODEC.coder, &CODEC.model, length);
}

static void encode_interrupt(uint8_t kind, const uint16_t *unit)
{
    uint16_t address = unit[1];
    uint8_t at = kind == EVENT_INSIDE ? AT_INSIDE : kind == EVENT_LIBRARY ? AT_LIBRARY : AT_CODE;
    model_tree(&CODEC.coder, CODEC.model.where, 2, at);
    model_vector(&CODEC.coder, &CODEC.model, CODEC.model.vector[1], (uint8_t)unit[0]);
    if (kind == EVENT_INSIDE) {
        model_number(&CODEC.coder, CODEC.model.count, unit[1]);
        return;
    }
    R.fill -= UNIT;
    unit = oldest();
    model_address(&CODEC.coder, &CODEC.model, address);
    model_number(&CODEC.coder, CODEC.model.count, unit[0]);
    if (kind == EVENT_LIBRARY) {
        model_raw(&CODEC.coder, 16, unit[1]);
        R.fill -= UNIT;
        model_raw(&CODEC.coder, 16, oldest()[0]);
    }
}

/* What has ended a stretch, of other kinds than interrupts. */
static void encode_other(uint8_t kind, const uint16_t *unit)
{
    model_tree(&CODEC.coder, CODEC.model.other, 2, kind == EVENT_MARK ? OTHER_MARK : OTHER_WRAPPED);
    if (kind == EVENT_MARK) {
        model_raw(&CODEC.coder, 4, unit[0] & 15);
        model_raw(&CODEC.coder, 16, unit[1]);
    }
}

/* The oldest unit, and what belongs to it. */
static void codec_unit(void)
{
    const uint16_t *unit = oldest();
    uint8_t kind = (uint8_t)(unit[0] >> 8), ends = 1;
    switch (kind) {
    case EVENT_STRETCH:
        CODEC.check = (uint8_t)(unit[1] >> 8);
        encode_stretch(unit[0] & 3, (uint8_t)unit[1]);
        ends = 0;
        break;
    case EVENT_CUT: model_tree(&CODEC.coder, CODEC.model.other, 2, OTHER_CUT); break;
    case EVENT_MARK:
    case EVENT_WRAPPED: encode_other(kind, unit); break;
    case EVENT_INSIDE:
    case EVENT_LIBRARY:
    case EVENT_INTERRUPT: encode_interrupt(kind, unit); break;
    default: {
        uint8_t how = (uint8_t)unit[0];
        ends = how & READ_SURE;
        model_read(&CODEC.coder, &CODEC.model, &how, kind, unit[1]);
    }
    }
    if (ends)
        model_check(&CODEC.coder, &CODEC.model, CODEC.check);
    R.fill -= UNIT;
}

/* All that was encoded so far can be decoded from what comes out. */
static void codec_flush(void)
{
    encode_stretch(ENDS_OTHER, 0);
    model_tree(&CODEC.coder, CODEC.model.other, 2, OTHER_ANEW);
    settle(&CODEC.coder, (uint8_t)(CODEC.coder.low >> 8));
    settle(&CODEC.coder, (uint8_t)CODEC.coder.low);
    settle(&CODEC.coder, 0); /* comes out with the next */
    CODEC.coder = (struct coder){.range = 0xffff};
}
