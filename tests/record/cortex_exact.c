/* usage: cortex_exact [-n NODES] [-s SEED] [-i LINE] [-x VARIABLE] FIRMWARE BOARD SECONDS LEAST
 * Runs firmware for a Cortex-M that records on simulated nodes: one alone, or NODES in a line, each heard by its
 * neighbours; -i sends random bytes to a serial line of the first, -x names a variable that hardware fills (DMA): there
 * it is earlier than in replay. Takes each node's log from its flash, replays all parts, and compares before every
 * instruction outside the cores of the recorder: all registers of the CPU and its masks; every few instructions the
 * stack and the variables; and at times all of RAM but the recorder's own, dead bytes of the stack included. Fails at
 * any difference, if a replay does not come to the end of its log, and unless LEAST instructions of each node were
 * compared. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pages.h"
#include "board/board.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/cortex/cortex.h"
#include "isa/isa.h"
#include "network/network.h"
#include "node/machine.h"
#include "node/node.h"
#include "record/log.h"
#include "record/replay.h"
#include "recorded.h"

enum { NODES = 16, LIVES = 32, EVERY = 16, EVERYTHING = 8192, CORES = 16, BELOW = 512 };

static const char *const entries[] = {"motet_load8", "motet_load16", "motet_load32", "motet_block",  "motet_boot",
                                      "motet_wfi",   "motet_wfe",    "motet_flush",  "motet_freeze", "motet_enter"};

/* A life of a node: what it was before each instruction. */
struct life {
    uint64_t *states;
    uint32_t *pcs;
    size_t count, room;
};

struct watched {
    struct life lives[LIVES];
    unsigned count;
    uint32_t core; /* that it is in: where it ends; 0: none */
    uint64_t resets;
    uint8_t *flash;
    size_t flash_size;
};

static struct watched nodes[NODES + 1];
static struct {
    uint32_t from, to;
} cores[CORES];
static uint32_t own_first, own_end, variables_end;
static const char *filled; /* by hardware; NULL: nothing is */
static struct {
    uint32_t first, end;
} fillings[4];
static unsigned filling_count;
static const struct isa *real;

static int fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
static int fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "cortex_exact: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    exit(1);
}

static void find_cores(const struct image *image)
{
    unsigned count = 0;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_core", entries[i]);
        const struct image_symbol *from = image_symbol_named(image, name);
        snprintf(name, sizeof name, "%s_end", entries[i]);
        const struct image_symbol *to = image_symbol_named(image, name);
        if (from && to) {
            cores[count].from = from->address & ~1u;
            cores[count++].to = to->address & ~1u;
        }
    }
    const struct image_symbol *own = image_symbol_named(image, "motet_recorder");
    unsigned first, end;
    size_t size;
    const char *facts = (const char *)image_section(image, ".motet.log", 0, &size);
    if (!own || !count || !facts || sscanf(facts, "%*x %*x %x %x", &first, &end) != 2)
        fail("the firmware does not record");
    const struct image_symbol *symbols;
    size_t all = image_symbols(image, &symbols);
    for (size_t i = 0; filled && i < all && filling_count < 4; i++) /* several files may have one of that name */
        if (strcmp(symbols[i].name, filled) == 0) {
            fillings[filling_count].first = symbols[i].address;
            fillings[filling_count++].end = symbols[i].address + symbols[i].size;
        }
    if (filled && !filling_count)
        fail("there is no variable %s", filled);
    own_first = own->address;
    own_end = own->address + own->size;
    variables_end = end;
}

/* ---- what a node is ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static bool is_filled(uint32_t at)
{
    bool filled_there = false;
    for (unsigned i = 0; i < filling_count; i++)
        filled_there |= at + 8 > fillings[i].first && at < fillings[i].end;
    return filled_there;
}

static uint64_t mix_memory(uint64_t h, const struct node *n, uint32_t from, uint32_t to)
{
    const struct region *ram = n->machine->ram;
    const uint8_t *bytes = n->data + ram->backing;
    for (uint32_t at = from & ~7u; at < to; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + (at - ram->first), 8);
        if (!is_filled(at))
            h = mix(h, word);
    }
    return h;
}

static uint64_t state_of(const struct node *n, size_t count)
{
    const struct cortex_cpu *cpu = n->cpu;
    const struct region *ram = n->machine->ram;
    uint64_t h = 1;
    for (unsigned i = 0; i < 16; i++)
        h = mix(h, cpu->r[i]);
    h = mix(h, (uint64_t)cpu->psr << 32 | cpu->other_sp);
    h = mix(h, (uint64_t)cpu->exception << 40 | (uint64_t)cpu->it << 32 | (uint64_t)cpu->primask << 24 |
                   (uint64_t)cpu->basepri << 16 | (uint64_t)cpu->control << 8 | cpu->faultmask);
    for (unsigned i = 0; i < 32; i++)
        h = mix(h, cpu->s[i]);
    if (count % EVERY && count % EVERYTHING)
        return h;
    h = mix_memory(h, n, ram->first, own_first);
    h = mix_memory(h, n, (own_end + 7) & ~7u, variables_end);
    uint32_t low = count % EVERYTHING ? cpu->r[CORTEX_SP] - BELOW : variables_end;
    return mix_memory(h, n, low < variables_end ? variables_end : low, ram->first + ram->size);
}

/* ---- a run that is watched ---- */

static bool is_outside(struct watched *w, uint32_t pc)
{
    if (w->core && pc != w->core)
        return false;
    w->core = 0;
    for (unsigned i = 0; i < CORES; i++)
        if (cores[i].from && cores[i].from == pc)
            w->core = cores[i].to;
    return !w->core;
}

static void watch(const struct node *n)
{
    struct watched *w = &nodes[n->id];
    uint32_t pc = real->pc(n);
    if (!w->count || w->resets != n->state->resets) {
        w->resets = n->state->resets;
        w->core = 0;
        if (w->count == LIVES)
            fail("node %u is reset too often", n->id);
        w->count++;
    }
    struct life *l = &w->lives[w->count - 1];
    if (!is_outside(w, pc))
        return;
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 65536;
        l->states = realloc(l->states, l->room * sizeof *l->states);
        l->pcs = realloc(l->pcs, l->room * sizeof *l->pcs);
        if (!l->states || !l->pcs)
            abort();
    }
    l->pcs[l->count] = pc;
    l->states[l->count] = state_of(n, l->count);
    l->count++;
}

static void run_watched(struct node *n)
{
    watch(n);
    n->horizon = n->state->now + 1;
    real->run(n);
}

static uint32_t any(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 16;
}

static void set_id(struct node *n, uint32_t id)
{
    struct motet_error e = {""};
    if (image_symbol_named(n->machine->image, "node_id") && !node_set_variable(n, "node_id", id, &e))
        fail("%s", e.text);
}

static void take_flash(struct watched *w, const struct node *n)
{
    const struct device *d = n->machine->instructions[INSTRUCTION_PROGRAM].device;
    unsigned first, size;
    size_t length;
    const char *facts = (const char *)image_section(n->machine->image, ".motet.log", 0, &length);
    if (!d || sscanf(facts, "%x %x", &first, &size) != 2)
        fail("there is no flash for the log");
    w->flash_size = size;
    w->flash = malloc(size);
    if (!w->flash)
        abort();
    pages_read(device_pages(n, d), first, w->flash, size);
}

static void record(const char *path, const char *board, double seconds, unsigned count, unsigned seed, int line)
{
    static struct isa isa;
    static struct chip chip;
    struct medium_options medium = medium_default;
    struct motet_error e = {""};
    uint32_t random = seed;
    chip = *board_named(board)->chip;
    real = chip.isa;
    isa = *real;
    isa.run = run_watched;
    chip.isa = &isa;
    struct machine *m = recorded_machine(path, board, &chip, NULL);
    find_cores(m->image);
    medium.model = MEDIUM_UNIT_DISK;
    medium.range = 15;
    struct network *network = network_new(seed, 1, &medium);
    for (uint32_t id = 1; id <= count; id++) {
        struct network_node o = {.id = id, .at = {.x = 10.0 * id}};
        if (seed > 1) {
            o.boot = any(&random) * UINT64_C(20000);
            o.drift = (double)(any(&random) % 100) - 50;
        }
        struct node *n = network_add(network, m, &o, &e);
        if (!n)
            fail("%s", e.text);
        set_id(n, id);
    }
    uint64_t end = (uint64_t)(seconds * (double)NETWORK_SECOND);
    for (uint64_t t = 0; t < end && line >= 0; t += 1000000 + any(&random) % 4096 * 1000) {
        network_run(network, t);
        serial_receive(network_node(network, 0), (unsigned)line, any(&random) % 4 ? any(&random) & 0xff : 0x7e);
        network_touched(network, 0);
    }
    if (network_run(network, end) == NETWORK_ENDED)
        fail("a node ended before its time");
    for (uint32_t id = 1; id <= count; id++)
        take_flash(&nodes[id], network_node(network, id - 1));
    network_free(network);
    machine_free(m);
}

/* ---- replays ---- */

/* How many instructions of the life were as they were, until the log ended; *why: what the replay says. False at a
 * difference. */
static bool compare(const struct machine *m, uint32_t id, const struct life *l, size_t *compared, char why[1024])
{
    struct node *n = node_new(m, id, 7);
    char place[200];
    size_t i = 0;
    bool same = true;
    set_id(n, id);
    for (; same && node_settle(n, UINT64_MAX) && i < l->count; i++) {
        uint32_t pc = m->chip->isa->pc(n);
        same = pc == l->pcs[i] && state_of(n, i) == l->states[i];
        if (!same)
            fprintf(stderr, "node %u: instruction %zu is at %x, was at %x %s, after event %llu\n", id, i, pc, l->pcs[i],
                    image_place(m->image, l->pcs[i], place, sizeof place),
                    (unsigned long long)replay_state_of(n)->decoder.events);
        else
            node_run(n, n->state->now + 1);
    }
    const struct replay_state *s = replay_state_of(n);
    replay_explain(n, why, 1024);
    same = same && s->end != REPLAY_DIFFERS && (s->end != REPLAY_GOES_ON || i == l->count);
    if (same)
        printf("node %u: %zu instructions compared, %llu events, %llu interrupts; %s\n", id, i,
               (unsigned long long)s->decoder.events, (unsigned long long)s->decoder.interrupts, why);
    *compared = i;
    node_free(n);
    return same;
}

static void replay(const char *path, const char *board, uint32_t id, uint64_t least)
{
    struct watched *w = &nodes[id];
    struct motet_error e = {""};
    struct log *log = log_parse("flash", w->flash, w->flash_size, 0, &e);
    if (!log)
        fail("%s", e.text);
    size_t all = 0, bytes = 0;
    unsigned life = 0;
    for (size_t i = 0; i < log->count; i++) {
        char why[1024] = "it fits no life";
        size_t compared = 0;
        bool fits = false;
        struct image *image = image_load(path, &e);
        struct replay *r = replay_new(image, board_named(board)->chip->isa, &log->parts[i], &e);
        if (!r)
            fail("%s", e.text);
        struct machine *m = recorded_machine(path, board, NULL, replay_device(r));
        for (; !fits && life < w->count; life++) /* some leave no log */
            fits = compare(m, id, &w->lives[life], &compared, why);
        if (!fits)
            fail("node %u: part %u is not replayed: %s", id, log->parts[i].number, why);
        all += compared;
        bytes += log->parts[i].size;
        machine_free(m);
        replay_free(r);
        image_free(image);
    }
    printf("node %u: %zu parts, %u pages, %zu bytes\n", id, log->count, log->pages, bytes);
    if (all < least)
        fail("too little was compared");
    log_free(log);
}

int main(int argc, char **argv)
{
    unsigned count = 1, seed = 1;
    int line = -1;
    for (int option; (option = getopt(argc, argv, "n:s:i:x:")) >= 0;) {
        unsigned value = optarg ? (unsigned)strtoul(optarg, NULL, 10) : 0;
        if (option == 'n' && value >= 1 && value <= NODES)
            count = value;
        else if (option == 's')
            seed = value;
        else if (option == 'i')
            line = (int)value;
        else if (option == 'x')
            filled = optarg;
        else
            fail("no such option, or too many nodes");
    }
    if (argc - optind != 4)
        fail("usage: cortex_exact [-n NODES] [-s SEED] [-i LINE] [-x VARIABLE] FIRMWARE BOARD SECONDS LEAST");
    record(argv[optind], argv[optind + 1], atof(argv[optind + 2]), count, seed, line);
    for (uint32_t id = 1; id <= count; id++)
        replay(argv[optind], argv[optind + 1], id, strtoull(argv[optind + 3], NULL, 10));
    for (unsigned id = 1; id <= count; id++) {
        for (unsigned i = 0; i < nodes[id].count; i++) {
            free(nodes[id].lives[i].states);
            free(nodes[id].lives[i].pcs);
        }
        free(nodes[id].flash);
    }
    return 0;
}
