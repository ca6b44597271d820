#include "interface_figures.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "motet/motet.h"

enum { LEAF = 24, FORWARDER = 6, BOARDS = 2, COSTS = 32 };

static const struct figures_board {
    const char *name, *chip;
    unsigned port; /* that logs */
    double hertz;
    const char *recorded;
} boards[BOARDS] = {{"micaz", "atmega128", 0, 7372800, "collect-micaz-recorded"},
                    {"telosb", "msp430f1611", 1, 4194304, "collect-telosb-recorded"}};

/* ---- running ---- */

/* The output of `motet run`, in `text`. */
static bool figures_run(const struct figures_board *b, const char *firmware, const char *options, char *text,
                        size_t size)
{
    char command[1024];
    snprintf(command, sizeof command, "'%s' run --quiet --board %s --serial %u=file:,%s-serial-%%id %s %s/%s.elf 2>&1",
             MOTET, b->name, b->port, INTERFACE_SCRATCH, options, FIRMWARE_DIR, firmware);
    FILE *f = popen(command, "r");
    size_t length = f ? fread(text, 1, size - 1, f) : 0;
    text[length] = '\0';
    int status = f ? pclose(f) : -1;
    return status == 0 || bench_wrong("%s: %s", command, text);
}

static void figures_clean(void)
{
    if (system("rm -f " INTERFACE_SCRATCH "-*") != 0)
        bench_wrong("%s-* cannot be removed", INTERFACE_SCRATCH);
}

static bool figures_file(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "r");
    size_t length = f ? fread(text, 1, size - 1, f) : 0;
    text[length] = '\0';
    if (f)
        fclose(f);
    return length > 0;
}

static double figures_after(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? atof(at + strlen(name)) : 0;
}

/* ---- sizes ---- */

struct figures_size {
    bool known;
    uint32_t flash, ram;
};

static struct figures_size figures_size(const struct figures_board *b, const char *firmware)
{
    char path[512];
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_error e;
    struct motet_firmware f = {0};
    snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, firmware);
    options.board = b->name;
    motet_machine *m = motet_machine_load(path, &options, &e);
    if (m)
        motet_machine_firmware(m, &f);
    struct figures_size s = {m != NULL, f.flash_used, f.ram_used};
    motet_machine_free(m);
    return s;
}

static const struct figures_kind {
    const char *name, *prefix, *suffix;
} kinds[] = {
    {"compact event logger: numbers of events, no parameters", "compact-collect-", ""},
    {"`printf` of the same calls, over serial", "printed-collect-", ""},
    {"interface log, calls only: elements and back end", "logged-collect-", "-calls"},
    {"interface log, closed: with reads, for replay", "logged-collect-", ""},
    {"the same, to flash memory", "logged-collect-", "-flash"},
    {"full recording of the node", "collect-", "-recorded"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void figures_firmware(const struct figures_board *b, const struct figures_kind *k, char *name, size_t size)
{
    snprintf(name, size, "%s%s%s", k->prefix, b->name, k->suffix);
}

static bool figures_sizes(FILE *out)
{
    fprintf(out,
            "\n## Memory (Figures 10 and 11)\n\n"
            "Bytes that each adds to `collect`, with the component `collection.c,route.c,link.c` and a buffer of 300 "
            "bytes.\n"
            "Percentages are of the application without logging.\n\n"
            "| |");
    for (unsigned i = 0; i < BOARDS; i++)
        fprintf(out, " %s: flash | | RAM |", boards[i].name);
    fprintf(out, "\n|---|---:|---:|---:|---:|---:|---:|\n| the application |");
    for (unsigned i = 0; i < BOARDS; i++) {
        char name[100];
        snprintf(name, sizeof name, "collect-%s", boards[i].name);
        struct figures_size s = figures_size(&boards[i], name);
        fprintf(out, " %u | | %u |", (unsigned)s.flash, (unsigned)s.ram);
    }
    fprintf(out, "\n");
    for (unsigned k = 0; k < KINDS; k++) {
        fprintf(out, "| %s |", kinds[k].name);
        for (unsigned i = 0; i < BOARDS; i++) {
            char name[100], plain[100];
            figures_firmware(&boards[i], &kinds[k], name, sizeof name);
            snprintf(plain, sizeof plain, "collect-%s", boards[i].name);
            struct figures_size s = figures_size(&boards[i], name), p = figures_size(&boards[i], plain);
            if (s.known && p.flash)
                fprintf(out, " +%u | %.0f %% | +%u |", (unsigned)(s.flash - p.flash),
                        100.0 * (s.flash - p.flash) / p.flash, (unsigned)(s.ram - p.ram));
            else
                fprintf(out, " - | | - |");
        }
        fprintf(out, "\n");
    }
    fprintf(out, "| probes (`motet run --log-interface`) | +0 | 0 %% | +0 | +0 | 0 %% | +0 |\n");
    return true;
}

static bool figures_buffers(FILE *out)
{
    static const unsigned bytes[] = {100, 300, 600, 1200};
    fprintf(out, "\n## Memory by size of the buffer (Figure 9)\n\n"
                 "What a closed log adds, with `--log-buffer BYTES`.\n\n| buffer |");
    for (unsigned i = 0; i < BOARDS; i++)
        fprintf(out, " %s: RAM | flash |", boards[i].name);
    fprintf(out, "\n|---:|---:|---:|---:|---:|\n");
    for (unsigned k = 0; k < sizeof bytes / sizeof *bytes; k++) {
        if (bench_checking && bytes[k] != 300)
            continue; /* what the default build has */
        fprintf(out, "| %u |", bytes[k]);
        for (unsigned i = 0; i < BOARDS; i++) {
            char name[100], plain[100], size[20] = "";
            if (bytes[k] != 300)
                snprintf(size, sizeof size, "-%u", bytes[k]);
            snprintf(name, sizeof name, "logged-collect-%s%s", boards[i].name, size);
            snprintf(plain, sizeof plain, "collect-%s", boards[i].name);
            struct figures_size s = figures_size(&boards[i], name), p = figures_size(&boards[i], plain);
            fprintf(out, " +%u | +%u |", (unsigned)(s.ram - p.ram), (unsigned)(s.flash - p.flash));
        }
        fprintf(out, "\n");
    }
    return true;
}

/* ---- cycles ---- */

static const struct figures_cost {
    const char *name, *about;
    double limit;
} costs[] = {
    {"out-task", "call out, no parameter, no result", 75},
    {"out-getter", "call out, a result of two bytes", 75},
    {"out-word-word", "call out, a parameter and a result of two bytes", 75},
    {"out-timer", "call out, parameters of two and four bytes, a result of two", 75},
    {"in-task", "call in, no parameter, no result", 75},
    {"in-word", "call in, a parameter of two bytes", 75},
    {"in-byte-byte", "call in, a parameter and a result of one byte", 75},
    {"read", "read of a variable of another file, two bytes", 75},
    {"out-bytes-1", "call out with a buffer of 1 byte", 161},
    {"out-send-18", "call out with a buffer of 18 bytes, and a result", 348},
    {"in-bytes-1", "call in with a buffer of 1 byte", 161},
    {"in-bytes-18", "call in with a buffer of 18 bytes", 348},
};

static double figures_cycles(const char *text, const char *name)
{
    char line[64];
    snprintf(line, sizeof line, "%s ", name);
    for (const char *at = text; (at = strstr(at, line)); at++)
        if (at == text || at[-1] == '\n')
            return atof(at + strlen(line));
    return 0;
}

static bool figures_costs(FILE *out)
{
    static char plain[BOARDS][4096], logged[BOARDS][4096];
    bool good = true;
    for (unsigned i = 0; good && i < BOARDS; i++) {
        struct figures_board b = boards[i];
        char name[100];
        b.name = b.chip;
        b.port = 0; /* the other is the debug console's neighbour */
        snprintf(name, sizeof name, "interface-cost-%s-Os", b.chip);
        good = figures_run(&b, name, "", plain[i], sizeof plain[i]);
        snprintf(name, sizeof name, "logged-cost-%s-Os", b.chip);
        good = good && figures_run(&b, name, "", logged[i], sizeof logged[i]);
    }
    fprintf(out,
            "\n## Cycles (Figure 8)\n\n"
            "What the elements add to a call: its event and that of its return, with -Os and without `--clock`. The "
            "goal is 75\n"
            "for scalars, 150 and 11 a byte for buffers. With `--clock` the firmware's clock is called as well: that "
            "takes its own\n"
            "time, and 12 cycles and 4 for each byte of parameters on an AVR.\n\n"
            "| | %s | | %s | |\n|---|---:|---|---:|---|\n",
            boards[0].chip, boards[1].chip);
    for (unsigned k = 0; good && k < sizeof costs / sizeof *costs; k++) {
        fprintf(out, "| %s |", costs[k].about);
        for (unsigned i = 0; i < BOARDS; i++) {
            double inside = strncmp(costs[k].name, "in-", 3) == 0
                                ? 0
                                : figures_cycles(logged[i], "nothing") - figures_cycles(plain[i], "nothing");
            double value = figures_cycles(logged[i], costs[k].name) - figures_cycles(plain[i], costs[k].name) - inside;
            char name[128];
            snprintf(name, sizeof name, "%s: %s", boards[i].name, costs[k].about);
            bench_report(&(struct bench_result){.name = name,
                                                .unit = "cycles",
                                                .value = value,
                                                .reference = "asked",
                                                .reference_value = costs[k].limit,
                                                .less_is_better = true,
                                                .limit = costs[k].limit + 1e-6});
            fprintf(out, " %.0f | %s |", value, value <= costs[k].limit ? "ok" : "**FAIL**");
        }
        fprintf(out, "\n");
    }
    fprintf(out, "| any call, by probes | 0 | ok | 0 | ok |\n");
    return good;
}

/* ---- duty cycle ---- */

struct figures_duty {
    double active, background; /* shares of the time */
};

static bool figures_duty(const struct figures_board *b, const char *firmware, double seconds, unsigned id,
                         struct figures_duty *d)
{
    static char text[1 << 20];
    char path[256];
    (void)seconds;
    snprintf(path, sizeof path, "%s-energy-%u", INTERFACE_SCRATCH, id);
    if (!figures_file(path, text, sizeof text))
        return bench_wrong("%s: no energy of node %u", firmware, id);
    double length = figures_after(text, "\"seconds\": ");
    d->active = figures_after(text, "\"component\": \"cpu\", \"state\": \"active\", \"seconds\": ") / length;
    snprintf(path, sizeof path, "%s-idle-%u", INTERFACE_SCRATCH, id);
    d->background = figures_file(path, text, sizeof text)
                        ? figures_after(text, "\"count\": ") * figures_after(text, "\"mean\": ") / b->hertz / length
                        : 0;
    return true;
}

static bool figures_network(const struct figures_board *b, const char *firmware, bool logs, struct figures_duty d[2])
{
    static char text[1 << 16];
    char options[512];
    unsigned seconds = bench_checking ? 1 : 120;
    bench_progress("%s: %s", b->name, firmware);
    snprintf(
        options, sizeof options,
        "--topology grid:5x5:20m --seed 1 --for %us --monitor energy:functions=0,format=json,file=%s-energy-%%id%s%s%s",
        seconds, INTERFACE_SCRATCH, logs ? " --monitor call-time:function=motet_idle,format=json,file=" : "",
        logs ? INTERFACE_SCRATCH : "", logs ? "-idle-%id" : "");
    bool good = figures_run(b, firmware, options, text, sizeof text) &&
                figures_duty(b, firmware, seconds, LEAF, &d[0]) && figures_duty(b, firmware, seconds, FORWARDER, &d[1]);
    figures_clean();
    return good;
}

static bool figures_duties(FILE *out)
{
    bool good = true;
    fprintf(out,
            "\n## Duty cycle (Figure 12)\n\n"
            "The share of %s in which the CPU is active, in a grid of 5 by 5 nodes of `collect` with the root in a "
            "corner: at a\n"
            "leaf (node %u, the opposite corner) and at a forwarder (node %u). *Background* is the part in which "
            "events are written\n"
            "out: to the serial port the CPU waits for each byte. The runs differ in their random times, and so in "
            "their routes.\n\n"
            "| board | | leaf | background | forwarder | background |\n|---|---|---:|---:|---:|---:|\n",
            bench_checking ? "1 s" : "the first 120 s", LEAF, FORWARDER);
    for (unsigned i = 0; good && i < BOARDS; i++) {
        struct figures_duty d[2] = {{.active = 0}};
        char name[100];
        snprintf(name, sizeof name, "collect-%s", boards[i].name);
        good = figures_network(&boards[i], name, false, d);
        if (good)
            fprintf(out, "| %s | the application, or with probes | %.2f %% | | %.2f %% | |\n", boards[i].name,
                    100 * d[0].active, 100 * d[1].active);
        for (unsigned k = 0; good && k < KINDS; k++) {
            bool logs = strncmp(kinds[k].prefix, "logged", 6) == 0;
            figures_firmware(&boards[i], &kinds[k], name, sizeof name);
            if (!figures_size(&boards[i], name).known)
                continue;
            good = figures_network(&boards[i], name, logs, d);
            if (good && logs)
                fprintf(out, "| %s | %s | %.2f %% | %.2f %% | %.2f %% | %.2f %% |\n", boards[i].name, kinds[k].name,
                        100 * d[0].active, 100 * d[0].background, 100 * d[1].active, 100 * d[1].background);
            else if (good)
                fprintf(out, "| %s | %s | %.2f %% | | %.2f %% | |\n", boards[i].name, kinds[k].name, 100 * d[0].active,
                        100 * d[1].active);
        }
    }
    return good;
}

/* ---- rate ---- */

static bool figures_rates(FILE *out)
{
    static char text[1 << 16];
    fprintf(
        out,
        "\n## Calls a second without overflow\n\n"
        "Calls into a component with a parameter of two bytes, evenly spaced, on a node that does nothing else: the "
        "highest\n"
        "rate at which no event is lost, over serial at 115,200 Bd; with `printf`, at which the node keeps up.\n\n"
        "| | %s | %s |\n|---|---:|---:|\n",
        boards[0].name, boards[1].name);
    for (unsigned k = 0; k < 2; k++) {
        fprintf(out, "| %s |", k ? "interface log" : "`printf`");
        for (unsigned i = 0; i < BOARDS; i++) {
            char name[100];
            snprintf(name, sizeof name, "%s-rate-%s", k ? "logged" : "printed", boards[i].name);
            if (!figures_run(&boards[i], name, "--for 200s", text, sizeof text))
                return false;
            fprintf(out, " %d |", atoi(text));
        }
        fprintf(out, "\n");
    }
    figures_clean();
    return true;
}

/* ---- the page ---- */

static const struct figures_part {
    const char *name, *title;
    bool (*write)(FILE *out);
} parts[] = {
    {"sizes", "\n## Memory (", figures_sizes}, {"buffers", "\n## Memory by", figures_buffers},
    {"costs", "\n## Cycles", figures_costs},   {"duties", "\n## Duty", figures_duties},
    {"rates", "\n## Calls a", figures_rates},
};

/* Without INTERFACE_PARTS all are measured; else the others stay as the page has them. */
static bool figures_part(const struct figures_part *p, const char *page, FILE *out)
{
    const char *chosen = getenv("INTERFACE_PARTS"), *begin = strstr(page, p->title);
    if (!chosen || bench_checking || strstr(chosen, p->name))
        return p->write(out);
    if (!begin)
        return bench_wrong("the page has no part '%s'", p->name);
    const char *end = strstr(begin + 1, "\n## ");
    fprintf(out, "%.*s", end ? (int)(end - begin) : (int)strlen(begin), begin);
    return true;
}

bool interface_figures(void)
{
    static char page[1 << 16];
    const char *path = bench_checking ? INTERFACE_SCRATCH "-page" : INTERFACE_PAGE;
    figures_file(path, page, sizeof page);
    FILE *out = fopen(path, "w");
    if (!out)
        return bench_wrong("%s cannot be written", path);
    fprintf(out,
            "# Interface logs on the node: figures\n\n"
            "Written by `make bench ONLY=interface`; do not edit. The tables are LibReplay's Figures 8 to 12 (KARYON, "
            "deliverable\n"
            "D4.6), for the component `collection.c,route.c,link.c` of `collect`. All figures come from simulated "
            "nodes, whose cycles\n"
            "are exact; `bench/printed` has what is compared. `INTERFACE_PARTS=costs,rates make bench ONLY=interface` "
            "measures parts\n"
            "anew: sizes, buffers, costs, duties, rates; probes, which are not on this page.\n");
    bool good = true;
    for (size_t i = 0; good && i < sizeof parts / sizeof *parts; i++)
        good = figures_part(&parts[i], page, out);
    good = fclose(out) == 0 && good;
    figures_clean();
    return good;
}
