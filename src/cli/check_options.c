#include "check_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sentence.h"

static bool check_read_span(const char *text, uint64_t *nanoseconds, struct motet_error *e)
{
    struct motet_span span;
    if (!motet_read_time(text, &span, e))
        return false;
    if (span.in_ticks)
        return sentence(e, "nodes have ticks of their own; give a time such as 10s");
    *nanoseconds = span.nanoseconds;
    return true;
}

static bool check_set_walks(void *into, const char *text, struct motet_error *e)
{
    return motet_read_number(text, UINT32_MAX, &((struct check_options *)into)->how.walks, e);
}

static bool check_set_walk(void *into, const char *text, struct motet_error *e)
{
    static const char *const names[] = {"mixed", "weighted", "uniform", "pct"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            ((struct check_options *)into)->how.walk = (enum motet_walk)i;
            return true;
        }
    return sentence(e, "'%s' is none of mixed, weighted, uniform and pct", text);
}

static bool check_set_length(void *into, const char *text, struct motet_error *e)
{
    return check_read_span(text, &((struct check_options *)into)->how.length, e);
}

static bool check_set_steady(void *into, const char *text, struct motet_error *e)
{
    struct motet_check_options *how = &((struct check_options *)into)->how;
    how->early = false;
    return check_read_span(text, &how->steady, e);
}

static bool check_keep(struct check_named *to, const char *text, struct motet_error *e)
{
    if (to->count == CHECK_NAMED)
        return sentence(e, "an option of this kind can be given %d times", CHECK_NAMED);
    to->texts[to->count++] = text;
    return true;
}

static bool check_set_hold(void *into, const char *text, struct motet_error *e)
{
    struct motet_weights *w = &((struct check_options *)into)->how.weights;
    if (strchr(text, '='))
        return check_keep(&((struct check_options *)into)->holds, text, e);
    if (!check_read_span(text, &w->hold, e))
        return false;
    return w->hold <= MOTET_SECOND / 1000 ||
           sentence(e, "an interrupt held longer than 1ms lets a clock that is kept by interrupts lose time");
}

static bool check_set_sense(void *into, const char *text, struct motet_error *e)
{
    return check_keep(&((struct check_options *)into)->senses, text, e);
}

static bool check_set_shift(void *into, const char *text, struct motet_error *e)
{
    return check_read_span(text, &((struct check_options *)into)->how.weights.shift, e);
}

static bool check_set_busy(void *into, const char *text, struct motet_error *e)
{
    return check_read_span(text, &((struct check_options *)into)->how.weights.busy_for, e);
}

static bool check_set_late(void *into, const char *text, struct motet_error *e)
{
    return check_read_span(text, &((struct check_options *)into)->how.weights.late, e);
}

static bool check_set_workers(void *into, const char *text, struct motet_error *e)
{
    uint64_t value;
    if (!motet_read_number(text, 1024, &value, e))
        return false;
    ((struct check_options *)into)->how.workers = (unsigned)value;
    return true;
}

static bool check_set_weight(void *into, const char *text, struct motet_error *e)
{
    struct motet_weights *w = &((struct check_options *)into)->how.weights;
    const struct {
        const char *name;
        double *value;
    } weights[] = {{"lost", &w->lost},     {"damaged", &w->damaged}, {"held", &w->held},       {"busy", &w->busy},
                   {"reset", &w->reset},   {"power", &w->power},     {"death", &w->death},     {"preempt", &w->preempt},
                   {"serial", &w->serial}, {"sensed", &w->sensed},   {"foreign", &w->foreign}, {"faint", &w->faint}};
    size_t count = sizeof weights / sizeof *weights, length = strcspn(text, "=");
    for (size_t i = 0; i < count; i++) {
        char *end;
        if (strlen(weights[i].name) != length || strncmp(weights[i].name, text, length) != 0 || text[length] != '=')
            continue;
        double value = strtod(text + length + 1, &end);
        if (end == text + length + 1 || *end || !(value >= 0))
            return sentence(e, "'%s' is not a probability or a rate", text + length + 1);
        *weights[i].value = value;
        return true;
    }
    return sentence(e,
                    "'%s' is none of lost=, damaged=, held=, busy=, reset=, power=, death=, preempt=, "
                    "serial=, sensed=, foreign= and faint=",
                    text);
}

static bool check_set_deviations(void *into, const char *text, struct motet_error *e)
{
    uint64_t value;
    if (!motet_read_number(text, 8, &value, e))
        return false;
    ((struct check_options *)into)->how.deviations = (unsigned)value;
    return true;
}

static bool check_set_depth(void *into, const char *text, struct motet_error *e)
{
    uint64_t value;
    if (!motet_read_number(text, 10000, &value, e))
        return false;
    ((struct check_options *)into)->how.depth = (unsigned)value;
    return value || sentence(e, "of 0 frames none can be lost; give 1 at least");
}

static const struct {
    const char *name, *plural;
    enum motet_choice_source source;
} check_sources[] = {
    {"busy", "busy channels", MOTET_CHOICE_BUSY}, {"held", "held interrupts", MOTET_CHOICE_HOLD},
    {"reset", "resets", MOTET_CHOICE_RESET},      {"power", "losses of power", MOTET_CHOICE_POWER},
    {"death", "deaths", MOTET_CHOICE_DEATH},      {"serial", "what a host sends", MOTET_CHOICE_SERIAL}};
enum { CHECK_SOURCES = sizeof check_sources / sizeof *check_sources };

static bool check_set_also(void *into, const char *text, struct motet_error *e)
{
    for (size_t i = 0; i < CHECK_SOURCES; i++)
        if (strcmp(text, check_sources[i].name) == 0) {
            ((struct check_options *)into)->how.also |= 1u << check_sources[i].source;
            return true;
        }
    return sentence(e, "'%s' is none of busy, held, reset, power, death and serial", text);
}

const char *check_options_left_out(const struct check_options *o, size_t *number)
{
    while (*number < CHECK_SOURCES && o->how.also >> check_sources[*number].source & 1)
        ++*number;
    return *number < CHECK_SOURCES ? check_sources[(*number)++].plural : NULL;
}

static bool check_set_no_matching(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct check_options *)into)->how.no_matching = true;
}

static bool check_set_memory(void *into, const char *text, struct motet_error *e)
{
    uint64_t megabytes;
    if (!motet_read_number(text, 1 << 24, &megabytes, e))
        return false;
    ((struct check_options *)into)->how.memory = megabytes << 20;
    return true;
}

static bool check_set_preempt(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct check_options *)into)->how.preempt = true;
}

static bool check_set_unguided(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct check_options *)into)->how.unguided = true;
}

static bool check_set_as_found(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct check_options *)into)->how.as_found = true;
}

static bool check_set_patience(void *into, const char *text, struct motet_error *e)
{
    return check_read_span(text, &((struct check_options *)into)->how.patience, e);
}

static bool check_set_stuck(void *into, const char *text, struct motet_error *e)
{
    return check_read_span(text, &((struct check_options *)into)->how.stuck, e);
}

static bool check_set_property(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct check_options *)into)->property = text;
    return true;
}

static bool check_set_no_save(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct check_options *)into)->no_save = true;
}

static bool check_set_save(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct check_options *)into)->save = text;
    return true;
}

static bool check_set_resume(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct check_options *)into)->resume = text;
    return true;
}

static bool check_set_replay(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct check_options *)into)->replay = text;
    return true;
}

static bool check_set_repaired(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct check_options *)into)->repaired = true;
}

const struct option check_option_list[] = {
    {"walks", "N", "how many walks are tried, by default 500", check_set_walks},
    {"walk", "KIND",
     "how walks choose: mixed, the default, multiplies the weights by factors of each walk's own; weighted takes them "
     "as "
     "they are; uniform gives all outcomes of what comes up the same probability; pct departs from the plain run one "
     "to "
     "five times, at times drawn beforehand",
     check_set_walk},
    {"length", "TIME", "how long a walk goes on from its steady state, in simulated time; by default 30s",
     check_set_length},
    {"steady", "TIME",
     "when the network is taken to be in its steady state and choices begin; by default 29s, sooner in some walks",
     check_set_steady},
    {"workers", "N", "threads that walk, by default one for each processor; the result does not depend on it",
     check_set_workers},
    {"hold", "[DEVICE=]TIME",
     "an interrupt may come so much later, by default 200us; with 0 none does. With DEVICE, a name such as adc, only "
     "its "
     "interrupts. May be given many times",
     check_set_hold},
    {"sense", "[NODE:]LINE=VOLTS,...",
     "a conversion of this analog line may find any of these voltages. May be given many times", check_set_sense},
    {"shift", "TIME", "what the scenario sends to a serial port may come so much earlier or later, by default 20ms",
     check_set_shift},
    {"preempt", NULL,
     "in all walks, interrupts also come just after an instruction that touches what their handler touches, up to "
     "500us after they were posted; by default in one of three walks",
     check_set_preempt},
    {"busy", "TIME",
     "the channel around a node may be busy for so long, by default 80ms; in some walks 4, 32 or 128 times as "
     "long",
     check_set_busy},
    {"late", "TIME", "nodes may be switched on so much later, by default 1s", check_set_late},
    {"weight", "NAME=VALUE",
     "how often the environment does something, before each walk multiplies it by a factor of its own: the probability "
     "that a frame is lost (0.1) or damaged (0.05) at a receiver or that an interrupt is held (0.02), how often a "
     "second a channel becomes busy (1), a node is reset (0.1), loses power for a moment (0.2) or dies (0.005); "
     "the probability that an interrupt comes where it can matter (preempt, 0.05). Also the probability that what a "
     "scenario sends to a serial port at once never comes, is damaged or comes at another time (serial, 0.1), and that "
     "a "
     "conversion finds another voltage of --sense (sensed, 0.1), and how often a second a node hears a frame from "
     "outside the network (foreign, 0), and the probability that frames of near nodes get through a busy channel "
     "(faint, "
     "0.5). May be given many times",
     check_set_weight},
    {"deviations", "K",
     "instead of walks at random, tries all runs that depart from the plain one once, then twice, up to K times within "
     "--length. What is found has the fewest deviations",
     check_set_deviations},
    {"depth", "N",
     "instead of walks, tries all ways that the first N frames can go at their receivers within --length: delivered, "
     "lost, damaged. With --sense, conversions of its lines count as well, with --also other choices. Nothing else "
     "happens. States with the same futures are explored once",
     check_set_depth},
    {"also", "NAME",
     "with --depth, these choices count beside frames: busy, reset, power or death may happen to a node every quarter "
     "of "
     "a second; held: an interrupt, but those of timers, comes as late as --hold allows; serial: what a scenario sends "
     "never comes or is damaged. May be given many times",
     check_set_also},
    {"no-matching", NULL, "with --depth, explores states with the same futures again and again", check_set_no_matching},
    {"memory", "MB",
     "with --depth, megabytes for states that were explored, by default 2048. Beyond them states are known by three "
     "bits each; the result says how probable it is that one was missed",
     check_set_memory},
    {"unguided", NULL,
     "no walk goes back to where it last came to something new; by default one of five does. Nothing is said of the "
     "share of code that was reached",
     check_set_unguided},
    {"as-found", NULL, "prints and saves the walk that found the error as it is, and does not make it shorter",
     check_set_as_found},
    {"property", "FILE",
     "properties that must hold from the steady state on, in Lua (.lua) or as a plugin in C (.so); docs/checking.md "
     "has "
     "both. By default those of the scenario",
     check_set_property},
    {"patience", "TIME",
     "what a property says will happen at some time is late after so long without any choice of the environment; by "
     "default 60s",
     check_set_patience},
    {"stuck", "TIME",
     "a node that has slept before and then is awake for so many whole seconds is an error, and so is a frame that "
     "stays "
     "in the receive buffer of a radio; by default 10s, with 0 never",
     check_set_stuck},
    {"save", "FILE", "the file for the counterexample, by default counterexample.motet", check_set_save},
    {"no-save", NULL, "writes no counterexample: the error is printed, and no file is left", check_set_no_save},
    {"resume", "FILE",
     "goes on where the check that wrote the file has ended, with Ctrl-C for example, or with fewer walks or "
     "deviations; then the file says how far this one has come. A file that does not exist yet is begun",
     check_set_resume},
    {"replay", "FILE",
     "executes a counterexample again: the status is 1 as long as its error is there. A FIRMWARE beside it must be its "
     "own, byte for byte",
     check_set_replay},
    {"repaired", NULL,
     "with --replay: FIRMWARE is a later build, in which the error may be repaired. It is executed with the choices of "
     "the counterexample",
     check_set_repaired},
    {NULL, NULL, NULL, NULL},
};

/* ---- sensors and devices ---- */

static bool check_sense(motet_check *c, const char *text, struct motet_error *e)
{
    enum { MOST = 64 };
    int32_t microvolts[MOST];
    size_t count = 0;
    unsigned long node = MOTET_ALL_NODES, line;
    char *end;
    line = strtoul(text, &end, 10);
    if (*end == ':') {
        node = line;
        line = strtoul(end + 1, &end, 10);
    }
    bool good = end != text && *end == '=';
    while (good && count < MOST && *end && (*end == '=' || *end == ',')) {
        const char *value = end + 1;
        double volts = strtod(value, &end);
        end += *end == 'V';
        good = end != value && volts >= 0 && volts <= 100 && (*end == ',' || !*end);
        microvolts[count++] = good ? (int32_t)(volts * 1e6 + 0.5) : 0;
    }
    if (!good || *end || node > MOTET_ALL_NODES || line > 1000)
        return sentence(e, "--sense: '%s' is not [NODE:]LINE=VOLTS,... such as 1=0,1.5,3", text);
    return motet_check_sense(c, (uint32_t)node, (unsigned)line, microvolts, count, e);
}

static bool check_hold(motet_check *c, const char *text, struct motet_error *e)
{
    char device[32];
    uint64_t span = 0;
    size_t length = strcspn(text, "=");
    snprintf(device, sizeof device, "%.*s", (int)length, text);
    return check_read_span(text + length + 1, &span, e) && motet_check_hold(c, device, span, e);
}

bool check_options_name(const struct check_options *o, motet_check *c, struct motet_error *e)
{
    for (size_t i = 0; i < o->senses.count; i++)
        if (!check_sense(c, o->senses.texts[i], e))
            return false;
    for (size_t i = 0; i < o->holds.count; i++)
        if (!check_hold(c, o->holds.texts[i], e))
            return false;
    return true;
}
