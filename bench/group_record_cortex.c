/* Recording on Cortex-M: what the logs of the kit's applications take and cost, and whether their replays are exact.
 * The last section of docs/node-logs-figures.md. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "page.h"
#include "record_cases.h"

#define MHO "multihop-oscilloscope"
#define ALONE(board, application, lpl)                   \
    {                                                    \
        .run = { board, application, lpl, 1, 60, false } \
    }
#define NINE(board, application, lpl, seconds)                \
    {                                                         \
        .run = { board, application, lpl, 9, seconds, false } \
    }
/* All applications, but those that write to the flash themselves. Those that have little to do run for longer, for a
 * page to become full; frames without end fill the flash in half a minute. */
#define CASES_OF(board)                                                                                              \
    ALONE(board, "blink", 0), ALONE(board, "sense", 0), ALONE(board, "serial-test", 0),                              \
        ALONE(board, "oscilloscope", 0), ALONE(board, MHO, 0), ALONE(board, MHO, 64), ALONE(board, MHO, 512),        \
        NINE(board, MHO, 0, 60), NINE(board, MHO, 64, 20), NINE(board, MHO, 512, 20), NINE(board, "collect", 0, 60), \
        NINE(board, "earthquake", 0, 20), NINE(board, "easy-collection", 0, 20),                                     \
        NINE(board, "multihop-watched", 0, 60), NINE(board, "co2", 0, 60), NINE(board, "radio-count", 0, 20),        \
        NINE(board, "oscilloscope-radio", 0, 60), NINE(board, "dissemination", 0, 60), NINE(board, "dip", 0, 60),    \
        NINE(board, "dhv", 0, 60), NINE(board, "timesync", 0, 120), NINE(board, "leach", 0, 120),                    \
        NINE(board, "base-station", 0, 300), NINE(board, "chatter", 0, 5)

static struct figures_case record_cortex_cases[] = {CASES_OF("nrf52840dk"), CASES_OF("cc2538dk")};

static double record_cortex_percent(double value, double than)
{
    return than > 0 ? 100 * (value / than - 1) : 0;
}

static void record_cortex_sizes(FILE *out, const struct figures_case *cases, size_t count)
{
    fprintf(out,
            "%s\n\n"
            "The recorder of Cortex-M is another ([recorder.md](recorder.md), *On Cortex-M*), with one codec, "
            "`words`, and positions in\n"
            "cycles. This section is written by `make bench ONLY=record_cortex`. Networks are nine nodes in reach "
            "of each other;\n"
            "figures are means over the nodes except the first.\n"
            "\n"
            "*Uncompressed* has every read of a device's register in full, polling loops included, and memory "
            "that hardware\n"
            "filled. No register is known to be fixed. Each interrupt counts 36 bits. gzip and S-LZW compress "
            "the same stream.\n"
            "*Full* is the time until the log's part of the flash is full, where a log ends.\n"
            "\n"
            "| board | application | LPL ms | nodes | events/s | uncompressed B/s | gzip B/s | S-LZW B/s | log "
            "B/s | smaller by | full |\n"
            "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
            FIGURES_CORTEX);
    for (size_t i = 0; i < count; i++) {
        const struct measure_figures *f = &cases[i].figures;
        char cells[128], full[32];
        double seconds = 2 * f->flash_half;
        if (seconds < 7200)
            snprintf(full, sizeof full, seconds < 120 ? "%.0f s" : "%.0f min", seconds / (seconds < 120 ? 1 : 60));
        else
            snprintf(full, sizeof full, "%.0f h", seconds / 3600);
        fprintf(out, "%s| %.0f | %.0f | %.1f | %.1f | %.1f | %.1f %% | %s |\n", figures_cells(&cases[i].run, cells),
                f->events, f->raw, f->gzip, f->slzw, f->motet.rate, -record_cortex_percent(f->motet.rate, f->raw),
                full);
    }
}

static void record_cortex_costs(FILE *out, const struct figures_case *cases, size_t count)
{
    fprintf(out,
            "\nFlash and statically allocated RAM, without and with recording, and the share of time in which the CPU "
            "is active,\n"
            "likewise. There are no tables of currents for these boards, hence no power.\n"
            "\n"
            "| board | application | LPL ms | nodes | flash | recorded | more | RAM | recorded | more | active | "
            "recorded |\n"
            "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < count; i++) {
        const struct measure_figures *f = &cases[i].figures;
        char cells[128];
        fprintf(out, "%s| %u | %u | %u | %u | %u | %u | %.2f %% | %.2f %% |\n", figures_cells(&cases[i].run, cells),
                f->plain_flash, f->motet.flash, f->motet.flash - f->plain_flash, f->plain_ram, f->motet.ram,
                f->motet.ram - f->plain_ram, 100 * f->plain_awake, 100 * f->recorded_awake);
    }
}

static void record_cortex_exactness(FILE *out, const struct figures_case *cases, size_t count)
{
    fprintf(out,
            "\n*Replays* are of all logs of the runs above; *compared* are the instructions of a shorter run, before "
            "each of which all\n"
            "registers were the same (`tests/record/cortex_exact.c`).\n"
            "\n"
            "| board | application | LPL ms | nodes | in the log | replays | differ | compared | differ | |\n"
            "|---|---|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < count; i++) {
        const struct measure_figures *f = &cases[i].figures;
        char cells[128], name[128], compared[32] = "-"; /* not one page was full so soon */
        unsigned differ = f->motet.differences + f->divergences;
        if (f->compared > 0)
            snprintf(compared, sizeof compared, "%.0f", f->compared);
        fprintf(out, "%s| %.1f %% | %u | %u | %s | %u | %s |\n", figures_cells(&cases[i].run, cells),
                100 * f->motet.coverage, f->motet.replays, f->motet.differences, compared, f->divergences,
                differ ? "**FAIL**" : "ok");
        snprintf(name, sizeof name, "%s, %s, %u nodes: divergences", cases[i].run.application, cases[i].run.board,
                 cases[i].run.nodes);
        bench_report(
            &(struct bench_result){.name = name, .unit = "", .value = differ, .less_is_better = true, .limit = 0.5});
    }
}

static bool record_cortex_write(const struct figures_case *cases, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    record_cortex_sizes(out, cases, count);
    record_cortex_costs(out, cases, count);
    record_cortex_exactness(out, cases, count);
    fclose(out);
    bool good = cases_chosen() ? fputs(text, stdout) >= 0 : page_write_last(RECORD_FIGURES, FIGURES_CORTEX, text);
    free(text);
    return good;
}

static bool record_cortex_check(void)
{
    static const struct measure_case small[] = {{"nrf52840dk", "sense", 0, 1, 10, false},
                                                {"cc2538dk", MHO, 0, 3, 4, false}};
    return cases_check(small, sizeof small / sizeof *small);
}

static bool record_cortex_run(void)
{
    size_t count = sizeof record_cortex_cases / sizeof *record_cortex_cases;
    if (bench_checking)
        return record_cortex_check();
    return cases_measure(record_cortex_cases, &count) && record_cortex_write(record_cortex_cases, count);
}

BENCH_GROUP(record_cortex, 51, "Recording on Cortex-M (all of it in docs/node-logs-figures.md)", record_cortex_run)
