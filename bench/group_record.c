/* Recording: what the node's log takes, beside what TARDIS, gzip and S-LZW make of the same events, and beside the
 * figures of the paper (Tancreti et al., TARDIS, IPSN 2015, sections 3 and 4); what recording costs; and whether replay
 * is exact. Writes docs/recording-figures.md, with ok or FAIL for each row that the paper has a figure for.
 *
 * Networks are nine nodes, all in each other's reach, as in section 4.1. Rates are of one node, on the average.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <motet/motet.h>
#include <motet/record.h>

#include "bench.h"
#include "record_reference.h"
#include "record_trace.h"

static const struct board_kind {
    const char *name, *registers;
    bool avr;
    double hertz;
} boards[] = {
    {"micaz", REGISTERS_DIR "/atmega128.txt", true, 7372800},
    {"telosb", REGISTERS_DIR "/msp430f1611.txt", false, 4194304},
};
enum { BOARDS = sizeof boards / sizeof *boards };

static const struct kind {
    const char *title, *firmware, *variant;
    unsigned nodes;
    double reduction; /* the paper's, in percent; 0: it has none */
    bool radio;       /* a network run with CC2420: motet is to be twice as small as tardis */
} kinds[] = {
    {"Blink", "blink", "", 1, 0, false},
    {"MHO", "multihop-oscilloscope", "", 1, 92, false},
    {"MHO, LPL 64 ms", "multihop-oscilloscope", "-lpl64", 1, 94, false},
    {"MHO, LPL 512 ms", "multihop-oscilloscope", "-lpl512", 1, 90, false},
    {"MHO network", "multihop-oscilloscope", "", 9, 80, true},
    {"MHO network, LPL 64 ms", "multihop-oscilloscope", "-lpl64", 9, 86, true},
    {"MHO network, LPL 512 ms", "multihop-oscilloscope", "-lpl512", 9, 77, true},
    {"Earthquake", "earthquake", "", 1, 83, false},
    {"Collect", "collect", "", 1, 78, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* All of a row, per node and second where it says bytes. */
struct row {
    double all, baseline, tardis, motet, gzip, s_lzw;
    double duty, plain_duty, milliwatts, plain_milliwatts;
    struct tardis parts; /* bits, of all nodes together */
    double recorded_raw; /* bits of recorded reads at the registers' full width, all nodes */
    double masked;       /* the bits that matter of them */
    unsigned gaps;
    double seconds;
};

static FILE *doc;

static double length_of(const struct kind *k)
{
    return bench_checking ? 2 : k->nodes == 1 ? 30 : 20;
}

static void elf_path(char *path, size_t size, const struct kind *k, const struct board_kind *b, bool recorded)
{
    snprintf(path, size, "%s/%s-%s%s%s.elf", FIRMWARE_DIR, k->firmware, b->name, k->variant,
             recorded ? "-recorded" : "");
}

/* The earthquake monitor and a recorder do not fit into the 4 KB of RAM of a MICAz. */
static bool fits(const struct kind *k, const struct board_kind *b)
{
    char path[512];
    elf_path(path, sizeof path, k, b, true);
    return access(path, R_OK) == 0;
}

static void add_events(struct row *r, const struct trace *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->events[i].kind == TRACE_READ || t->events[i].kind == TRACE_BYTE) {
            r->recorded_raw += 8 * t->events[i].size;
            r->masked += __builtin_popcount(t->events[i].live);
        }
}

static void add_parts(struct tardis *sum, const struct tardis *t)
{
    sum->state += t->state, sum->timer += t->timer, sum->data += t->data, sum->interrupt += t->interrupt;
    sum->state_raw += t->state_raw, sum->timer_raw += t->timer_raw, sum->data_raw += t->data_raw;
    sum->interrupt_raw += t->interrupt_raw, sum->state_masked += t->state_masked;
    sum->interrupt_awake += t->interrupt_awake;
}

static bool measure(const struct kind *k, const struct board_kind *b, struct row *r)
{
    static struct trace traces[TRACE_NODES];
    char path[512];
    struct trace_run run = {.path = path,
                            .board = b->name,
                            .nodes = k->nodes,
                            .seconds = length_of(k),
                            .seed = 1,
                            .recorded = true,
                            .registers = b->registers};
    double share = 1 / (run.seconds * k->nodes);
    memset(r, 0, sizeof *r);
    elf_path(path, sizeof path, k, b, true);
    if (!fits(k, b))
        return true;
    r->seconds = run.seconds;
    bench_progress("record: %s on %s", k->title, b->name);
    if (!trace_record(&run, traces))
        return false;
    for (unsigned i = 0; i < k->nodes; i++) {
        struct tardis t = tardis_of(&traces[i], b->avr);
        uint8_t *bytes;
        size_t size = reference_raw(&traces[i], &bytes);
        r->gzip += share * (double)reference_gzip(bytes, size);
        r->s_lzw += share * (double)reference_s_lzw(bytes, size);
        free(bytes);
        r->all += share * ((double)traces[i].all_bytes + (double)t.interrupt_raw / 8);
        r->baseline += share * ((double)traces[i].baseline_bytes + (double)t.interrupt_raw / 8);
        r->tardis += share * (double)tardis_bits(&t) / 8;
        r->motet += share * (double)traces[i].log_bytes;
        r->duty += share * (double)traces[i].cycles / b->hertz * 100;
        r->gaps += traces[i].gaps;
        add_parts(&r->parts, &t);
        add_events(r, &traces[i]);
    }
    r->milliwatts = share * traces[0].millijoules;
    trace_free(traces);
    run.recorded = false;
    elf_path(path, sizeof path, k, b, false);
    if (!trace_record(&run, traces))
        return false;
    for (unsigned i = 0; i < k->nodes; i++)
        r->plain_duty += share * (double)traces[i].cycles / b->hertz * 100;
    r->plain_milliwatts = share * traces[0].millijoules;
    trace_free(traces);
    return true;
}

/* ---- the document ---- */

static const char *verdict(bool good)
{
    return good ? "ok" : "**FAIL**";
}

static void write_rates(struct row rows[BOARDS][KINDS])
{
    fprintf(doc,
            "\n## Log rate\nBytes a second and node. `baseline`: all interrupts (36 bits) and all reads of registers "
            "that are not deterministic, uncompressed\n(section 3.2). `tardis`: the events that `motet cc` records, "
            "in the format of Figure 4. `motet`: what is in the flash,\nhashes and stack pointers that exact replay "
            "needs included. Reduction is that of motet against the baseline; lost: gaps in logs.\n\n"
            "| application | board | baseline | tardis | motet | tardis / motet | lost | reduction | paper | |\n"
            "|---|---|---|---|---|---|---|---|---|---|\n");
    for (unsigned b = 0; b < BOARDS; b++)
        for (unsigned i = 0; i < KINDS; i++) {
            const struct row *r = &rows[b][i];
            if (!fits(&kinds[i], &boards[b]))
                continue;
            double reduction = 100 - 100 * r->motet / r->baseline, ratio = r->tardis / r->motet;
            char paper[32] = "-";
            if (kinds[i].reduction > 0)
                snprintf(paper, sizeof paper, "%.0f %%", kinds[i].reduction);
            fprintf(doc, "| %s | %s | %.0f | %.0f | %.0f | %.2f %s | %u | %.1f %% | %s | %s |\n", kinds[i].title,
                    boards[b].name, r->baseline, r->tardis, r->motet, ratio, kinds[i].radio ? verdict(ratio >= 2) : "",
                    r->gaps, reduction, paper,
                    kinds[i].reduction > 0 ? verdict(reduction >= kinds[i].reduction && !r->gaps) : "");
        }
}

static void write_general(struct row rows[BOARDS][KINDS])
{
    fprintf(doc,
            "\n## Beside general compression\nOf the same events, as bytes: `gzip -9`, and S-LZW with 512 entries in "
            "2 KB and blocks of 528 bytes (Sadler and Martonosi,\nSenSys 2006). Paper (section 4.4): TARDIS is 76 %% "
            "smaller than gzip and 96 %% smaller than S-LZW on MHO, for Blink 2.7 times\nlarger than gzip and 3 %% "
            "smaller than S-LZW; its gzip works on all reads, ours on what `motet cc` leaves of them.\n\n"
            "| application | board | motet | gzip | S-LZW | |\n|---|---|---|---|---|---|\n");
    for (unsigned b = 0; b < BOARDS; b++)
        for (unsigned i = 0; i < KINDS; i++) {
            const struct row *r = &rows[b][i];
            if (!fits(&kinds[i], &boards[b]))
                continue;
            fprintf(doc, "| %s | %s | %.0f | %.0f | %.0f | %s |\n", kinds[i].title, boards[b].name, r->motet, r->gzip,
                    r->s_lzw, verdict(r->motet <= r->gzip && r->motet <= r->s_lzw));
        }
}

static double part_of(double less, double than)
{
    return than > 0 ? 100 * less / than : 0;
}

/* As in Table 1, of a network with LPL. */
static void write_techniques(struct row rows[BOARDS][KINDS])
{
    enum { LPL64 = 5 };
    fprintf(doc,
            "\n## Contribution of each technique\nAs in Table 1: MHO in a network with LPL of 64 ms; what each one "
            "saves where it alone is left out or put in.\n\n| technique | measured against | paper |");
    for (unsigned b = 0; b < BOARDS; b++)
        fprintf(doc, " %s |", boards[b].name);
    fprintf(doc, "\n|---|---|---|---|---|\n");
    struct {
        const char *name, *against;
        double paper, ours[BOARDS];
    } lines[] = {
        {"deterministic registers are left out", "all reads", 14.5, {0}},
        {"polling loops are left out", "baseline", 25.9, {0}},
        {"only bits that matter", "baseline", 56.7, {0}},
        {"no address where sleep ended", "interrupts", 12.7, {0}},
        {"differences of timers", "timers", 72.7, {0}},
        {"run lengths of state", "state", 47.8, {0}},
        {"LZRW-T of data", "data", 65.7, {0}},
        {"guessing instead of the last four (codec motet)", "tardis", 0, {0}},
    };
    for (unsigned b = 0; b < BOARDS; b++) {
        const struct row *r = &rows[b][LPL64];
        const struct tardis *t = &r->parts;
        double all = 8 * r->seconds * kinds[LPL64].nodes, baseline = r->baseline * all;
        double read = baseline - (double)t->interrupt_raw;
        lines[0].ours[b] = part_of(r->all - r->baseline, r->all);
        lines[1].ours[b] = part_of(read - r->recorded_raw, baseline);
        lines[2].ours[b] = part_of(r->recorded_raw - r->masked, baseline);
        lines[3].ours[b] = part_of((double)(t->interrupt_awake - t->interrupt), (double)t->interrupt_awake);
        lines[4].ours[b] = part_of((double)t->timer_raw - (double)t->timer, (double)t->timer_raw);
        lines[5].ours[b] = part_of((double)t->state_masked - (double)t->state, (double)t->state_masked);
        lines[6].ours[b] = part_of((double)t->data_raw - (double)t->data, (double)t->data_raw);
        lines[7].ours[b] = part_of(r->tardis - r->motet, r->tardis);
    }
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        fprintf(doc, "| %s | %s | ", lines[i].name, lines[i].against);
        if (lines[i].paper > 0)
            fprintf(doc, "%.1f %% |", lines[i].paper);
        else
            fprintf(doc, "- |");
        for (unsigned b = 0; b < BOARDS; b++)
            fprintf(doc, " %.1f %% |", lines[i].ours[b]);
        fputc('\n', doc);
    }
}

/* ---- what it costs ---- */

/* Bytes of program memory, initial values included; 0 if it is no ELF file. */
static double flash_of(const char *path)
{
    FILE *f = fopen(path, "r");
    Elf32_Ehdr h;
    Elf32_Phdr p;
    double sum = 0;
    if (!f)
        return 0;
    if (fread(&h, sizeof h, 1, f) == 1 && memcmp(h.e_ident, ELFMAG, SELFMAG) == 0)
        for (unsigned i = 0; i < h.e_phnum; i++)
            if (fseek(f, (long)(h.e_phoff + i * sizeof p), SEEK_SET) == 0 && fread(&p, sizeof p, 1, f) == 1 &&
                p.p_type == PT_LOAD)
                sum += p.p_filesz;
    fclose(f);
    return sum;
}

static double ram_of(const char *path, const char *board)
{
    static const char *const own[] = {"motet_recorder", "motet_codec", "motet_dump", "motet_count", "motet_uncounted"};
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_error e;
    double sum = 0;
    uint32_t at, size;
    options.board = board;
    motet_machine *m = motet_machine_load(path, &options, &e);
    for (unsigned i = 0; m && i < sizeof own / sizeof *own; i++)
        if (motet_machine_variable(m, own[i], &at, &size))
            sum += size;
    motet_machine_free(m);
    return sum;
}

static void write_costs(struct row rows[BOARDS][KINDS])
{
    fprintf(doc,
            "\n## What recording costs\nFlash and RAM: paper 23-25 %% and 2.6 KB. CPU and power, of the recorded "
            "build against the one that is not: paper less than 1 %% more\npower without LPL, 19-146 %% with it. "
            "The recorder's RAM is all of it: ring, codec, checkpoints, dump.\n\n"
            "| application | board | flash | with recorder | growth | RAM | CPU awake | with recorder | power, mW | "
            "with recorder | more | |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (unsigned b = 0; b < BOARDS; b++)
        for (unsigned i = 0; i < KINDS; i++) {
            const struct row *r = &rows[b][i];
            char path[512], recorded[512];
            if (!fits(&kinds[i], &boards[b]))
                continue;
            elf_path(path, sizeof path, &kinds[i], &boards[b], false);
            elf_path(recorded, sizeof recorded, &kinds[i], &boards[b], true);
            double flash = flash_of(path), more = flash_of(recorded), ram = ram_of(recorded, boards[b].name);
            double growth = part_of(more - flash, flash);
            double power = part_of(r->milliwatts - r->plain_milliwatts, r->plain_milliwatts);
            bool lpl = kinds[i].variant[0] != 0;
            fprintf(
                doc,
                "| %s | %s | %.0f | %.0f | %.0f %% %s | %.0f %s | %.2f %% | %.2f %% | %.2f | %.2f | %.1f %% | %s |\n",
                kinds[i].title, boards[b].name, flash, more, growth, verdict(growth <= 25), ram, verdict(ram <= 2048),
                r->plain_duty, r->duty, r->plain_milliwatts, r->milliwatts, power, verdict(power <= (lpl ? 146 : 1)));
        }
}

/* ---- exactness ---- */

/* What record-exact says: how many nodes of a run were compared and found the same to the end of their logs. */
static unsigned exact_nodes(const struct kind *k, const struct board_kind *b, unsigned seed, char *why, size_t size)
{
    char command[1024], line[1024], path[512];
    unsigned nodes = 0;
    elf_path(path, sizeof path, k, b, true);
    snprintf(command, sizeof command, "%s -n %u -s %u %s %s %u 100 2>&1", RECORD_EXACT, k->nodes, seed, path, b->name,
             k->nodes == 1 ? 30 : 10);
    FILE *p = popen(command, "r");
    *why = 0;
    while (p && fgets(line, sizeof line, p)) {
        nodes += strstr(line, "instructions, ") != NULL && strncmp(line, "node ", 5) == 0;
        if (strncmp(line, "exact: ", 7) == 0 && !*why)
            snprintf(why, size, "%.*s", (int)strcspn(line + 7, "\n"), line + 7);
    }
    if (p)
        pclose(p);
    return nodes;
}

static void write_exactness(void)
{
    fprintf(doc,
            "\n## Exactness\nEvery instruction outside the recorder, the registers and all variables of each node, "
            "compared with its replay by\n`record-exact`: 30 seconds of one node alone, 10 of a line of nine (longer "
            "ones: `make soak`).\n\n"
            "| application | board | nodes | exact | |\n|---|---|---|---|---|\n");
    for (unsigned b = 0; b < BOARDS; b++)
        for (unsigned i = 0; i < KINDS; i++) {
            char why[512];
            if (!fits(&kinds[i], &boards[b]))
                continue;
            bench_progress("record: exactness of %s on %s", kinds[i].title, boards[b].name);
            unsigned exact = exact_nodes(&kinds[i], &boards[b], 2, why, sizeof why);
            fprintf(doc, "| %s | %s | %u | %u | %s%s%s |\n", kinds[i].title, boards[b].name, kinds[i].nodes, exact,
                    verdict(exact == kinds[i].nodes), *why ? " " : "", why);
            bench_report(&(struct bench_result){.name = kinds[i].title,
                                                .unit = "exact",
                                                .value = exact,
                                                .reference = boards[b].name,
                                                .reference_value = kinds[i].nodes});
        }
}

/* ---- replay's speed ---- */

/* Processor time of a run, or of a replay to the end of its log; 0 if that does not come to its end. */
static double simulate(const char *path, const char *board, const motet_log *log, double seconds)
{
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_replay how = {.ended = true};
    struct motet_error e;
    uint32_t at, size;
    options.board = board;
    motet_machine *m =
        log ? motet_replay_load(path, &options, log, motet_log_begin(log), &e) : motet_machine_load(path, &options, &e);
    motet_node *n = m ? motet_node_new(m, 0, 1) : NULL;
    if (!n || (motet_machine_variable(m, "node_id", &at, &size) && !motet_node_set(n, "node_id", 0, &e))) {
        bench_wrong("%s", e.text);
        return 0;
    }
    double start = bench_seconds();
    motet_node_run(n, log ? UINT64_MAX : (uint64_t)(seconds * (double)motet_machine_hz(m)));
    double took = bench_seconds() - start;
    if (log)
        motet_node_replay(n, &how);
    if (how.differs || !how.events)
        took = log ? 0 : took;
    if (log && took == 0)
        bench_wrong("replay: %s", how.how);
    motet_node_free(n);
    motet_machine_free(m);
    return took;
}

static void write_speed(void)
{
    static const unsigned measured[] = {1, 2, 3};
    fprintf(doc,
            "\n## Speed of replay\nSeconds of processor time for %d simulated seconds, and for the replay of their "
            "log.\n\n| application | board | simulation | replay | |\n|---|---|---|---|---|\n",
            30);
    for (unsigned b = 0; b < BOARDS; b++)
        for (unsigned i = 0; i < sizeof measured / sizeof *measured; i++) {
            const struct kind *k = &kinds[measured[i]];
            static struct trace traces[TRACE_NODES];
            char path[512], keep[] = "/tmp/motet-bench-log-XXXXXX";
            struct motet_error e;
            int fd = mkstemp(keep);
            struct trace_run run = {.path = path,
                                    .board = boards[b].name,
                                    .nodes = 1,
                                    .seconds = 30,
                                    .seed = 1,
                                    .recorded = true,
                                    .registers = boards[b].registers,
                                    .keep = keep};
            elf_path(path, sizeof path, k, &boards[b], true);
            motet_log *log = fd >= 0 && trace_record(&run, traces) ? motet_log_load(keep, 0, &e) : NULL;
            if (log) {
                double simulation = simulate(path, boards[b].name, NULL, 30);
                double replay = simulate(path, boards[b].name, log, 30);
                fprintf(doc, "| %s | %s | %.3f | %.3f | %s |\n", k->title, boards[b].name, simulation, replay,
                        verdict(replay > 0 && replay < simulation));
                bench_report(&(struct bench_result){.name = k->title,
                                                    .unit = "ms replay",
                                                    .value = 1000 * replay,
                                                    .reference = "simulation",
                                                    .reference_value = 1000 * simulation,
                                                    .less_is_better = true});
            }
            motet_log_free(log);
            close(fd);
            unlink(keep);
            trace_free(traces);
        }
}

static void report(const struct kind *k, const struct board_kind *b, const struct row *r)
{
    char name[80];
    snprintf(name, sizeof name, "%s %s", b->name, k->title);
    bench_report(&(struct bench_result){.name = name,
                                        .unit = "B/s",
                                        .value = r->motet,
                                        .reference = "tardis",
                                        .reference_value = r->tardis,
                                        .less_is_better = true});
}

static bool run(void)
{
    static struct row rows[BOARDS][KINDS];
    if (access(FIRMWARE_DIR "/collect-micaz-recorded.elf", R_OK) != 0)
        return bench_checking ? true
                              : bench_wrong("build the firmwares first: cmake --build build --target bench-recorded");
    for (unsigned b = 0; b < BOARDS; b++)
        for (unsigned i = 0; i < KINDS && !(bench_checking && i > 1); i++) {
            if (!measure(&kinds[i], &boards[b], &rows[b][i]))
                return false;
            if (fits(&kinds[i], &boards[b]))
                report(&kinds[i], &boards[b], &rows[b][i]);
        }
    if (bench_checking)
        return true;
    doc = fopen(FIGURES, "w");
    if (!doc)
        return bench_wrong("cannot write %s", FIGURES);
    fprintf(doc,
            "# Recording: figures\nWritten by `make bench ONLY=record`; do not edit. Beside them those of the paper "
            "(Tancreti, Sundaram, Bagchi, Eugster: TARDIS,\nIPSN 2015), which were measured on TelosB nodes. Our "
            "nodes are simulated, our applications those of the kit; `ok` says that a\nfigure is at least as good as "
            "the paper's, or as the project demands, **FAIL** that it is not.\n");
    write_rates(rows);
    write_general(rows);
    write_techniques(rows);
    write_costs(rows);
    write_exactness();
    write_speed();
    fclose(doc);
    return true;
}

BENCH_GROUP(record, 60, "Logs of recording nodes, bytes a second and node; replay, exactness and speed", run)
