/* Recording on the node beside TARDIS (IPSN 2015): what a log takes, and what it costs to keep it. */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "record_measure.h"

#define MHO "multihop-oscilloscope"
static const struct measure_case cases[] = {
    {"micaz", MHO, 0, 1, 60},  {"micaz", MHO, 0, 9, 30}, {"micaz", MHO, 64, 1, 30}, {"micaz", MHO, 64, 9, 10},
    {"telosb", MHO, 0, 1, 60},  {"telosb", MHO, 0, 9, 30}, {"telosb", MHO, 64, 1, 30}, {"telosb", MHO, 64, 9, 10},
};

static bool run(void)
{
    struct measure_figures f;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct measure_case *c = &cases[i];
        if (!measure(c, &f))
            return false;
        printf("%s %s %u %u: events %.1f raw %.1f gzip %.1f slzw %.1f motet %.1f (%.1f%%) cover %.3f gaps %u diff %u; sim %.2f replay %.2f; awake %.4f %.4f mW %.3f %.3f; flash %u %u ram %u %u\n",
               c->application, c->board, c->lpl, c->nodes, f.events, f.raw, f.gzip, f.slzw, f.motet.rate, 100 - 100*f.motet.rate/f.raw,
               f.motet.coverage, f.motet.gaps, f.motet.differences, f.motet.simulated, f.motet.replayed, f.plain_awake, f.motet.awake, f.plain_milliwatts, f.motet.milliwatts, f.plain_flash, f.motet.flash, f.plain_ram, f.motet.ram);
        struct measure_techniques *k = &f.techniques;
        printf("  det %.1f bits %.1f poll %.1f mask %.1f sleep %.1f timers %.0f state %.0f data %.0f\n", 100*(1-k->baseline/k->all), 100*(1-k->changing/k->all), 100*k->polled/k->baseline, 100*(1-k->masked/k->baseline), 100*(1-k->interrupts_asleep/k->interrupts), k->timers, k->state, k->data);
        fflush(stdout);
    }
    return true;
}

BENCH_GROUP(record, 50, "Recording on the node, beside TARDIS", run)
