/* Compare registers that tell where a timer stood when its interrupt came (target/recorder/predict.h): a log of the
 * codecs motet and bits begins with them. Include predict.h first.
 */
#ifndef RECORD_DECODER_COMPARES_H
#define RECORD_DECODER_COMPARES_H

#include "record/decoder.h"

struct compares {
    uint8_t count, list[COMPARES][2];
};

/* After their number has been taken; more than there can be are passed over. */
static inline void compares_load(struct compares *c, struct decoder *d, const struct log_part *p, unsigned count)
{
    c->count = (uint8_t)(count < COMPARES ? count : COMPARES);
    for (unsigned i = 0; i < 2 * count && d->at < p->size; i++) {
        uint8_t byte = p->bytes[d->at++];
        if (i < 2 * COMPARES)
            c->list[i / 2][i % 2] = byte;
    }
}

static inline unsigned compares_word_at(const uint8_t *data, size_t size, unsigned at)
{
    return at + 1u < size ? data[at] | (unsigned)data[at + 1] << 8 : 0;
}

/* The interrupt of a vector comes, with this in data memory. */
static inline void compares_expect(const struct compares *c, struct predictor *p, uint8_t vector, const uint8_t *data,
                                   size_t size)
{
    for (unsigned i = 0; i < c->count; i++) {
        unsigned what = c->list[i][0], at = c->list[i][1] | (what & COMPARE_HIGH ? 0x100u : 0);
        uint8_t wide = (what & COMPARE_WIDE) != 0;
        if ((what & COMPARE_VECTOR) != vector) /* as the recorder compares them */
            continue;
        if (!(what & COMPARE_HIGH) || !(compares_word_at(data, size, at - COMPARE_CONTROL) & COMPARE_CAPTURES))
            predict_compare(p, wide, (uint16_t)(compares_word_at(data, size, at) & (wide ? 0xffff : 0xff)));
    }
}

#endif
