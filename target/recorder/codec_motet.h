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
 * many reads that are as was certain, to one that is not, or to an interrupt, or to something else. Where interrupts
 * came again and again in the same place, another one is expected there, which takes one decision. Invariant: both
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
    uint8_t position;       /* of a read: how many behind the last one of a timer */
    uint16_t narrow, wide;  /* timers of 8 and 16 bits, as last read */
};

static inline uint8_t site_is_timer(uint8_t high)
{
    return (high & SITE_CLASS) == SITE_TIMER;
}

/* Bytes of a frame come behind a read of a timer: which of them this is, a byte is guessed by. */
static inline void predict_position(struct predictor *p, uint8_t high)
{
    p->position++;
    if (site_is_timer(high))
        p->position = 0;
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
    return (site_is_timer(high) ? p->longer : p->recent) ^ low;
}

/* Those bits are there that a small number has, with its sign. */
static inline uint16_t predict_symbol(uint16_t known)
{
    return (uint16_t)(((known & SYMBOL) ^ SYMBOL_SIGN) - SYMBOL_SIGN);
}

/* The same as `known & SURE && symbol == predict_symbol(known)`, in less time. */
static inline uint8_t predict_certain(uint16_t known, uint16_t symbol)
{
    return (known & SURE) && ((uint16_t)(symbol + SYMBOL_SIGN) ^ known) == (SURE | SYMBOL_SIGN);
}

static __attribute__((noinline)) void predict_history(struct predictor *p, uint8_t what)
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

/* Where the vector of an interrupt tells it, the timer stood at its compare register (TARDIS, 3.6). A log begins with
 * how many such there are; then for each the vector with these bits, and the low byte of the register's address. */
enum { COMPARES = 4, COMPARE_VECTOR = 0x3f, COMPARE_HIGH = 0x40 /* the address is above 0x100 */, COMPARE_WIDE = 0x80 };
enum {
    COMPARE_CONTROL = 0x10,
    COMPARE_CAPTURES = 0x0100
}; /* above 0x100: so far before it, with this bit for captures */

static inline void predict_compare(struct predictor *p, uint8_t wide, uint16_t value)
{
    if (wide)
        p->wide = value;
    else
        p->narrow = value;
}

/* ---- how a read is coded that was not certain ---- */

/* Differences with the sign in the lowest bit: 0, -1, 1, -2... and back. */
static inline uint16_t folded(uint16_t difference)
{
#ifdef __MSP430__ /* its compiler makes many shifts of this */
    __asm__("rla %0\n\tjnc 1f\n\tinv %0\n1:" : "+r"(difference)::"cc");
    return difference;
#else
    uint16_t twice = (uint16_t)(difference << 1);
    return difference & 0x8000 ? (uint16_t)~twice : twice;
#endif
}

static inline uint16_t unfolded(uint16_t number)
{
    return number >> 1 ^ (number & 1 ? 0xffff : 0);
}

/* ---- probabilities ---- */

/* That of a one, of 256: each decision takes it nearer to what came by a 16th, rounded, so that it comes near to 0
 * or 1. */

/* Of a number: three trees, whose places 0 hold the decision before them, and the bit behind the first. */
enum { NUMBER_SHORT = 0, NUMBER_MIDDLE = 2, NUMBER_LONG = 5, NUMBER_FIRST = 13, NUMBER = 16 };
enum { RECENT_VECTORS = 4, POSITIONS = 32, FRESH = 16, PLACES = 13, EXPECTED = 16, EXPECTED_ONCE = 0x40 };
enum { WAYS = 16, WAY_INSIDE = 0x80 /* and a count; else a place */ };
enum { NOTHING, NO, YES }; /* as expected */
enum { NO_VECTOR = 0xff };
/* Up to STEP_UNSURE, by the class of the read. */
enum { STEP_UNSURE = 3, STEP_WRONG, STEP_INTERRUPT, STEP_OTHER, STEPS };
enum { CONTEXT_POSITIONS = 4, CONTEXT_LIKELY = 0x04, CONTEXTS = 0x20 };
enum { OTHER_NOTHING, OTHER_MARK, OTHER_WRAPPED, OTHER_ANEW /* the coder begins anew */ };
enum { AT_CODE, AT_LIBRARY, AT_INSIDE }; /* an interrupt */
enum { CHECK_EVERY = 64 };               /* steps that are not to something unsure */

/* Where an interrupt came in code. */
struct place {
    uint16_t address, count, sp;
};

struct model {
    uint8_t unsure[EXPECTED];               /* is next, by where the step before has led */
    uint8_t wrong[STEPS], interrupt[STEPS]; /* and by what it was */
    uint8_t expect[4];                      /* by how often it came before */
    uint8_t at_once, lengths[NUMBER];       /* no length; else one less than it */
    uint8_t right[CONTEXTS];                /* by the position, the site's class, and whether it was the last time */
    uint8_t timer[4][NUMBER];               /* differences, by width and whether they were sure */
    uint8_t wide[NUMBER];                   /* and of the stack pointer, one less */
    uint8_t vector[2][RECENT_VECTORS];
    uint8_t where[2], other[4];
    uint8_t same[2]; /* place as before, in code and in the recorder */
    uint8_t count[NUMBER];
    uint8_t known, level;             /* address; stack pointer as it was there */
    uint8_t again[CONTEXT_POSITIONS]; /* data and state of 8 bits, as at this position before */
    uint8_t fresh[FRESH];             /* and the upper half of one that is not */
    /* probabilities up to here */
    uint8_t vectors[RECENT_VECTORS]; /* the latest first */
    uint8_t literals[POSITIONS];     /* where nothing was certain, by the position */
    struct place places[PLACES];     /* each address once */
    uint8_t ways[WAYS];              /* where an interrupt came last, by its vector and the events before */
    uint8_t oldest;                  /* place, which a new one takes */
    uint8_t before;                  /* step */
    uint8_t steps;
    uint8_t length, as_expected; /* of the step */
    uint8_t context; /* a place in what is expected: an interrupt, over so many reads with how often above */
    uint8_t expected_length[EXPECTED], expected_vector[EXPECTED];
#ifdef CODEC_DECODES
    uint8_t stamped;
#endif
};

/* Whether cycles stand in the place of addresses (stamp_avr.h): numbers, and no stack pointer. */
#ifdef CODEC_DECODES
#define STAMPED(m) ((m)->stamped)
#elif defined MOTET_STAMP
#define STAMPED(m) 1
#elif !defined STAMPED
#define STAMPED(m) 0
#endif
enum { COMPARES_STAMPED = 0x80 }; /* so a log says in its first byte, which counts compare registers */

/* Most steps are to what is unsure, and hardly any to something else. */
static inline void model_begin(struct model *m, struct predictor *p)
{
    volatile uint8_t *bytes = (uint8_t *)m;
    for (uint16_t i = 0; i < sizeof *m; i++)
        bytes[i] = i < offsetof(struct model, interrupt) ? 0xd0 : i < offsetof(struct model, vectors) ? 0x80 : 0;
    bytes = (uint8_t *)p;
    for (uint16_t i = 0; i < sizeof *p; i++)
        bytes[i] = 0;
}

/* What was decoded; an encoder, which knows it, need not work it out. */
#ifdef CODEC_DECODES
#define DECODED(found, given) (found)
#define NOT_ZERO(given)       (given)
#else
#define DECODED(found, given) ((void)(found), (given))
#define NOT_ZERO(given)       1
#endif

struct coder;
static uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit);
/* The topmost bits of a value, which are put behind those of a result: nothing is shifted by so many as a variable
 * says. */
static uint16_t code_raw(struct coder *c, uint8_t bits, uint16_t value, uint16_t result);

#ifndef CODER_ASSEMBLY
static __attribute__((noinline)) uint8_t model_tree(struct coder *c, uint8_t *tree, uint8_t end, uint8_t value)
{
    uint8_t node = 1;
    for (uint8_t mask = end >> 1; mask; mask >>= 1) {
        uint8_t *at = &tree[node];
        node = (uint8_t)(node << 1);
        if (code(c, at, value & mask))
            node++;
    }
    return DECODED(node - end, value);
}
#endif

/* Up to 16 bits: how many there are, then all but the first. How many is told by few decisions: below 2, below 6 or
 * not, then which of these; 13 to 16 are one of them. */
static __attribute__((noinline)) uint16_t model_number(struct coder *c, uint8_t *t, uint16_t value)
{
    uint8_t n = 16, given, bit;
    if (code(c, &t[NUMBER_SHORT], value < 2)) {
        bit = code(c, &t[NUMBER_SHORT + 1], (uint8_t)value) != 0;
        return DECODED(bit, 0);
    }
    if (!(value & 0xff00)) {
        value = (uint16_t)(value << 8);
        n = 8;
    }
    for (; NOT_ZERO(value) && !(value & 0x8000); n--)
        value = (uint16_t)(value << 1);
    if (code(c, &t[NUMBER_MIDDLE], n < 6)) {
        n = model_tree(c, &t[NUMBER_MIDDLE], 4, n - 2);
    } else {
        given = n;
        n = 4 + model_tree(c, &t[NUMBER_LONG], 8, (n < 13 ? n : 13) - 6);
        if (n == 11) {
            uint8_t more = (uint8_t)code_raw(c, 2, (uint16_t)((uint8_t)(given - 13) << 14), 0);
            n += DECODED(more, given - 13);
        }
    }
    t += n < NUMBER - NUMBER_FIRST ? NUMBER_FIRST + n : NUMBER - 1;
    bit = code(c, t, (uint8_t)(value >> 8) & 0x40) != 0;
    return code_raw(c, n, (uint16_t)(value << 2), 2 | bit);
}

/* Puts what was at a place of a list, or is new, before all others. */
static __attribute__((noinline)) void to_front(uint8_t *list, uint8_t place)
{
    for (uint8_t *at = list + place; at != list; at--)
        *at = at[-1];
}

/* One of those seen last, or all its bits. */
static __attribute__((noinline)) uint8_t model_vector(struct coder *c, struct model *m, uint8_t *t, uint8_t value)
{
    uint8_t i = 0;
    while (i < RECENT_VECTORS && code(c, &t[i], m->vectors[i] != value))
        i++;
    if (i == RECENT_VECTORS) {
        uint16_t bits = code_raw(c, 8, (uint16_t)(value << 8), 0);
        value = DECODED((uint8_t)bits, value);
        i--;
    } else {
        value = DECODED(m->vectors[i], value);
    }
    to_front(m->vectors, i);
    return m->vectors[0] = value;
}

/* What was at this position before, or all its bits. Other than was guessed first. */
static uint8_t model_literal(struct coder *c, struct model *m, uint8_t position, uint8_t guess, uint8_t value)
{
    uint8_t *at = &m->literals[position % POSITIONS], before = *at;
    if (before != guess && code(c, &m->again[position % CONTEXT_POSITIONS], value == before)) {
        value = DECODED(before, value);
    } else {
        uint8_t upper = model_tree(c, m->fresh, FRESH, value >> 4);
        uint16_t bits = code_raw(c, 4, (uint16_t)(value << 12), upper);
        value = DECODED((uint8_t)bits, value);
    }
    return *at = value;
}

struct interrupt {
    uint8_t at, vector;
    uint16_t address, count, sp;
    uint16_t hash[2];
};

/* Places are known by how many bytes are before them, so that nothing has to be multiplied. */
static inline struct place *place_at(struct model *m, uint8_t bytes)
{
    return (struct place *)((uint8_t *)m->places + bytes);
}

/* Whether an interrupt came where it did the last time on this way. */
static uint8_t model_same(struct coder *c, struct model *m, uint8_t way, struct interrupt *i)
{
    if (way & WAY_INSIDE) {
        way -= WAY_INSIDE;
        if (!code(c, &m->same[1], i->at == AT_INSIDE && i->count == way))
            return 0;
        i->at = DECODED(AT_INSIDE, i->at);
        i->count = DECODED(way, i->count);
        return 1;
    }
    const struct place *p = place_at(m, way);
    if (!code(c, &m->same[0], i->at == AT_CODE && i->address == p->address && i->count == p->count && i->sp == p->sp))
        return 0;
    i->at = DECODED(AT_CODE, i->at);
    i->address = DECODED(p->address, i->address);
    i->count = DECODED(p->count, i->count);
    i->sp = DECODED(p->sp, i->sp);
    return 1;
}

/* An interrupt's address and stack pointer: one of those seen last, with the stack as it was there then, or all. What
 * is known of that place now. */
static uint8_t model_place(struct coder *c, struct model *m, uint8_t way, struct interrupt *i)
{
    uint8_t found = 0;
    struct place *p = m->places;
    uint16_t sp = place_at(m, way & WAY_INSIDE ? 0 : way)->sp, number;
    for (; found < PLACES - 1 && p->address != i->address; found++)
        p++;
    if (code(c, &m->known, p->address == i->address)) {
        number = code_raw(c, 4, (uint16_t)(found << 12), 0);
        found = DECODED((uint8_t)number % PLACES, found);
        p = DECODED(&m->places[found], p);
        i->address = DECODED(p->address, i->address);
        sp = p->sp;
    } else {
        number = STAMPED(m) ? model_number(c, m->wide, i->address) : code_raw(c, 16, i->address, 0);
        i->address = DECODED(number, i->address);
        p = place_at(m, m->oldest);
        m->oldest = m->oldest ? m->oldest - sizeof *p : (PLACES - 1) * sizeof *p;
    }
    if (code(c, &m->level, i->sp == sp))
        number = 0;
    else
        number = model_number(c, STAMPED(m) ? m->count : m->wide, (uint16_t)(folded((uint16_t)(i->sp - sp)) - 1)) + 1;
    i->sp = DECODED((uint16_t)(sp + unfolded(number)), i->sp);
    p->address = i->address;
    p->count = i->count;
    p->sp = i->sp;
    return (uint8_t)((uint8_t *)p - (uint8_t *)m->places);
}

/* ---- steps ---- */

static inline uint8_t step_to(uint8_t high)
{
    return high >> 5 & 3;
}

/* Where the last step has led: what the next one depends on. */
static inline void model_arrive(struct model *m, const struct predictor *p)
{
    m->context = p->longer % EXPECTED;
}

/* Whether what was expected comes: an interrupt, behind so many reads. */
static __attribute__((noinline)) uint8_t model_comes(struct coder *c, struct model *m, uint8_t length, uint8_t vector)
{
    uint8_t *expected = &m->expected_length[m->context], times = *expected / EXPECTED_ONCE;
    uint8_t after = *expected % EXPECTED_ONCE;
    if (code(c, &m->expect[times], length == after && vector == m->expected_vector[m->context])) {
        if (times < 3)
            *expected += EXPECTED_ONCE;
        m->as_expected = YES;
        m->length = after;
        return 1;
    }
    m->as_expected = NO;
    *expected = after;
    return 0;
}

/* Over so many reads that were certain (m->length then), to what. Where interrupts come again and again in the same
 * place, one is expected there. Up to STEP_UNSURE all are the same here: execution tells them apart. A step that is not
 * to an interrupt has NO_VECTOR. */
static uint8_t model_step(struct coder *c, struct model *m, uint8_t step, uint8_t length, uint8_t vector)
{
    uint8_t span = 0;
    m->length = length;
    m->as_expected = NOTHING;
    if (m->expected_length[m->context] >= EXPECTED_ONCE && model_comes(c, m, length, vector))
        return m->before = STEP_INTERRUPT;
    if (code(c, &m->unsure[m->context], step <= STEP_UNSURE))
        return STEP_UNSURE;
    if (code(c, &m->interrupt[m->before], step == STEP_INTERRUPT))
        step = STEP_INTERRUPT;
    else
        step = code(c, &m->wrong[m->before], step == STEP_WRONG) ? STEP_WRONG : STEP_OTHER;
    if (!code(c, &m->at_once, length == 0))
        span = (uint8_t)(model_number(c, m->lengths, (uint8_t)(length - 1)) + 1);
    m->length = DECODED(span, length);
    return m->before = step;
}

static void model_expect(struct coder *c, struct model *m, struct interrupt *i)
{
    uint8_t at = m->context, vector = m->expected_vector[at];
    if (m->as_expected != YES)
        vector = model_vector(c, m, m->vector[1], i->vector);
    if (m->as_expected == NOTHING && m->length < EXPECTED_ONCE) {
        m->expected_length[at] =
            m->length + (m->expected_length[at] == m->length && m->expected_vector[at] == vector ? EXPECTED_ONCE : 0);
        m->expected_vector[at] = vector;
    }
    i->vector = DECODED(vector, i->vector);
}

static void model_interrupt(struct coder *c, struct model *m, struct predictor *p, struct interrupt *i)
{
    uint8_t *way, inside, code_at;
    uint16_t number;
    model_expect(c, m, i);
    way = &m->ways[(uint8_t)(i->vector ^ p->longer) % WAYS];
    predict_history(p, i->vector);
    model_arrive(m, p);
    if (model_same(c, m, *way, i))
        return;
    inside = code(c, &m->where[0], i->at == AT_INSIDE);
    if (!inside) {
        code_at = code(c, &m->where[1], i->at == AT_CODE);
        i->at = DECODED(code_at ? AT_CODE : AT_LIBRARY, i->at);
    }
    number = model_number(c, m->count, i->count);
    i->count = DECODED(number, i->count);
    if (inside) {
        i->at = DECODED(AT_INSIDE, i->at);
        *way = WAY_INSIDE | (uint8_t)i->count;
        return;
    }
    if (i->at == AT_LIBRARY) {
        number = code_raw(c, 16, i->hash[0], 0);
        i->hash[0] = DECODED(number, 0);
        number = code_raw(c, 16, i->hash[1], 0);
        i->hash[1] = DECODED(number, 0);
    }
    *way = model_place(c, m, *way, i);
}

static uint8_t model_other(struct coder *c, struct model *m, uint8_t other)
{
    return model_tree(c, m->other, 4, other);
}

/* Behind each step that has a length; false if the log was made by other events than these. */
static uint8_t model_check(struct coder *c, struct model *m, uint8_t check)
{
    return ++m->steps % CHECK_EVERY || code_raw(c, 8, (uint16_t)(check << 8), 0) == check;
}

/* A read that was not certain, or is not as was certain: whether it is as was guessed, if that can be; else the
 * difference, of timers and of 16 bits, or what it was. Symbols of 8 bits have no more than these. An encoder has
 * nothing to keep until the end. */
static uint16_t model_read(struct coder *c, struct model *m, struct predictor *p, uint16_t site, uint8_t place,
                           uint16_t symbol)
{
    uint16_t *known = &p->table[place], was = *known;
    uint8_t high = (uint8_t)(site >> 8);
    uint8_t context = p->position % CONTEXT_POSITIONS | (uint8_t)(high & SITE_CLASS) >> 2;
    uint16_t guess = predict_symbol(was);
    if (was & RIGHT_ONCE)
        context |= CONTEXT_LIKELY;
    *known = was & SURE        ? (was & SYMBOL) | RIGHT_ONCE /* it has to be wrong twice */
             : symbol == guess ? was + RIGHT_ONCE
                               : symbol & SYMBOL;
    if (!(was & SURE) && code(c, &m->right[context], symbol == guess)) {
#ifdef CODEC_DECODES
        *known = was + RIGHT_ONCE;
#endif
        return guess;
    }
    if (high == SITE_WOKE) {
        symbol = model_vector(c, m, m->vector[0], (uint8_t)symbol);
    } else if (!site_is_timer(high) && !(high & SITE_WIDE)) {
        symbol = model_literal(c, m, p->position, (uint8_t)guess, (uint8_t)symbol);
    } else {
        uint8_t *t = m->wide;
        uint16_t number = symbol - guess;
        if (site_is_timer(high)) {
            t = m->timer[0];
            if (was & SURE)
                t = m->timer[2];
            if (high & SITE_WIDE)
                t += NUMBER;
        }
        if (!(high & SITE_WIDE))
            number = (uint16_t)(int8_t)number;
        number = guess + unfolded((uint16_t)(model_number(c, t, (uint16_t)(folded(number) - 1)) + 1));
        symbol = DECODED(high & SITE_WIDE ? number : (uint8_t)number, symbol);
    }
#ifdef CODEC_DECODES
    if (!(was & SURE))
        *known = symbol & SYMBOL;
#endif
    return symbol;
}

#endif
