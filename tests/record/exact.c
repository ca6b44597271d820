/* usage: exact [-n NODES] [-s SEED] [-i LINE] FIRMWARE BOARD SECONDS LEAST
 * Runs firmware that records on simulated nodes, which know the truth: one alone, or NODES in a line, each heard by its
 * neighbours, with clocks and boot times that depend on the seed; -i sends random bytes to a serial line of the first.
 * Takes each node's log from its flash, replays it, and compares every instruction executed outside the recorder, the
 * registers, and all variables but the recorder's own. Fails unless at least LEAST instructions of each node were
 * compared, to the end of its log, or to where that says that it lost something. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/pages.h"
#include "board/board.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "network/network.h"
#include "node/machine.h"
#include "node/node.h"
#include "record/log.h"
#include "record/replay.h"

enum { EVERY = 16 /* instructions between two looks at memory */, DEEPEST = 64, MOST = 16 /* nodes */ };

struct moment {
    uint64_t index; /* instructions outside the recorder before it */
    bool whole;     /* registers too: not while a value just read is on its way to the recorder */
    struct digest digest;
};

struct truth {
    uint16_t *pcs; /* halved */
    struct moment *moments;
    size_t count, pc_room, moment_count, moment_room;
};

static int fail(const char *text)
{
    fprintf(stderr, "exact: %s\n", text);
    exit(1);
}

static void *grown(void *p, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return p;
    *room = *room ? 2 * *room : 65536;
    p = realloc(p, *room * size);
    return p ? p : (abort(), NULL);
}

/* A chip other than the board's is the same one, watched. */
static struct machine *machine_of(const char *path, const char *board, const struct chip *chip,
                                  const struct chip_device *log)
{
    struct error e = {""};
    struct machine_options o = {.fuses = {-1, -1, -1}, .lock = -1, .log = log};
    struct image *image = image_load(path, &e);
    const struct board *b = board_named(board);
    struct machine *m = image && b ? machine_new(chip ? chip : b->chip, b, image, &o, &e) : NULL;
    if (!m)
        fail(e.text);
    return m;
}

/* Variables and, if `whole`, registers: what both must have. Not the stack: in it lie locals that have no value yet, in
 * which the recorder's own use of the stack shows. */
static struct digest look(const struct node *n, bool whole)
{
    const struct machine *m = n->machine;
    uint32_t last = image_symbol_named(m->image, "__bss_end")->address & 0xffff; /* the recorder's own is behind */
    struct digest d = digest_of(n->data + m->chip->ram_start, last - m->chip->ram_start);
    if (!whole)
        return d;
    for (unsigned i = 0; i < m->chip->isa->registers; i++) {
        uint32_t value = m->chip->isa->get_register(n, i);
        const char *name = m->chip->isa->register_name(i);
        bool result = m->chip->isa->spaces.data ? strcmp(name, "r24") == 0 : strcmp(name, "r12") == 0;
        if (result)
            value = 0; /* bits that are not live are as they were read */
        if (strcmp(name, "SREG") == 0 || strcmp(name, "sr") == 0)
            value &= ~0x107fu; /* flags may be left over from the value that was read, before it was recorded */
        d = digest_join(d, digest_of(&value, sizeof value));
    }
    return d;
}

/* ---- the truth ---- */

static const char *const entries[] = {"motet_read8", "motet_pointer8", "motet_pointer16", "motet_read16",
                                      "motet_block", "motet_wrapped",  "motet_begin",     "motet_idle",
                                      "motet_flush", "motet_freeze"};
enum { ENTRIES = sizeof entries / sizeof *entries };

/* What was begun and has not ended: a call of the recorder, or a handler. */
struct under_way {
    uint32_t until, sp; /* it has ended there */
    bool call;
};

struct tracker {
    uint32_t entry[ENTRIES];
    uint32_t stub[64], handler[64];
    unsigned stubs;
    struct under_way stack[DEEPEST];
    unsigned depth;
    uint32_t skip_to;  /* in a vector's stub: the handler; 0: not */
    bool returned;     /* from the recorder, just now */
    uint32_t poll[64]; /* loops that poll: only their last round is executed again */
    unsigned polls;
    uint32_t poll_now; /* the loop whose round began at instruction poll_at, and nothing came since */
    size_t poll_at;
    uint32_t poll_sp; /* no call or return since */
    size_t since;     /* the instruction behind the last entry of the recorder, or interrupt */
};

static void find(struct tracker *t, const struct image *image)
{
    const struct image_symbol *s;
    size_t count = image_symbols(image, &s);
    memset(t, 0, sizeof *t);
    size_t size;
    const uint8_t *polls;
    for (size_t i = 0; (polls = image_section(image, ".motet.polls", i, &size)); i++)
        for (size_t at = 0; at + 4 < size && t->polls < 64; at++) { /* four bytes of address, then a line */
            t->poll[t->polls++] = polls[at] | (uint32_t)polls[at + 1] << 8 | (uint32_t)polls[at + 2] << 16;
            for (at += 4; at < size && polls[at] != '\n';)
                at++;
        }
    for (unsigned i = 0; i < ENTRIES; i++)
        t->entry[i] = image_symbol_named(image, entries[i])->address;
    for (size_t i = 0; i < count; i++) {
        char name[64];
        unsigned number;
        const struct image_symbol *handler = NULL;
        if (sscanf(s[i].name, "__vector_%u", &number) == 1 && !strstr(s[i].name, "motet")) {
            snprintf(name, sizeof name, "__vector_%u_motet", number);
            handler = image_symbol_named(image, name);
        } else if (sscanf(s[i].name, "motet_vector_%u", &number) == 1) {
            snprintf(name, sizeof name, "motet_handler_%u", number);
            handler = image_symbol_named(image, name);
        }
        if (handler) {
            t->stub[t->stubs] = s[i].address;
            t->handler[t->stubs++] = handler->address;
        }
    }
}

static uint32_t return_to(const struct node *n)
{
    uint32_t sp = n->machine->chip->isa->sp(n);
    if (n->machine->chip->isa->spaces.data)
        return 2u * (uint32_t)(n->data[sp + 1] << 8 | n->data[sp + 2]);
    return n->data[sp] | (uint32_t)n->data[sp + 1] << 8;
}

static void begin(struct tracker *t, uint32_t until, uint32_t sp, bool call)
{
    if (t->depth == DEEPEST)
        fail("too deep");
    t->stack[t->depth++] = (struct under_way){until, sp, call};
}

/* Whether the instruction at pc is the application's. */
static bool outside(struct tracker *t, const struct node *n, uint32_t pc)
{
    uint32_t sp = n->machine->chip->isa->sp(n);
    t->returned = false;
    if (t->skip_to && pc != t->skip_to)
        return false;
    t->skip_to = 0;
    while (t->depth && pc == t->stack[t->depth - 1].until && sp == t->stack[t->depth - 1].sp)
        t->returned = t->stack[--t->depth].call;
    if (t->depth && t->stack[t->depth - 1].call)
        return false;
    for (unsigned i = 0; i < t->stubs; i++)
        if (t->stub[i] == pc) {
            t->skip_to = t->handler[i];
            return false;
        }
    for (unsigned i = 0; i < ENTRIES; i++)
        if (t->entry[i] == pc) {
            begin(t, return_to(n), sp + 2, true);
            return false;
        }
    return true;
}

static void drop_from(struct truth *t, size_t index)
{
    t->count = index;
    while (t->moment_count && t->moments[t->moment_count - 1].index >= index)
        t->moment_count--;
}

/* An interrupt in a polling loop: in replay it comes when its place is first reached, no matter in which round. */
static void drop_before_interrupt(struct tracker *t, struct truth *truth, uint32_t pc)
{
    enum { ROUND = 64 };
    size_t i = t->poll_at > t->since + ROUND ? t->poll_at - ROUND : t->since;
    for (; t->poll_now && i < truth->count; i++)
        if (truth->pcs[i] == (uint16_t)(pc / 2))
            drop_from(truth, i);
    t->poll_now = 0;
    t->since = truth->count;
}

/* A round of a polling loop that led to another one: replay goes through the last alone. */
static void drop_rounds(struct tracker *t, struct truth *truth, uint32_t pc, uint32_t sp)
{
    if (sp != t->poll_sp)
        t->poll_now = 0;
    for (unsigned i = 0; i < t->polls; i++) {
        if (t->poll[i] != pc)
            continue;
        if (t->poll_now == pc)
            drop_from(truth, t->poll_at);
        t->poll_now = pc;
        t->poll_at = truth->count;
        t->poll_sp = sp;
    }
}

static uint64_t show_at = UINT64_MAX;

/* Which bytes they are, for who has to find out why. */
static void show_difference(const struct node *was, const struct node *is)
{
    char place[200];
    uint32_t space = was->machine->chip->isa->spaces.data;
    for (unsigned i = 0; i < was->machine->chip->isa->registers; i++)
        if (was->machine->chip->isa->get_register(was, i) != was->machine->chip->isa->get_register(is, i))
            fprintf(stderr, "  %s is %x, was %x\n", was->machine->chip->isa->register_name(i),
                    was->machine->chip->isa->get_register(is, i), was->machine->chip->isa->get_register(was, i));
    const struct image_symbol *own = image_symbol_named(was->machine->image, "motet_recorder");
    for (uint32_t i = was->machine->chip->ram_start; i < was->machine->data_size; i++)
        if (was->data[i] != is->data[i] && (i < (own->address & 0xffff) || i >= (own->address & 0xffff) + own->size) &&
            i < was->machine->stack_limit)
            fprintf(stderr, "  %04x is %02x, was %02x %s\n", i, is->data[i], was->data[i],
                    image_place(was->machine->image, space + i, place, sizeof place));
}

/* ---- a run that is watched ---- */

/* One node of it. */
struct life {
    struct truth truth;
    struct tracker tracker;
    uint8_t *flash;
    size_t size;
};

struct run {
    const char *path, *board;
    double seconds;
    unsigned nodes, seed;
    int line;                 /* serial line that gets random bytes, or -1 */
    uint32_t shown_id;        /* a run made again to show a difference: of that node, */
    const struct node *shown; /* from this one */
};

static const struct isa *watched; /* the real one */
static struct life lives[MOST + 1];
static const struct run *under_watch;

/* Before each instruction. */
static void watch(const struct node *n)
{
    struct life *l = &lives[n->id];
    struct tracker *tracker = &l->tracker;
    struct truth *t = &l->truth;
    uint32_t pc = watched->pc(n);
    if (!outside(tracker, n, pc)) {
        tracker->poll_now = 0;
        tracker->since = t->count;
        return;
    }
    drop_rounds(tracker, t, pc, watched->sp(n));
    bool whole = tracker->returned && tracker->depth == 0;
    if (under_watch->shown && under_watch->shown_id == n->id && t->count == show_at)
        show_difference(n, under_watch->shown);
    if (t->count % EVERY == 0 || whole) {
        t->moments = grown(t->moments, t->moment_count, &t->moment_room, sizeof *t->moments);
        t->moments[t->moment_count++] = (struct moment){t->count, whole, look(n, whole)};
    }
    t->pcs = grown(t->pcs, t->count, &t->pc_room, sizeof *t->pcs);
    t->pcs[t->count++] = (uint16_t)(pc / 2);
}

static void run_watched(struct node *n)
{
    watch(n);
    n->horizon = n->state->now + 1;
    watched->run(n);
}

static bool interrupt_watched(struct node *n)
{
    uint32_t pc = watched->pc(n), sp = watched->sp(n);
    if (!watched->interrupt(n))
        return false;
    begin(&lives[n->id].tracker, pc, sp, false);
    drop_before_interrupt(&lives[n->id].tracker, &lives[n->id].truth, pc);
    return true;
}

static void take_flash(struct life *l, const struct node *n)
{
    const struct machine *m = n->machine;
    for (size_t i = 0; i < m->device_count; i++)
        if (strcmp(m->devices[i].name, "flash") == 0 && m->devices[i].part) {
            struct pages *pages = device_pages(n, &m->devices[i]);
            l->size = pages_size(pages);
            l->flash = malloc(l->size);
            pages_read(pages, 0, l->flash, l->size);
        }
}

static void set_id(struct node *n, uint32_t id)
{
    struct error e = {""};
    if (image_symbol_named(n->machine->image, "node_id") && !node_set_variable(n, "node_id", id, &e))
        fail(e.text);
}

static uint32_t any(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 16;
}

/* All of a run, into `lives`. */
static void record(const struct run *r)
{
    static struct isa isa;
    static struct chip chip;
    struct medium_options medium = medium_default;
    struct error e = {""};
    uint32_t random = r->seed;
    chip = *board_named(r->board)->chip;
    watched = chip.isa;
    isa = *watched;
    isa.run = run_watched;
    isa.interrupt = interrupt_watched;
    chip.isa = &isa;
    under_watch = r;
    medium.model = MEDIUM_UNIT_DISK;
    medium.range = 15;
    struct machine *m = machine_of(r->path, r->board, &chip, NULL);
    struct network *network = network_new(r->seed, 1, &medium);
    memset(lives, 0, sizeof lives);
    for (uint32_t id = 1; id <= r->nodes; id++) {
        struct network_node o = {.id = id, .at = {.x = 10.0 * id}};
        if (r->seed > 1) {
            o.boot = any(&random) * UINT64_C(20000);
            o.drift = (double)(any(&random) % 100) - 50;
        }
        struct node *n = network_add(network, m, &o, &e);
        if (!n)
            fail(e.text);
        set_id(n, id);
        find(&lives[id].tracker, m->image);
    }
    uint64_t end = (uint64_t)(r->seconds * (double)NETWORK_SECOND);
    for (uint64_t t = 0; t < end && r->line >= 0; t += 1000000 + any(&random) % 4096 * 1000) {
        network_run(network, t);
        serial_receive(network_node(network, 0), (unsigned)r->line, any(&random) % 4 ? any(&random) & 0xff : 0x7e);
        network_touched(network, 0);
    }
    if (network_run(network, end) == NETWORK_ENDED)
        fail("a node ended before its time");
    for (uint32_t id = 1; id <= r->nodes; id++)
        take_flash(&lives[id], network_node(network, id - 1));
    network_free(network);
    machine_free(m);
}

/* ---- replay ---- */

/* Where an interrupt came in the last round of a polling loop, replay goes round once more. Whether it comes to the
 * place in that way. */
static bool goes_round(struct node *n, const struct tracker *t, uint32_t place)
{
    uint64_t events = replay_state_of(n)->decoder.events;
    bool polls = false;
    for (unsigned i = 0; i < 64 && node_settle(n, UINT64_MAX); i++) {
        uint32_t pc = n->machine->chip->isa->pc(n);
        if (replay_state_of(n)->decoder.events != events)
            return false;
        if ((uint16_t)(pc / 2) == (uint16_t)place)
            return polls;
        for (unsigned k = 0; k < t->polls; k++)
            polls |= t->poll[k] == pc;
        node_run(n, n->state->now + 1);
    }
    return false;
}

static uint64_t compare(struct node *n, const struct truth *t, const struct tracker *tracker)
{
    uint64_t index = 0;
    size_t moment = 0;
    char text[1024], place[200];
    while (node_settle(n, UINT64_MAX)) {
        uint32_t pc = n->machine->chip->isa->pc(n);
        if (index == t->count)
            break; /* the recording node was stopped here */
        if (t->pcs[index] != (uint16_t)(pc / 2) && !goes_round(n, tracker, t->pcs[index])) {
            snprintf(text, sizeof text,
                     "instruction %llu after event %llu (next kind %u where %u address %x count %u) is %04x, and was "
                     "%04x, %s",
                     (unsigned long long)index, (unsigned long long)replay_state_of(n)->decoder.events,
                     replay_state_of(n)->decoder.next.kind, replay_state_of(n)->decoder.next.where,
                     replay_state_of(n)->decoder.next.address * n->machine->chip->isa->address_unit,
                     replay_state_of(n)->decoder.next.count, pc, 2u * t->pcs[index],
                     image_place(n->machine->image, 2u * t->pcs[index], place, sizeof place));
            fail(text);
        }
        while (moment < t->moment_count && t->moments[moment].index < index)
            moment++;
        if (moment < t->moment_count && t->moments[moment].index == index &&
            !digest_equal(t->moments[moment].digest, look(n, t->moments[moment].whole))) {
            snprintf(text, sizeof text, "memory differs at instruction %llu, event %llu, pc %04x %s",
                     (unsigned long long)index, (unsigned long long)replay_state_of(n)->decoder.events, pc,
                     image_place(n->machine->image, pc, place, sizeof place));
            show_at = index;
            fprintf(stderr, "exact: %s\n", text);
            return UINT64_MAX;
        }
        node_run(n, n->state->now + 1);
        index++;
    }
    return index;
}

static void replay(const struct run *r, uint32_t id, uint64_t least)
{
    const struct life *l = &lives[id];
    struct error e = {""};
    char text[1024];
    struct log *log = log_parse("flash", l->flash, l->size, 0, &e);
    if (!log)
        fail(e.text);
    const struct log_part *part = &log->parts[0]; /* goes on with those behind it */
    if (log->count != 1 || log->damaged > 1 || part->beyond)
        printf("node %u: %zu parts, %u damaged pages, %u behind a lost one\n", id, log->count, log->damaged,
               part->beyond);
    struct image *image = image_load(r->path, &e);
    struct replay *replay = replay_new(image, board_named(r->board)->chip->isa, part, &e);
    if (!replay)
        fail(e.text);
    struct machine *m = machine_of(r->path, r->board, NULL, replay_device(replay));
    struct node *n = node_new(m, id, r->seed + 1);
    set_id(n, id);
    uint64_t compared = compare(n, &l->truth, &l->tracker);
    const struct replay_state *s = replay_state_of(n);
    if (compared == UINT64_MAX) {
        struct run again = *r;
        again.shown_id = id;
        again.shown = n;
        record(&again);
        exit(1);
    }
    printf("node %u: %llu of %zu instructions compared, %zu moments; %llu events, %llu interrupts in %u pages, %zu "
           "bytes, %.0f bytes/s; %s\n",
           id, (unsigned long long)compared, l->truth.count, l->truth.moment_count,
           (unsigned long long)s->decoder.events, (unsigned long long)s->decoder.interrupts, part->pages, part->size,
           (double)part->size / r->seconds, replay_explain(n, text, sizeof text));
    if (s->end == REPLAY_DIFFERS || (s->end == REPLAY_GOES_ON && compared < l->truth.count))
        fail("the replay did not come to the end of the log");
    if (compared < least)
        fail("too little was compared");
    node_free(n);
    machine_free(m);
    replay_free(replay);
    image_free(image);
    log_free(log);
}

int main(int argc, char **argv)
{
    struct run r = {.nodes = 1, .seed = 1, .line = -1};
    for (int option; (option = getopt(argc, argv, "n:s:i:")) >= 0;) {
        unsigned value = optarg ? (unsigned)strtoul(optarg, NULL, 10) : 0;
        if (option == 'n' && value >= 1 && value <= MOST)
            r.nodes = value;
        else if (option == 's')
            r.seed = value;
        else if (option == 'i')
            r.line = (int)value;
        else
            fail("no such option, or too many nodes");
    }
    if (argc - optind != 4)
        fail("usage: exact [-n NODES] [-s SEED] [-i LINE] FIRMWARE BOARD SECONDS LEAST");
    r.path = argv[optind];
    r.board = argv[optind + 1];
    r.seconds = atof(argv[optind + 2]);
    record(&r);
    for (uint32_t id = 1; id <= r.nodes; id++)
        replay(&r, id, strtoull(argv[optind + 3], NULL, 10));
    for (uint32_t id = 1; id <= r.nodes; id++) {
        free(lives[id].flash);
        free(lives[id].truth.pcs);
        free(lives[id].truth.moments);
    }
    return 0;
}
