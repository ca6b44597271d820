/* The options of `motet run`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint.h"
#include "memory.h"
#include "option.h"
#include "run.h"
#include "sentence.h"
#include "trace.h"

static bool set_board(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct run_options *)into)->machine.board = text;
    return true;
}

static bool set_for(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    o->limited = true;
    return motet_read_time(text, &o->limit, e);
}

static bool set_until_exit(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct run_options *)into)->until_exit = true;
}

static bool set_seed(void *into, const char *text, struct motet_error *e)
{
    return motet_read_number(text, UINT64_MAX, &((struct run_options *)into)->seed, e);
}

static bool set_clock(void *into, const char *text, struct motet_error *e)
{
    return motet_read_hertz(text, &((struct run_options *)into)->machine.hz, e);
}

bool run_set_script(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    attachments_script(&((struct run_options *)into)->attachments, text);
    return true;
}

static bool set_plugin(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    attachments_plugin(&((struct run_options *)into)->attachments, text);
    return true;
}

static bool set_fuses(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    char piece[16];
    for (unsigned i = 0; i < 3; i++) {
        size_t length = strcspn(text, ",");
        uint64_t value;
        bool last = i == 2;
        if (length >= sizeof piece || (text[length] == ',') == last)
            return sentence(e, "three bytes are needed, extended,high,low, such as 0xfd,0xde,0xff (or - to keep one)");
        memcpy(piece, text, length);
        piece[length] = 0;
        text += length + !last;
        if (strcmp(piece, "-") == 0)
            continue;
        if (!motet_read_number(piece, 255, &value, e))
            return false;
        o->machine.fuses[i] = (int)value;
    }
    return true;
}

static bool set_lock(void *into, const char *text, struct motet_error *e)
{
    uint64_t value;
    if (!motet_read_number(text, 255, &value, e))
        return false;
    ((struct run_options *)into)->machine.lock = (int)value;
    return true;
}

static bool fault_action(const char *text, size_t length, enum motet_fault_action *action, struct motet_error *e)
{
    static const char *const names[] = {
        [MOTET_FAULT_STOP] = "stop", [MOTET_FAULT_WARN] = "warn", [MOTET_FAULT_IGNORE] = "ignore"};
    for (unsigned i = MOTET_FAULT_STOP; i <= MOTET_FAULT_IGNORE; i++)
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) {
            *action = (enum motet_fault_action)i;
            return true;
        }
    return sentence(e, "'%.*s' is not something to do about a fault; choose stop, warn or ignore",
                    (int)(length < 40 ? length : 40), text);
}

static bool fault_kind(const char *text, size_t length, unsigned *kind, struct motet_error *e)
{
    char known[300] = "";
    for (unsigned i = 0; i < MOTET_FAULT_KINDS; i++) {
        const char *name = motet_fault_name((enum motet_fault_kind)i);
        if (strlen(name) == length && strncmp(name, text, length) == 0) {
            *kind = i;
            return true;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", name);
    }
    return sentence(e, "there is no kind of fault '%.*s'; the kinds are %s", (int)(length < 40 ? length : 40), text,
                    known);
}

static bool set_fault(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    for (;;) {
        size_t length = strcspn(text, ","), name = strcspn(text, ",=");
        enum motet_fault_action action = MOTET_FAULT_STOP;
        unsigned kind;
        if (name == length) {
            if (!fault_action(text, length, &action, e))
                return false;
            for (unsigned i = 0; i < MOTET_FAULT_KINDS; i++)
                o->on_fault[i] = action;
        } else {
            if (!fault_kind(text, name, &kind, e) || !fault_action(text + name + 1, length - name - 1, &action, e))
                return false;
            o->on_fault[kind] = action;
        }
        if (!text[length])
            return true;
        text += length + 1;
    }
}

/* NODE: before the rest of the text, whose first `end` characters may have it; *text is moved behind it. */
static bool node_prefix(struct run_options *o, const char **text, size_t end, bool *given, uint32_t *id,
                        struct motet_error *e)
{
    const char *colon = memchr(*text, ':', end);
    char name[16] = "";
    uint64_t number = 0;
    *given = colon != NULL;
    if (!colon)
        return true;
    if (colon == *text || (size_t)(colon - *text) >= sizeof name)
        return sentence(e, "'%s' does not begin with a node's id and a colon, such as 3:", *text);
    memcpy(name, *text, (size_t)(colon - *text));
    if (!motet_read_number(name, UINT32_MAX, &number, e))
        return false;
    *text = colon + 1;
    *id = (uint32_t)number;
    return o->for_node = true;
}

static bool set_trace(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    struct node_trace t = {.what = 0};
    bool of_node;
    if (!node_prefix(o, &text, strlen(text), &of_node, &t.id, e) || !trace_parse(text, &t.what, e))
        return false;
    if (!of_node) {
        o->trace |= t.what;
        return true;
    }
    o->node_trace = cli_one_more(o->node_trace, o->node_trace_count, sizeof t);
    o->node_trace[o->node_trace_count++] = t;
    return true;
}

static bool set_serial(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    char name[16] = "";
    uint64_t line = MOTET_CONSOLE;
    uint32_t id = 0;
    bool of_node;
    if (!node_prefix(o, &text, strcspn(text, "="), &of_node, &id, e))
        return false;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof name)
        return sentence(e, "'%s' is not PORT=PLACE, such as 0=pty", text);
    memcpy(name, text, (size_t)(equals - text));
    if (strcmp(name, "console") != 0 && !motet_read_number(name, RUN_LINES - 2, &line, e))
        return false;
    if (!endpoint_check(equals + 1, e))
        return false;
    if (of_node) {
        o->node_serial = cli_one_more(o->node_serial, o->node_serial_count, sizeof *o->node_serial);
        o->node_serial[o->node_serial_count++] = (struct node_serial){id, (unsigned)line, equals + 1};
        return true;
    }
    for (unsigned i = 0; i < RUN_LINES; i++)
        if (i != line && o->serial[i] && strcmp(equals + 1, "stdio") == 0 && strcmp(o->serial[i], "stdio") == 0)
            return sentence(e, "only one port can have stdio");
    o->serial[line] = equals + 1;
    return true;
}

static bool set_stimulus(struct run_options *o, const char *text,
                         bool (*set)(struct stimulus *s, const char *text, struct motet_error *e),
                         struct motet_error *e)
{
    uint32_t id = 0;
    bool of_node;
    o->stimulated = true;
    if (!node_prefix(o, &text, strcspn(text, "="), &of_node, &id, e))
        return false;
    if (!of_node)
        return set(&o->stimulus, text, e);
    size_t i = 0;
    while (i < o->node_stimulus_count && o->node_stimulus[i].id != id)
        i++;
    if (i == o->node_stimulus_count) {
        o->node_stimulus = cli_one_more(o->node_stimulus, i, sizeof *o->node_stimulus);
        o->node_stimulus[o->node_stimulus_count++] = (struct node_stimulus){.id = id};
    }
    return set(&o->node_stimulus[i].stimulus, text, e);
}

static bool set_analog(void *into, const char *text, struct motet_error *e)
{
    return set_stimulus(into, text, stimulus_analog, e);
}

static bool set_drive(void *into, const char *text, struct motet_error *e)
{
    return set_stimulus(into, text, stimulus_pin, e);
}

#define SET_TOPOLOGY(NAME)                                                        \
    static bool set_##NAME(void *into, const char *text, struct motet_error *e)   \
    {                                                                             \
        return topology_##NAME(&((struct run_options *)into)->topology, text, e); \
    }
SET_TOPOLOGY(nodes)
SET_TOPOLOGY(shape)
SET_TOPOLOGY(link)
SET_TOPOLOGY(variable)
SET_TOPOLOGY(medium)
SET_TOPOLOGY(noise)
SET_TOPOLOGY(loss)
SET_TOPOLOGY(boot)
SET_TOPOLOGY(drift)

static bool set_threads(void *into, const char *text, struct motet_error *e)
{
    uint64_t value;
    if (!motet_read_number(text, 1024, &value, e))
        return false;
    ((struct run_options *)into)->threads = (unsigned)value;
    return true;
}

static bool set_pcap(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct run_options *)into)->pcap = text;
    return true;
}

bool run_set_plot(void *into, const char *text, struct motet_error *e)
{
    char wish[512];
    if (snprintf(wish, sizeof wish, "plot:expression=%s", text) >= (int)sizeof wish)
        return sentence(e, "the expression is too long");
    return motet_monitors_add(((struct run_options *)into)->monitors, wish, e);
}

static bool set_save(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct run_options *)into)->save = text;
    return true;
}

bool run_set_monitor(void *into, const char *text, struct motet_error *e)
{
    return motet_monitors_add(((struct run_options *)into)->monitors, text, e);
}

static bool set_save_flash(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    struct node_flash f = {.id = 0};
    bool of_node;
    if (!node_prefix(o, &text, strlen(text), &of_node, &f.id, e))
        return false;
    f.path = text;
    o->node_flash = cli_one_more(o->node_flash, o->node_flash_count, sizeof f);
    o->node_flash[o->node_flash_count++] = f;
    return true;
}

static bool set_realtime(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct run_options *)into)->realtime = true;
}

static bool set_json(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct run_options *)into)->json = true;
}

static bool set_quiet(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct run_options *)into)->quiet = true;
}

static bool set_digest(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct run_options *)into)->digest = true;
}

const struct option run_options[] = {
    {"board", "BOARD",
     "the board, or chip, to run on (see motet boards); by default the chip the firmware was built for", set_board},
    {"for", "TIME",
     "ends the run after so much simulated time: 10s, 1.5ms, 200us, 3m, 1h, or @N for N periods of the main "
     "oscillator. "
     "Without it the run goes on until the firmware ends it or it is interrupted",
     set_for},
    {"until-exit", NULL, "the firmware is expected to end the run: reaching the end of --for is a failure (status 3)",
     set_until_exit},
    {"seed", "N", "seed of everything random in the run; by default 0", set_seed},
    {"clock", "HZ", "frequency of the main oscillator: 8MHz, 7.3728MHz, 16000000; by default the board's", set_clock},
    {"fuses", "EXT,HIGH,LOW", "the fuse bytes, each a number or - to keep what the firmware file or the chip says",
     set_fuses},
    {"lock", "BYTE", "the lock bits", set_lock},
    {"fault", "ACTION",
     "what to do where a real chip would go wrong in silence: stop (the default) ends the run, warn reports and goes "
     "on, "
     "ignore says nothing. A list such as warn,null-write=ignore sets single kinds",
     set_fault},
    {"trace", "WHAT",
     "prints events on standard error as they happen: a list of leds, pins, serial, resets. In a network of every "
     "node, "
     "or with NODE:WHAT of one",
     set_trace},
    {"serial", "PORT=PLACE",
     "connects a serial port (0, 1, ..., or console) to a place: stdio, null, pty (whose path is printed), tcp:PORT "
     "(waits for a connection on the loopback interface), sf:PORT (TinyOS's serial forwarder there, for any number of "
     "clients; sf:HOST:PORT listens on another address of this machine), or file:INPUT,OUTPUT, either of which can be "
     "left out. Port 0 and the console are on stdio unless told otherwise. May be given once for each port. In a "
     "network NODE:PORT=PLACE is the port of one node",
     set_serial},
    {"analog", "CHANNEL=VALUE",
     "puts a voltage on an analog input: 2.5V, 1200mV, sine:LOW:HIGH:HERTZ, file:PATH with a time and a voltage on "
     "each line, held until the next, or script:PATH, a Lua file with a function volts(channel, seconds). May be given "
     "once for each channel. In a network it is that of every node, or with NODE:CHANNEL=VALUE that of one; time is "
     "the "
     "network's",
     set_analog},
    {"drive", "PIN=LEVEL[@TIME]",
     "drives a pin from outside from a time on (by default from the start): 0, 1, z (lets go), up or down (pulls). May "
     "be given many times. In a network the pin is that of every node, or with NODE:PIN=LEVEL that of one",
     set_drive},
    {"nodes", "N", "runs a network of so many nodes, with ids from 0", set_nodes},
    {"topology", "SHAPE",
     "where the nodes of a network are: grid:3x3:10m (columns, rows, metres between them), line:9:10m, or "
     "random:20:100m (nodes, side of the square). Without it, and without links, they all are in one place",
     set_shape},
    {"link", "FROM,TO,POWER",
     "one node hears another, in this direction, with the given power where 0 dBm are sent: 0,1,-62dBm. May be given "
     "many times; without a topology there are no other links",
     set_link},
    {"medium", "MODEL",
     "how radio weakens with distance: log:N:DB (by the exponent N, by default 3, with shadowing of DB, by default "
     "none), disk:RANGE (heard up to there) or links (only where a link says so)",
     set_medium},
    {"noise", "POWER", "the noise floor, by default -100dBm", set_noise},
    {"loss", "P", "the probability that a link loses a transmission, by default 0", set_loss},
    {"boot", "TIME", "the nodes of a network boot at random times up to this one, by default 1s", set_boot},
    {"drift", "PPM", "the nodes' clocks run fast or slow by up to this, by default 0ppm", set_drift},
    {"set", "SYMBOL=VALUE",
     "gives a variable a value after start-up code has run, %id being the node's id. In a network TinyOS's TOS_NODE_ID "
     "and active-message address and the kit's node_id are set to the id without being asked. May be given many times",
     set_variable},
    {"threads", "N", "threads that run a network, by default one for each processor; results do not depend on it",
     set_threads},
    {"pcap", "FILE", "writes the radio traffic (IEEE 802.15.4) of a network for Wireshark", set_pcap},
    {"plot", "EXPRESSION[,OPTION=VALUE,...]",
     "the same as --monitor plot:expression=EXPRESSION: the value of a C expression each time it changes; with "
     "format=svg,file=PATH as a picture",
     run_set_plot},
    {"save", "FILE",
     "saves the run in a file (such as run.motet) that motet open can go through again on any machine, forward and "
     "backward",
     set_save},
    {"script", "FILE",
     "puts a Lua file's probes, watches and hooks on every node (docs/instrumentation.md). May be given many times",
     run_set_script},
    {"plugin", "FILE[:OPTIONS]",
     "loads a shared object that puts probes, watches and hooks on every node. May be given many times", set_plugin},
    {"monitor", "NAME[:OPTION=VALUE,...]",
     "watches every node and says at the end what it found, on standard output or with file=PATH in a file; motet "
     "monitors lists them. May be given many times",
     run_set_monitor},
    {"save-flash", "[NODE:]FILE",
     "writes at the end what the board's serial flash memory holds, for motet collect; in a network that of the node",
     set_save_flash},
    {"realtime", NULL,
     "paces the run so that simulated time passes no faster than real time; what a busy host loses is not made up for",
     set_realtime},
    {"json", NULL, "ends with one line of JSON on standard output that says how the run went", set_json},
    {"quiet", NULL, "prints no summary, no progress and no hints; faults and traces are still printed", set_quiet},
    {"digest", NULL, "prints a digest of the node's whole state at the end on standard error", set_digest},
    {NULL, NULL, NULL, NULL},
};

const struct option_alias run_aliases[] = {{"keep", "save"}, {"keep-flash", "save-flash"}, {NULL, NULL}};
