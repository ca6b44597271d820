/* The motet codec: what a read will give is guessed where it happens, and only what was not certain is written down.
 *
 * This file is shared by the node, which encodes, and replay (src/record), which decodes: before it is included, code()
 * and code_raw() are declared, which take a decision (with its probability) or bits and return them; a decoder ignores
 * what it is given and returns what the log has. A read is a symbol: its live bits, or, of a timer, how far it went
 * since that was read last. A table, addressed by a hash of the site and the events before, holds for each place the
 * symbol that came there last and how often it was right. Which site a read comes from is not in the log: execution
 * knows it. Waking from sleep is a read, too: of the vector's number.
 *
 * Reads follow each other in a *stretch* until an interrupt comes, or something certain turns out wrong, or the stretch
 * is cut. It is told first, with its length and what ends it; then the reads of it that were not certain, in their
 * order; then what ended it. Invariant: both sides do the same with the same events, so that tables and probabilities
 * agree; what was certain takes no bits at all.
 */
#ifndef CODEC_MOTET_H
#define CODEC_MOTET_H

/* ---- guessing: where a read happens ---- */

enum {
    PREDICT_PLACES = 256,
    SYMBOL = 0x3fff,
    SYMBOL_SIGN = 0x2000, /* of a table's entry; above it, how often that was right, up to 3 times */
    RIGHT_ONCE = 0x4000,
    SURE = 0x8000,
    SITE_WAKE = 0x1e, /* stands for waking up; of class state */
};
enum { CLASS_STATE = 0, CLASS_TIMER = 1, CLASS_DATA = 2 };

struct predictor {
    uint16_t history;  /* hash of the last events */
    uint16_t timer[2]; /* as last read, of 8 and 16 bits */
    uint8_t check;     /* of all sites so far */
    uint16_t table[PREDICT_PLACES];
};

static inline uint8_t predict_place(const struct predictor *p, uint16_t site)
{
    return (uint8_t)(p->history ^ site << 1);
}

static inline uint16_t predict_symbol(uint16_t known)
{
    return known & SYMBOL_SIGN ? known | (uint16_t)~SYMBOL : known & SYMBOL;
}

static inline uint8_t site_class(uint16_t site)
{
    return site >> 13 & 3;
}

static inline void predict_history(struct predictor *p, uint16_t what)
{
    p->history = (uint16_t)((p->history << 4) + what + (uint16_t)(what << 7));
}

/* A symbol was seen at a site, for which the table had `known`. Of timers only that they were read counts for what
 * comes next: when that was varies. */
static inline void predict_learn(struct predictor *p, uint16_t site, uint8_t place, uint16_t symbol)
{
    uint16_t known = p->table[place];
    if (predict_symbol(known) == symbol)
        p->table[place] = known >= (uint16_t)(SURE | RIGHT_ONCE) ? known : known + RIGHT_ONCE;
    else
        p->table[place] = (symbol & SYMBOL) | (known >= (uint16_t)(SURE | RIGHT_ONCE) ? RIGHT_ONCE : 0);
    predict_history(p, site_class(site) == CLASS_TIMER ? (uint8_t)site : symbol);
    p->check = (uint8_t)(p->check * 3 + site);
}

/* ---- how a read is coded that was not certain ---- */

enum {
    READ_RIGHT = 1, /* as guessed */
    READ_WIDE = 2,  /* 16 bits: the difference from what was guessed is coded, as for timers; else the symbol */
    READ_TIMER = 4,
    READ_DATA = 8,
    READ_LIKELY = 0x10, /* the guess was right last time */
    READ_SURE = 0x20,   /* it was thought to be certain */
    READ_BIT = 0x40,    /* only one bit is live: if it is not right it is the other one */
    READ_WAKE = 0x80,
};

static inline uint8_t read_class(uint16_t site)
{
    return site_class(site) == CLASS_TIMER ? READ_TIMER : site_class(site) == CLASS_DATA ? READ_DATA : 0;
}

/* Differences with the sign in the lowest bit: 0, -1, 1, -2... and back. */
static inline uint16_t folded(uint16_t difference)
{
    return (uint16_t)(difference << 1) ^ (difference & 0x8000 ? 0xffff : 0);
}

static inline uint16_t unfolded(uint16_t number)
{
    return number >> 1 ^ (number & 1 ? 0xffff : 0);
}

/* ---- probabilities ---- */

enum { NUMBER = 24, NUMBER_LENGTHS = 14, RECENT_VECTORS = 4, RECENT_ADDRESSES = 16 };
enum { ENDS_WRONG, ENDS_INTERRUPT, ENDS_OTHER };                                       /* a stretch */
enum { OTHER_CUT, OTHER_MARK, OTHER_WRAPPED, OTHER_ANEW /* the coder begins anew */ }; /* what ends one */
enum { AT_CODE, AT_LIBRARY, AT_INSIDE, AT_SLEEP };                                     /* an interrupt */
enum { CHECK_EVERY = 32 };                                                             /* stretches */

struct model {
    uint8_t ends[6];           /* by how the stretch before ended */
    uint8_t length[3][NUMBER]; /* of stretches, by how they end */
    uint8_t right[3][32];      /* by class, likelihood and site */
    uint8_t timer[4][NUMBER];  /* differences, by width and whether they were sure */
    uint8_t wide[2][NUMBER];   /* of state and data */
    uint8_t literal[256];      /* data and state of 8 bits, as a tree */
    uint8_t vector[2][RECENT_VECTORS];
    uint8_t where[4], other[4];
    uint8_t count[NUMBER];
    uint8_t known, recent[RECENT_ADDRESSES]; /* addresses */
    /* probabilities up to here */
    uint8_t vectors[RECENT_VECTORS];
    uint16_t addresses[RECENT_ADDRESSES]; /* the latest first */
    uint8_t ended;
    uint8_t stretches;
};

static inline void model_begin(struct model *m, struct predictor *p)
{
    volatile uint8_t *bytes = (uint8_t *)m;
    for (uint16_t i = 0; i < sizeof *m; i++)
        bytes[i] = i < offsetof(struct model, vectors) ? 0x80 : 0;
    bytes = (uint8_t *)p;
    for (uint16_t i = 0; i < sizeof *p; i++)
        bytes[i] = 0;
}

struct coder;
static uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit);
static uint8_t code_raw(struct coder *c, uint8_t bits, uint8_t value); /* up to four */

static uint16_t model_raw(struct coder *c, uint8_t bits, uint16_t value)
{
    uint16_t result = 0;
    while (bits) {
        uint8_t n = bits > 4 ? 4 : bits;
        bits -= n;
        result = (uint16_t)(result << n) | code_raw(c, n, (uint8_t)(value >> bits) & ((1 << n) - 1));
    }
    return result;
}

static uint8_t model_tree(struct coder *c, uint8_t *tree, uint8_t bits, uint8_t value)
{
    uint8_t node = 1;
    for (uint8_t i = bits; --i;)
        node = (uint8_t)(node << 1) | code(c, &tree[node], value >> i & 1);
    return (uint8_t)(node << 1 | code(c, &tree[node], value & 1)) & (uint8_t)((1 << bits) - 1);
}

/* Up to 16 bits: how many there are, then all but the first. */
static uint16_t model_number(struct coder *c, uint8_t *t, uint16_t value)
{
    uint8_t size = 0;
    for (uint16_t rest = value; rest; rest >>= 1)
        size++;
    uint8_t n = 0;
    while (n < 16 && code(c, &t[n < NUMBER_LENGTHS ? n : NUMBER_LENGTHS - 1], n < size))
        n++;
    if (n < 2)
        return n;
    uint8_t at = NUMBER_LENGTHS - 2 + n < NUMBER ? NUMBER_LENGTHS - 2 + n : NUMBER - 1;
    uint16_t result = (uint16_t)(2 | code(c, &t[at], value >> (n - 2) & 1));
    return (uint16_t)(result << (n - 2)) | model_raw(c, (uint8_t)(n - 2), value & ((1u << (n - 2)) - 1));
}

/* One of those seen last, or all its bits. */
static uint8_t model_vector(struct coder *c, struct model *m, uint8_t *t, uint8_t value)
{
    uint8_t i = 0;
    while (i < RECENT_VECTORS && code(c, &t[i], m->vectors[i] != value))
        i++;
    if (i == RECENT_VECTORS) {
        value = (uint8_t)model_raw(c, 6, value);
        i--;
    } else {
        value = m->vectors[i];
    }
    for (; i; i--)
        m->vectors[i] = m->vectors[i - 1];
    m->vectors[0] = value;
    return value;
}

static uint16_t model_address(struct coder *c, struct model *m, uint16_t value)
{
    uint8_t found = 0;
    while (found < RECENT_ADDRESSES - 1 && m->addresses[found] != value)
        found++;
    if (code(c, &m->known, m->addresses[found] == value)) {
        found = model_tree(c, m->recent, 4, found);
        value = m->addresses[found];
    } else {
        found = RECENT_ADDRESSES - 1;
        value = model_raw(c, 16, value);
    }
    for (; found; found--)
        m->addresses[found] = m->addresses[found - 1];
    m->addresses[0] = value;
    return value;
}

/* ---- stretches ---- */

/* How it ends; the length is coded next. */
static uint8_t model_ends(struct coder *c, struct model *m, uint8_t how)
{
    uint8_t *t = &m->ends[2 * m->ended];
    if (code(c, &t[0], how != ENDS_WRONG))
        how = code(c, &t[1], how == ENDS_OTHER) ? ENDS_OTHER : ENDS_INTERRUPT;
    else
        how = ENDS_WRONG;
    m->ended = how;
    return how;
}

static uint8_t model_length(struct coder *c, struct model *m, uint8_t length)
{
    return (uint8_t)model_number(c, m->length[m->ended], length);
}

/* Behind each; false if the log was made by other events than these. */
static uint8_t model_check(struct coder *c, struct model *m, uint8_t check)
{
    if (++m->stretches % CHECK_EVERY)
        return 1;
    return model_raw(c, 8, check) == check;
}

/* A read that was not certain, or wrong: `how` of READ_..., the site's lowest bits, and the symbol or difference.
 * Returns that, with READ_RIGHT in *how if it was as guessed. */
static uint16_t model_read(struct coder *c, struct model *m, uint8_t *how, uint8_t site, uint16_t value)
{
    uint8_t h = *how, wide = (h & READ_WIDE) != 0, sure = (h & READ_SURE) != 0;
    if (!sure) {
        uint8_t class = h & READ_TIMER ? 1 : h & READ_DATA ? 2 : 0;
        if (code(c, &m->right[class][(h & READ_LIKELY) | (site & 15)], h & READ_RIGHT)) {
            *how |= READ_RIGHT;
            return 0;
        }
    }
    if (h & READ_BIT)
        return 0;
    if (h & READ_TIMER)
        return unfolded((uint16_t)(model_number(c, m->timer[wide | sure << 1], (uint16_t)(folded(value) - 1)) + 1));
    if (wide)
        return unfolded((uint16_t)(model_number(c, m->wide[(h & READ_DATA) != 0], (uint16_t)(folded(value) - 1)) + 1));
    if (h & READ_WAKE)
        return model_vector(c, m, m->vector[0], (uint8_t)value);
    return model_tree(c, m->literal, 8, (uint8_t)value);
}

#endif
