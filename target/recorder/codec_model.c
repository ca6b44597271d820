/* The motet codec's decisions, taken by an encoder or found by a decoder: the same file does both.
 *
 * code() and code_raw() take a decision (with its probability) or bits and return them. A decoder (CODEC_DECODES),
 * which defines them before it includes this, ignores what it is given and returns what the log has; an encoder has
 * them from coder.h.
 */
#include "codec_motet.h"

#ifndef CODEC_DECODES
#include "coder.h"
#endif

/* What was decoded; an encoder, which knows it, need not work it out. */
#ifdef CODEC_DECODES
#define DECODED(found, given) (found)
#define NOT_ZERO(given)       (given)
#else
#define DECODED(found, given) ((void)(found), (given))
#define NOT_ZERO(given)       1
#endif

#ifndef CODER_ASSEMBLY /* coder.h has it */
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

/* Up to 16 bits: how many there are, then all but the first. How many takes few decisions: below 2, below 6 or not,
 * then which of these; 13 to 16 are one of them. */
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
static __attribute__((noinline)) void model_to_front(uint8_t *list, uint8_t place)
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
    model_to_front(m->vectors, i);
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

/* Places are known by how many bytes are before them, so that nothing has to be multiplied. */
static inline struct place *model_place_at(struct model *m, uint8_t bytes)
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
    const struct place *p = model_place_at(m, way);
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
    uint16_t sp = model_place_at(m, way & WAY_INSIDE ? 0 : way)->sp, number;
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
        p = model_place_at(m, m->oldest);
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

/* Whether what was expected comes: an interrupt, after so many reads. */
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
PRIVATE uint8_t model_step(struct coder *c, struct model *m, uint8_t step, uint8_t length, uint8_t vector)
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

PRIVATE void model_interrupt(struct coder *c, struct model *m, struct predictor *p, struct interrupt *i)
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

PRIVATE uint8_t model_other(struct coder *c, struct model *m, uint8_t other)
{
    return model_tree(c, m->other, 4, other);
}

PRIVATE uint8_t model_check(struct coder *c, struct model *m, uint8_t check)
{
    return ++m->steps % CHECK_EVERY || code_raw(c, 8, (uint16_t)(check << 8), 0) == check;
}

/* A read that was not certain, or is not as was certain: whether it is as was guessed, if that can be; else the
 * difference, of timers and of 16 bits, or what it was. Symbols of 8 bits have no more than these. An encoder has
 * nothing to keep until the end. */
PRIVATE uint16_t model_read(struct coder *c, struct model *m, struct predictor *p, uint16_t site, uint8_t place,
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
