/* usage: cycles FIRMWARE BOARD SECONDS TABLE SECTION
 * Runs firmware that records on a simulated board and measures how long each entry of the recorder takes once
 * motet_idle has been called for the first time; without what handlers take that come in it, and without entries in
 * which the recorder's worker goes on. TABLE
 * (target/recorder/cycles.txt) says the most for each, in lines of SECTION: fails if one takes longer, or if the
 * longest of one takes less than half of what is said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/board.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"

enum { ENTRIES = 8, STUBS = 64 };
static const char *const names[ENTRIES] = {"motet_read8",    "motet_read16",  "motet_pointer8", "motet_pointer16",
                                           "motet_step_far", "motet_wrapped", "motet_block",    "vector"};
enum { VECTOR = ENTRIES - 1 };

static struct {
    uint32_t address[ENTRIES], stub[STUBS], handler[STUBS], idle, yield;
    unsigned stubs;
    uint64_t most[ENTRIES], times[ENTRIES];
} seen;

static _Noreturn void fail(const char *what, const char *which)
{
    fprintf(stderr, "cycles: %s%s\n", what, which);
    exit(1);
}

static uint32_t address_of(const struct image *image, const char *name)
{
    const struct image_symbol *s = image_symbol_named(image, name);
    return s ? s->address : UINT32_MAX;
}

static void find_places(const struct image *image)
{
    for (unsigned i = 0; i < VECTOR; i++)
        seen.address[i] = address_of(image, names[i]);
    seen.address[VECTOR] = UINT32_MAX;
    seen.idle = address_of(image, "motet_idle");
    seen.yield = address_of(image, "motet_yield");
    if (seen.yield == UINT32_MAX) /* of the lean recorders */
        seen.yield = address_of(image, "lean_piece");
    for (unsigned v = 0; v < STUBS; v++) {
        char stub[32], handler[32];
        snprintf(stub, sizeof stub, "__vector_%u", v);
        snprintf(handler, sizeof handler, "__vector_%u_motet", v);
        if (address_of(image, handler) == UINT32_MAX) {
            snprintf(stub, sizeof stub, "motet_vector_%u", v);
            snprintf(handler, sizeof handler, "motet_handler_%u", v);
        }
        if (address_of(image, handler) == UINT32_MAX)
            continue;
        seen.stub[seen.stubs] = address_of(image, stub);
        seen.handler[seen.stubs++] = address_of(image, handler);
    }
}

static uint32_t return_to(const struct node *n)
{
    uint32_t sp = n->machine->chip->isa->sp(n);
    if (n->machine->chip->isa->spaces.data)
        return 2u * (uint32_t)(n->data[sp + 1] << 8 | n->data[sp + 2]);
    return n->data[sp] | (uint32_t)n->data[sp + 1] << 8;
}

/* What is being measured. A second entry (a handler's stub, while the first has not turned interrupts off) ends it. */
struct measure {
    unsigned entry;
    uint32_t until;
    uint64_t since;
    bool on, idle;
};

static void look(struct measure *m, const struct node *n, uint32_t pc)
{
    uint64_t now = node_cycle(n, CLOCK_CPU);
    if (m->on && pc == m->until) {
        uint64_t took = now - m->since;
        seen.times[m->entry]++;
        if (took > seen.most[m->entry])
            seen.most[m->entry] = took;
        m->on = false;
    }
    m->idle |= pc == seen.idle;
    m->on &= pc != seen.yield; /* the worker went on in it */
    for (unsigned i = 0; i < VECTOR; i++)
        if (pc == seen.address[i])
            *m = (struct measure){.entry = i, .until = return_to(n), .since = now, .on = m->idle, .idle = m->idle};
    for (unsigned i = 0; i < seen.stubs; i++)
        if (pc == seen.stub[i])
            *m = (struct measure){
                .entry = VECTOR, .until = seen.handler[i], .since = now, .on = m->idle, .idle = m->idle};
}

static bool check(const char *table, const char *section)
{
    FILE *f = fopen(table, "r");
    char line[200], of[16], name[32];
    unsigned most;
    bool good = f != NULL, listed[ENTRIES] = {0};
    while (f && fgets(line, sizeof line, f)) {
        if (line[0] == '#' || sscanf(line, "%15s %31s %u", of, name, &most) != 3 || strcmp(of, section) != 0)
            continue;
        for (unsigned i = 0; i < ENTRIES; i++) {
            if (strcmp(name, names[i]) != 0)
                continue;
            listed[i] = true;
            if (seen.times[i] && (seen.most[i] > most || (i != VECTOR && 2 * seen.most[i] < most))) {
                printf("%s %s: at most %llu cycles, where %s has %u\n", section, name, (unsigned long long)seen.most[i],
                       table, most);
                good = false;
            }
        }
    }
    for (unsigned i = 0; i < ENTRIES; i++)
        if (seen.times[i] && !listed[i]) {
            printf("%s has no line %s %s %llu\n", table, section, names[i], (unsigned long long)seen.most[i]);
            good = false;
        }
    if (f)
        fclose(f);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        fail("usage: cycles FIRMWARE BOARD SECONDS TABLE SECTION", "");
    struct motet_error e = {""};
    struct machine_options o = {.fuses = {-1, -1, -1}, .lock = -1};
    struct image *image = image_load(argv[1], &e);
    const struct board *b = board_named(argv[2]);
    struct machine *machine = image && b ? machine_new(b->chip, b, image, &o, &e) : NULL;
    if (!machine)
        fail("cannot run this: ", e.text);
    find_places(image);
    struct node *n = node_new(machine, 1, 1);
    struct measure m = {0};
    uint64_t end = node_ticks(n, atof(argv[3]));
    while (n->state->now < end && node_settle(n, end)) {
        look(&m, n, n->machine->chip->isa->pc(n));
        node_run(n, n->state->now + 1);
    }
    for (unsigned i = 0; i < ENTRIES; i++)
        printf("%-16s %8llu times, at most %llu cycles\n", names[i], (unsigned long long)seen.times[i],
               (unsigned long long)seen.most[i]);
    if (!seen.times[0] && !seen.times[1])
        fail("nothing was recorded", "");
    bool good = check(argv[4], argv[5]);
    node_free(n);
    machine_free(machine);
    return good ? 0 : 1;
}
