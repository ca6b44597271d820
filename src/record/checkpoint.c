#include "record/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "../../target/recorder/page.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/map.h"
#include "node/machine.h"
#include "node/node.h"

enum { SPACE = 0x10000 };

/* What one says, gathered. */
struct contents {
    uint8_t bytes[SPACE];
    uint8_t known[SPACE];
    uint8_t registers[256]; /* as in the log */
    unsigned first, register_bytes;
    unsigned block_bits;
    uint32_t digest;
    uint64_t build;
};

struct reader {
    const uint8_t *at;
    size_t left;
    bool bad;
};

static unsigned checkpoint_take(struct reader *r)
{
    if (!r->left) {
        r->bad = true;
        return 0;
    }
    r->left--;
    return *r->at++;
}

static void checkpoint_put_byte(struct contents *c, uint32_t *at, unsigned byte)
{
    if (*at < SPACE) {
        c->bytes[*at] = (uint8_t)byte;
        c->known[*at] = 1;
    }
    ++*at;
}

/* False unless it has an end. */
static bool read_all(const struct log_stream *s, struct contents *c)
{
    struct reader r = {s->bytes, s->size, false};
    uint32_t at = SPACE;
    memset(c, 0, sizeof *c);
    while (!r.bad) {
        unsigned what = checkpoint_take(&r);
        if (what == CHECKPOINT_END) {
            c->block_bits = checkpoint_take(&r);
            for (unsigned i = 0; i < 4; i++)
                c->digest |= (uint32_t)checkpoint_take(&r) << 8 * i;
            for (unsigned i = 0; i < PAGE_BUILD; i++)
                c->build |= (uint64_t)checkpoint_take(&r) << 8 * i;
            return !r.bad && c->block_bits < 16;
        }
        if (what == CHECKPOINT_AT) {
            at = checkpoint_take(&r);
            at |= checkpoint_take(&r) << 8;
        } else if (what == CHECKPOINT_REGISTERS) {
            c->first = checkpoint_take(&r);
            c->register_bytes = checkpoint_take(&r);
            for (unsigned i = 0; i < c->register_bytes; i++)
                c->registers[i] = (uint8_t)checkpoint_take(&r);
        } else if (what >= CHECKPOINT_FILL) {
            unsigned byte = checkpoint_take(&r);
            for (unsigned i = 0; i <= what - CHECKPOINT_FILL; i++)
                checkpoint_put_byte(c, &at, byte);
        } else {
            for (unsigned i = 0; i <= what; i++)
                checkpoint_put_byte(c, &at, checkpoint_take(&r));
        }
    }
    return false;
}

struct sums {
    uint16_t a, b;
};

static void checkpoint_sum(struct sums *s, unsigned byte)
{
    s->a = (uint16_t)(s->a + byte);
    s->b = (uint16_t)((s->b << 1 | s->b >> 15) ^ s->a);
}

/* Sums over the sums of each block of known memory; as target/recorder/checkpoint.c makes them. */
static uint32_t digest_of_memory(const struct contents *c, const uint8_t *bytes, uint32_t from)
{
    struct sums all = {0, 0};
    uint32_t mask = (1u << c->block_bits) - 1;
    for (uint32_t at = from; at < SPACE;) {
        struct sums block = {0, 0};
        if (!c->known[at]) {
            at++;
            continue;
        }
        do
            checkpoint_sum(&block, bytes[at++]);
        while (at < SPACE && c->known[at] && (at & mask));
        checkpoint_sum(&all, block.a & 0xff);
        checkpoint_sum(&all, block.a >> 8);
        checkpoint_sum(&all, block.b & 0xff);
        checkpoint_sum(&all, block.b >> 8);
    }
    return all.a | (uint32_t)all.b << 16;
}

static bool lies_within(const struct contents *c, const struct machine *m)
{
    for (size_t at = m->data_size; at < SPACE; at++)
        if (c->known[at])
            return false;
    return true;
}

static struct contents *read_stream(const struct log_stream *s)
{
    struct contents *c = memory_bytes(sizeof *c);
    if (read_all(s, c))
        return c;
    free(c);
    return NULL;
}

/* All of it, or NULL. */
static struct contents *checkpoint_load(const struct log_stream *s, const struct machine *m)
{
    struct contents *c = read_stream(s);
    if (!c || (lies_within(c, m) && digest_of_memory(c, c->bytes, m->ram->first) == c->digest))
        return c;
    free(c);
    return NULL;
}

bool checkpoint_put(const struct log_stream *s, struct node *n)
{
    const struct isa *isa = n->machine->chip->isa;
    struct contents *c = checkpoint_load(s, n->machine);
    if (!c)
        return false;
    for (size_t at = 0; at < n->machine->data_size; at++)
        if (c->known[at])
            n->data[at] = c->bytes[at];
    for (unsigned i = c->first, at = 0; i < isa->registers && at < c->register_bytes; i++) {
        uint32_t value = 0;
        for (unsigned b = 0; b < isa->register_size(i) && at < c->register_bytes; b++)
            value |= (uint32_t)c->registers[at++] << 8 * b;
        isa->set_register(n, i, value);
    }
    free(c);
    return true;
}

bool checkpoint_fits(const struct log_stream *s, const struct node *n, uint32_t first, uint32_t last,
                     const uint8_t *left_out, uint32_t *place)
{
    struct contents *c = checkpoint_load(s, n->machine);
    bool fits = c != NULL;
    *place = 0;
    for (uint32_t at = first; fits && at < last && at < n->machine->data_size; at++)
        if (c->known[at] && n->data[at] != c->bytes[at] && !(left_out[at / 8] >> (at & 7) & 1)) {
            *place = at;
            fits = false;
        }
    free(c);
    return fits;
}

bool checkpoint_is_whole(const struct log_stream *s, uint64_t *build)
{
    struct contents *c = s->pages ? read_stream(s) : NULL;
    *build = c ? c->build : 0;
    free(c);
    return c != NULL;
}
