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
    const char *invariants[MOST_INVARIANTS], *stops[MOST_INVARIANTS];
    bool gaps; /* --when-full gap was given */
};

static bool add_invariant(void *into, const char *text, struct motet_error *e)
{
    struct cc_options *o = into;
    if (o->cc.invariant_count == MOST_INVARIANTS)
        return sentence(e, "more than %d invariants are given", MOST_INVARIANTS);
    o->invariants[o->cc.invariant_count++] = text;
    return true;
}

static bool add_stop(void *into, const char *text, struct motet_error *e)
{
    struct cc_options *o = into;
    if (o->cc.stop_count == MOST_INVARIANTS)
        return sentence(e, "more than %d places to stop at are given", MOST_INVARIANTS);
    o->stops[o->cc.stop_count++] = text;
    return true;
}

SET(trace)

static bool set_trace_level(void *into, const char *text, struct motet_error *e)
{
    char *end;
    long level = strcmp(text, "auto") == 0 ? MOTET_CC_AUTO : strtol(text, &end, 10);
    if (level != MOTET_CC_AUTO && (*end || level < 1 || level > 1000))
        return sentence(e, "'%s' is no level: 1 is the nearest to the check, auto the highest that fits", text);
    ((struct motet_cc *)into)->trace_level = (int)level;
    return true;
}

static bool set_part(void *into, const char *text, struct motet_error *e)
{
    struct motet_cc *o = into;
    return option_part(text, &o->part, &o->parts, e);
}

static bool set_ring(void *into, const char *text, struct motet_error *e)
{
    char *end;
    long bytes = strtol(text, &end, 10);
    if (*end || bytes < 32 || bytes > 16384)
        return sentence(e, "'%s': a ring has 32 to 16384 bytes", text);
    ((struct motet_cc *)into)->ring = (unsigned)bytes;
    return true;
}

static bool set_replay_interface(void *into, const char *text, struct motet_error *e)
{
    ((struct motet_cc *)into)->replay_interface = true;
    return set_log_interface(into, text, e);
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

static bool set_log_switch(void *into, const char *text, struct motet_error *e)
{
    bool on = strcmp(text, "on") == 0;
    if (!on && strcmp(text, "off") != 0)
        return sentence(e, "'%s': an interface log begins on or off", text);
    ((struct motet_cc *)into)->log_switch = on ? 1 : -1;
    return true;
}

static bool set_calls_only(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct motet_cc *)into)->calls_only = true;
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

static bool set_when_full(void *into, const char *text, struct motet_error *e)
{
    bool waits = strcmp(text, "wait") == 0;
    if (!waits && strcmp(text, "gap") != 0)
        return sentence(e, "--when-full has no '%s'; gap and wait are known", text);
    ((struct cc_options *)into)->cc.waits = waits;
    ((struct cc_options *)into)->gaps = !waits;
    return true;
}

static bool set_profile(void *into, const char *text, struct motet_error *e)
{
    struct motet_cc *o = into;
    bool full = strcmp(text, "full") == 0;
    if (!full && strcmp(text, "small") != 0 && strcmp(text, "tiny") != 0)
        return sentence(e, "there is no profile '%s'; full, small and tiny are known", text);
    o->profile = full ? NULL : text;
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
     "where a variable of it is written by name. FILE:FUNCTION alone is a function of the program that returns whether "
     "it holds. A violation freezes the log. May be given several times",
     add_invariant},
    {"clock", "EXPRESSION/HZ",
     "what invariants about time and interface logs go by: a C expression, and how much it counts in a second",
     set_clock},
    {"log-interface", "PIECE,...",
     "logs what crosses the boundary of a component, and records nothing else: a file (route.c), a directory (kit/), a "
     "function, a glob of names (CtpForwardingEngineP.*), an interface file. Compile and link with the same pieces. "
     "With colons between them, several components (route.c:disseminate.c), of which one at a time is logged",
     set_log_interface},
    {"replay-interface", "PIECE,...",
     "for motet replay --serial: executes only that component, whose interface was logged, fed over the serial port. "
     "Give the command and the pieces that the firmware with the log was built with",
     set_replay_interface},
    {"log-to", "PLACE",
     "where an interface log is written when nothing else is to be done: serial, the default, or flash", set_log_to},
    {"log-buffer", "BYTES", "the RAM for events of an interface log that wait for that. By default 300",
     set_log_buffer},
    {"log-switch", "on|off",
     "an interface log can be switched off and on at run time, by a byte over the serial port, or by the firmware "
     "(motet_log_switch). It begins so",
     set_log_switch},
    {"calls-only", NULL,
     "an interface log has calls alone, without reads of what code outside may change. It takes less flash memory and "
     "time, and can be merged, but a replay of it may deviate",
     set_calls_only},
    {"checks-only", NULL,
     "puts in the invariants and records nothing. The variable motet_violated then has the number of the first that "
     "was violated",
     set_checks_only},
    {"trace-level", "N|auto",
     "with --checks-only: functions up to this level of motet slice note in RAM what a native replay of them needs, "
     "until an invariant is violated. The command has all sources. motet trace prints it, motet replay --native "
     "executes it. auto takes the highest level that fits the chip; if not even level 1 fits, a part of it",
     set_trace_level},
    {"part", "K/N",
     "of --trace-level: takes one of N parts of the highest level, where all of it does not fit; one run each",
     set_part},
    {"stop-at", "FILE|FUNCTION",
     "of --trace-level: is not traced, and what it depends on neither; what it does is taken as input. May be given "
     "several times",
     add_stop},
    {"trace", "PLAN", "the same, for builds with several commands: the functions are those of motet slice --plan",
     set_trace},
    {"ring", "BYTES", "the RAM for that, beside the table of variables. By default 256", set_ring},
    {"when-full", "ACTION",
     "what a node does when more happens than can be written: gap, the default, goes on without recording, and the log "
     "notes a gap and goes on with a checkpoint; wait holds up the firmware, with interrupts on where it has them on, "
     "until there is room",
     set_when_full},
    {"profile", "NAME",
     "how much flash and RAM the recorder takes. full, the default: everything. small: half of that, without "
     "checkpoints and without the log over the serial port, with a buffer of 256 bytes and codec bits. tiny: with "
     "codec "
     "plain, and 128 bytes. Without checkpoints a log ends when the flash is full or has a gap, so with small and tiny "
     "the firmware waits unless --when-full says gap",
     set_profile},
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
    {"sanitize", "WHAT", "of a native program: address, undefined, or both with a comma", set_sanitize},
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
    o.cc.waits |= o.cc.profile && !o.gaps; /* without checkpoints a gap would be the end of the log */
    if (o.cc.profile && strcmp(o.cc.profile, "tiny") == 0 && o.cc.codec && strcmp(o.cc.codec, "plain") != 0)
        return complain("--profile tiny has codec plain alone; leave --codec out, or take --profile small");
    if (o.cc.profile && strcmp(o.cc.profile, "small") == 0 && o.cc.codec && strcmp(o.cc.codec, "plain") != 0)
        return complain("--profile small has codecs bits and plain; leave --codec out, or take --profile full");
    o.cc.stops = o.stops;
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
