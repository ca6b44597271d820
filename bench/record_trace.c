#include "record_trace.h"

#include <stdlib.h>
#include <string.h>

#include <motet/motet.h>
#include <motet/watch.h>

#include "bench.h"

/* ---- the firmware's layout ---- */

enum entry { READ8, READ16, POINTER8, POINTER16, BLOCK, WRAPPED, ENTER, ENTRIES };
static const char *const entries[ENTRIES] = {"motet_read8", "motet_read16",  "motet_pointer8",  "motet_pointer16",
                                             "motet_block", "motet_wrapped", "motet_enter_work"};

struct layout {
    bool avr;
    uint32_t entry[ENTRIES];
    uint32_t stubs, library, constants; /* byte addresses */
    uint32_t count, uncounted;          /* data addresses */
    unsigned registers;                 /* data addresses below are registers */
};

struct watched {
    struct layout *layout;
    struct trace *trace;
};

static bool find_code(const motet_machine *m, const char *name, uint32_t *address)
{
    struct motet_error e;
    return motet_machine_find(m, name, address, 1, &e) || bench_wrong("%s", e.text);
}

static bool find_layout(const motet_machine *m, struct layout *l)
{
    const char *name;
    unsigned size;
    uint32_t bytes;
    l->avr = motet_machine_register(m, 32, &name, &size); /* SREG: an MSP430 has 16 */
    l->registers = l->avr ? 0x100 : 0x200;
    for (unsigned i = 0; i < ENTRIES; i++)
        if (!find_code(m, entries[i], &l->entry[i]))
            return false;
    if (!find_code(m, "motet_stubs", &l->stubs) || !find_code(m, "motet_library", &l->library))
        return false;
    if (l->avr && !find_code(m, "__ctors_start", &l->constants))
        return false;
    return motet_machine_variable(m, "motet_count", &l->count, &bytes) &&
                   motet_machine_variable(m, "motet_uncounted", &l->uncounted, &bytes)
               ? true
               : bench_wrong("no motet_count");
}

static unsigned argument(const motet_node *n, const struct layout *l, unsigned number)
{
    if (!l->avr)
        return motet_node_register(n, 12 + number);
    return motet_node_register(n, 24 - 2 * number) | motet_node_register(n, 25 - 2 * number) << 8;
}

static unsigned word_at(const motet_node *n, uint32_t address)
{
    uint8_t bytes[2] = {0};
    motet_node_peek(n, address, bytes, sizeof bytes);
    return bytes[0] | (unsigned)bytes[1] << 8;
}

/* ---- events ---- */

static struct trace_event *add(struct trace *t, const motet_node *n, enum trace_kind kind)
{
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 4096;
        t->events = realloc(t->events, t->room * sizeof *t->events);
        if (!t->events)
            abort();
    }
    struct trace_event *e = &t->events[t->count++];
    *e = (struct trace_event){.kind = (uint8_t)kind, .cycle = motet_node_cycles(n)};
    return e;
}

static void read_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct watched *w = context;
    const struct layout *l = w->layout;
    unsigned late = l->avr ? 6 : 4, size = pc - late == l->entry[READ16] ? 2 : 1, all = size == 1 ? 0xff : 0xffff;
    (void)after;
    struct trace_event *e = add(w->trace, n, TRACE_READ);
    e->size = (uint8_t)size;
    e->live = (uint16_t)(argument(n, l, 1) & all);
    e->value = (uint16_t)(argument(n, l, 0) & e->live);
    e->site = (uint16_t)argument(n, l, 2);
}

static void pointer_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct watched *w = context;
    const struct layout *l = w->layout;
    unsigned late = l->avr ? 6 : 4, at = argument(n, l, 0);
    (void)after;
    if (at >= l->registers)
        return;
    struct trace_event *e = add(w->trace, n, TRACE_READ);
    e->size = pc - late == l->entry[POINTER16] ? 2 : 1;
    e->live = e->size == 1 ? 0xff : 0xffff;
    e->value = word_at(n, at) & e->live;
    e->site = (uint16_t)argument(n, l, 1);
}

static void block_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct watched *w = context;
    unsigned at = argument(n, w->layout, 0), size = argument(n, w->layout, 1), site = argument(n, w->layout, 2);
    (void)pc, (void)after;
    for (unsigned i = 0; i < size; i++) {
        struct trace_event *e = add(w->trace, n, TRACE_BYTE);
        e->site = (uint16_t)site;
        e->size = 1;
        e->live = 0xff;
        e->value = word_at(n, at + i) & 0xff;
    }
}

static void wrap_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct watched *w = context;
    (void)pc, (void)after;
    if (!w->layout->avr || word_at(n, w->layout->count) == 0xff00)
        add(w->trace, n, TRACE_WRAPPED);
}

static bool slept(const motet_node *n, const struct layout *l, uint32_t address)
{
    uint8_t code[4];
    if (!l->avr)
        return argument(n, l, 3) & 0x10; /* CPUOFF */
    return motet_node_code(n, address - 2, code, 4) && code[0] == 0x88 && code[1] == 0x95 && !code[2] && !code[3];
}

static void enter_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct watched *w = context;
    const struct layout *l = w->layout;
    uint32_t address = argument(n, l, 1) * (l->avr ? 2 : 1);
    (void)pc, (void)after;
    bool uncounted = address >= l->library || address < l->constants || (word_at(n, l->uncounted) & 0xff);
    struct trace_event *e = add(w->trace, n,
                                address >= l->stubs && address < l->library ? TRACE_INSIDE
                                : slept(n, l, address)                      ? TRACE_WOKE
                                : uncounted                                 ? TRACE_LIBRARY
                                                                            : TRACE_INTERRUPT);
    e->vector = (uint8_t)argument(n, l, 0);
    e->address = (uint16_t)argument(n, l, 1);
    e->count = (uint16_t)word_at(n, l->count);
    e->hash = (uint32_t)(e->cycle * 2654435761u);
}

static void put_probes(motet_node *n, struct watched *w)
{
    const struct layout *l = w->layout;
    unsigned late = l->avr ? 6 : 4;
    motet_probed *const probes[ENTRIES] = {read_probed,  read_probed, pointer_probed, pointer_probed,
                                           block_probed, wrap_probed, enter_probed};
    for (unsigned i = 0; i < ENTRIES; i++) {
        uint32_t at = l->entry[i] + (i == ENTER ? 0 : late);
        motet_probe(n, at, at, MOTET_BEFORE, probes[i], w);
    }
}

/* ---- runs ---- */

static bool run(const struct trace_run *r, motet_machine *m, struct trace *traces)
{
    struct motet_error e;
    struct motet_medium medium;
    struct layout layout = {0};
    struct watched watched[TRACE_NODES];
    motet_medium_default(&medium);
    medium.model = MOTET_MODEL_DISK;
    medium.range = 30;
    if (!find_layout(m, &layout))
        return false;
    motet_network *network = motet_network_new(r->seed, 1, &medium, &e);
    for (unsigned i = 0; network && i < r->nodes; i++) {
        struct motet_place p = {
            .id = i, .x = i % 3, .y = i / 3, .boot = i * UINT64_C(37000000), .drift = (double)(i * 7 % 20) - 10};
        motet_node *n = motet_network_add(network, m, &p, &e);
        uint32_t at, size;
        if (!n || (motet_machine_variable(m, "node_id", &at, &size) && !motet_node_set(n, "node_id", i, &e))) {
            motet_network_free(network);
            return bench_wrong("%s", e.text);
        }
        watched[i] = (struct watched){&layout, &traces[i]};
        put_probes(n, &watched[i]);
    }
    if (!network)
        return bench_wrong("%s", e.text);
    motet_network_run(network, (uint64_t)(r->seconds * 1e9));
    for (unsigned i = 0; i < r->nodes; i++)
        traces[i].cycles = motet_node_cycles(motet_network_at(network, i));
    motet_network_free(network);
    return true;
}

bool trace_record(const struct trace_run *r, struct trace traces[TRACE_NODES])
{
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_error e;
    memset(traces, 0, TRACE_NODES * sizeof *traces);
    options.board = r->board;
    motet_machine *m = motet_machine_load(r->path, &options, &e);
    bool good = m ? run(r, m, traces) : bench_wrong("%s: %s", r->path, e.text);
    motet_machine_free(m);
    return good;
}

void trace_free(struct trace traces[TRACE_NODES])
{
    for (unsigned i = 0; i < TRACE_NODES; i++)
        free(traces[i].events);
}
