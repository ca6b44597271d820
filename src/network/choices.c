#include "network/choices.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "network/internal.h"
#include "part/frame154.h"

static const char *const choice_names[CHOICE_SOURCES] = {"frame", "hold",    "busy",   "reset",  "power",  "death",
                                                         "boot",  "preempt", "sensor", "serial", "foreign"};

const char *choice_source_name(enum choice_source s)
{
    return choice_names[s];
}

bool choice_source_named(const char *name, enum choice_source *s)
{
    for (unsigned i = 0; i < CHOICE_SOURCES; i++)
        if (strcmp(name, choice_names[i]) == 0) {
            *s = (enum choice_source)i;
            return true;
        }
    return false;
}

/* ---- tables ---- */

void choices_free(struct choices *c)
{
    free(c->list);
    *c = (struct choices){.list = NULL};
}

static int choices_order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

int choices_compare(const struct choice *a, const struct choice *b)
{
    int order = choices_order(a->source, b->source);
    order = order ? order : choices_order(a->node, b->node);
    order = order ? order : choices_order(a->other, b->other);
    return order ? order : choices_order(a->ordinal, b->ordinal);
}

/* The place of a name: the first not before it. */
static size_t choices_index(const struct choices *c, const struct choice *name)
{
    size_t low = 0, high = c->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (choices_compare(&c->list[middle], name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct choice *choices_find(const struct choices *c, const struct choice *name)
{
    size_t i = choices_index(c, name);
    return i < c->count && choices_compare(&c->list[i], name) == 0 ? &c->list[i] : NULL;
}

void choices_set(struct choices *c, const struct choice *one)
{
    size_t i = choices_index(c, one);
    if (i == c->count || choices_compare(&c->list[i], one) != 0) {
        c->list = memory_grow(c->list, &c->room, c->count, sizeof *c->list);
        memmove(c->list + i + 1, c->list + i, (c->count - i) * sizeof *c->list);
        c->count++;
    }
    c->list[i] = *one;
}

uint32_t choices_answer(void *table, const struct choice *c)
{
    const struct choice *found = choices_find(table, c);
    return found && found->outcome < c->outcome ? found->outcome : 0;
}

/* ---- in a network ---- */

void network_choose(struct network *n, const struct chooser *by)
{
    n->chooser = by;
    for (uint32_t i = 0; i < n->count; i++)
        n->members[i]->node->chooser = by;
}

uint64_t network_disturbed(const struct network *n)
{
    return n->disturbed;
}

void network_set_disturbed(struct network *n, uint64_t at)
{
    n->disturbed = at;
}

enum { CHOICES_LEAD = 20000 }; /* nanoseconds from now, since a node may have run on to the end of an instruction */

/* The medium is busy for every radio that hears it, in whichever channel. */
static void choices_busy(struct network *n, uint32_t number, enum busy_kind kind, uint32_t microseconds)
{
    uint64_t begin = n->now + CHOICES_LEAD;
    n->disturbed = n->now;
    float dbm = kind == BUSY_FAINT ? NETWORK_FAINT_DBM : NETWORK_BUSY_DBM;
    struct interference i = {begin, begin + UINT64_C(1000) * microseconds, 0, dbm};
    n->due_count = 0;
    exchange_interfere(n, n->members[number], &i);
    exchange_take_in(n->members[number]);
    exchange_reschedule(n, n->members[number]);
}

/* ---- foreign frames ---- */

enum { FOREIGN_BEFORE = 6, FOREIGN_HEADER = 9, FOREIGN_CHECK = 2, FOREIGN_LONGEST = 100 /* bytes of contents */ };

static uint32_t choices_foreign_draw(uint32_t *state)
{
    *state = *state * UINT32_C(747796405) + UINT32_C(2891336453); /* PCG's step */
    uint32_t word = (*state >> (*state >> 28 & 15)) ^ *state;
    return (word * UINT32_C(277803737)) >> 8;
}

/* A broadcast of IEEE 802.15.4 to every network, as another application in the same channel sends it. Many contents are
 * short, and of some bytes most are small, as the fields of protocols are. */
size_t choice_foreign_frame(uint32_t outcome, uint8_t bytes[CHOICE_FOREIGN_BYTES])
{
    static const uint8_t header[] = {0x41, 0x88, 0, 0xff, 0xff, 0xff, 0xff, 0, 0};
    uint32_t state = outcome;
    uint16_t check = 0;
    bool small = choices_foreign_draw(&state) % 2;
    uint32_t most = choices_foreign_draw(&state) % 2 ? FOREIGN_LONGEST : 16;
    size_t count = FOREIGN_HEADER + choices_foreign_draw(&state) % (most + 1), at = FOREIGN_BEFORE;
    memset(bytes, 0, FOREIGN_BEFORE);
    bytes[4] = 0xa7; /* the start delimiter */
    bytes[5] = (uint8_t)(count + FOREIGN_CHECK);
    for (size_t i = 0; i < count; i++, at++) {
        uint32_t draw = choices_foreign_draw(&state);
        bytes[at] = (uint8_t)(small && draw >> 8 & 3 ? draw % 8 : draw);
        if (i < sizeof header && i != 2 && i != 7 && i != 8) /* but for sequence number and source */
            bytes[at] = header[i];
        check = frame154_crc(check, bytes[at]);
    }
    bytes[at++] = (uint8_t)check;
    bytes[at++] = (uint8_t)(check >> 8);
    return at;
}

static void choices_foreign(struct network *n, uint32_t number, uint32_t outcome)
{
    uint8_t bytes[CHOICE_FOREIGN_BYTES];
    size_t count = choice_foreign_frame(outcome, bytes);
    n->disturbed = n->now;
    n->due_count = 0;
    exchange_foreign(n, n->members[number], n->now + CHOICES_LEAD, bytes, count, NETWORK_BUSY_DBM);
    exchange_take_in(n->members[number]);
    exchange_reschedule(n, n->members[number]);
}

static void choices_delay(struct network *n, struct member *m, uint32_t microseconds)
{
    if (node_now(m->node) || m->node->state->instructions)
        return;
    m->clock.base_tick += UINT64_C(1000) * microseconds;
    m->node->changed = true;
    exchange_reschedule(n, m);
}

static bool choices_do_for_all(struct network *n, const struct choice *c)
{
    struct choice one = *c;
    for (uint32_t i = 0; i < n->count; i++) {
        one.node = n->members[i]->node->id;
        network_do(n, &one);
    }
    return true;
}

bool network_do(struct network *n, const struct choice *c)
{
    uint32_t number;
    if (c->node == CHOICE_ALL && c->source == CHOICE_BUSY)
        return choices_do_for_all(n, c);
    if (!network_find(n, c->node, &number))
        return false;
    bool there = network_alive(n, number);
    switch (c->source) {
    case CHOICE_BUSY:
        if (there)
            choices_busy(n, number, (enum busy_kind)c->other, c->outcome);
        break;
    case CHOICE_FOREIGN:
        if (there)
            choices_foreign(n, number, c->outcome);
        break;
    case CHOICE_RESET: network_reset(n, number); break;
    case CHOICE_POWER: network_boot(n, number); break;
    case CHOICE_DEATH: network_kill(n, number); break;
    case CHOICE_BOOT: choices_delay(n, n->members[number], c->outcome); break;
    case CHOICE_SERIAL: n->disturbed = n->now; break;
    default: break;
    }
    return true;
}
