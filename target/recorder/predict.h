/* Guesses of what a read will give, which the codecs motet and bits are built on.
 *
 * Shared by the node, which encodes, and replay, which decodes. A read is a symbol: its live bits, or, of a timer, how
 * far it went since that was read last. A table, addressed by a hash of the site and the events before, holds for each
 * place the symbol that came there last and how often it was right. Invariant: both sides do the same with the same
 * events, so that the tables agree.
 */
#ifndef PREDICT_H
#define PREDICT_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "event.h"

enum {
    PREDICT_PLACES = MOTET_PLACES,
    SYMBOL = 0x3fff, /* of a table's entry; above it, how often that was right, up to twice */
    SYMBOL_SIGN = 0x2000,
    RIGHT_ONCE = 0x4000,
    SURE = 0x8000,
};
/* Sites as in the ring. What they are is all in the high byte, which is what is handed around: `high`. */
enum { SITE_WIDE = 0x80, SITE_CLASS = 0x60, SITE_TIMER = 0x20, SITE_DATA = 0x40, SITE_WOKE = 0x7d };
enum { SITE_WAKE = SITE_WOKE << 8 | 0x1e /* stands for waking up */ };

struct predictor {
    uint8_t recent, longer; /* hashes of the last two events, and of some more */
    uint16_t check;         /* of all events so far (event.h) */
    uint16_t narrow, wide;  /* timers of 8 and 16 bits, as last read */
    uint8_t position;       /* of a read: how many after the last one of a timer */
#ifdef CODEC_DECODES
    uint8_t places; /* of the table, less one */
#endif
    uint16_t table[PREDICT_PLACES];
};

#ifdef CODEC_DECODES
#define PREDICT_LAST(p) ((p)->places)
#else
#define PREDICT_LAST(p) (PREDICT_PLACES - 1)
#endif

static inline uint8_t site_is_timer(uint8_t high)
{
    return (high & SITE_CLASS) == SITE_TIMER;
}

/* Bytes of a frame come after a read of a timer: which of them this is, a byte is guessed by. */
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
    return ((site_is_timer(high) ? p->longer : p->recent) ^ low) & PREDICT_LAST(p);
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

static __attribute__((noinline, unused)) void predict_history(struct predictor *p, uint8_t what)
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
    p->check = event_note(p->check, symbol);
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

#endif
