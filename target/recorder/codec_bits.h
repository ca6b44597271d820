/* The bits codec: guesses as the motet codec has them, and what was not certain as bits, without probabilities.
 *
 * Shared by the node, which encodes (codec_bits.c), and replay (src/record/decoder_bits.c), which decodes. A log begins
 * with compare registers, as predict.h says. Then it is a sequence of *steps*, bits with the highest of each byte
 * first:
 *
 *   1            to the next read about which nothing is certain. 1: it is as was guessed; 0: and then what it was
 *   01           to an interrupt
 *   001 LENGTH   to a read that is not as was certain, over so many that were: what it was
 *   000 OTHER    in two bits: over MOST_HITS reads that were certain; or LENGTH, and then a notice (4 bits and 16), or
 *                that the count has wrapped; or that the rest of this byte is empty
 *
 * What a read of 8 bits was: if another byte came at its position last, 1 if it is that again, else 0; then 8 bits. Of
 * timers and of 16 bits a number: the difference to what was guessed, folded, less one.
 *
 * An interrupt: 1 if all of it is as it was at this place in the history last time; 01 if all but the count and the
 * address is, and these two as numbers; 00 and all fields as numbers: where, the stack pointer, the length, the count,
 * the address. All but the count and the length are differences to those at this place last time, folded. One in the
 * recorder has neither address nor stack pointer, and leaves those of its place. In code that does not count, 32 bits
 * of hash follow, in any case.
 *
 * A number of up to 16 bits, each kind of which has a usual length, up to 15, that follows what comes: with no more
 * bits than usual, 1 and as many as usual; else as many zeros as it has more, then its bits, the first of which is a
 * one. Invariant: both sides do the same with the same events.
 */
#ifndef CODEC_BITS_H
#define CODEC_BITS_H

#include "predict.h"

enum { BITS_OTHER_NOTHING, BITS_OTHER_NOTICE, BITS_OTHER_WRAPPED, BITS_OTHER_ANEW };
/* Fields of an interrupt. The first has the vector, and below it the lowest bits of its kind in the ring; in the
 * recorder there is neither address nor stack pointer. */
enum { FIELD_WHERE, FIELD_SP, FIELD_LENGTH, FIELD_COUNT, FIELD_ADDRESS, FIELDS };
enum { BITS_AT = 3, BITS_AT_INSIDE = EVENT_INSIDE & BITS_AT, BITS_AT_LIBRARY = EVENT_LIBRARY & BITS_AT };
enum { BITS_AT_CODE = EVENT_INTERRUPT & BITS_AT };
/* Kinds of numbers: fields, reads of timers of 8 and of 16 bits, other reads of 16 bits. */
enum { NUMBER_NARROW = FIELDS, NUMBER_TIMER, NUMBER_WIDE, NUMBERS };
enum { BITS_PLACES = 128, BITS_POSITIONS = 32, BITS_EXPECTED = 8, BITS_MOST_HITS = 255, BITS_MOST_USUAL = 15 };
/* Waking up is a read of 16 bits. */
enum { BITS_WAKE = (SITE_WIDE | SITE_WOKE) << 8 | 0x1e };

struct bits_model {
    uint8_t hits;    /* reads since the last step, all of them as was certain */
    uint8_t context; /* where the last step has led */
    uint8_t usual[NUMBERS];
    struct predictor predictor;
    uint8_t literals[BITS_POSITIONS];
    uint16_t expected[BITS_EXPECTED][FIELDS];
};

/* The encoder's memory: first what is small, where assembly reaches it (bits_avr.S). */
struct bits_coder {
    uint16_t left;        /* reads that are still to come of a unit that stands for several, or of those after it */
    uint16_t site, value; /* of the last read, as in the ring */
    uint8_t byte, used;   /* the bits that are no whole byte yet, from its top; how many. On MSP430 after a one */
    uint8_t at;           /* the next of those reads is this byte of the unit; BITS_COUNTED: one more than the last */
    struct bits_model model;
};
enum { BITS_COUNTED = 8 };

/* A step has led here. */
static inline void bits_arrive(struct bits_model *m)
{
    m->hits = 0;
    m->context = m->predictor.longer % BITS_EXPECTED;
}

/* A field of an interrupt that is not as expected is told, by how it differs from what was, or as it is. */
static inline uint8_t bits_has_field(uint8_t field, uint8_t at)
{
    return at != BITS_AT_INSIDE || (field != FIELD_ADDRESS && field != FIELD_SP);
}
static inline uint8_t bits_field_differs(uint8_t field)
{
    return field != FIELD_COUNT && field != FIELD_LENGTH;
}

/* An interrupt counts for the check, as the sum of its fields. */
static inline void bits_note_fields(struct bits_model *m, const uint16_t *is)
{
    uint16_t sum = 0;
    for (unsigned i = 0; i < FIELDS; i++)
        sum += is[i];
    m->predictor.check = event_note(m->predictor.check, sum);
}

/* What the table of guesses has after this. */
static inline uint16_t bits_learn(uint16_t known, uint16_t symbol)
{
    return known & SURE                      ? (known & SYMBOL) | RIGHT_ONCE /* it has to be wrong twice */
           : symbol == predict_symbol(known) ? known + RIGHT_ONCE
                                             : symbol & SYMBOL;
}

/* The kind of number that tells a read. */
static inline uint8_t bits_number_of(uint8_t high)
{
    return !(high & SITE_WIDE) ? NUMBER_NARROW : site_is_timer(high) ? NUMBER_TIMER : NUMBER_WIDE;
}

#endif
