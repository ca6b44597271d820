#include "check_figures.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "motet/sweep.h"

extern char **environ;

/* What is looked for, and T-Check's row of table 3 that it is like (NULL: none): events to the error in Safe TOSSIM, by
 * model checking and by a random walk, of 2 and 8 nodes, and of the shortest trace. */
struct bug {
    const char *name, *application;
    enum { IN_FIRMWARE, IN_SERIAL, IN_READING, IN_COLLECTION, IN_LEACH } where;
    const char *component, *tossim, *model, *walk, *shortest;
};

static const struct bug bugs[] = {
    {"dip-slide", "dip", IN_FIRMWARE, "DipSummaryP (OOB #1)", "7,206 / 4,236", "252 / 46", "11,821 / 3,729", "1,332"},
    {"dip-bound", "dip", IN_FIRMWARE, "DipSummaryP (OOB #2)", "7,164 / 27,866", "158 / 146", "11,787 / 34,339",
     "2,831"},
    {"dip-right", "dip", IN_FIRMWARE, "DipSummaryP (OOB #3)", "7,229 / 28,782", "- / -", "11,935 / 40,611", "3,246"},
    {"dip-payload", "dip", IN_FIRMWARE, "DipSummaryP (NULL)", "- / -", "1,139 / 156", "33,883 / 14,150", "1,464"},
    {"dhv-summary", "dhv", IN_FIRMWARE, "DhvSummaryP (NULL)", "- / -", "63 / 151", "11,187 / 11,293", "685"},
    {"dhv-horizontal", "dhv", IN_FIRMWARE, "DhvHSumP (NULL)", "- / -", "4,102 / -", "20,743 / 41,960", "3,090"},
    {"dhv-vertical", "dhv", IN_FIRMWARE, "DhvVBitP (NULL)", "- / -", "1,231 / 728", "65,557 / 47,362", "3,534"},
    {"dhv-index", "dhv", IN_FIRMWARE, "DhvVBitP (OOB)", "19,565 / 23,354", "2,880 / 140", "10,607 / 7,384", "2,891"},
    {"serial-lock", "serial-test", IN_SERIAL, "SerialDispatcherP", "- / -", "50 / 50", "2,280 / 2,280", "110"},
    {"serial-unlock", "serial-test", IN_SERIAL, "SerialDispatcherP (liveness)", NULL, NULL, NULL, NULL},
    {"reading-index", "oscilloscope-radio", IN_READING, "MultihopOscilloscopeC", "- / -", "104 / -", "89,273 / 39,964",
     "111"},
    {"link-gap", "multihop-oscilloscope", IN_COLLECTION, "LinkEstimatorP (liveness)", NULL, NULL, NULL, NULL},
    {"link-repair", "multihop-oscilloscope", IN_COLLECTION, "LinkEstimatorP (liveness)", NULL, NULL, NULL, NULL},
    {"leach-type", "leach", IN_LEACH, "(SenSys 2010)", NULL, NULL, NULL, NULL},
};

enum { BUGS = sizeof bugs / sizeof *bugs };

/* ---- one check ---- */

struct found {
    bool is;
    double seconds; /* of processor time */
    double choices, tasks, interrupts, timers, walk;
    double steady_events; /* tasks and interrupts since the steady state */
    unsigned left_out;    /* nodes */
};

static double figures_number(const char *json, const char *name)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(json, key);
    return at ? strtod(at + strlen(key), NULL) : 0;
}

/* Members of a list of numbers. */
static unsigned figures_members(const char *json, const char *name)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\": [", name);
    const char *at = strstr(json, key);
    unsigned count = at && at[strlen(key)] != ']';
    for (at = at ? at + strlen(key) : ""; *at && *at != ']'; at++)
        count += *at == ',';
    return count;
}

static double figures_children(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec * 1e-6;
}

/* The shell's command. */
static void figures_command(const struct bug *b, const char *board, unsigned nodes, const char *options, char *text,
                            size_t size)
{
    const char *port = strcmp(board, "micaz") == 0 ? "0" : "1", *folder = FIRMWARE_DIR;
    const char *checked = b->where == IN_FIRMWARE || b->where == IN_READING ? "-checked" : "";
    char scenario[256] = "", network[512];
    int own = (int)getpid(); /* a row is measured by a process of its own */
    snprintf(network, sizeof network, "--board %s --nodes %u ", board, nodes);
    if (b->where == IN_SERIAL || b->where == IN_READING)
        snprintf(scenario, sizeof scenario, "%s", b->where == IN_SERIAL ? "serial" : "reading");
    if (b->where == IN_COLLECTION)
        snprintf(network, sizeof network,
                 "--board %s --topology grid:%ux2:10m --medium disk:12m --property " EXAMPLES "/collection.lua ", board,
                 nodes / 2);
    if (b->where == IN_LEACH)
        snprintf(network + strlen(network), sizeof network - strlen(network), "--property " EXAMPLES "/leach.lua ");
    if (!*scenario)
        snprintf(text, size, "exec %s check --json --workers 1 --no-save %s %s %s/%s-%s-%s%s.elf", MOTET, options,
                 network, folder, b->application, board, b->name, checked);
    else
        snprintf(text, size,
                 "sed 's|\"micaz\", 0|\"%s\", %s|; s|firmware = \"|firmware = \"%s/|; s|-checked|-%s-checked|;"
                 "s|\\.elf\" }$|%s%s.elf\" }|; s|i = 1, 2|i = 1, %u|' " EXAMPLES "/%s.lua >" SCRATCH "-%d.lua; "
                 "exec %s check --json --workers 1 --no-save %s " SCRATCH "-%d.lua",
                 board, port, folder, b->name, b->where == IN_SERIAL ? "-" : "", b->where == IN_SERIAL ? b->name : "",
                 nodes - 1, scenario, own, MOTET, options, own);
}

/* Seconds of processor time that a process has taken. */
static double figures_taken(pid_t process)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What the command prints. After so much processor time it is ended as by Ctrl-C, with what it has found. */
static size_t figures_run(char *command, unsigned seconds, char *text, size_t size)
{
    char *const arguments[] = {"sh", "-c", command, NULL};
    enum { POLLED = 50 }; /* milliseconds between two looks at the time */
    int ends[2];
    size_t length = 0;
    bool ended = false;
    posix_spawn_file_actions_t actions;
    pid_t process = 0;
    if (pipe(ends) != 0)
        return 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    bool began = posix_spawnp(&process, "sh", &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    for (ssize_t got = began; got > 0;) {
        struct pollfd p = {.fd = ends[0], .events = POLLIN};
        char rest[4096]; /* what there is no room for is read all the same: the process would wait for it */
        bool room = length < size - 1;
        if (poll(&p, 1, POLLED) > 0)
            got = read(ends[0], room ? text + length : rest, room ? size - 1 - length : sizeof rest);
        length += room && p.revents && got > 0 ? (size_t)got : 0;
        if (!ended && figures_taken(process) > seconds)
            ended = kill(process, SIGINT) == 0;
    }
    close(ends[0]);
    if (began)
        waitpid(process, NULL, 0);
    return length;
}

static struct found figures_check(const struct bug *b, const char *board, unsigned nodes, const char *options,
                                  unsigned seconds)
{
    static char json[1 << 20];
    char command[2048];
    struct found f = {.seconds = figures_children()};
    figures_command(b, board, nodes, options, command, sizeof command);
    size_t length = figures_run(command, seconds, json, sizeof json);
    json[length] = '\0';
    f.seconds = figures_children() - f.seconds;
    f.is = length && !strstr(json, "\"violation\": \"none\"");
    f.choices = 0;
    for (const char *at = json; (at = strstr(at, "\"source\"")); at++)
        f.choices++;
    const char *since = strstr(json, "\"since_steady\"");
    f.steady_events = since ? figures_number(since, "tasks") + figures_number(since, "interrupts") : 0;
    f.tasks = figures_number(json, "tasks");
    f.interrupts = figures_number(json, "interrupts");
    f.timers = figures_number(json, "timers");
    f.walk = figures_number(json, "walk");
    f.left_out = figures_members(json, "left_out");
    return f;
}

/* ---- a row ---- */

/* Seconds of processor time, so that the page is done in bounded time on a loaded machine too: of a search by
 * deviations, of one that makes a story short, and of a walk that finds nothing. */
enum { FIGURES_FOR_DEVIATIONS = 20, FIGURES_FOR_SHORTEST = 60, FIGURES_FOR_WALK = 300 };

struct row {
    const struct bug *bug;
    const char *board;
    unsigned nodes, seeds;
    unsigned plain, walked; /* seeds with which it was found */
    struct found mean;      /* of the walks that found it */
    struct found deviating, shortest;
    double taken; /* seconds of processor time */
};

#define FIGURES_PLAIN                                                                                       \
    "--as-found --unguided --walks 1 --late 0 --hold 0 --weight lost=0 --weight damaged=0 --weight busy=0 " \
    "--weight reset=0 --weight power=0 --weight death=0 --weight serial=0"

static void figures_measure_seed(struct row *r, unsigned seed)
{
    char options[512];
    snprintf(options, sizeof options, FIGURES_PLAIN " --seed %u", seed);
    r->plain += figures_check(r->bug, r->board, r->nodes, options, FIGURES_FOR_SHORTEST).is;
    snprintf(options, sizeof options, "--as-found --seed %u", seed);
    struct found f = figures_check(r->bug, r->board, r->nodes, options, FIGURES_FOR_WALK);
    r->walked += f.is;
    r->mean.seconds += f.seconds;
    r->mean.steady_events += f.is ? f.steady_events : 0;
}

/* Means: of the time over all seeds, of the events over those that found it. */
static void figures_measure(struct row *r)
{
    for (unsigned seed = 0; seed < r->seeds; seed++) {
        bench_progress("%s, %u %s, seed %u of %u", r->bug->name, r->nodes, r->board, seed + 1, r->seeds);
        figures_measure_seed(r, seed);
    }
    r->mean.seconds /= r->seeds;
    r->mean.steady_events /= r->walked ? r->walked : 1;
    bool few = r->nodes == 2 && r->bug->where == IN_FIRMWARE;
    bench_progress("%s, %u %s, deviations", r->bug->name, r->nodes, r->board);
    r->deviating =
        figures_check(r->bug, r->board, r->nodes, few ? "--deviations 2 --length 4s" : "--deviations 1 --length 4s",
                      FIGURES_FOR_DEVIATIONS);
    bench_progress("%s, %u %s, made shorter", r->bug->name, r->nodes, r->board);
    r->shortest = figures_check(r->bug, r->board, r->nodes, "", FIGURES_FOR_SHORTEST);
}

static void figures_paper(FILE *out, const struct bug *b)
{
    fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", b->name, b->component, b->tossim ? b->tossim : "",
            b->model ? b->model : "", b->walk ? b->walk : "", b->shortest ? b->shortest : "");
}

static void figures_row(FILE *out, const struct row *r)
{
    fprintf(out, "| %s | %s | %u | %u of %u | ", r->bug->name, r->board, r->nodes, r->plain, r->seeds);
    if (r->deviating.is)
        fprintf(out, "%.0f | ", r->deviating.choices);
    else
        fprintf(out, "- | ");
    fprintf(out, "%u of %u | %.0f | %.1f s | ", r->walked, r->seeds, r->mean.steady_events, r->mean.seconds);
    if (r->shortest.is)
        fprintf(out, "%.0f | %u | %.0f | %.0f | %.1f s |\n", r->shortest.choices, r->nodes - r->shortest.left_out,
                r->shortest.tasks + r->shortest.interrupts, r->shortest.timers, r->shortest.seconds);
    else
        fprintf(out, "- | - | - | - | %.1f s |\n", r->shortest.seconds); /* it was ended before there was a story */
}

/* ---- what T-Check could not check ---- */

static unsigned figures_lines(const char *file)
{
    char path[512], line[512];
    unsigned count = 0;
    snprintf(path, sizeof path, KIT "/%s", file);
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in))
        count++;
    if (in)
        fclose(in);
    return count;
}

static void figures_code(FILE *out)
{
    static const char *const files[][2] = {
        {"avr/clock_async.c", "the clock: an asynchronous timer, its compare interrupt, its busy flags"},
        {"avr/uart.c", "serial port of the AVR"},
        {"avr/adc.c", "converter of the AVR"},
        {"avr/spi.c", "SPI of the AVR"},
        {"avr/start.c", "what runs before main"},
        {"avr/micaz_radio.c", "the CC2420's pins and its capture interrupt on MICAz"},
        {"msp430/telosb.c", "clocks, timers, serial port and converter of the MSP430"},
        {"msp430/spi.c", "SPI of the MSP430"},
        {"msp430/telosb_radio.c", "the CC2420's pins and its capture interrupt on Telos B"},
        {"cc2420.c", "driver of the CC2420: commands, buffers, acknowledgements, overflow"},
        {"flash_at45db.c", "driver of MICAz's flash memory"},
        {"flash_m25p80.c", "driver of Telos B's flash memory"},
        {"task.c", "the scheduler with its sleep, interrupted anywhere"},
    };
    fprintf(out,
            "## Code that T-Check could not check\n\n"
            "T-Check ran in TOSSIM, so drivers of timers, pins, buses and radios were replaced by models (its table "
            "4,\n\"hardware only\": 769 to 4,143 lines an application). Here the binary that ships is executed, so "
            "these run in\nevery check, and with `--preempt` interrupts come between their instructions:\n\n"
            "| file of the kit | lines | what it is |\n|---|---:|---|\n");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        fprintf(out, "| `%s` | %u | %s |\n", files[i][0], figures_lines(files[i][0]), files[i][1]);
    fprintf(out, "\nSo do the compiler's start-up code, its library, and stack overflow as an error.\n");
}

/* ---- the page ---- */

static void figures_head(FILE *out, unsigned seeds)
{
    fprintf(
        out,
        "# Checking: figures\n\n"
        "Written by `make bench ONLY=check`; do not edit. [checking.md](checking.md) explains the words, "
        "[kit.md](kit.md) the bugs.\n\n"
        "- Every figure is of `motet check` with default options, one worker. Times are processor time.\n"
        "- A row has %u seeds.\n"
        "- *plain*: seeds with which a run without any choice shows the bug, boot times drawn at random.\n"
        "- *deviations*: the fewest, by `--deviations` within 4 s (2 for two nodes of dip and dhv, else 1; -: not "
        "with so few, or not within 20 s of processor time).\n"
        "- *walks*: seeds with which it is found, mean events of the failing walk from the steady state, mean time "
        "to find it.\n"
        "- *shortest*: what minimisation leaves of seed 0: choices, nodes that are needed, events from the first "
        "choice "
        "to the error (without a choice: from the steady state), and the time for all of it, which is ended after a "
        "minute with what there is (-: nothing yet).\n"
        "- An event is a task or an interrupt. Interrupts of timers are counted apart: nearly all keep the kit's "
        "clock.\n"
        "- Serial bugs need one node, reading-index a base station, link-gap and link-repair a grid.\n\n"
        "| bug | board | nodes | plain | deviations | walks | events | time | choices | nodes | events | of timers | "
        "time |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        seeds);
}

static void figures_tail(FILE *out)
{
    fprintf(
        out,
        "\n## T-Check's table 3\n\nLi and Regehr, IPSN 2010. Events to the error, 2 / 8 nodes: Safe TOSSIM, "
        "model checking, random walk (means over 25\nruns); shortest trace of 8 nodes. -: not found.\n\n"
        "| bug of the kit | component | TOSSIM | model checking | walk | shortest |\n|---|---|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < BUGS; i++)
        figures_paper(out, &bugs[i]);
    fprintf(out, "\n");
    figures_code(out);
}

/* Two nodes make no tree that can be repaired, and no clusters. 0: there is no large network of it. */
static unsigned figures_nodes(const struct bug *b, bool large)
{
    static const unsigned small[] = {2, 1, 3, 4, 6};
    return !large ? small[b->where] : b->where == IN_SERIAL ? 0 : 8;
}

/* 25 at most, as in the paper; the environment may ask for fewer (SEEDS=5). */
static unsigned figures_seeds(void)
{
    const char *text = getenv("SEEDS");
    unsigned long seeds = text ? strtoul(text, NULL, 10) : 25;
    return bench_checking ? 1 : seeds >= 1 && seeds <= 1000 ? (unsigned)seeds : 25;
}

/* ---- all rows, as many at once as there are processors ---- */

struct figures_rows {
    struct row *list;
    size_t count;
};

/* The page with the rows that are there. It is written after each, so that a run that is ended leaves what it has. */
static bool figures_write(const struct figures_rows *rows)
{
    FILE *out = bench_checking ? tmpfile() : fopen(CHECK_PAGE, "w");
    double taken = 0;
    size_t done = 0;
    if (!out)
        return bench_wrong("cannot write %s", CHECK_PAGE);
    figures_head(out, figures_seeds());
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->list[i].taken <= 0)
            continue;
        figures_row(out, &rows->list[i]);
        taken += rows->list[i].taken;
        done++;
    }
    fprintf(out, "\nAll of this took %.0f minutes of processor time.\n", taken / 60);
    if (done < rows->count)
        fprintf(out, "The run was ended early: %zu of %zu rows are missing.\n", rows->count - done, rows->count);
    figures_tail(out);
    return fclose(out) == 0 || bench_wrong("cannot write %s", CHECK_PAGE);
}

static void figures_one(void *context, size_t number, FILE *answer)
{
    struct row r = ((struct figures_rows *)context)->list[number];
    char path[512];
    figures_measure(&r);
    r.taken = figures_children();
    snprintf(path, sizeof path, SCRATCH "-%d.lua", (int)getpid());
    remove(path);
    fwrite(&r, sizeof r, 1, answer);
}

static void figures_done(void *context, size_t number, const char *answer, size_t size, int signal)
{
    struct figures_rows *rows = context;
    if (!signal && size == sizeof(struct row))
        memcpy(&rows->list[number], answer, size);
    if (!bench_checking)
        figures_write(rows);
}

static void figures_report(const struct row *r)
{
    char name[96];
    snprintf(name, sizeof name, "%s, %u %s, found", r->bug->name, r->nodes, r->board);
    bench_report(&(struct bench_result){.name = name,
                                        .unit = "s",
                                        .value = r->mean.seconds,
                                        .less_is_better = true,
                                        .limit = r->bug->where == IN_FIRMWARE ? 10 : 300});
    snprintf(name, sizeof name, "%s, %u %s, choices left", r->bug->name, r->nodes, r->board);
    bench_report(&(struct bench_result){
        .name = name, .unit = "", .value = r->shortest.choices, .less_is_better = true, .limit = 11});
}

static bool figures_measure_all(struct figures_rows *rows)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct motet_jobs jobs = {.context = rows,
                              .count = rows->count,
                              .workers = processors > 1 ? (unsigned)processors : 1,
                              .one = figures_one,
                              .done = figures_done};
    struct motet_error e;
    unsigned lost;
    return motet_jobs_run(&jobs, &lost, &e) == 0 || bench_wrong("%s", e.text);
}

bool check_figures(void)
{
    static const char *const boards[] = {"micaz", "telosb"};
    struct row list[4 * BUGS];
    struct figures_rows rows = {list, 0};
    for (size_t i = 0; i < (bench_checking ? 2 : BUGS); i++)
        for (unsigned k = 0; k < (bench_checking ? 1 : 4); k++)
            if (figures_nodes(&bugs[i], k % 2))
                list[rows.count++] = (struct row){.bug = &bugs[i],
                                                  .board = boards[k / 2],
                                                  .nodes = figures_nodes(&bugs[i], k % 2),
                                                  .seeds = figures_seeds()};
    bool good = figures_measure_all(&rows) && figures_write(&rows);
    for (size_t i = 0; i < rows.count; i++) {
        const struct row *r = &list[i];
        figures_report(r);
        good &= r->walked > 0 || bench_wrong("%s was not found on %u %s", r->bug->name, r->nodes, r->board);
    }
    return good;
}
