/* The events of a log of codec `words`, one after the other, as execution asks for them
 * (target/recorder/words.h).
 *
 * Invariant: a reader is plain data and never goes past the end of its part. For any bytes, every call ends with an
 * event, an end or a difference that it names.
 */
#ifndef RECORD_WORDS_H
#define RECORD_WORDS_H

#include <stdbool.h>

#include "../../target/recorder/words.h"
#include "record/log.h"

enum words_kind {
    WORDS_IS_END,
    WORDS_IS_READ,
    WORDS_IS_INTERRUPT,
    WORDS_IS_BLOCK,
    WORDS_IS_BEGIN,
    WORDS_IS_FROZEN,
    WORDS_IS_LOST,
    WORDS_IS_DAMAGED, /* no event begins so */
    WORDS_IS_CHANGED, /* the events so far are not those that the recorder made its check of */
};

struct words_reader {
    struct words_guess guess;
    uint32_t at;    /* bytes of the part taken */
    uint8_t kind;   /* enum words_kind of what is next */
    uint8_t run;    /* of a read: how many as guessed are left; 0: it is not as guessed */
    uint16_t begin; /* of a beginning: the check of the variables */
    uint64_t events, interrupts, verified;
    struct words_place place; /* of an interrupt */
};

void words_begin(struct words_reader *r, const struct log_part *p);

/* Each takes what is next; false if that is of another kind, or (memory) of another size. */
bool words_read(struct words_reader *r, const struct log_part *p, uint32_t address, uint32_t *value);
bool words_block(struct words_reader *r, const struct log_part *p, uint8_t *bytes, uint32_t size);
void words_take(struct words_reader *r, const struct log_part *p); /* an interrupt, a beginning */

/* A freeze or a gap is next, which is no event. Looks at the check after it, if there is one: then what is next is
 * WORDS_IS_CHANGED, or all events are verified. */
void words_end(struct words_reader *r, const struct log_part *p);

#endif
