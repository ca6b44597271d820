/* motet cc: a compiler's command, on sources rewritten for recording. */
#include <stdlib.h>
#include <string.h>

#include "motet/cc.h"
#include "option.h"
#include "sentence.h"

#define SET(name)                                                               \
    static bool set_##name(void *into, const char *text, struct motet_error *e) \
    {                                                                           \
        (void)e;                                                                \
        ((struct motet_cc *)into)->name = text;                                 \
        return true;                                                            \
    }
SET(board)
SET(report)
SET(keep)
SET(stamp)
SET(sanitize)

SET(clock)
SET(log_interface)

enum { MOST_INVARIANTS = 64 };
struct cc_options {
    struct motet_cc cc; /* first: the setters above see it alone */
    const char *invariants[MOST_INVARIANTS];
};

static bool add_invariant(void *into, const char *text, struct motet_error *e)
{
    struct cc_options *o = into;
    if (o->cc.invariant_count == MOST_INVARIANTS)
        return sentence(e, "more than %d invariants are given", MOST_INVARIANTS);
    o->invariants[o->cc.invariant_count++] = text;
    return true;
}

SET(trace)

static bool set_trace_level(void *into, const char *text, struct motet_error *e)
{
    char *end;
    long level = strtol(text, &end, 10);
    if (*end || level < 1 || level > 1000)
        return sentence(e, "'%s' is no level: 1 is the nearest to the check", text);
    ((struct motet_cc *)into)->trace_level = (int)level;
    return true;
}

static bool set_ring(void *into, const char *text, struct motet_error *e)
{
    char *end;
    long bytes = strtol(text, &end, 10);
    if (*end || bytes < 16 || bytes > 16384)
        return sentence(e, "'%s': a ring has 16 to 16384 bytes", text);
    ((struct motet_cc *)into)->ring = (unsigned)bytes;
    return true;
}

static bool set_log_to(void *into, const char *text, struct motet_error *e)
{
    if (strcmp(text, "flash") != 0 && strcmp(text, "serial") != 0)
        return sentence(e, "'%s': an interface log is written to flash or serial", text);
    ((struct motet_cc *)into)->log_to = text;
    return true;
}

static bool set_log_buffer(void *into, const char *text, struct motet_error *e)
{
    char *end;
    long bytes = strtol(text, &end, 10);
    if (*end || bytes < 64 || bytes > 8192)
        return sentence(e, "'%s': the buffer of an interface log has 64 to 8192 bytes", text);
    ((struct motet_cc *)into)->log_buffer = (unsigned)bytes;
    return true;
}

static bool set_checks_only(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct motet_cc *)into)->checks_only = true;
}

static bool set_codec(void *into, const char *text, struct motet_error *e)
{
    if (strcmp(text, "motet") != 0 && strcmp(text, "plain") != 0 && strcmp(text, "tardis") != 0)
        return sentence(e, "there is no codec '%s'; motet, plain and tardis are known", text);
    ((struct motet_cc *)into)->codec = text;
    return true;
}

static bool set_record(void *into, const char *text, struct motet_error *e)
{
    (void)into, (void)text, (void)e; /* the only thing there is to do */
    return true;
}

static bool set_json(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct motet_cc *)into)->json = true;
}

static bool set_recorder(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct motet_cc *)into)->recorder_only = true;
}

static bool set_unrecorded(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct motet_cc *)into)->unrecorded = true;
}

static bool set_any_order(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct motet_cc *)into)->any_order = true;
}

static bool set_native(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct motet_cc *)into)->native = true;
}

static const struct option options[] = {
    {"record", NULL, "builds the firmware so that it records its own run; the default", set_record},
    {"board", "BOARD", "the board whose flash memory holds the log", set_board},
    {"codec", "CODEC",
     "how the log is coded: motet; plain, which takes more flash and less time; or tardis, as a reference", set_codec},
    {"stamp", "TIMER",
     "records positions of interrupts as CPU cycles, counted by that timer, instead of counting loop rounds and calls. "
     "The firmware must not use the timer (timer3 of a MICAz, timera of a TelosB)",
     set_stamp},
    {"invariant", "INVARIANT",
     "checks that something holds, as motet slice has it: [FILE:][FUNCTION:] EXPRESSION [within TIME | every TIME]. It "
     "is "
     "checked after each statement of the function that may change it, and where the function is left; without a "
     "function, "
     "where a variable of it is written by name. A violation freezes the log. May be given several times",
     add_invariant},
    {"clock", "EXPRESSION/HZ",
     "what invariants about time and interface logs go by: a C expression, and how much it counts in a second",
     set_clock},
    {"log-interface", "PIECE,...",
     "logs what crosses the boundary of a component, and records nothing else: a file (route.c), a directory (kit/), a "
     "function, a glob of names (CtpForwardingEngineP.*), an interface file. Compile and link with the same pieces",
     set_log_interface},
    {"log-to", "PLACE",
     "where an interface log is written when nothing else is to be done: serial, the default, or flash", set_log_to},
    {"log-buffer", "BYTES", "the RAM for events of an interface log that wait for that. By default 300",
     set_log_buffer},
    {"checks-only", NULL,
     "puts in the invariants and records nothing. The variable motet_violated then has the number of the first that "
     "was violated",
     set_checks_only},
    {"trace-level", "N",
     "with --checks-only: functions up to this level of motet slice note in RAM when they are entered and left, until "
     "an invariant is violated. The command has all sources. motet trace prints it",
     set_trace_level},
    {"trace", "PLAN", "the same, for builds with several commands: the functions are those of motet slice --plan",
     set_trace},
    {"ring", "BYTES", "the RAM for that: a byte for each entry and each return. By default 256", set_ring},
    {"report", "FILE",
     "adds a report to the file: what is recorded at each place of each source, why, in how many bits, and its cost in "
     "flash, RAM and cycles. - is standard output",
     set_report},
    {"json", NULL, "the report is JSON, a line for each source and each program", set_json},
    {"keep", "FOLDER", "keeps the rewritten, preprocessed sources there", set_keep},
    {"recorder", NULL,
     "makes only the recorder's object file, at the command's -o, for builds that call the linker directly",
     set_recorder},
    {"unrecorded", NULL,
     "links a program although its code has reads of registers that are not recorded, with a warning for each. "
     "motet replay stops where such a value is used. Without this option the link is refused",
     set_unrecorded},
    {"native", NULL,
     "makes a program for this computer, at the command's -o, instead of firmware: with the chip's 16-bit arithmetic "
     "and "
     "layouts, and registers that keep what is written. What cannot be kept is refused with its place",
     set_native},
    {"sanitize", "WHAT", "of a native program: what clang's -fsanitize takes, such as address", set_sanitize},
    {"any-order", NULL,
     "makes a native program although its results may depend on which operand of an expression is evaluated first. "
     "Without this option such expressions are refused, where the firmware's compiler is gcc",
     set_any_order},
    {NULL, NULL, NULL, NULL},
};

static int run(const struct verb *v, int argc, char **argv)
{
    int own = options_before_command(v, argc, argv);
    if (own < 0)
        return 0;
    struct cc_options o = {.cc = {.ring = 256}};
    struct motet_error e = {""};
    int status;
    const char *none;
    struct verb without = *v; /* the command is not for options_parse */
    without.operands = "";
    if (!options_parse(&without, own, argv, &o, &none, 0, &status))
        return status;
    if (own + 1 >= argc)
        return complain("cc needs a compiler's command after --; see motet cc --help");
    o.cc.invariants = o.invariants;
    if (o.cc.checks_only && !o.cc.invariant_count)
        return complain("--checks-only puts in invariants: give --invariant");
    if ((o.cc.trace_level || o.cc.trace) && !o.cc.checks_only)
        return complain("a trace in RAM is for firmware that records no log: give --checks-only with it");
    if (o.cc.log_interface && (o.cc.invariant_count || o.cc.native || o.cc.recorder_only || o.cc.stamp))
        return complain(
            "--log-interface records nothing else: leave --invariant, --native, --recorder and --stamp out");
    if (o.cc.native && o.cc.invariant_count)
        return complain(
            "--native makes a program of what was recorded, and puts in no invariants: leave --invariant out");
    if (!motet_cc(&o.cc, argv + own + 1, (size_t)(argc - own - 1), &status, &e))
        return complain("%s", e.text);
    return status;
}

extern const struct verb verb_cc;
const struct verb verb_cc = {
    .name = "cc",
    .operands = "-- COMMAND...",
    .about = "compile a firmware so that it records a log",
    .more = "Stands before a compiler's command, as in make CC=\"motet cc -- COMPILER\". The compiler preprocesses "
            "each C source; motet cc rewrites it so that everything it cannot know beforehand goes through the "
            "recorder; the compiler compiles the result. The recorder is linked in. motet replay executes the log of "
            "such a firmware again, exactly.",
    .options = options,
    .run = run,
};
