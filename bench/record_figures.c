#include "record_figures.h"

#include <stdlib.h>
#include <string.h>

#include "bench.h"

struct table {
    FILE *out;
    const struct figures_case *cases;
    size_t count;
    unsigned good, bad; /* verdicts */
};

/* ---- names and verdicts ---- */

static char *name_of(const struct measure_case *c, char name[96])
{
    char lpl[32] = "";
    if (c->lpl)
        snprintf(lpl, sizeof lpl, ", LPL %u ms", c->lpl);
    snprintf(name, 96, "%s, %s%s, %s", c->application, c->board, lpl, c->nodes > 1 ? "9 nodes" : "alone");
    return name;
}

static const char *case_cells(const struct measure_case *c, char cells[128])
{
    char lpl[16] = "-";
    if (c->lpl)
        snprintf(lpl, sizeof lpl, "%u", c->lpl);
    snprintf(cells, 128, "| %s | %s | %s | %u ", c->board, c->application, lpl, c->nodes);
    return cells;
}

enum asked { AT_LEAST, AT_MOST };

static const char *verdict(struct table *t, const struct measure_case *c, const char *what, const char *unit,
                           double value, enum asked asked, double limit)
{
    char name[160], of[96];
    bool good = asked == AT_LEAST ? value >= limit : value <= limit;
    double slack = 1e-6; /* bench_report wants better than its limit */
    snprintf(name, sizeof name, "%s: %s", name_of(c, of), what);
    bench_report(&(struct bench_result){.name = name,
                                        .unit = unit,
                                        .value = value,
                                        .reference = "asked",
                                        .reference_value = limit,
                                        .less_is_better = asked == AT_MOST,
                                        .limit = asked == AT_MOST ? limit + slack : limit - slack});
    *(good ? &t->good : &t->bad) += 1;
    return good ? "ok" : "**FAIL**";
}

static double percent_less(double value, double than)
{
    return than > 0 ? 100 * (1 - value / than) : 0;
}

static double percent_more(double value, double than)
{
    return than > 0 ? 100 * (value / than - 1) : 0;
}

/* ---- tables ---- */

static void write_rates(struct table *t)
{
    fprintf(t->out,
            "\n## Size of the log\n\n"
            "*Uncompressed* is the paper's baseline (3.1, 3.5): every read of a register that is not fixed, with all "
            "bits of the\n"
            "register, polling loops included. Each interrupt counts 36 bits. *Log* is the result of the codec `motet` "
            "for the same\n"
            "run on the node. It counts bytes of events in the flash, without headers of pages and checkpoints, and "
            "those still in\n"
            "RAM at the end. Events that were lost in gaps, or not encoded yet, are counted with the average of the "
            "others.\n"
            "\n"
            "- Nodes alone run for ten minutes without LPL, for one with it.\n"
            "- Networks run for two minutes. collect sends every 20 seconds and runs for five.\n"
            "- The paper's figures for multihop-oscilloscope, earthquake and Collect are those of its section 4.2.1, "
            "on TelosB.\n"
            "\n"
            "| board | application | LPL ms | nodes | events/s | uncompressed B/s | without polling B/s | log B/s | "
            "smaller by | paper | |\n"
            "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct figures_case *c = &t->cases[i];
        const struct measure_figures *f = &c->figures;
        char cells[128], paper[16] = "-";
        double less = percent_less(f->motet.rate, f->raw);
        if (c->paper > 0)
            snprintf(paper, sizeof paper, "%.0f %%", c->paper);
        fprintf(t->out, "%s| %.0f | %.0f | %.0f | %.1f | %.1f %% | %s | %s |\n", case_cells(&c->run, cells), f->events,
                f->raw, f->unpolled, f->motet.rate, less, paper,
                c->paper > 0 ? verdict(t, &c->run, "log smaller by", "%", less, AT_LEAST, c->paper) : "");
    }
}

static void write_codecs(struct table *t)
{
    bool any = false;
    for (size_t i = 0; i < t->count; i++)
        any |= t->cases[i].figures.tardis.there;
    if (!any)
        return;
    fprintf(t->out,
            "\n## Codec `motet` beside codec `tardis`\n\n"
            "Both run on the node, each in a firmware of its own. Recording time changes what a network does, so the "
            "two runs\n"
            "differ. Therefore bytes per event are compared. `tardis` is the format of the paper's Figure 4, and what "
            "exact replay\n"
            "needs beyond it. The goal is half its size in networks.\n"
            "\n"
            "| board | application | LPL ms | nodes | motet B/s | events/s | tardis B/s | events/s | in the log | "
            "parts that differ | tardis / motet, an event | |\n"
            "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_figures *f = &t->cases[i].figures;
        char cells[128];
        if (!f->tardis.there)
            continue;
        double ratio = f->motet.rate > 0 && f->tardis_events > 0
                           ? f->tardis.rate / f->tardis_events / (f->motet.rate / f->events)
                           : 0;
        fprintf(t->out, "%s| %.1f | %.0f | %.1f | %.0f | %.1f %% | %u | %.2f | %s |\n", case_cells(c, cells),
                f->motet.rate, f->events, f->tardis.rate, f->tardis_events, 100 * f->tardis.coverage,
                f->tardis.differences, ratio,
                c->nodes > 1 ? verdict(t, c, "tardis / motet, an event", "times", ratio, AT_LEAST, 2) : "");
    }
}

static void write_compressors(struct table *t)
{
    fprintf(t->out, "\n## Beside gzip and S-LZW\n\n"
                    "All compress the same uncompressed stream: values of registers in order, then the interrupts "
                    "(vector, address and\n"
                    "count, 5 bytes).\n"
                    "\n"
                    "- gzip is zlib's deflate, level 9, with a window of 32 KB.\n"
                    "- S-LZW (Sadler and Martonosi, SenSys 2006) has 512 entries, blocks of 528 bytes and a mini-cache "
                    "of 32 entries.\n"
                    "- Paper (4.4): multihop-oscilloscope 76 %% smaller than gzip and 96 %% smaller than S-LZW; Blink "
                    "2.7 times as large as\n"
                    "  gzip.\n"
                    "\n"
                    "| board | application | LPL ms | nodes | gzip B/s | S-LZW B/s | log B/s | smaller than gzip by | "
                    "| smaller than "
                    "S-LZW by | |\n"
                    "|---|---|---:|---:|---:|---:|---:|---:|---|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_figures *f = &t->cases[i].figures;
        char cells[128];
        const char *gzip = "", *slzw = "";
        double less_gzip = percent_less(f->motet.rate, f->gzip), less_slzw = percent_less(f->motet.rate, f->slzw);
        if (strcmp(c->application, "multihop-oscilloscope") == 0 && c->nodes == 1 && !c->lpl) {
            gzip = verdict(t, c, "log smaller than gzip by", "%", less_gzip, AT_LEAST, 76);
            slzw = verdict(t, c, "log smaller than S-LZW by", "%", less_slzw, AT_LEAST, 96);
        } else if (strcmp(c->application, "blink") == 0) {
            gzip = verdict(t, c, "log / gzip", "times", f->motet.rate / f->gzip, AT_MOST, 2.7);
            slzw = verdict(t, c, "log smaller than S-LZW by", "%", less_slzw, AT_LEAST, 3);
        }
        fprintf(t->out, "%s| %.1f | %.1f | %.1f | %.1f %% | %s | %.1f %% | %s |\n", case_cells(c, cells), f->gzip,
                f->slzw, f->motet.rate, less_gzip, gzip, less_slzw, slzw);
    }
}

static const struct measure_techniques *techniques_of(const struct figures_case *c)
{
    return &c->figures.techniques;
}

/* What a technique saves, in percent. */
static double fixed_saves(const struct figures_case *c)
{
    return percent_less(techniques_of(c)->changing, techniques_of(c)->all);
}

static double polls_save(const struct figures_case *c)
{
    return 100 * techniques_of(c)->polled / techniques_of(c)->baseline;
}

static double masks_save(const struct figures_case *c)
{
    return percent_less(techniques_of(c)->masked, techniques_of(c)->baseline);
}

static double sleep_saves(const struct figures_case *c)
{
    return percent_less(techniques_of(c)->interrupts_asleep, techniques_of(c)->interrupts);
}

static double timers_save(const struct figures_case *c)
{
    return percent_less(techniques_of(c)->coded_timers, techniques_of(c)->timers);
}

static double state_saves(const struct figures_case *c)
{
    return percent_less(techniques_of(c)->coded_state, techniques_of(c)->state);
}

static double data_saves(const struct figures_case *c)
{
    return percent_less(techniques_of(c)->coded_data, techniques_of(c)->data);
}

static const struct {
    const char *name;
    double (*saves)(const struct figures_case *c);
    double paper;
} techniques[] = {
    {"fixed registers and bits, of all reads", fixed_saves, 26.8},
    {"polling loops, of the baseline", polls_save, 25.9},
    {"masks, of the baseline", masks_save, 56.7},
    {"ends of sleep, of interrupts", sleep_saves, 12.7},
    {"coding of timers, of whole registers", timers_save, 72.7},
    {"coding of state, of whole registers", state_saves, 47.8},
    {"coding of data, of whole registers", data_saves, 65.7},
};

static void write_techniques(struct table *t)
{
    fprintf(
        t->out,
        "\n## What each technique saves\n\n"
        "How much less there is to record with each technique by itself, as in the paper's Table 1. That table shows\n"
        "multihop-oscilloscope with LPL of 64 ms in a network, on TelosB.\n"
        "\n"
        "- Reads before any technique are those that the simulator sees on the bus.\n"
        "- A read in a polling loop counts one bit with masks.\n"
        "- The savings of the first three depend on the firmware. The kit on TelosB reads more bits of its clock, none "
        "of which\n"
        "  is fixed, than of any other register.\n"
        "- The last three are what the codec `motet` spends on reads of a class (the paper: differences, run lengths, "
        "LZRW-T).\n"
        "\n"
        "| board | application | LPL ms | nodes | technique | saves | paper | |\n"
        "|---|---|---:|---:|---|---:|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        char cells[128];
        if (c->lpl != 64 || c->nodes == 1)
            continue;
        for (size_t k = 0; k < sizeof techniques / sizeof *techniques; k++) {
            double saved = techniques[k].saves(&t->cases[i]);
            fprintf(t->out, "%s| %s | %.1f %% | %.1f %% | %s |\n", case_cells(c, cells), techniques[k].name, saved,
                    techniques[k].paper, verdict(t, c, techniques[k].name, "%", saved, AT_LEAST, techniques[k].paper));
        }
    }
}

static void write_parts(struct table *t)
{
    fprintf(t->out, "\n## What the log is spent on\n\n"
                    "Shares of the bits of the codec `motet`, by the kind of event. In the paper's Figure 3 (TelosB, "
                    "LPL of 64 ms, a\n"
                    "network) interrupts have 51.3 %%, timers 23.4 %%, data 17.5 %%, state 7.8 %%.\n"
                    "\n"
                    "| board | application | LPL ms | nodes | interrupts | timers | data | state |\n"
                    "|---|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_techniques *k = techniques_of(&t->cases[i]);
        double percent = 100 / (k->coded_interrupts + k->coded_timers + k->coded_data + k->coded_state);
        char cells[128];
        fprintf(t->out, "%s| %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", case_cells(c, cells),
                percent * k->coded_interrupts, percent * k->coded_timers, percent * k->coded_data,
                percent * k->coded_state);
    }
}

static void write_sizes(struct table *t)
{
    fprintf(t->out,
            "\n## Size of the firmware\n\n"
            "Flash and statically allocated RAM, with the codec `motet` and without recording. Paper (4.3): 23 to 25 "
            "%% more\n"
            "program, 2.6 KB of RAM. The goal for RAM is 2 KB in all.\n"
            "\n"
            "| board | application | LPL ms | flash | recorded | bytes more | more | | RAM | recorded | more | |\n"
            "|---|---|---:|---:|---:|---:|---:|---|---:|---:|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_figures *f = &t->cases[i].figures;
        char lpl[16] = "-";
        if (c->nodes > 1)
            continue;
        if (c->lpl)
            snprintf(lpl, sizeof lpl, "%u", c->lpl);
        double more = percent_more(f->motet.flash, f->plain_flash), ram = (double)f->motet.ram - f->plain_ram;
        fprintf(t->out, "| %s | %s | %s | %u | %u | %u | %.0f %% | %s | %u | %u | %.0f | %s |\n", c->board,
                c->application, lpl, f->plain_flash, f->motet.flash, f->motet.flash - f->plain_flash, more,
                verdict(t, c, "more flash", "%", more, AT_MOST, 25), f->plain_ram, f->motet.ram, ram,
                verdict(t, c, "more RAM", "bytes", ram, AT_MOST, 2048));
    }
}

static void write_energy(struct table *t)
{
    fprintf(t->out, "\n## CPU and energy\n\n"
                    "The share of time in which the CPU is active, and the average power of the whole board by its "
                    "table of currents\n"
                    "(`motet run --monitor energy`), without and with recording. Networks have the mean over four "
                    "seeds. Paper (4.2.2):\n"
                    "less than 1 %% more power without LPL; 146 %% more at 64 ms and 19 %% at 512 ms, the ends of the "
                    "range it gives.\n"
                    "\n"
                    "| board | application | LPL ms | nodes | active | recorded | mW | recorded | more | paper | |\n"
                    "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_figures *f = &t->cases[i].figures;
        char cells[128];
        double more = percent_more(f->motet.milliwatts, f->plain_milliwatts);
        double paper = c->lpl == 64 ? 146 : c->lpl == 512 ? 19 : 1;
        bool in_paper = strcmp(c->application, "blink") != 0 && strcmp(c->application, "sense") != 0;
        fprintf(t->out, "%s| %.2f %% | %.2f %% | %.3f | %.3f | %.1f %% | %.0f %% | %s |\n", case_cells(c, cells),
                100 * f->plain_awake, 100 * f->motet.awake, f->plain_milliwatts, f->motet.milliwatts, more, paper,
                in_paper ? verdict(t, c, "more power", "%", more, AT_MOST, paper) : "");
    }
}

static void write_positions(struct table *t)
{
    bool any = false;
    for (size_t i = 0; i < t->count; i++)
        any |= t->cases[i].figures.other.there;
    if (!any)
        return;
    fprintf(
        t->out,
        "\n## Positions: counts beside cycle stamps\n\n"
        "The same applications with counted steps, and with `motet cc --stamp timer3` (MICAz) or `timera` (TelosB), "
        "which gives\n"
        "the positions of interrupts in cycles of a timer. The two firmwares take different times, so their runs "
        "differ.\n"
        "\n"
        "- *Awake*: interrupts that did not end sleep. *Bits*: what the codec `motet` spends on each of them.\n"
        "- *B/event*: the log over all events. *Flash*: what recording adds to it.\n"
        "- *Differ*: replays that did not fit, of all that is in the flash and of a shorter run compared instruction "
        "by\n"
        "  instruction.\n"
        "\n"
        "| board | application | LPL ms | nodes | positions | events/s | awake/s | bits | log B/s | B/event | flash "
        "| active | mW | differ | |\n"
        "|---|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_figures *f = &t->cases[i].figures;
        const struct measure_log *l[2];
        double events[2], awake[2], bits[2];
        bool usual = measure_stamped(c), other = !usual;
        l[usual] = &f->motet, events[usual] = f->events, awake[usual] = f->awake, bits[usual] = f->awake_bits;
        l[other] = &f->other, events[other] = f->other_at, awake[other] = f->other_awake, bits[other] = f->other_bits;
        for (unsigned k = 0; f->other.there && k < 2; k++) {
            char cells[128];
            fprintf(t->out, "%s| %s | %.0f | %.1f | %.1f | %.1f | %.3f | %u | %.2f %% | %.3f | %u | %s |\n",
                    case_cells(c, cells), k ? "stamps" : "counts", events[k], awake[k], bits[k], l[k]->rate,
                    l[k]->rate / events[k], l[k]->flash - f->plain_flash, 100 * l[k]->awake, l[k]->milliwatts,
                    l[k]->differences,
                    k == other ? verdict(t, c, k ? "divergences with stamps" : "divergences with counts", "",
                                         l[k]->differences, AT_MOST, 0)
                               : "");
        }
    }
}

static void write_exactness(struct table *t)
{
    fprintf(
        t->out,
        "\n## Exactness\n\n"
        "- *Replays*: replays of all that is in the flash at the end of the runs above. Each node's log is replayed "
        "from its\n"
        "  start and from every checkpoint after a gap. *Differ*: those that did not fit the firmware's execution.\n"
        "- *Compared*: a shorter run of the same firmware (a line of nine nodes), replayed and compared instruction "
        "by\n"
        "  instruction (`tests/record/exact.c`). The column has the share of instructions that the log covers; "
        "*differ* has the\n"
        "  differences.\n"
        "- *In the log*: the share of events in the log. The rest was lost in gaps, which the log notes.\n"
        "- *Asleep for good*: nodes that missed the event that was to wake them.\n"
        "\n"
        "| board | application | LPL ms | nodes | asleep for good | gaps | in the log | replays | differ | compared | "
        "differ | |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_figures *f = &t->cases[i].figures;
        const struct measure_log *l = &f->motet;
        char cells[128], compared[16] = "-"; /* not one page was full so soon */
        if (f->compared > 0)
            snprintf(compared, sizeof compared, "%.1f %%", f->compared);
        fprintf(t->out, "%s| %u | %u | %.1f %% | %u | %u | %s | %u | %s |\n", case_cells(c, cells), l->dead, l->gaps,
                100 * l->coverage, l->replays, l->differences, compared, f->divergences,
                verdict(t, c, "divergences, and nodes asleep for good", "", l->differences + f->divergences + l->dead,
                        AT_MOST, 0));
    }
}

static void write_speed(struct table *t)
{
    fprintf(t->out, "\n## Speed of replay\n\n"
                    "Processor seconds of the host for the simulation of all recording nodes, and for replays of as "
                    "many nodes. Where there\n"
                    "were gaps, the time is scaled as if everything had to be replayed.\n"
                    "\n"
                    "| board | application | LPL ms | nodes | simulated | replayed | times faster | |\n"
                    "|---|---|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_log *l = &t->cases[i].figures.motet;
        char cells[128];
        if (l->replayed <= 0 || l->coverage <= 0)
            continue;
        double replayed = l->replayed / l->coverage * c->nodes / l->replays;
        fprintf(t->out, "%s| %.3f s | %.3f s | %.1f | %s |\n", case_cells(c, cells), l->simulated, replayed,
                l->simulated / replayed, verdict(t, c, "replay faster", "times", l->simulated / replayed, AT_LEAST, 1));
    }
}

void figures_write(FILE *out, const struct figures_case *cases, size_t count)
{
    char *text = NULL;
    size_t size;
    struct table t = {open_memstream(&text, &size), cases, count, 0, 0};
    if (!t.out)
        abort();
    write_rates(&t);
    write_codecs(&t);
    write_compressors(&t);
    write_techniques(&t);
    write_parts(&t);
    write_sizes(&t);
    write_energy(&t);
    write_positions(&t);
    write_exactness(&t);
    write_speed(&t);
    fclose(t.out);
    fprintf(
        out,
        "# Node logs: figures\n\n"
        "Written by `make bench ONLY=record`; do not edit. All figures are of simulated nodes with the kit's "
        "applications,\n"
        "beside the figures of TARDIS (M. Tancreti et al., IPSN 2015), which are of TinyOS and Contiki on real nodes.\n"
        "\n"
        "- Networks are nine nodes in reach of each other, as in the paper. Figures are means over the nodes except "
        "the base\n"
        "  station.\n"
        "- Positions of interrupts are counts on MICAz, and cycle stamps (`--stamp timera`) on TelosB. The section "
        "*Positions*\n"
        "  compares both.\n"
        "\n"
        "**%u of %u rows are as good as the paper's or reach the goal, %u do not** (FAIL).\n"
        "%s",
        t.good, t.good + t.bad, t.bad, text);
    free(text);
}
