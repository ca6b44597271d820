/* Codecs: how the events of a log are coded, as a struct of functions.
 *
 * `begin` and `advance` leave the next event in decoder.next; of a read only that it is one. `read` and `block` decode
 * its value; where the log ends within, they set decoder.next to LOG_END and return false.
 */
#ifndef RECORD_DECODER_CODEC_H
#define RECORD_DECODER_CODEC_H

#include "record/decoder.h"

struct decoder_codec {
    void (*begin)(struct decoder *d, const struct log_part *p);
    void (*advance)(struct decoder *d, const struct log_part *p);
    bool (*read)(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, unsigned live,
                 unsigned *value);
    bool (*block)(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, uint8_t *bytes);
    void (*wake)(struct decoder *d, const struct log_part *p); /* NULL: interrupts that end sleep are as all others */
    void (*expect)(struct decoder *d, const uint8_t *data, size_t size); /* NULL: nothing depends on data memory */
};

/* A check of the log: it has one value, and the events decoded so far come to another, or the same. */
static inline bool decoder_checked(struct decoder *d, unsigned has, unsigned come_to)
{
    if (has == come_to)
        d->verified = d->events;
    else
        d->next = (struct log_event){.kind = LOG_CHANGED, .site = UINT32_MAX};
    return has == come_to;
}

extern const struct decoder_codec decoder_plain, decoder_motet, decoder_tardis, decoder_bits;

#endif
