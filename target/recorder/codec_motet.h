/* The motet codec: what a read will give is guessed, and only what was not certain is written down.
 *
 * This file is shared by the node, which encodes, and replay (src/record), which decodes: code() and code_raw(), which
 * are defined where it is included, take a decision (with its probability) or bits and return them; a decoder ignores
 * what it is given and returns what the log has. A read is a symbol: its live bits, or, of a timer, how far it went
 * since that was read last. A table, addressed by a hash of the site and the events before, holds for each place the
 * symbol that came there last and how often it was right. Which site a read comes from is not in the log: execution
 * knows it. Waking from sleep is a read, too: of the vector's number.
 *
 * The log is a sequence of *steps*: to the next read about which nothing is certain, which it tells then; or over so
 * many reads that are as was certain, to one that is not, or to an interrupt, or to something else. Invariant: both
 * sides do the same with the same events, so that tables and probabilities agree; what was certain takes no bits at
 * all.
 */
#ifndef CODEC_MOTET_H
#define CODEC_MOTET_H

/* ---- guessing ---- */

enum {
    PREDICT_PLACES = 256,
    SYMBOL = 0x3fff, /* of a table's entry; above it, how often that was right, up to twice */
    SYMBOL_SIGN = 0x2000,
    RIGHT_ONCE = 0x4000,
    SURE = 0x8000,
};
/* Sites as in the ring. What they are is all in the high byte, which is what is handed around: `high`. */
enum { SITE_WIDE = 0x80, SITE_CLASS = 0x60, SITE_TIMER = 0x20, SITE_DATA = 0x40, SITE_WOKE = 0x7d };
enum { SITE_WAKE = SITE_WOKE << 8 | 0x1e /* stands for waking up */ };

struct predictor {
    uint16_t table[PREDICT_PLACES];
    uint8_t recent, longer; /* hashes of the last two events, and of some more */
    uint8_t check;          /* of all reads so far */
    uint16_t narrow, wide;  /* timers of 8 and 16 bits, as last read */
};

static inline uint8_t site_is_timer(uint8_t high)
{
    return (high & SITE_CLASS) == SITE_TIMER;
}

/* How far a timer went since that was read last; of all others their value. */
static inline uint16_t predict_timer(struct predictor *p, uint8_t high, uint16_t value)
{
    uint16_t was;
    if (!site_is_timer(high))
        return value;
    if (high & SITE_WIDE) {
        was = p->wide;
        p->wide = value;
        return value - was;
    }
    was = p->narrow;
    p->narrow = value;
    return (uint8_t)(value - was);
}

/* Timers are read on the same ways again and again: how long one takes depends on more than the last event. */
static inline uint8_t predict_place(const struct predictor *p, uint8_t high, uint8_t low)
{
    return (site_is_timer(high) ? p->longer : p->recent) ^ (uint8_t)((uint8_t)(low << 2) + low);
}

/* Of 8 bits all are there, of 16 those that a small number has. */
static inline uint16_t predict_symbol(uint16_t known, uint8_t high)
{
    if (!(high & SITE_WIDE))
        return (uint8_t)known;
    return known & SYMBOL_SIGN ? known | (uint16_t)~SYMBOL : known & SYMBOL;
}

static inline uint8_t predict_certain(uint16_t known, uint8_t high, uint16_t symbol)
{
    if (!(known & SURE))
        return 0;
    if (high & SITE_WIDE)
        return !((symbol ^ known) & SYMBOL) && (uint16_t)(symbol + SYMBOL_SIGN) <= SYMBOL;
    return (uint8_t)symbol == (uint8_t)known;
}

static inline void predict_history(struct predictor *p, uint8_t what)
{
    p->recent = (uint8_t)(p->recent << 4) ^ what;
    p->longer = (uint8_t)(p->longer << 3) ^ what;
}

/* A read is over. Of timers only that they were read counts for what comes next: when that was varies. */
static inline void predict_pass(struct predictor *p, uint8_t high, uint8_t low, uint16_t symbol)
{
    if (!site_is_timer(high))
        low = (uint8_t)symbol;
    predict_history(p, low);
    p->check = (uint8_t)((uint8_t)(p->check << 1) + p->check + low);
}

/* A symbol was seen in a place where there was no certainty, or another one; which has to come twice. */
static inline void predict_learn(struct predictor *p, uint8_t place, uint8_t high, uint16_t symbol)
{
    uint16_t *known = &p->table[place];
    if (predict_symbol(*known, high) != symbol)
        *known = *known & SURE ? (*known & SYMBOL) | RIGHT_ONCE : symbol & SYMBOL;
    else if (!(*known & SURE))
        *known += RIGHT_ONCE;
}

/* ---- how a read is coded that was not certain ---- */

enum { READ_WIDE = 1, READ_TIMER = 2, READ_DATA = 4, READ_WAKE = 8 };

static inline uint8_t read_how(uint16_t site)
{
    uint8_t high = (uint8_t)(site >> 8), class = high & SITE_CLASS;
    if (high == SITE_WOKE)
        return READ_WAKE;
    return (high & SITE_WIDE ? READ_WIDE : 0) | (class == SITE_TIMER ? READ_TIMER : class == SITE_DATA ? READ_DATA : 0);
}

/* Of timers and of 16 bits the difference from what was guessed is coded, of others the symbol. Symbols of 8 bits have
 * no more than these. */
static inline uint8_t read_differs(uint8_t how)
{
    return how & (READ_TIMER | READ_WIDE);
}

/* What the chance to be right depends on: class, whether it was last time, and the site. */
enum { CONTEXT_TIMER = 0x20, CONTEXT_DATA = 0x40, CONTEXT_LIKELY = 0x10, CONTEXTS = 0x60 };

static inline uint8_t read_context(uint8_t how, uint16_t site, uint16_t known)
{
    return (site & 15) |
           (how & READ_TIMER  ? CONTEXT_TIMER
            : how & READ_DATA ? CONTEXT_DATA
                              : 0) |
           (known & RIGHT_ONCE ? CONTEXT_LIKELY : 0);
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

/* Of a number: three trees, whose places 0 hold the decision before them, and the bit behind the first. */
enum { NUMBER_SHORT = 0, NUMBER_MIDDLE = 4, NUMBER_LONG = 8, NUMBER_FIRST = 16, NUMBER = 24 };
enum { RECENT_VECTORS = 4, RECENT = 16 };
enum { STEP_STATE, STEP_TIMER, STEP_DATA, STEP_UNSURE = STEP_DATA, STEP_WRONG, STEP_INTERRUPT, STEP_OTHER, STEPS };
enum { OTHER_NOTHING, OTHER_MARK, OTHER_WRAPPED, OTHER_ANEW /* the coder begins anew */ };
enum { AT_CODE, AT_LIBRARY, AT_INSIDE, AT_NOWHERE }; /* an interrupt */
enum { CHECK_EVERY = 32 };                           /* steps that are not to something unsure */

struct model {
    uint8_t next[STEPS][3];    /* by the step before */
    uint8_t length[3][NUMBER]; /* by the step */
    uint8_t right[CONTEXTS];
    uint8_t timer[4][NUMBER]; /* differences, by width and whether they were sure */
    uint8_t wide[2][NUMBER];  /* of state and data */
    uint8_t vector[2][RECENT_VECTORS];
    uint8_t where[4], other[4];
    uint8_t count[NUMBER], stack[NUMBER];
    uint8_t known[2], recent[2][RECENT]; /* addresses; data and state of 8 bits */
    /* probabilities up to here */
    uint8_t vectors[RECENT_VECTORS]; /* the latest first */
    uint8_t literals[RECENT];
    uint16_t addresses[RECENT], stacks[RECENT]; /* of interrupts */
    uint8_t before;                             /* step */
    uint8_t steps;
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
    uint8_t node = 1, top = (uint8_t)(1 << bits);
    do {
        bits--;
        node = (uint8_t)(node << 1 | (code(c, &tree[node], value & (1 << bits)) != 0));
    } while (bits);
    return node - top;
}

/* Up to 16 bits: how many there are, then all but the first. How many is told by few decisions: below 4, below 8 or
 * not, then which of these; 15 and 16 are one of them. */
static uint16_t model_number(struct coder *c, uint8_t *t, uint16_t value)
{
    uint8_t n = 0;
    for (uint16_t rest = value; rest; rest >>= 1)
        n++;
    if (code(c, &t[NUMBER_SHORT], n < 4)) {
        n = model_tree(c, &t[NUMBER_SHORT], 2, n & 3);
    } else if (code(c, &t[NUMBER_MIDDLE], n < 8)) {
        n = 4 + model_tree(c, &t[NUMBER_MIDDLE], 2, n & 3);
    } else {
        n = 8 + model_tree(c, &t[NUMBER_LONG], 3, n < 15 ? n - 8 : 7);
        if (n == 15)
            n += (uint8_t)model_raw(c, 1, value >> 15);
    }
    if (n < 2)
        return n;
    n -= 2;
    t += n < NUMBER - NUMBER_FIRST ? NUMBER_FIRST + n : NUMBER - 1;
    return (uint16_t)((2 | (code(c, t, value >> n & 1) != 0)) << n) |
           model_raw(c, n, value & (uint16_t)((1u << n) - 1));
}

/* One of those seen last, or all its bits. */
static uint8_t model_vector(struct coder *c, struct model *m, uint8_t *t, uint8_t value)
{
    uint8_t i = 0;
    while (i < RECENT_VECTORS && code(c, &t[i], m->vectors[i] != value))
        i++;
    if (i == RECENT_VECTORS) {
        value = (uint8_t)model_raw(c, 8, value);
        i--;
    } else {
        value = m->vectors[i];
    }
    for (; i; i--)
        m->vectors[i] = m->vectors[i - 1];
    m->vectors[0] = value;
    return value;
}

/* An interrupt's address and stack pointer: one of those seen last, with the stack as it was there then, or all. */
static void model_place(struct coder *c, struct model *m, uint16_t *address, uint16_t *sp)
{
    uint8_t found = 0;
    uint16_t stack = m->stacks[0];
    while (found < RECENT - 1 && m->addresses[found] != *address)
        found++;
    if (code(c, &m->known[0], m->addresses[found] == *address)) {
        found = model_tree(c, m->recent[0], 4, found);
        *address = m->addresses[found];
        stack = m->stacks[found];
    } else {
        found = RECENT - 1;
        *address = model_raw(c, 16, *address);
    }
    stack += unfolded(model_number(c, m->stack, folded((uint16_t)(*sp - stack))));
    for (; found; found--) {
        m->addresses[found] = m->addresses[found - 1];
        m->stacks[found] = m->stacks[found - 1];
    }
    m->addresses[0] = *address;
    m->stacks[0] = *sp = stack;
}

static uint8_t model_literal(struct coder *c, struct model *m, uint8_t value)
{
    uint8_t found = 0;
    while (found < RECENT - 1 && m->literals[found] != value)
        found++;
    if (code(c, &m->known[1], m->literals[found] == value)) {
        found = model_tree(c, m->recent[1], 4, found);
        value = m->literals[found];
    } else {
        found = RECENT - 1;
        value = (uint8_t)model_raw(c, 8, value);
    }
    for (; found; found--)
        m->literals[found] = m->literals[found - 1];
    m->literals[0] = value;
    return value;
}

/* ---- steps ---- */

/* Up to STEP_UNSURE all are the same here: execution tells them apart. */
static uint8_t model_step(struct coder *c, struct model *m, uint8_t step)
{
    uint8_t *t = m->next[m->before];
    if (code(c, &t[0], step <= STEP_UNSURE))
        return STEP_UNSURE;
    if (code(c, &t[1], step == STEP_WRONG))
        step = STEP_WRONG;
    else
        step = code(c, &t[2], step == STEP_INTERRUPT) ? STEP_INTERRUPT : STEP_OTHER;
    m->before = step;
    return step;
}

/* Over so many reads that were certain. */
static uint8_t model_length(struct coder *c, struct model *m, uint8_t length)
{
    return (uint8_t)model_number(c, m->length[m->before - STEP_WRONG], length);
}

/* Behind each step that has a length; false if the log was made by other events than these. */
static uint8_t model_check(struct coder *c, struct model *m, uint8_t check)
{
    return ++m->steps % CHECK_EVERY || model_raw(c, 8, check) == check;
}

/* What came instead of what was guessed: the symbol, or the difference. */
static uint16_t model_wrong(struct coder *c, struct model *m, uint8_t how, uint8_t sure, uint16_t value)
{
    uint8_t wide = how & READ_WIDE;
    if (read_differs(how)) {
        uint8_t *t = how & READ_TIMER ? m->timer[wide | sure << 1] : m->wide[(how & READ_DATA) != 0];
        return unfolded((uint16_t)(model_number(c, t, (uint16_t)(folded(value) - 1)) + 1));
    }
    if (how & READ_WAKE)
        return model_vector(c, m, m->vector[0], (uint8_t)value);
    return model_literal(c, m, (uint8_t)value);
}

#endif
