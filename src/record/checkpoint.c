#include "record/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"

/* As in target/recorder/recorder.h. */
enum { SAVED_FILL = 0x80, SAVED_REGISTERS = 0xfd, SAVED_AT = 0xfe, SAVED_END = 0xff };
enum { SPACE = 0x10000 };

/* What one says, gathered. */
struct contents {
    uint8_t bytes[SPACE];
    uint8_t known[SPACE];
    uint8_t registers[256]; /* as in the log */
    unsigned first, count, register_bytes;
    unsigned block_bits;
    uint32_t digest;
};

struct reader {
    const uint8_t *at;
    size_t left;
    bool bad;
};

static unsigned take(struct reader *r)
{
    if (!r->left) {
        r->bad = true;
        return 0;
    }
    r->left--;
    return *r->at++;
}

static void put(struct contents *c, uint32_t *at, unsigned byte)
{
    if (*at < SPACE) {
        c->bytes[*at] = (uint8_t)byte;
        c->known[*at] = 1;
    }
    ++*at;
}

static unsigned register_bytes(const struct isa *isa, unsigned first, unsigned count)
{
    unsigned bytes = 0;
    for (unsigned i = first; i < first + count && i < isa->registers; i++)
        bytes += isa->register_size(i);
    return bytes;
}

static bool read_all(const struct log_stream *s, const struct isa *isa, struct contents *c)
{
    struct reader r = {s->bytes, s->size, false};
    uint32_t at = SPACE;
    memset(c, 0, sizeof *c);
    while (!r.bad) {
        unsigned what = take(&r);
        if (r.bad)
            break;
        if (what == SAVED_END) {
            c->block_bits = take(&r);
            for (unsigned i = 0; i < 4; i++)
                c->digest |= (uint32_t)take(&r) << 8 * i;
            return !r.bad && c->block_bits < 16;
        }
        if (what == SAVED_AT) {
            at = take(&r);
            at |= take(&r) << 8;
        } else if (what == SAVED_REGISTERS) {
            c->first = take(&r);
            c->count = take(&r);
            c->register_bytes = register_bytes(isa, c->first, c->count);
            if (c->first + c->count > isa->registers || c->register_bytes > sizeof c->registers)
                return false;
            for (unsigned i = 0; i < c->register_bytes; i++)
                c->registers[i] = (uint8_t)take(&r);
        } else if (what >= SAVED_FILL) {
            unsigned byte = take(&r);
            for (unsigned i = 0; i <= what - SAVED_FILL; i++)
                put(c, &at, byte);
        } else {
            for (unsigned i = 0; i <= what; i++)
                put(c, &at, take(&r));
        }
    }
    return false;
}

/* Two sums over each block of known memory, joined; as target/recorder/checkpoint.h makes them. */
static uint32_t digest_of_memory(const struct contents *c, const uint8_t *bytes, uint32_t from)
{
    uint32_t digest = 0, mask = (1u << c->block_bits) - 1;
    for (uint32_t at = from; at < SPACE;) {
        uint16_t a = 0, b = 0;
        if (!c->known[at]) {
            at++;
            continue;
        }
        do {
            a = (uint16_t)(a + bytes[at]);
            b = (uint16_t)((b << 1 | b >> 15) ^ a);
            at++;
        } while (at < SPACE && c->known[at] && (at & mask));
        digest = (digest << 5 | digest >> 27) + (a | (uint32_t)b << 16);
    }
    return digest;
}

static bool lies_within(const struct contents *c, const struct machine *m)
{
    for (size_t at = m->data_size; at < SPACE; at++)
        if (c->known[at])
            return false;
    return true;
}

static uint32_t register_value(const struct contents *c, const struct isa *isa, unsigned number)
{
    unsigned at = register_bytes(isa, c->first, number - c->first), size = isa->register_size(number);
    uint32_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint32_t)c->registers[at + i] << 8 * i;
    return value;
}

/* All of it, or NULL. */
static struct contents *load(const struct log_stream *s, const struct machine *m)
{
    struct contents *c = malloc(sizeof *c);
    if (!c)
        abort();
    if (read_all(s, m->chip->isa, c) && lies_within(c, m) && c->count &&
        digest_of_memory(c, c->bytes, m->chip->ram_start) == c->digest)
        return c;
    free(c);
    return NULL;
}

bool checkpoint_put(const struct log_stream *s, struct node *n)
{
    const struct isa *isa = n->machine->chip->isa;
    struct contents *c = load(s, n->machine);
    if (!c)
        return false;
    for (size_t at = 0; at < n->machine->data_size; at++)
        if (c->known[at])
            n->data[at] = c->bytes[at];
    for (unsigned i = c->first; i < c->first + c->count; i++)
        isa->set_register(n, i, register_value(c, isa, i));
    free(c);
    return true;
}

bool checkpoint_fits(const struct log_stream *s, const struct node *n, uint32_t first, uint32_t last, uint32_t *place)
{
    struct contents *c = load(s, n->machine);
    bool fits = c != NULL;
    *place = 0;
    for (uint32_t at = first; fits && at < last && at < n->machine->data_size; at++)
        if (c->known[at] && n->data[at] != c->bytes[at]) {
            *place = at;
            fits = false;
        }
    free(c);
    return fits;
}

/* Each page of a checkpoint ends with an entry, and the last page with the end. */
bool checkpoint_is_whole(const struct log_stream *s)
{
    enum { END_BYTES = 6 };
    return s->pages > 0 && !s->beyond && s->size >= END_BYTES && s->bytes[s->size - END_BYTES] == SAVED_END;
}
