#include "record_figures.h"

#include <stdlib.h>
#include <string.h>

#include "bench.h"

struct table {
    FILE *out;
    const struct figures_case *cases;
    size_t count;
    unsigned good[2], bad[2]; /* verdicts, by enum asks */
};

/* ---- names and verdicts ---- */

static char *name_of(const struct measure_case *c, char name[128])
{
    char lpl[32] = "";
    if (c->lpl)
        snprintf(lpl, sizeof lpl, ", LPL %u ms", c->lpl);
    char nodes[24] = "alone";
    if (c->nodes > 1)
        snprintf(nodes, sizeof nodes, "%u nodes", c->nodes);
    snprintf(name, 128, "%s, %s%s, %s", c->application, c->board, lpl, nodes);
    return name;
}

const char *figures_cells(const struct measure_case *c, char cells[128])
{
    char lpl[16] = "-";
    if (c->lpl)
        snprintf(lpl, sizeof lpl, "%u", c->lpl);
    snprintf(cells, 128, "| %s | %s | %s | %u ", c->board, c->application, lpl, c->nodes);
    return cells;
}

enum asked { AT_LEAST, AT_MOST };

/* Who asks: the paper, which has a figure of this application in these circumstances; or this project, of a row that
 * the paper does not have, or for a goal that is not the paper's. */
enum asks { PAPER, OWN };

static const char *verdict(struct table *t, const struct measure_case *c, enum asks asks, const char *what,
                           const char *unit, double value, enum asked asked, double limit)
{
    char name[192], of[128];
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
    (good ? t->good : t->bad)[asks] += 1;
    return good ? "ok" : "**FAIL**";
}

static double percent_less(double value, double than)
{
    return than > 0 ? 100 * (1 - value / than) : 0;
}

/* The paper's boards: its figures are of TelosB. Those of another board stand beside them, but are not its rows. */
static enum asks row_of(const struct measure_case *c)
{
    return strcmp(c->board, "telosb") == 0 ? PAPER : OWN;
}

static bool is_mho(const struct measure_case *c)
{
    return strcmp(c->application, "multihop-oscilloscope") == 0;
}

static double percent_more(double value, double than)
{
    return than > 0 ? 100 * (value / than - 1) : 0;
}

/* ---- tables ---- */

static void write_rates(struct table *t)
{
    fprintf(
        t->out,
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
        "- Nodes alone run for ten minutes without LPL, for one with it. Networks run for two minutes, collect for "
        "three.\n"
        "- The paper's figures for multihop-oscilloscope, earthquake and Collect are those of its section 4.2.1, "
        "on TelosB. Its\n"
        "  polling loops are in its baseline; verdicts are given with and without them.\n"
        "- The paper's applications are heavier than the kit's of the same names: its worst case logs 3.3 KB/s, "
        "after\n"
        "  compression. *easy-collection* (a packet every 50 ms from each node) and *chatter* (frames of full length "
        "without\n"
        "  end) are there for such loads; the section on codecs has what `tardis` makes of them.\n"
        "- *Half full* is the time until half of the flash is full (paper, 4.2.1: 2.5 minutes in its worst case, 83 "
        "minutes in\n"
        "  its lightest). That is when a new checkpoint is taken.\n"
        "\n"
        "| board | application | LPL ms | nodes | events/s | uncompressed B/s | without polling B/s | log B/s | half "
        "full | smaller by | paper | | smaller, without polling, by | |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct figures_case *c = &t->cases[i];
        const struct measure_figures *f = &c->figures;
        char cells[128], paper[16] = "-", half[32];
        double less = percent_less(f->motet.rate, f->raw), unpolled = percent_less(f->motet.rate, f->unpolled);
        if (c->paper > 0)
            snprintf(paper, sizeof paper, "%.0f %%", c->paper);
        snprintf(half, sizeof half, f->flash_half < 7200 ? "%.0f min" : "%.0f h",
                 f->flash_half / (f->flash_half < 7200 ? 60 : 3600));
        fprintf(t->out, "%s| %.0f | %.0f | %.0f | %.1f | %s | %.1f %% | %s | ", figures_cells(&c->run, cells),
                f->events, f->raw, f->unpolled, f->motet.rate, half, less, paper);
        fprintf(t->out, "%s | %.1f %% | ",
                c->paper > 0 ? verdict(t, &c->run, row_of(&c->run), "log smaller by", "%", less, AT_LEAST, c->paper)
                             : "",
                unpolled);
        fprintf(t->out, "%s |\n",
                c->paper > 0
                    ? verdict(t, &c->run, OWN, "log smaller, without polling, by", "%", unpolled, AT_LEAST, c->paper)
                    : "");
    }
}

static void write_codecs(struct table *t)
{
    fprintf(
        t->out,
        "\n## Codec `motet` beside codec `tardis`\n\n"
        "Both codecs encode the *same trace*: what one run handed to the recorder of the firmware whose positions are "
        "counts.\n"
        "Both logs hold all that exact replay needs. The goal is half the size in networks.\n"
        "\n"
        "- *Figure 4* counts the bits of the paper's format alone, without what exact replay needs beyond it.\n"
        "- *After boot* leaves out the first second of each node's life.\n"
        "\n"
        "| board | application | LPL ms | nodes | motet B/s | tardis B/s | Figure 4 B/s | tardis / motet | | after "
        "boot | Figure 4 / motet | after boot |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_same *s = &t->cases[i].figures.same;
        char cells[128];
        if (!s->there || s->motet <= s->motet_boot)
            continue;
        double ratio = s->tardis / s->motet, later = s->motet - s->motet_boot;
        fprintf(t->out, "%s| %.1f | %.1f | %.1f | %.2f | %s | %.2f | %.2f | %.2f |\n", figures_cells(c, cells),
                s->motet, s->tardis, s->figure4, ratio,
                c->nodes > 1 ? verdict(t, c, OWN, "tardis / motet on the same trace", "times", ratio, AT_LEAST, 2) : "",
                (s->tardis - s->tardis_boot) / later, s->figure4 / s->motet, (s->figure4 - s->figure4_boot) / later);
    }
    fprintf(t->out, "\nThe firmware with codec `tardis`, on the node and in replay:\n\n"
                    "| board | application | LPL ms | nodes | log B/s | events/s | in the log | parts that differ | |\n"
                    "|---|---|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_figures *f = &t->cases[i].figures;
        char cells[128];
        if (f->tardis.there)
            fprintf(t->out, "%s| %.1f | %.0f | %.1f %% | %u | %s |\n", figures_cells(c, cells), f->tardis.rate,
                    f->tardis_events, 100 * f->tardis.coverage, f->tardis.differences,
                    verdict(t, c, OWN, "divergences with codec tardis", "", f->tardis.differences, AT_MOST, 0));
    }
}

/* As in the paper's Figure 8. */
static void write_flow(struct table *t)
{
    fprintf(t->out,
            "\n## Beside control flow alone\n\n"
            "A trace of control flow such as TinyTracer's holds which way the firmware took, and no data. Here it "
            "is one bit for\n"
            "each conditional branch, and a byte for each call through a pointer and each interrupt, of the "
            "firmware that does not\n"
            "record. TinyTracer's own coding is not public; S-LZW, which a node could run, stands for it. Paper "
            "(4.4, Figure 8):\n"
            "TARDIS is 79 %% (Blink) and 53 %% (multihop-oscilloscope) smaller than TinyTracer.\n"
            "\n"
            "| board | application | LPL ms | nodes | control flow B/s | with S-LZW B/s | with gzip B/s | log B/s | "
            "smaller than S-LZW by | paper | |\n"
            "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_figures *f = &t->cases[i].figures;
        char cells[128];
        if (!f->flow.there)
            continue;
        double less = percent_less(f->motet.rate, f->flow.slzw), paper = is_mho(c) ? 53 : 79;
        fprintf(t->out, "%s| %.1f | %.1f | %.1f | %.1f | %.1f %% | %.0f %% | %s |\n", figures_cells(c, cells),
                f->flow.raw, f->flow.slzw, f->flow.gzip, f->motet.rate, less, paper,
                verdict(t, c, c->nodes == 1 ? row_of(c) : OWN, "log smaller than control flow by", "%", less, AT_LEAST,
                        paper));
    }
}

static void write_compressors(struct table *t)
{
    fprintf(t->out,
            "\n## Beside gzip and S-LZW\n\n"
            "All compress the same uncompressed stream: values of registers in order, then the interrupts "
            "(vector, address and\n"
            "count, 5 bytes).\n"
            "\n"
            "- gzip is zlib's deflate, level 9, with a window of 32 KB.\n"
            "- S-LZW (Sadler and Martonosi, SenSys 2006) has 512 entries, blocks of 528 bytes and a mini-cache "
            "of 32 entries.\n"
            "- Paper (4.4): multihop-oscilloscope, a node alone without LPL, 76 %% smaller than gzip and 96 %% "
            "smaller than S-LZW; Blink\n"
            "  2.7 times as large as gzip and 3 %% smaller than S-LZW. The other rows of multihop-oscilloscope are "
            "held against the same.\n"
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
        if (is_mho(c)) {
            enum asks asks = c->nodes == 1 && !c->lpl ? row_of(c) : OWN;
            gzip = verdict(t, c, asks, "log smaller than gzip by", "%", less_gzip, AT_LEAST, 76);
            slzw = verdict(t, c, asks, "log smaller than S-LZW by", "%", less_slzw, AT_LEAST, 96);
        } else if (strcmp(c->application, "blink") == 0) {
            gzip = verdict(t, c, row_of(c), "log / gzip", "times", f->motet.rate / f->gzip, AT_MOST, 2.7);
            slzw = verdict(t, c, row_of(c), "log smaller than S-LZW by", "%", less_slzw, AT_LEAST, 3);
        }
        fprintf(t->out, "%s| %.1f | %.1f | %.1f | %.1f %% | %s | %.1f %% | %s |\n", figures_cells(c, cells), f->gzip,
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

static double tardis_timers_save(const struct figures_case *c)
{
    return percent_less(c->figures.same.timers, c->figures.same.raw_timers);
}

static double tardis_state_saves(const struct figures_case *c)
{
    return percent_less(c->figures.same.state, c->figures.same.raw_state);
}

static double tardis_data_saves(const struct figures_case *c)
{
    return percent_less(c->figures.same.data, c->figures.same.raw_data);
}

static const struct {
    const char *name;
    double (*saves)(const struct figures_case *c);
    double (*tardis)(const struct figures_case *c); /* with that codec; NULL: the same */
    double paper;
} techniques[] = {
    {"fixed registers and bits, of all reads", fixed_saves, NULL, 26.8},
    {"polling loops, of the baseline", polls_save, NULL, 25.9},
    {"masks, of the baseline", masks_save, NULL, 56.7},
    {"ends of sleep, of interrupts", sleep_saves, NULL, 12.7},
    {"coding of timers, of whole registers", timers_save, tardis_timers_save, 72.7},
    {"coding of state, of whole registers", state_saves, tardis_state_saves, 47.8},
    {"coding of data, of whole registers", data_saves, tardis_data_saves, 65.7},
};

static void write_techniques(struct table *t)
{
    fprintf(
        t->out,
        "\n## What each technique saves\n\n"
        "How much less there is to record with each technique by itself, as in the paper's Table 1. That table shows\n"
        "multihop-oscilloscope with LPL of 64 ms in a network of five nodes, on TelosB; so here are five nodes too.\n"
        "\n"
        "- Reads before any technique are those that the simulator sees on the bus.\n"
        "- A read in a polling loop counts one bit with masks.\n"
        "- The savings of the first three depend on the firmware. The kit on TelosB reads more bits of its clock, none "
        "of which\n"
        "  is fixed, than of any other register.\n"
        "- The last three are what a codec spends on reads of a class: `motet`, and `tardis` (differences, run "
        "lengths, "
        "LZRW-T)\n"
        "  on the trace of the firmware with counts.\n"
        "\n"
        "| board | application | LPL ms | nodes | technique | saves | paper | | codec `tardis` |\n"
        "|---|---|---:|---:|---|---:|---:|---|---:|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        char cells[128];
        if (c->nodes != 5)
            continue;
        for (size_t k = 0; k < sizeof techniques / sizeof *techniques; k++) {
            double saved = techniques[k].saves(&t->cases[i]);
            char tardis[24] = "the same";
            if (techniques[k].tardis)
                snprintf(tardis, sizeof tardis, "%.1f %%", techniques[k].tardis(&t->cases[i]));
            fprintf(t->out, "%s| %s | %.1f %% | %.1f %% | %s | %s |\n", figures_cells(c, cells), techniques[k].name,
                    saved, techniques[k].paper,
                    verdict(t, c, row_of(c), techniques[k].name, "%", saved, AT_LEAST, techniques[k].paper), tardis);
        }
    }
}

static void write_shares(struct table *t, const struct measure_case *c, const char *of, const double parts[4])
{
    char cells[128];
    double all = parts[0] + parts[1] + parts[2] + parts[3];
    fprintf(t->out, "%s| %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", figures_cells(c, cells), of,
            100 * parts[0] / all, 100 * parts[1] / all, 100 * parts[2] / all, 100 * parts[3] / all);
}

/* Both halves of the paper's Figure 3. */
static void write_parts(struct table *t)
{
    fprintf(t->out,
            "\n## What the log is spent on\n\n"
            "Shares of the bits, by the kind of event, before and after compression, as in the two halves of the "
            "paper's Figure 3.\n"
            "That is of TelosB, LPL of 64 ms, in a network of five nodes. `tardis` is on the trace of the firmware "
            "with counts, and\n"
            "has the bits of Figure 4.\n"
            "\n"
            "| board | application | LPL ms | nodes | of | interrupts | timers | data | state |\n"
            "|---|---|---:|---:|---|---:|---:|---:|---:|\n"
            "| paper | MultihopOscilloscope | 64 | 5 | uncompressed | 12.8 %% | 11.2 %% | 6.3 %% | 69.7 %% |\n"
            "| paper | MultihopOscilloscope | 64 | 5 | TARDIS | 51.3 %% | 23.4 %% | 17.5 %% | 7.8 %% |\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_techniques *k = techniques_of(&t->cases[i]);
        const struct measure_same *s = &t->cases[i].figures.same;
        write_shares(t, c, "uncompressed", (double[]){k->interrupts, k->raw_timers, k->raw_data, k->raw_state});
        if (s->there)
            write_shares(t, c, "`tardis`", (double[]){s->interrupts, s->timers, s->data, s->state});
        write_shares(t, c, "`motet`", (double[]){k->coded_interrupts, k->coded_timers, k->coded_data, k->coded_state});
    }
}

static void write_sizes(struct table *t)
{
    fprintf(t->out,
            "\n## Size of the firmware\n\n"
            "Flash and statically allocated RAM, with the codec `motet` and without recording. Paper (4.3): 23 to 25 "
            "%% more\n"
            "program, of larger programs; 2.6 KB of RAM. The goal for RAM is 2 KB in all. Bytes say more than per cent "
            "where "
            "programs are\n"
            "small.\n"
            "\n"
            "| board | application | LPL ms | flash | recorded | bytes more | more | | RAM | recorded | more | |\n"
            "|---|---|---:|---:|---:|---:|---:|---|---:|---:|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_figures *f = &t->cases[i].figures;
        char lpl[16] = "-";
        if (c->nodes > 1 || c->light)
            continue;
        if (c->lpl)
            snprintf(lpl, sizeof lpl, "%u", c->lpl);
        double more = percent_more(f->motet.flash, f->plain_flash), ram = (double)f->motet.ram - f->plain_ram;
        fprintf(t->out, "| %s | %s | %s | %u | %u | %u | %.0f %% | %s | %u | %u | %.0f | %s |\n", c->board,
                c->application, lpl, f->plain_flash, f->motet.flash, f->motet.flash - f->plain_flash, more,
                verdict(t, c, row_of(c), "more flash", "%", more, AT_MOST, 25), f->plain_ram, f->motet.ram, ram,
                verdict(t, c, OWN, "more RAM", "bytes", ram, AT_MOST, 2048));
    }
}

static void write_profile(struct table *t, const struct figures_case *of, const char *profile,
                          const struct measure_log *l, bool asked)
{
    const struct measure_case *c = &of->run;
    const struct measure_figures *f = &of->figures;
    const struct measure_log *full = measure_stamped(c) ? &f->other : &f->motet; /* with counts, too */
    double ram = (double)l->ram - f->plain_ram, ratio = full->rate > 0 ? l->rate / full->rate : 0;
    double same = f->same.motet > 0 ? f->same.small / f->same.motet : 0;
    char cells[128], trace[24] = "";
    if (asked && f->same.there)
        snprintf(trace, sizeof trace, "%.2f", same);
    if (!l->there)
        return;
    fprintf(t->out, "%s| %s | %u | %.0f | %s | %.1f | %.2f | %s | %s | %u | %s |\n", figures_cells(c, cells), profile,
            l->flash - f->plain_flash, ram,
            asked ? verdict(t, c, OWN, "more RAM with profile small", "bytes", ram, AT_MOST, 900) : "", l->rate, ratio,
            trace,
            trace[0] && c->nodes > 1
                ? verdict(t, c, OWN, "log with profile small, on the same trace", "times", same, AT_MOST, 1.5)
                : "",
            l->differences, l->differences ? "**FAIL**" : "ok");
}

static void write_profiles(struct table *t)
{
    fprintf(t->out,
            "\n## Profiles\n\n"
            "What recording adds with `motet cc --profile`, in bytes, and the log beside that of the whole "
            "recorder in a run of\n"
            "its own; positions are counts. The goal of `small` is 900 bytes of RAM, and in networks 1.5 times "
            "the log on the *same\n"
            "trace*: what its codec makes of the events of the whole recorder's run. The goal for the flash of its "
            "recorder, 5.5 KB,\n"
            "is of the recorder alone; `record.profiles` has that. *Differ*: replays that did not fit.\n"
            "\n"
            "| board | application | LPL ms | nodes | profile | flash | RAM | | log B/s | times full | same trace | | "
            "differ | |\n"
            "|---|---|---:|---:|---|---:|---:|---|---:|---:|---:|---|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        write_profile(t, &t->cases[i], "small", &t->cases[i].figures.small, true);
        write_profile(t, &t->cases[i], "tiny", &t->cases[i].figures.tiny, false);
    }
}

static void write_energy(struct table *t)
{
    fprintf(t->out,
            "\n## CPU and energy\n\n"
            "The share of time in which the CPU is active, and the average power of the whole board by its "
            "table of currents\n"
            "(`motet run --monitor energy`), without and with recording. Networks have the mean over two "
            "seeds. Paper (4.2.2):\n"
            "less than 1 %% more power without LPL; with LPL between 19 %% and 146 %% more, and it does not say "
            "which is which. The\n"
            "limit here is the lower end. It has no figures of sense and blink, which are held against 1 %%.\n"
            "\n"
            "| board | application | LPL ms | nodes | active | recorded | mW | recorded | more | paper | |\n"
            "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_case *c = &t->cases[i].run;
        const struct measure_figures *f = &t->cases[i].figures;
        char cells[128];
        double more = percent_more(f->recorded_milliwatts, f->plain_milliwatts), limit = c->lpl ? 19 : 1;
        bool in_paper = strcmp(c->application, "blink") != 0 && strcmp(c->application, "sense") != 0;
        if (c->light)
            continue;
        fprintf(t->out, "%s| %.2f %% | %.2f %% | %.3f | %.3f | %.1f %% | %s | %s |\n", figures_cells(c, cells),
                100 * f->plain_awake, 100 * f->recorded_awake, f->plain_milliwatts, f->recorded_milliwatts, more,
                !in_paper ? "-"
                : c->lpl  ? "19 to 146 %"
                          : "1 %",
                verdict(t, c, in_paper ? row_of(c) : OWN, "more power", "%", more, AT_MOST, limit));
    }
}

static void write_pauses(struct table *t)
{
    fprintf(
        t->out,
        "\n## Checkpoints and pauses\n\n"
        "How long a checkpoint takes from its beginning to its end, while the application runs, and the longest "
        "time with\n"
        "interrupts off, on one node after its first second: without recording, and with recording and a "
        "checkpoint every 32\n"
        "pages. Paper (4.2.1): all 10 KB of a TelosB's RAM are written in 191 ms. *Moves bytes* is the share of the "
        "CPU's time awake\n"
        "in which the flash is selected: what DMA on an MSP430 could save at most (4.2.3).\n"
        "\n"
        "| board | application | LPL ms | nodes | checkpoints | each takes ms | interrupts off us | recorded us | "
        "moves "
        "bytes |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct measure_pauses *p = &t->cases[i].figures.pauses;
        char cells[128];
        char each[16] = "-"; /* that node had none */
        if (!p->there)
            continue;
        if (p->checkpoints)
            snprintf(each, sizeof each, "%.0f", p->checkpoint);
        fprintf(t->out, "%s| %u | %s | %.0f | %.0f | %.1f %% |\n", figures_cells(&t->cases[i].run, cells),
                p->checkpoints, each, p->plain, p->recorded, 100 * p->moving);
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
        "- *Differ*: replays that did not fit, of all that is in the flash.\n"
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
        for (unsigned k = 0; f->other.there && !c->light && c->nodes > 1 && k < 2; k++) {
            char cells[128];
            fprintf(t->out, "%s| %s | %.0f | %.1f | %.1f | %.1f | %.3f | %u | %.2f %% | %.3f | %u | %s |\n",
                    figures_cells(c, cells), k ? "stamps" : "counts", events[k], awake[k], bits[k], l[k]->rate,
                    l[k]->rate / events[k], l[k]->flash - f->plain_flash, 100 * l[k]->awake, l[k]->milliwatts,
                    l[k]->differences,
                    k == other ? verdict(t, c, OWN, k ? "divergences with stamps" : "divergences with counts", "",
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
        fprintf(t->out, "%s| %u | %u | %.1f %% | %u | %u | %s | %u | %s |\n", figures_cells(c, cells), l->dead, l->gaps,
                100 * l->coverage, l->replays, l->differences, compared, f->divergences,
                verdict(t, c, OWN, "divergences, and nodes asleep for good", "",
                        l->differences + f->divergences + l->dead, AT_MOST, 0));
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
        fprintf(t->out, "%s| %.3f s | %.3f s | %.1f | %s |\n", figures_cells(c, cells), l->simulated, replayed,
                l->simulated / replayed,
                verdict(t, c, OWN, "replay faster", "times", l->simulated / replayed, AT_LEAST, 1));
    }
}

void figures_write(FILE *out, const struct figures_case *cases, size_t count)
{
    char *text = NULL;
    size_t size;
    struct table t = {open_memstream(&text, &size), cases, count, {0}, {0}};
    if (!t.out)
        abort();
    write_rates(&t);
    write_codecs(&t);
    write_compressors(&t);
    write_flow(&t);
    write_techniques(&t);
    write_parts(&t);
    write_sizes(&t);
    write_profiles(&t);
    write_energy(&t);
    write_pauses(&t);
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
        "- Networks are nine nodes in reach of each other, as in the paper, or five where its figures are of five. "
        "Figures are\n"
        "  means over the nodes except the base station.\n"
        "- Positions of interrupts are counts on MICAz, and cycle stamps (`--stamp timera`) on TelosB. The section "
        "*Positions*\n"
        "  compares both.\n"
        "\n"
        "**%u of %u figures that the paper has of these applications, on its board, are as good, %u are not** (FAIL).\n"
        "Apart from these, **%u of %u reach a goal of this project or stand where the paper has no row, %u do not**.\n"
        "%s",
        t.good[PAPER], t.good[PAPER] + t.bad[PAPER], t.bad[PAPER], t.good[OWN], t.good[OWN] + t.bad[OWN], t.bad[OWN],
        text);
    free(text);
}
