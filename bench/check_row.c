#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "check_rows.h"

extern char **environ;

const struct bug check_bugs[BUGS] = {
    {"dip-slide", "dip", IN_FIRMWARE, "DipSummaryP (OOB #1)", {{7206, 4236}, {252, 46}, {11821, 3729}, 1332}},
    {"dip-bound", "dip", IN_FIRMWARE, "DipSummaryP (OOB #2)", {{7164, 27866}, {158, 146}, {11787, 34339}, 2831}},
    {"dip-right", "dip", IN_FIRMWARE, "DipSummaryP (OOB #3)", {{7229, 28782}, {0, 0}, {11935, 40611}, 3246}},
    {"dip-payload", "dip", IN_FIRMWARE, "DipSummaryP (NULL)", {{0, 0}, {1139, 156}, {33883, 14150}, 1464}},
    {"dhv-summary", "dhv", IN_FIRMWARE, "DhvSummaryP (NULL)", {{0, 0}, {63, 151}, {11187, 11293}, 685}},
    {"dhv-horizontal", "dhv", IN_FIRMWARE, "DhvHSumP (NULL)", {{0, 0}, {4102, 0}, {20743, 41960}, 3090}},
    {"dhv-vertical", "dhv", IN_FIRMWARE, "DhvVBitP (NULL)", {{0, 0}, {1231, 728}, {65557, 47362}, 3534}},
    {"dhv-index", "dhv", IN_FIRMWARE, "DhvVBitP (OOB)", {{19565, 23354}, {2880, 140}, {10607, 7384}, 2891}},
    {"serial-lock", "serial-test", IN_SERIAL, "SerialDispatcherP", {{0, 0}, {50, 50}, {2280, 2280}, 110}},
    {.name = "serial-unlock",
     .application = "serial-test",
     .where = IN_SERIAL,
     .component = "SerialDispatcherP (liveness)"},
    {"reading-index",
     "oscilloscope-radio",
     IN_READING,
     "MultihopOscilloscopeC",
     {{0, 0}, {104, 0}, {89273, 39964}, 111}},
    {.name = "link-gap",
     .application = "multihop-oscilloscope",
     .where = IN_COLLECTION,
     .component = "LinkEstimatorP (liveness)"},
    {.name = "link-repair",
     .application = "multihop-oscilloscope",
     .where = IN_COLLECTION,
     .component = "LinkEstimatorP (liveness)"},
    {.name = "leach-type", .application = "leach", .where = IN_LEACH, .component = "(SenSys 2010)"},
};

/* ---- one check ---- */

static double row_number(const char *json, const char *name)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(json, key);
    return at ? strtod(at + strlen(key), NULL) : 0;
}

/* Members of a list of numbers. */
static unsigned row_members(const char *json, const char *name)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\": [", name);
    const char *at = strstr(json, key);
    unsigned count = at && at[strlen(key)] != ']';
    for (at = at ? at + strlen(key) : ""; *at && *at != ']'; at++)
        count += *at == ',';
    return count;
}

static double row_children(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec * 1e-6;
}

static bool row_has_checks(const struct row *r)
{
    return r->bug->where == IN_FIRMWARE || r->bug->where == IN_READING;
}

void row_firmware(const struct row *r, char *path, size_t size)
{
    snprintf(path, size, FIRMWARE_DIR "/%s-%s-%s%s.elf", r->bug->application, r->board, r->bug->name,
             row_has_checks(r) ? "-checked" : "");
}

/* Each row is measured by a process of its own. */
static void row_scenario(char *path, size_t size)
{
    snprintf(path, size, SCRATCH "-%d.lua", (int)getpid());
}

/* Makes the scenario of the examples one of this row's board, nodes and firmware. */
static void row_command_of_scenario(const struct row *r, const char *options, char *text, size_t size)
{
    const char *port = strcmp(r->board, "micaz") == 0 ? "0" : "1";
    bool serial = r->bug->where == IN_SERIAL;
    char own[512];
    row_scenario(own, sizeof own);
    snprintf(text, size,
             "sed 's|\"micaz\", 0|\"%s\", %s|; s|firmware = \"|firmware = \"" FIRMWARE_DIR "/|; "
             "s|-checked|-%s-checked|; s|\\.elf\" }$|%s%s.elf\" }|; s|i = 1, 2|i = 1, %u|' " EXAMPLES "/%s.lua >%s; "
             "exec " MOTET " check --json --workers 1 --no-save %s %s",
             r->board, port, r->bug->name, serial ? "-" : "", serial ? r->bug->name : "", r->nodes - 1,
             serial ? "serial" : "reading", own, options, own);
}

/* The shell's command. */
static void row_command(const struct row *r, const char *options, char *text, size_t size)
{
    char network[512], firmware[512];
    if (r->bug->where == IN_SERIAL || r->bug->where == IN_READING) {
        row_command_of_scenario(r, options, text, size);
        return;
    }
    snprintf(network, sizeof network, "--nodes %u", r->nodes);
    if (r->bug->where == IN_COLLECTION)
        snprintf(network, sizeof network,
                 "--topology grid:%ux2:10m --medium disk:12m --property " EXAMPLES "/collection.lua", r->nodes / 2);
    if (r->bug->where == IN_LEACH)
        snprintf(network, sizeof network, "--nodes %u --property " EXAMPLES "/leach.lua", r->nodes);
    row_firmware(r, firmware, sizeof firmware);
    snprintf(text, size, "exec " MOTET " check --json --workers 1 --no-save %s --board %s %s %s", options, r->board,
             network, firmware);
}

/* Seconds of processor time that a process has taken. */
static double row_taken(pid_t process)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What the command prints. After so much processor time it is ended as by Ctrl-C, with what it has found; after twice
 * as much it is killed. */
static size_t row_run(char *command, unsigned seconds, char *text, size_t size)
{
    char *const arguments[] = {"sh", "-c", command, NULL};
    enum { POLLED = 50 }; /* milliseconds between two looks at the time */
    int ends[2];
    size_t length = 0;
    int signal = SIGINT;
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
        if (row_taken(process) > (signal == SIGINT ? 1 : 2) * (double)seconds && kill(process, signal) == 0)
            signal = SIGKILL;
    }
    close(ends[0]);
    if (began)
        waitpid(process, NULL, 0);
    return length;
}

static struct found row_check(const struct row *r, const char *options, unsigned seconds)
{
    static char json[1 << 20];
    char command[2048];
    struct found f = {.seconds = row_children()};
    row_command(r, options, command, sizeof command);
    size_t length = row_run(command, seconds, json, sizeof json);
    json[length] = '\0';
    f.seconds = row_children() - f.seconds;
    f.is = strstr(json, "\"violation\": \"") && !strstr(json, "\"violation\": \"none\"");
    for (const char *at = json; (at = strstr(at, "\"source\"")); at++)
        f.choices++;
    const char *since = strstr(json, "\"since_steady\"");
    f.steady_events = since ? row_number(since, "tasks") + row_number(since, "interrupts") : 0;
    f.tasks = row_number(json, "tasks");
    f.interrupts = row_number(json, "interrupts");
    f.timers = row_number(json, "timers");
    f.left_out = row_members(json, "left_out");
    return f;
}

/* ---- a row ---- */

#define ROW_PLAIN                                                                                           \
    "--as-found --unguided --walks 1 --late 0 --hold 0 --weight lost=0 --weight damaged=0 --weight busy=0 " \
    "--weight reset=0 --weight power=0 --weight death=0 --weight serial=0"

/* Without choices, and with those of a walk. */
static void row_measure_seed(struct row *r, unsigned seed)
{
    char options[512];
    snprintf(options, sizeof options, ROW_PLAIN " --seed %u", seed);
    r->plain += row_check(r, options, ROW_FOR_WALK).is;
    snprintf(options, sizeof options, "--as-found --seed %u", seed);
    struct found f = row_check(r, options, ROW_FOR_WALK);
    r->seeds++;
    r->walked += f.is;
    r->seconds += f.seconds;
    r->longest = f.seconds > r->longest ? f.seconds : r->longest;
    r->events += f.is ? f.steady_events : 0;
}

/* Means: of the time over all seeds, of the events over those that found it. */
void row_measure(struct row *r, unsigned seeds, unsigned seconds)
{
    for (unsigned seed = 0; seed < seeds && (seed < ROW_LEAST_SEEDS || row_children() < seconds); seed++) {
        bench_progress("%s, %u %s, seed %u of %u", r->bug->name, r->nodes, r->board, seed + 1, seeds);
        row_measure_seed(r, seed);
    }
    r->seconds /= r->seeds;
    r->events /= r->walked ? r->walked : 1;
    bool few = r->nodes == 2 && r->bug->where == IN_FIRMWARE;
    bench_progress("%s, %u %s, deviations", r->bug->name, r->nodes, r->board);
    r->deviating = row_check(r, few ? "--deviations 2 --length 4s" : "--deviations 1 --length 4s", ROW_FOR_DEVIATIONS);
    bench_progress("%s, %u %s, made shorter", r->bug->name, r->nodes, r->board);
    r->shortest = row_check(r, "", ROW_FOR_SHORTEST);
    r->taken = row_children();
    char path[512];
    row_scenario(path, sizeof path);
    remove(path);
}

double row_limit(const struct row *r)
{
    return r->bug->where == IN_FIRMWARE ? 10 : 300;
}

double row_events(const struct row *r)
{
    return r->shortest.tasks + r->shortest.interrupts;
}

bool row_is_met(const struct row *r)
{
    unsigned most = r->bug->paper.shortest;
    return r->walked == r->seeds && r->longest <= row_limit(r) && r->shortest.is &&
           r->shortest.choices <= ROW_CHOICES && (!most || row_events(r) < most);
}
