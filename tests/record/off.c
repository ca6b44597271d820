/* usage: off FIRMWARE BOARD SECONDS MICROSECONDS [--checkpoints] [-v]
 * Runs firmware that records on a simulated board, instruction by instruction, and measures for how long it has
 * interrupts off at a stretch: from the first time that it lets them in. An interrupt that is taken ends a stretch and
 * begins another. Fails if one is longer than MICROSECONDS. --checkpoints: but for the ends of checkpoints.
 * -v: prints the longest stretches, by the function in which each began, and where the longest of them was spent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/board.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"

enum { PLACES = 512, SHOWN = 12, STUBS = 64, SLOWEST = 20 /* microseconds: no clock's cycle is as long */ };

static struct place {
    const struct image_symbol *function;
    uint64_t now, longest; /* cycles in the stretch under way, and in the longest */
} places[PLACES];

static _Noreturn void fail(const char *what, const char *which)
{
    fprintf(stderr, "off: %s%s\n", what, which);
    exit(1);
}

static struct place *place_of(const struct image *image, uint32_t pc)
{
    static struct place *last;
    const struct image_symbol *f = image_symbol_at(image, pc);
    if (last && last->function == f)
        return last;
    for (last = places; last < places + PLACES - 1 && last->function && last->function != f; last++)
        ;
    last->function = f;
    return last;
}

static uint32_t stubs[STUBS];
static unsigned stub_count;

static void find_stubs(const struct image *image)
{
    for (unsigned v = 0; v < STUBS; v++) {
        char name[32];
        snprintf(name, sizeof name, "__vector_%u_motet", v);
        bool avr = image_symbol_named(image, name) != NULL;
        snprintf(name, sizeof name, avr ? "__vector_%u" : "motet_vector_%u", v);
        const struct image_symbol *s = image_symbol_named(image, name);
        if (s)
            stubs[stub_count++] = s->address;
    }
}

static bool is_stub(uint32_t pc)
{
    for (unsigned i = 0; i < stub_count; i++)
        if (stubs[i] == pc)
            return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    uint64_t first = ((const struct place *)a)->longest, second = ((const struct place *)b)->longest;
    return first < second ? 1 : first > second ? -1 : 0;
}

/* The times in it are those that are shown, or not. */
static void end_stretch(bool longest)
{
    for (struct place *p = places; p < places + PLACES && p->function; p++) {
        if (longest)
            p->longest = p->now ? p->now : 1;
        p->now = 0;
    }
}

/* What is measured, and what was found. */
struct stretch {
    uint64_t since, cycle; /* of the one under way */
    uint32_t began;
    bool off, device; /* a checkpoint takes registers of devices in it, which is done at its end alone */
};
struct longest {
    uint64_t ticks, cycles, at;
    uint32_t began;
};

int main(int argc, char **argv)
{
    bool checkpoints = false, verbose = false;
    for (int i = 5; i < argc; i++) {
        checkpoints |= strcmp(argv[i], "--checkpoints") == 0;
        verbose |= strcmp(argv[i], "-v") == 0;
    }
    if (argc < 5)
        fail("usage: off FIRMWARE BOARD SECONDS MICROSECONDS [--checkpoints] [-v]", "");
    struct motet_error e = {""};
    struct machine_options o = {.fuses = {-1, -1, -1}, .lock = -1};
    struct image *image = image_load(argv[1], &e);
    const struct board *b = board_named(argv[2]);
    struct machine *machine = image && b ? machine_new(b->chip, b, image, &o, &e) : NULL;
    if (!machine)
        fail("cannot run this: ", e.text);
    find_stubs(image);
    const struct image_symbol *device = image_symbol_named(image, "checkpoint_device");
    struct node *n = node_new(machine, 1, 1);
    const struct isa *isa = machine->chip->isa;
    uint64_t end = node_ticks(n, atof(argv[3]));
    double microsecond = (double)node_ticks(n, 1.0) / 1e6, allowed = atof(argv[4]) * microsecond;
    struct stretch s = {0};
    struct longest most = {0};
    unsigned long long stretches = 0, over = 0, ends = 0;
    bool lives = false;
    uint64_t ran = 0; /* until then it has executed */
    while (n->state->now < end && node_settle(n, end)) {
        if ((double)(n->state->now - ran) > SLOWEST * microsecond)
            s.since += n->state->now - ran; /* it has slept, with interrupts on */
        bool accepts = isa->accepts(n);
        uint32_t pc = isa->pc(n);
        uint64_t cycle = node_cycle(n, CLOCK_CPU);
        bool stub = !accepts && is_stub(pc);
        lives |= accepts;
        if (s.off && (accepts || stub)) {
            uint64_t took = n->state->now - s.since;
            bool excused = checkpoints && s.device, longest = took > most.ticks && !excused;
            ends += s.device;
            over += !excused && (double)took > allowed;
            if (longest)
                most = (struct longest){took, cycle - s.cycle, s.since, s.began};
            if (verbose)
                end_stretch(longest);
            s.off = false;
        }
        if (lives && !accepts && !s.off) {
            s = (struct stretch){.since = n->state->now, .cycle = cycle, .began = pc, .off = true};
            stretches++;
        }
        s.device |= device && pc == device->address;
        node_run(n, n->state->now + 1);
        ran = n->state->now;
        if (s.off && verbose)
            place_of(image, pc)->now += node_cycle(n, CLOCK_CPU) - cycle;
    }
    const struct image_symbol *f = image_symbol_at(image, most.began);
    printf(
        "interrupts off %llu times, at most for %.1f us: %llu cycles from %s on, at %.6f s; %llu ends of checkpoints\n",
        stretches, (double)most.ticks / microsecond, (unsigned long long)most.cycles, f ? f->name : "?",
        (double)most.at / microsecond / 1e6, ends);
    if (verbose) {
        qsort(places, PLACES, sizeof *places, compare);
        for (unsigned i = 0; i < SHOWN && places[i].longest > 1; i++)
            printf("    %llu cycles in %s\n", (unsigned long long)places[i].longest,
                   places[i].function ? places[i].function->name : "?");
    }
    if (over)
        printf("    %llu stretches are longer than %s us\n", over, argv[4]);
    node_free(n);
    return stretches == 0 || over != 0;
}
