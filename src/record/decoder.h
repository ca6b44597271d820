/* Decoders: the events of a log, one after the other, as execution asks for them.
 *
 * The content of a log can depend on what is executed (only execution knows which read comes next), so it is decoded in
 * step with execution. Invariant: a decoder is plain data, moves forward only by the calls below and never past the end
 * of its part. For any bytes, every call ends with an event, an end or a difference that it names. Checks (NOTICE_CHECK
 * of target/recorder/event.h) are no events: a decoder compares them and goes on.
 */
#ifndef RECORD_DECODER_H
#define RECORD_DECODER_H

#include "record/log.h"

enum log_kind {
    LOG_END,  /* nothing more is known */
    LOG_READ, /* of a register, or of memory that hardware wrote */
    LOG_WRAPPED,
    LOG_INTERRUPT,
    LOG_NOTICE,
    LOG_DAMAGED, /* no event begins so */
    LOG_CHANGED, /* the events so far are not those that the recorder made its check of */
};

enum log_where {
    LOG_IN_CODE,    /* address and count */
    LOG_IN_LIBRARY, /* and a hash of the registers */
    LOG_INSIDE,     /* the recorder, whose entry was reached with that count */
    LOG_ASLEEP,
};

enum { DECODER_MODEL = 1536 };

enum log_notice { LOG_NOTICE_BEGIN, LOG_NOTICE_GAP, LOG_NOTICE_FROZEN, LOG_NOTICE_CHECKPOINT, LOG_NOTICE_RESET };

struct log_event {
    uint8_t kind;           /* enum log_kind */
    uint8_t where;          /* enum log_where */
    uint8_t vector, notice; /* of a vector the highest bit is that of an address with 17 bits */
    uint16_t address;       /* as the recorder counts them: isa->address_unit bytes each */
    uint16_t count;
    uint16_t sp; /* the stack pointer; 0: the codec does not say */
    uint32_t hash;
    uint16_t value; /* of a notice */
    uint32_t site;  /* of a read, where the codec says it; else UINT32_MAX */
};

/* What the recorder has put into a byte for the vector and a word for the address. */
static inline unsigned log_vector(const struct log_event *e)
{
    return e->vector & 0x7f;
}

static inline uint32_t log_address(const struct log_event *e)
{
    return e->address | (uint32_t)(e->vector & 0x80) << 9;
}

struct decoder {
    uint64_t events, interrupts; /* taken */
    uint64_t verified;           /* of these, those that a check has confirmed */
    uint32_t at;                 /* bytes of the part taken */
    struct log_event next;
    _Alignas(8) uint8_t model[DECODER_MODEL]; /* what the codec has learned */
};

/* Whether the part's codec is one of those below. */
bool decoder_knows(const struct log_part *p);

void decoder_begin(struct decoder *d, const struct log_part *p);

/* Takes the event that is next, unless it is a read. */
void decoder_take(struct decoder *d, const struct log_part *p);

/* The interrupt that is next is about to be taken, with this in data memory. */
void decoder_expect(struct decoder *d, const struct log_part *p, const uint8_t *data, size_t size);

/* Takes a read at a site of `size` bytes' width with these bits live. False: the log has something else. */
bool decoder_read(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, unsigned live,
                  unsigned *value);

/* The CPU sleeps: where only now it can be known which interrupt wakes it, it is put into `next`. */
void decoder_wake(struct decoder *d, const struct log_part *p);

/* Takes memory that hardware has written. */
bool decoder_block(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, uint8_t *bytes);

#endif
