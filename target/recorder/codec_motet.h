/* The motet codec: every event as a few adaptive binary decisions for an arithmetic coder.
 *
 * This file is the model, and the same for the node, which encodes, and for replay (src/record), which decodes: before
 * it is included, code16() and code8() are defined, which take a decision with its probability and return it; a decoder
 * ignores what it is given and returns what the log has. Which site a read comes from is not in the log: execution
 * knows it. Invariant: what a model does depends only on decisions already taken.
 */
#ifndef CODEC_MOTET_H
#define CODEC_MOTET_H

enum {
    MODEL_SLOTS = 32,
    MODEL_HISTORY = 128,
    MODEL_HASHES = 32,
    MODEL_ADDRESSES = 8,
    MODEL_CHECK_EVERY = 128, /* events between two checks of what is executed */
};

struct model {
    uint16_t other[MODEL_SLOTS];   /* not a read; by the event before */
    uint16_t same[MODEL_SLOTS][2]; /* state as last time at the site; by whether it was then */
    uint16_t length[4][32];        /* of numbers: timers, counts, data of 16 bits, differences of state */
    uint16_t match[4];             /* data as predicted; by how often the prediction was right */
    uint16_t known[2];             /* an address seen before; the count is zero */
    uint8_t bits[4][16][2];        /* state, bit by bit; by site, and what the bit was */
    uint8_t literal[256];          /* data, as a tree */
    uint8_t vector[64], kind[8], address[MODEL_ADDRESSES];
    uint16_t last[MODEL_SLOTS];          /* value at a site */
    uint16_t timer[2];                   /* last read, of 8 and 16 bits */
    uint16_t addresses[MODEL_ADDRESSES]; /* of interrupts, the latest first */
    uint32_t was_same;                   /* a bit for each slot */
    uint8_t history[MODEL_HISTORY];      /* data */
    uint8_t places[MODEL_HASHES];        /* in the history, by the two bytes before */
    uint8_t written, predicted, right;
    uint8_t before; /* slot of the event before */
    uint8_t check, events;
};

struct coder;
static unsigned code16(struct coder *c, uint16_t *probability, unsigned bit);
static unsigned code8(struct coder *c, uint8_t *probability, unsigned bit);

static inline void model_begin(struct model *m)
{
    uint8_t *bytes = (uint8_t *)m;
    for (uint16_t i = 0; i < sizeof *m; i++)
        ((volatile uint8_t *)bytes)[i] = 0;
    for (uint8_t i = 0; i < MODEL_SLOTS; i++)
        m->other[i] = m->same[i][0] = m->same[i][1] = 0x8000;
    for (uint8_t i = 0; i < 32; i++)
        m->length[0][i] = m->length[1][i] = m->length[2][i] = m->length[3][i] = 0x8000;
    m->match[0] = m->match[1] = m->match[2] = m->match[3] = m->known[0] = m->known[1] = 0x8000;
    for (uint8_t i = 0; i < 128; i++)
        ((uint8_t *)m->bits)[i] = 0x80;
    for (uint16_t i = 0; i < 256; i++)
        m->literal[i] = 0x80;
    for (uint8_t i = 0; i < 64; i++)
        m->vector[i] = 0x80;
    for (uint8_t i = 0; i < 8; i++)
        m->kind[i] = m->address[i] = 0x80;
}

static unsigned model_raw(struct coder *c, unsigned bits, unsigned value)
{
    unsigned result = 0;
    while (bits--) {
        uint8_t even = 0x80;
        result = result << 1 | code8(c, &even, value >> bits & 1);
    }
    return result;
}

static unsigned model_tree8(struct coder *c, uint8_t *tree, unsigned bits, unsigned value)
{
    unsigned node = 1, top = 1u << bits;
    while (bits--)
        node = node << 1 | code8(c, &tree[node], value >> bits & 1);
    return node - top;
}

/* Up to 16 bits: how many there are, then all but the first. */
static unsigned model_number(struct coder *c, uint16_t *length, unsigned value)
{
    unsigned size = 0, node = 1;
    while (size < 16 && value >> size)
        size++;
    for (uint8_t bit = 5; bit--;)
        node = node << 1 | code16(c, &length[node], size >> bit & 1);
    size = node - 32;
    if (size == 0 || size > 16)
        return 0;
    return 1u << (size - 1) | model_raw(c, size - 1, value & ((1u << (size - 1)) - 1));
}

/* ---- reads ---- */

static unsigned model_state(struct coder *c, struct model *m, unsigned slot, unsigned width, unsigned value)
{
    unsigned old = m->last[slot], result = 0;
    uint32_t flag = (uint32_t)1 << slot;
    if (code16(c, &m->same[slot][(m->was_same & flag) != 0], value == old)) {
        m->was_same |= flag;
        return old;
    }
    m->was_same &= ~flag;
    while (width--)
        result = result << 1 | code8(c, &m->bits[slot & 3][width][old >> width & 1], value >> width & 1);
    return result;
}

/* One byte of data: what followed last time the two bytes before it came, or a byte by itself. */
static unsigned model_byte(struct coder *c, struct model *m, unsigned value)
{
    unsigned right = m->right < 3 ? m->right : 3, place = m->predicted, guess = m->history[place % MODEL_HISTORY];
    if (code16(c, &m->match[right], value == guess)) {
        value = guess;
        m->right = (uint8_t)(m->right < 255 ? m->right + 1 : 255);
    } else {
        value = model_tree8(c, m->literal, 8, value);
        m->right = 0;
    }
    unsigned before = m->history[(uint8_t)(m->written - 1) % MODEL_HISTORY];
    m->history[m->written % MODEL_HISTORY] = (uint8_t)value;
    m->written++;
    uint8_t *known = &m->places[(before * 5 + value) % MODEL_HASHES];
    m->predicted = (uint8_t)(m->right ? place + 1 : *known);
    *known = m->written;
    return value;
}

/* A read at a site; `wide` has 16 bits. */
static unsigned model_read(struct coder *c, struct model *m, unsigned site, unsigned wide, unsigned value)
{
    unsigned class = site >> 13 & 3, slot = site % MODEL_SLOTS, mask = wide ? 0xffff : 0xff;
    if (class == 1) {
        uint16_t *last = &m->timer[wide];
        value = (*last + model_number(c, m->length[0], (value - *last) & mask)) & mask;
        *last = (uint16_t)value;
    } else if (class == 2 && !wide) {
        value = model_byte(c, m, value);
    } else if (class == 2) { /* samples: differences with the sign in the lowest bit */
        unsigned up = (value - m->last[slot]) & 0xffff, sign = up >> 15;
        unsigned folded = model_number(c, m->length[2], ((sign ? ~up : up) << 1 | sign) & 0xffff);
        up = folded & 1 ? ~(folded >> 1) : folded >> 1;
        value = (m->last[slot] + up) & 0xffff;
    } else {
        value = model_state(c, m, slot, wide ? 16 : 8, value);
    }
    m->last[slot] = (uint16_t)value;
    m->before = (uint8_t)slot;
    m->check = (uint8_t)(m->check * 31 + site);
    return value;
}

/* ---- interrupts ---- */

static unsigned model_address(struct coder *c, struct model *m, unsigned value)
{
    unsigned found = 0;
    while (found < MODEL_ADDRESSES - 1 && m->addresses[found] != value)
        found++;
    if (code16(c, &m->known[0], m->addresses[found] == value)) {
        found = model_tree8(c, m->address, 3, found);
        value = m->addresses[found];
    } else {
        found = MODEL_ADDRESSES - 1;
        value = model_raw(c, 16, value);
    }
    for (; found; found--)
        m->addresses[found] = m->addresses[found - 1];
    m->addresses[0] = (uint16_t)value;
    return value;
}

static unsigned model_vector(struct coder *c, struct model *m, unsigned value)
{
    value = model_tree8(c, m->vector, 6, value & 63);
    m->before = (uint8_t)(value % MODEL_SLOTS);
    m->check = (uint8_t)(m->check * 31 + value);
    return value;
}

/* Behind each event; false if the log was made by other events than these. */
static unsigned model_behind(struct coder *c, struct model *m)
{
    if (++m->events % MODEL_CHECK_EVERY)
        return 1;
    return model_raw(c, 8, m->check) == m->check;
}

#endif
