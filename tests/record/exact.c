/* usage: exact [-n NODES] [-s SEED] [-i LINE] [-c PERCENT] [-v NAME=VALUE] FIRMWARE BOARD SECONDS LEAST
 * Runs firmware that records on simulated nodes, which know the truth: one alone, or NODES in a line, each heard by its
 * neighbours, with clocks and boot times that depend on the seed; -i sends random bytes to a serial line of the first,
 * -v sets a variable before main.
 * Takes each node's log from its flash, replays all its parts, and compares every instruction executed outside the
 * recorder, what it writes to registers, the CPU's registers, all variables, the heap and the stack (truth.h).
 * Where replay marks bits of the stack as unknown, memory is compared when they are known again.
 * Fails at any difference; if a replay does not come to the end of what its log has; and unless at least LEAST
 * instructions, and PERCENT of all, of each node were compared. With 0 for LEAST there need be nothing in the flash. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board/board.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/taps.h"
#include "record/log.h"
#include "record/replay.h"
#include "recorded.h"
#include "truth.h"

/* A replay under comparison. */
struct follower {
    struct node *node;
    const struct truth *truth;
    struct polls polls;
    uint64_t index;               /* instructions of the truth done */
    size_t moment, owner, output; /* of the truth, that come next */
    size_t unsure;                /* moments at which memory was not compared */
    bool owned[DATA_SPACE];
    bool unwatched; /* in a round that the truth has not */
    struct output other;
    bool differs; /* `other` was written, which the truth has not */
    bool tries;   /* whether the part belongs there: a difference is no failure */
};

/* Where an interrupt came in the last round of a polling loop, replay goes round once more. Whether it comes to the
 * place in that way. */
static bool goes_round(struct follower *f, uint32_t place)
{
    struct node *n = f->node;
    uint64_t events = replay_state_of(n)->decoder.events;
    bool polls = false, comes = false;
    f->unwatched = true;
    for (unsigned i = 0; i < 64 && !comes && node_settle(n, UINT64_MAX); i++) {
        uint32_t pc = n->machine->chip->isa->pc(n);
        comes = (uint16_t)(pc / 2) == (uint16_t)place; /* perhaps by the interrupt */
        if (!comes && replay_state_of(n)->decoder.events != events)
            break;
        for (unsigned k = 0; k < f->polls.count; k++)
            polls |= f->polls.at[k] == pc;
        if (!comes)
            node_run(n, n->state->now + 1);
    }
    f->unwatched = false;
    enum replay_end end = replay_state_of(n)->end;
    if (end == REPLAY_LOG_ENDED || end == REPLAY_GAP) /* that interrupt is the last thing that is known */
        comes = true;
    return comes && polls;
}

/* Bits that replay itself marks as unknown, in registers of the CPU: it lets them go back to where they were read. */
static unsigned unknown_bits(const struct node *n, uint16_t address)
{
    const struct replay_unknown *u = &replay_state_of(n)->unknown;
    unsigned bits = 0;
    bool back = false;
    for (unsigned i = 0; i < UNKNOWN_SOURCES; i++)
        back |= u->sources[i] == address;
    for (unsigned i = 0; back && i < n->machine->chip->isa->registers && i < UNKNOWN_REGISTERS; i++)
        bits |= u->cpu.registers[i];
    return bits;
}

/* Bits may differ that an instruction leaves as it finds them when it changes others (BIS, SBI), where devices are off;
 * and, where several instructions do that, bits that changed by themselves between the first and the last. */
static bool same_value(const struct node *n, const struct output *was, const struct output *is)
{
    unsigned differ = was->value ^ is->value;
    if (!(differ & (was->value ^ was->old)) && !(differ & (is->value ^ is->old)))
        return true;
    return !(differ & ~unknown_bits(n, is->address));
}

static void written(void *context, const struct motet_node *handle, const struct motet_access *a)
{
    struct follower *f = context;
    const struct truth *t = f->truth;
    (void)handle;
    if (f->unwatched || f->differs || !is_output(f->node, a->address))
        return;
    const struct output *was = f->output < t->output_count ? &t->outputs[f->output] : NULL;
    f->other = (struct output){f->index + 1, (uint16_t)a->address, a->value, a->old};
    f->differs =
        !was || was->index != f->other.index || was->address != a->address || !same_value(f->node, was, &f->other);
    f->output++;
}

static void differs_here(const struct follower *f, const char *what)
{
    char place[200];
    const struct node *n = f->node;
    const struct decoder *d = &replay_state_of(n)->decoder;
    uint32_t pc = n->machine->chip->isa->pc(n);
    if (f->tries)
        return;
    fprintf(stderr,
            "exact: %s at instruction %llu, after event %llu (next kind %u where %u address %x count %u), %04x %s\n",
            what, (unsigned long long)f->index, (unsigned long long)d->events, d->next.kind, d->next.where,
            log_address(&d->next) * n->machine->chip->isa->address_unit, d->next.count, pc,
            image_place(n->machine->image, pc, place, sizeof place));
}

static bool same_pc(struct follower *f)
{
    char place[200], text[400];
    uint32_t was = 2u * f->truth->pcs[f->index], is = f->node->machine->chip->isa->pc(f->node);
    if ((uint16_t)was == (uint16_t)(is & ~1u) || goes_round(f, was / 2))
        return true;
    snprintf(text, sizeof text, "the instruction differs (it is at %04x, and was at %04x %s)", is, was,
             image_place(f->node->machine->image, was, place, sizeof place));
    differs_here(f, text);
    return false;
}

/* But for bits that replay itself marks as unknown, and lets nothing depend on. */
static bool same_registers(const struct follower *f, const struct moment *m)
{
    const struct isa *isa = f->node->machine->chip->isa;
    const struct unknown *unknown = &replay_state_of(f->node)->unknown.cpu;
    for (unsigned i = 0; i < isa->registers; i++) {
        uint32_t left_out = i < UNKNOWN_REGISTERS ? unknown->registers[i] : 0;
        if ((look_at_register(f->node, i) ^ f->truth->registers[m->registers + i]) & ~left_out)
            return false;
    }
    return true;
}

/* Whether the stack holds bits in bytes of the application that replay itself marks as unknown: one field of a variable
 * was written, and not yet those beside it. Memory cannot be compared until they are. Where anything is unknown, the
 * marks are those after the next instruction: then it cannot be compared either. */
static bool holds_unknown(const struct follower *f)
{
    const struct node *n = f->node;
    const struct replay_unknown *u = &replay_state_of(n)->unknown;
    if (u->done == n->state->instructions)
        return true;
    for (uint32_t at = n->machine->chip->isa->sp(n); at < n->machine->data_size && at < UNKNOWN_SPACE; at++)
        if (f->owned[at] && u->memory[at / 8] >> at % 8 & 1)
            return true;
    return false;
}

static bool same_memory(struct follower *f)
{
    const struct truth *t = f->truth;
    while (f->moment < t->moment_count && t->moments[f->moment].index < f->index)
        f->moment++;
    if (f->moment == t->moment_count || t->moments[f->moment].index != f->index)
        return true;
    const struct moment *m = &t->moments[f->moment];
    for (; f->owner < m->changes; f->owner++)
        f->owned[t->owners[f->owner].address] = t->owners[f->owner].application;
    if (m->sp == f->node->machine->chip->isa->sp(f->node) && digest_equal(m->digest, look(f->node, m, f->owned)) &&
        (!m->whole || same_registers(f, m)))
        return true;
    if (holds_unknown(f)) {
        f->unsure++;
        return true;
    }
    differs_here(f, "memory differs");
    return false;
}

static bool same_output(struct follower *f)
{
    char text[200];
    const struct truth *t = f->truth;
    bool missing = f->output < t->output_count && t->outputs[f->output].index <= f->index;
    if (!f->differs && !missing)
        return true;
    const struct output *was = &t->outputs[f->differs ? f->output - 1 : f->output];
    snprintf(text, sizeof text, "a write differs (%x to %x%s, and was %x to %x after %llu)", f->other.value,
             f->other.address, f->differs ? "" : " before", was->value, was->address,
             (unsigned long long)was->index - 1);
    differs_here(f, text);
    return false;
}

/* To the end of the log, or of the truth; false at a difference. */
static bool compare(struct follower *f)
{
    struct node *n = f->node;
    while (node_settle(n, UINT64_MAX) && f->index < f->truth->count) {
        if (!same_pc(f) || !same_memory(f))
            return false;
        node_run(n, n->state->now + 1);
        if (!same_output(f))
            return false;
        f->index++;
    }
    return true;
}

static void show(const struct run *r, const struct follower *f, uint32_t id)
{
    struct run again = *r;
    static struct truth truths[TRUTH_NODES + 1];
    again.shown_id = id;
    again.shown = f->node;
    again.show_at = f->index;
    record_truth(&again, truths);
    exit(1);
}

/* A replay that is at an instruction of the truth. */
static void follow(struct follower *f, const struct run *r, uint32_t id, const struct machine *m, const struct truth *t,
                   uint64_t index)
{
    memset(f, 0, sizeof *f);
    f->node = node_new(m, id, r->seed + 1);
    set_variables(f->node, r, id);
    f->truth = t;
    f->index = index;
    while (f->output < t->output_count && t->outputs[f->output].index <= index)
        f->output++;
    find_polls(&f->polls, m);
    tap_watch(f->node, 0, DATA_SPACE - 1, MOTET_WRITE | MOTET_AFTER, written, f);
}

/* The first instructions of a part that begins with a checkpoint, to find out where that was taken. */
enum { BEGINNING = 400 };
static size_t beginning(const struct run *r, uint32_t id, const struct machine *m, uint16_t pcs[BEGINNING])
{
    size_t count = 0;
    struct node *n = node_new(m, id, r->seed + 1);
    set_variables(n, r, id);
    while (count < BEGINNING && node_settle(n, UINT64_MAX)) {
        pcs[count++] = (uint16_t)(n->machine->chip->isa->pc(n) / 2);
        node_run(n, n->state->now + 1);
    }
    node_free(n);
    return count;
}

/* Compares from each call of motet_idle on that the part may begin with, until one fits to its end. */
static bool find_place(struct follower *f, const struct run *r, uint32_t id, const struct machine *m,
                       const struct truth *t, uint64_t *from)
{
    uint16_t pcs[BEGINNING];
    size_t count = beginning(r, id, m, pcs), tried = 0;
    for (size_t i = 0; i < t->idle_count; i++) {
        *from = t->idles[i];
        if (*from < f->index || *from + count > t->count || memcmp(&t->pcs[*from], pcs, count * sizeof *pcs) != 0)
            continue;
        node_free(f->node);
        follow(f, r, id, m, t, *from);
        f->tries = true;
        tried++;
        if (compare(f))
            return true;
    }
    fprintf(stderr, "exact: a checkpoint fits nowhere, %zu places tried\n", tried);
    return false;
}

/* Compares from each reset on, until the part fits to its end: there may be lives that left no log. */
static bool find_start(struct follower *f, const struct run *r, uint32_t id, const struct machine *m,
                       const struct truth *t, uint64_t *from)
{
    size_t tried = 0;
    uint64_t first = f->index;
    for (size_t i = 0; i < t->start_count; i++) {
        if (t->starts[i] <= first)
            continue;
        node_free(f->node);
        follow(f, r, id, m, t, *from = t->starts[i]);
        f->tries = true;
        tried++;
        if (compare(f))
            return true;
    }
    fprintf(stderr, "exact: a start of the firmware fits nowhere, %zu places tried\n", tried);
    return false;
}

/* Returns at which instruction of the truth the part ends; those from `from` on were compared. `again`: there were
 * others before it. */
static uint64_t replay_part(const struct run *r, uint32_t id, const struct truth *t, const struct log_part *part,
                            bool again, uint64_t *from)
{
    static struct follower f;
    struct motet_error e = {""};
    char text[1024];
    struct image *image = image_load(r->path, &e);
    struct replay *replay = replay_new(image, board_named(r->board)->chip->isa, part, &e);
    if (!replay)
        fail("%s", e.text);
    struct machine *m = recorded_machine(r->path, r->board, NULL, replay_device(replay));
    follow(&f, r, id, m, t, *from);
    bool fits = part->continues ? find_place(&f, r, id, m, t, from)
                : again         ? find_start(&f, r, id, m, t, from)
                                : compare(&f);
    if (!fits)
        show(r, &f, id);
    const struct replay_state *s = replay_state_of(f.node);
    printf("node %u: %llu instructions compared from %llu on, %zu moments, %zu writes; %u parts, %llu events, %llu "
           "interrupts in %u pages, %zu bytes, %.0f bytes/s; %s\n",
           id, (unsigned long long)(f.index - *from), (unsigned long long)*from, f.moment, f.output, s->parts + 1u,
           (unsigned long long)s->decoder.events, (unsigned long long)s->decoder.interrupts, part->pages, part->size,
           (double)part->size / r->seconds, replay_explain(f.node, text, sizeof text));
    if (f.unsure > f.moment / 100 + 10)
        fail("memory could not be compared at %zu of %zu moments", f.unsure, f.moment);
    if (s->end == REPLAY_DIFFERS || (s->end == REPLAY_GOES_ON && f.index < t->count)) {
        fprintf(stderr, "exact: the replay did not come to the end of the log: %s\n", text);
        show(r, &f, id);
    }
    node_free(f.node);
    machine_free(m);
    replay_free(replay);
    image_free(image);
    return f.index;
}

/* Every part that can be used; those that begin where another ends are gone through with it, and again for themselves.
 */
static void replay(const struct run *r, uint32_t id, const struct truth *t, uint64_t least, double percent)
{
    struct motet_error e = {""};
    struct log *log = log_parse("flash", t->flash, t->flash_size, 0, &e);
    if (!log && !least) {
        printf("node %u: %s\n", id, e.text);
        return;
    }
    if (!log)
        fail("%s", e.text);
    uint64_t compared = 0, from = 0, end = 0;
    for (size_t i = 0; i < log->count; i++) {
        const struct log_part *part = &log->parts[i];
        if (!log_part_usable(part)) {
            printf("node %u: part %u cannot be used\n", id, part->number);
            continue;
        }
        uint64_t ends = replay_part(r, id, t, part, i != 0, &from);
        compared += ends > end ? ends - (from > end ? from : end) : 0;
        end = ends > end ? ends : end;
    }
    double share = t->count ? 100.0 * (double)compared / (double)t->count : 0;
    printf("node %u: %.1f %% of %zu instructions, %u damaged pages; %llu in rounds of polling loops left out\n", id,
           share, t->count, log->damaged, (unsigned long long)t->left_out);
    if (compared < least || share < percent)
        fail("too little was compared");
    log_free(log);
}

int main(int argc, char **argv)
{
    static struct truth truths[TRUTH_NODES + 1];
    struct run r = {.nodes = 1, .seed = 1, .line = -1};
    double percent = 0;
    for (int option; (option = getopt(argc, argv, "n:s:i:c:v:")) >= 0;) {
        unsigned value = optarg ? (unsigned)strtoul(optarg, NULL, 10) : 0;
        if (option == 'n' && value >= 1 && value <= TRUTH_NODES)
            r.nodes = value;
        else if (option == 's')
            r.seed = value;
        else if (option == 'i')
            r.line = (int)value;
        else if (option == 'c')
            percent = value;
        else if (option == 'v' && sscanf(optarg, "%31[^=]=%" SCNu32, r.variable, &r.value) == 2)
            continue;
        else
            fail("no such option, or too many nodes");
    }
    if (argc - optind != 4)
        fail("usage: exact [-n NODES] [-s SEED] [-i LINE] [-c PERCENT] [-v NAME=VALUE] FIRMWARE BOARD SECONDS LEAST");
    r.path = argv[optind];
    r.board = argv[optind + 1];
    r.seconds = atof(argv[optind + 2]);
    record_truth(&r, truths);
    for (uint32_t id = 1; id <= r.nodes; id++)
        replay(&r, id, &truths[id], strtoull(argv[optind + 3], NULL, 10), percent);
    for (uint32_t id = 1; id <= r.nodes; id++)
        free_truth(&truths[id]);
    return 0;
}
