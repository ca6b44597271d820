#include "record/words.h"

#include <string.h>

static uint32_t words_number(const struct log_part *p, uint32_t at, unsigned bytes)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint32_t)p->bytes[at + i] << 8 * i;
    return number;
}

/* Bytes of a token without what its first byte leaves open; 0: there is none that begins so. */
static unsigned words_token_size(uint8_t first)
{
    switch (first) {
    case WORDS_READ_BYTE:
    case WORDS_READ_NEAR:
    case WORDS_AGAIN: return 2;
    case WORDS_READ_FAR:
    case WORDS_BEGIN:
    case WORDS_CHECK: return 3;
    case WORDS_READ_WORD: return 5;
    case WORDS_INTERRUPT: return 17;
    case WORDS_BLOCK:
    case WORDS_FROZEN:
    case WORDS_LOST: return 1;
    default: return first < WORDS_RUN_MOST ? 1 : 0;
    }
}

static enum words_kind words_interrupt(struct words_reader *r, const struct log_part *p)
{
    r->place = (struct words_place){.vector = (uint16_t)words_number(p, r->at + 1, 2),
                                    .count = (uint16_t)words_number(p, r->at + 3, 2),
                                    .cycles = words_number(p, r->at + 5, 4),
                                    .address = words_number(p, r->at + 9, 4),
                                    .sp = words_number(p, r->at + 13, 4)};
    bool possible = r->place.vector >= WORDS_FIRST_VECTOR && r->place.vector < WORDS_VECTORS;
    return possible ? WORDS_IS_INTERRUPT : WORDS_IS_DAMAGED;
}

static enum words_kind words_again(struct words_reader *r, const struct log_part *p)
{
    unsigned vector = p->bytes[r->at + 1];
    r->place = *words_known(&r->guess, vector);
    return r->place.vector == vector && vector >= WORDS_FIRST_VECTOR ? WORDS_IS_INTERRUPT : WORDS_IS_DAMAGED;
}

static enum words_kind words_kind_of(struct words_reader *r, const struct log_part *p)
{
    uint8_t first = r->at < p->size ? p->bytes[r->at] : 0;
    unsigned size = words_token_size(first);
    r->run = 0;
    if (r->at >= p->size || (size && size > p->size - r->at))
        return WORDS_IS_END;
    switch (first) {
    case WORDS_READ_BYTE:
    case WORDS_READ_NEAR:
    case WORDS_READ_FAR:
    case WORDS_READ_WORD: return WORDS_IS_READ;
    case WORDS_INTERRUPT: return words_interrupt(r, p);
    case WORDS_AGAIN: return words_again(r, p);
    case WORDS_BLOCK: return WORDS_IS_BLOCK;
    case WORDS_BEGIN: r->begin = (uint16_t)words_number(p, r->at + 1, 2); return WORDS_IS_BEGIN;
    case WORDS_FROZEN: return WORDS_IS_FROZEN;
    case WORDS_LOST: return WORDS_IS_LOST;
    default: break;
    }
    if (!size)
        return WORDS_IS_DAMAGED;
    r->run = (uint8_t)(first + 1);
    return WORDS_IS_READ;
}

static void words_look(struct words_reader *r, const struct log_part *p)
{
    while (p->size - r->at >= 3 && p->bytes[r->at] == WORDS_CHECK) {
        if (words_number(p, r->at + 1, 2) != r->guess.check) {
            r->kind = WORDS_IS_CHANGED;
            return;
        }
        r->verified = r->events;
        r->at += 3;
    }
    r->kind = (uint8_t)words_kind_of(r, p);
}

void words_begin(struct words_reader *r, const struct log_part *p)
{
    memset(r, 0, sizeof *r);
    words_look(r, p);
}

/* What was next has been taken. */
static void words_taken(struct words_reader *r, const struct log_part *p, uint32_t size)
{
    r->events++;
    r->at += size;
    words_look(r, p);
}

bool words_read(struct words_reader *r, const struct log_part *p, uint32_t address, uint32_t *value)
{
    if (r->kind != WORDS_IS_READ)
        return false;
    uint8_t first = p->bytes[r->at];
    uint32_t last = *words_last(&r->guess, address);
    if (r->run) {
        *value = *words_next(&r->guess, address);
        words_learn_read(&r->guess, address, *value);
        if (--r->run)
            r->events++;
        else
            words_taken(r, p, 1);
        return true;
    }
    if (first == WORDS_READ_BYTE)
        *value = words_number(p, r->at + 1, 1);
    else if (first == WORDS_READ_NEAR)
        *value = last + (uint32_t)(int32_t)(int8_t)words_number(p, r->at + 1, 1);
    else if (first == WORDS_READ_FAR)
        *value = last + (uint32_t)(int32_t)(int16_t)words_number(p, r->at + 1, 2);
    else
        *value = words_number(p, r->at + 1, 4);
    words_learn_read(&r->guess, address, *value);
    words_taken(r, p, words_token_size(first));
    return true;
}

bool words_block(struct words_reader *r, const struct log_part *p, uint8_t *bytes, uint32_t size)
{
    uint32_t at = r->at + 1, done = 0;
    if (r->kind != WORDS_IS_BLOCK)
        return false;
    while (done < size) {
        uint8_t run = at < p->size ? p->bytes[at] : 0;
        uint32_t count = run < 0x80 ? run + 1u : run - 0x80u + 2, given = run < 0x80 ? count : 1;
        if (at >= p->size || given >= p->size - at) { /* the log ends within */
            r->kind = WORDS_IS_END;
            return false;
        }
        if (count > size - done) {
            r->kind = WORDS_IS_DAMAGED;
            return false;
        }
        for (uint32_t i = 0; i < count; i++)
            bytes[done + i] = p->bytes[at + 1 + (run < 0x80 ? i : 0)];
        at += 1 + given;
        done += count;
    }
    words_note(&r->guess, size);
    for (uint32_t i = 0; i < size; i++)
        words_note(&r->guess, bytes[i]);
    words_taken(r, p, at - r->at);
    return true;
}

void words_take(struct words_reader *r, const struct log_part *p)
{
    if (r->kind == WORDS_IS_INTERRUPT) {
        r->interrupts++;
        words_learn_interrupt(&r->guess, &r->place);
    } else if (r->kind == WORDS_IS_BEGIN) {
        words_note(&r->guess, r->begin);
    } else {
        return;
    }
    words_taken(r, p, words_token_size(p->bytes[r->at]));
}

void words_end(struct words_reader *r, const struct log_part *p)
{
    r->at++;
    words_look(r, p);
}
