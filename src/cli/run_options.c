/* The options of `motet run`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint.h"
#include "memory.h"
#include "option.h"
#include "run.h"
#include "sentence.h"
#include "stores.h"
#include "trace.h"
#include "which.h"

void run_options_init(struct run_options *o)
{
    *o = (struct run_options){.machine = MOTET_OPTIONS_DEFAULT, .monitors = motet_monitors_new()};
    topology_init(&o->topology);
}

void run_options_free(struct run_options *o)
{
    junit_abandon(o->junit);
    for (size_t i = 0; i < o->stimulus_count; i++)
        stimulus_free(&o->stimuli[i].stimulus);
    free(o->stimuli);
    free(o->traces);
    free(o->faults);
    free(o->batteries);
    free(o->stores);
    free(o->parts);
    free(o->ports);
    for (size_t i = 0; i < o->with_count; i++)
        free((char *)o->with[i].name);
    free(o->with);
    which_free(&o->named);
    topology_free(&o->topology);
    attachments_free(&o->attachments);
    motet_monitors_free(o->monitors);
}

bool run_set_board(void *into, const char *text, struct motet_error *e)
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

void run_add_parameter(struct run_options *o, const char *name, size_t length, const char *value)
{
    o->with = cli_one_more(o->with, o->with_count, sizeof *o->with);
    o->with[o->with_count++] = (struct motet_scenario_parameter){cli_text(name, length), value};
}

static bool set_with(void *into, const char *text, struct motet_error *e)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return sentence(e, "%s is not of the form NAME=VALUE", text);
    run_add_parameter(into, text, (size_t)(equals - text), equals + 1);
    return true;
}

static bool set_clock(void *into, const char *text, struct motet_error *e)
{
    return motet_read_hertz(text, &((struct run_options *)into)->machine.hz, e);
}

bool run_set_script(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    struct which which;
    if (!which_read(&o->named, "script", &text, &which, e))
        return false;
    attachments_script(&o->attachments, which, text);
    return true;
}

static bool set_plugin(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    struct which which;
    if (!which_read(&o->named, "plugin", &text, &which, e))
        return false;
    attachments_plugin(&o->attachments, which, text);
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
    struct which which;
    if (!which_read(&o->named, "fault", &text, &which, e))
        return false;
    for (;;) {
        size_t length = strcspn(text, ","), name = strcspn(text, ",=");
        struct fault_option f = {.which = which, .last = (enum motet_fault_kind)(MOTET_FAULT_KINDS - 1)};
        unsigned kind = 0;
        if (name != length) {
            if (!fault_kind(text, name, &kind, e))
                return false;
            f.first = f.last = (enum motet_fault_kind)kind;
        }
        size_t action = name == length ? 0 : name + 1;
        if (!fault_action(text + action, length - action, &f.action, e))
            return false;
        o->faults = cli_one_more(o->faults, o->fault_count, sizeof f);
        o->faults[o->fault_count++] = f;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

static bool set_trace(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    struct trace_option t = {.what = 0};
    if (!which_read(&o->named, "trace", &text, &t.which, e) || !trace_parse(text, &t.what, e))
        return false;
    o->traces = cli_one_more(o->traces, o->trace_count, sizeof t);
    o->traces[o->trace_count++] = t;
    return true;
}

static bool check_place(const char *place, struct motet_error *e)
{
    char *example = which_text(place, 0);
    bool good = endpoint_check(example, e);
    free(example);
    return good;
}

static bool set_serial(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    struct port_option p;
    char name[16] = "";
    uint64_t line = MOTET_CONSOLE;
    if (!which_read(&o->named, "serial", &text, &p.which, e))
        return false;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof name)
        return sentence(e, "'%s' is not PORT=PLACE, such as 0=pty", text);
    memcpy(name, text, (size_t)(equals - text));
    if (strcmp(name, "console") != 0 && !motet_read_number(name, RUN_LINES - 2, &line, e))
        return false;
    p.line = (unsigned)line;
    p.place = equals + 1;
    if (!check_place(p.place, e))
        return false;
    o->ports = cli_one_more(o->ports, o->port_count, sizeof p);
    o->ports[o->port_count++] = p;
    return true;
}

static bool set_stimulus(struct run_options *o, const char *option, const char *text,
                         bool (*set)(struct stimulus *s, const char *text, struct motet_error *e),
                         struct motet_error *e)
{
    struct which which;
    size_t i = 0;
    if (!which_read(&o->named, option, &text, &which, e))
        return false;
    while (i < o->stimulus_count && !which_same(o->stimuli[i].which, which))
        i++;
    if (i == o->stimulus_count) {
        o->stimuli = cli_one_more(o->stimuli, i, sizeof *o->stimuli);
        o->stimuli[o->stimulus_count++] = (struct stimulus_option){.which = which};
    }
    return set(&o->stimuli[i].stimulus, text, e);
}

static bool set_analog(void *into, const char *text, struct motet_error *e)
{
    return set_stimulus(into, "analog", text, stimulus_analog, e);
}

static bool set_sense(void *into, const char *text, struct motet_error *e)
{
    return set_stimulus(into, "sense", text, stimulus_sense, e);
}

static bool set_drive(void *into, const char *text, struct motet_error *e)
{
    return set_stimulus(into, "drive", text, stimulus_pin, e);
}

#define SET_TOPOLOGY(NAME)                                                        \
    static bool set_##NAME(void *into, const char *text, struct motet_error *e)   \
    {                                                                             \
        return topology_##NAME(&((struct run_options *)into)->topology, text, e); \
    }
SET_TOPOLOGY(nodes)
SET_TOPOLOGY(shape)
SET_TOPOLOGY(link)
SET_TOPOLOGY(medium)
SET_TOPOLOGY(noise)
SET_TOPOLOGY(loss)

/* Those of single nodes. */
#define SET_PLACED(FUNCTION, OPTION, NAME)                                                                       \
    bool FUNCTION(void *into, const char *text, struct motet_error *e)                                           \
    {                                                                                                            \
        struct run_options *o = into;                                                                            \
        struct which which;                                                                                      \
        return which_read(&o->named, OPTION, &text, &which, e) && topology_##NAME(&o->topology, which, text, e); \
    }
static SET_PLACED(set_boot, "boot", boot) static SET_PLACED(set_drift, "drift", drift)
    SET_PLACED(run_set_variable, "set", variable)

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

/* PIECE,...[=FILE], as options of the monitor `interface`. */
bool run_set_log_interface(void *into, const char *text, struct motet_error *e)
{
    char wish[2048];
    const char *equals = strchr(text, '=');
    size_t end = equals ? (size_t)(equals - text) : strlen(text);
    int used = snprintf(wish, sizeof wish, "interface:format=log,file=%s", equals ? equals + 1 : "node-%id.ilog");
    if (equals && !equals[1])
        return sentence(e, "the name of a file is missing after '%s'", text);
    for (size_t at = 0, length; at <= end; at += length + 1) {
        length = strcspn(text + at, ",=");
        bool describes = length > 10 && strncmp(text + at + length - 10, ".interface", 10) == 0;
        if (!length)
            return sentence(e, "'%s' is not PIECE,...[=FILE], such as collection.c,route.c=node-%%id.ilog", text);
        if (used < (int)sizeof wish)
            used += snprintf(wish + used, sizeof wish - (size_t)used, ",%s=%.*s", describes ? "describe" : "of",
                             (int)length, text + at);
    }
    if (used >= (int)sizeof wish)
        return sentence(e, "the component is described at too great a length");
    return motet_monitors_add(((struct run_options *)into)->monitors, wish, e);
}

bool run_set_junit(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    junit_abandon(o->junit);
    return (o->junit = junit_begin(text, e)) != NULL;
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

static bool set_battery(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    struct battery_option b;
    char *end;
    if (!which_read(&o->named, "battery", &text, &b.which, e))
        return false;
    b.milliamp_hours = strtod(text, &end);
    if (strcmp(end, "mAh") == 0)
        end += 3;
    if (end == text || *end || !(b.milliamp_hours > 0) || b.milliamp_hours > 1e9)
        return sentence(e, "'%s' is not a charge in milliampere-hours, such as 2500", text);
    o->batteries = cli_one_more(o->batteries, o->battery_count, sizeof b);
    o->batteries[o->battery_count++] = b;
    return true;
}

static bool set_store(struct run_options *o, enum motet_store store, bool save, const char *text, struct motet_error *e)
{
    struct store_option s = {.store = store, .save = save};
    if (!which_read(&o->named, stores_option_name(&s), &text, &s.which, e))
        return false;
    if (!*text)
        return sentence(e, "the name of a file is missing");
    s.path = text;
    o->stores = cli_one_more(o->stores, o->store_count, sizeof s);
    o->stores[o->store_count++] = s;
    return true;
}

static bool set_flash(void *into, const char *text, struct motet_error *e)
{
    return set_store(into, MOTET_STORE_FLASH, false, text, e);
}

static bool set_save_flash(void *into, const char *text, struct motet_error *e)
{
    return set_store(into, MOTET_STORE_FLASH, true, text, e);
}

static bool set_eeprom(void *into, const char *text, struct motet_error *e)
{
    return set_store(into, MOTET_STORE_EEPROM, false, text, e);
}

static bool set_save_eeprom(void *into, const char *text, struct motet_error *e)
{
    return set_store(into, MOTET_STORE_EEPROM, true, text, e);
}

bool run_set_part(void *into, const char *text, struct motet_error *e)
{
    struct run_options *o = into;
    struct part_option p;
    if (!which_read(&o->named, "part", &text, &p.which, e))
        return false;
    p.wish = text;
    o->parts = cli_one_more(o->parts, o->part_count, sizeof p);
    o->parts[o->part_count++] = p;
    return true;
}

static bool set_realtime(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct run_options *)into)->realtime = true;
}

bool run_set_json(void *into, const char *text, struct motet_error *e)
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

bool run_set_engine(void *into, const char *text, struct motet_error *e)
{
    (void)into;
    return motet_engine(text, e);
}

const struct option run_options[] = {
    {"board", "BOARD",
     "the board, or chip, to run on (see motet boards); by default the chip the firmware was built for", run_set_board},
    {"for", "TIME",
     "ends the run after so much simulated time: 10s, 1.5ms, 200us, 3m, 1h, or @N for N periods of the only node's "
     "main oscillator. Without it the run goes on until the firmware ends it or it is interrupted",
     set_for},
    {"until-exit", NULL, "the firmware is expected to end the run: reaching the end of --for is a failure (status 3)",
     set_until_exit},
    {"seed", "N", "seed of everything random in the run; by default 0", set_seed},
    {"with", "NAME=VALUE",
     "what parameter(NAME, default) returns in a scenario; motet sweep runs one with many. May be given many times",
     set_with},
    {"clock", "HZ", "frequency of the main oscillator: 8MHz, 7.3728MHz, 16000000; by default the board's", set_clock},
    {"fuses", "EXT,HIGH,LOW", "the fuse bytes, each a number or - to keep what the firmware file or the chip says",
     set_fuses},
    {"lock", "BYTE", "the lock bits", set_lock},
    {"fault", "[NODE:]ACTION",
     "what to do at an error that a real chip hides: stop (the default) ends the run, warn reports it and goes on, "
     "ignore does nothing. A list such as warn,null-write=ignore sets single kinds. Without NODE: for every node",
     set_fault},
    {"trace", "[NODE:]WHAT",
     "prints events on standard error as they happen: a list of leds, pins, serial, resets, parts. Without NODE: of "
     "every "
     "node",
     set_trace},
    {"serial", "[NODE:]PORT=PLACE",
     "connects a serial port (0, 1, ..., or console) to a place: stdio, null, pty (whose path is printed), tcp:PORT "
     "(waits for a connection on the loopback interface), sf:PORT (TinyOS's serial forwarder there, for any number of "
     "clients; sf:HOST:PORT listens on another address of this machine), file:INPUT,OUTPUT, either of which can be "
     "left out, or timed:INPUT,OUTPUT. What comes from a file waits while the receiver is off. A timed input has a "
     "time and bytes on each line, such as 10ms \"text\\n\" or 10ms 7e 42; they arrive then, and are lost where the "
     "receiver is off. %id in a place is the node's id. The board's terminal port and the console of an only node are "
     "on "
     "stdio by default. Without NODE: the port of every node; file:,out-%id.txt gives each a file. NODE: comes before "
     "*:, and a port is given once with each",
     set_serial},
    {"analog", "[NODE:]CHANNEL=VALUE",
     "puts a voltage on an analog input: 2.5V, 1200mV, sine:LOW:HIGH:HERTZ, file:PATH with a time and a voltage on "
     "each line, held until the next, or script:PATH, a Lua file with a function volts(channel, seconds). May be given "
     "once for each channel. Without NODE: of every node; time is the network's",
     set_analog},
    {"sense", "[NODE:]QUANTITY=VALUE",
     "gives a quantity of the environment to the sensors of the board: temperature=25C, humidity=45%, light=300lux, or "
     "a source as --analog has (sine:LOW:HIGH:HERTZ, file:PATH). A quantity that the board does not sense is refused "
     "with the list of what it senses. Without NODE: of every node, by what the first one senses",
     set_sense},
    {"drive", "[NODE:]PIN=LEVEL[@TIME]",
     "drives a pin from outside from a time on (by default from the start): 0, 1, z (released), up or down (pulled). "
     "May be given many times. Without NODE: the pin of every node",
     set_drive},
    {"nodes", "N", "how many nodes with this firmware there are, with ids from 0; by default 1", set_nodes},
    {"topology", "SHAPE",
     "positions of the nodes: grid:3x3:10m (columns, rows, metres between them), line:9:10m, or random:20:100m (nodes, "
     "side of the square). Without it, and without links, all nodes are in one place",
     set_shape},
    {"link", "FROM,TO,POWER",
     "a directed link: the second node hears the first with this power if it sends 0 dBm, as in 0,1,-62dBm. May be "
     "given many times; without a topology there are no other links",
     set_link},
    {"medium", "MODEL",
     "how radio weakens with distance: log:N:DB (by the exponent N, by default 3, with shadowing of DB, by default "
     "none), disk:RANGE (heard up to there) or links (only where a link says so)",
     set_medium},
    {"noise", "POWER", "the noise floor, by default -100dBm", set_noise},
    {"loss", "P", "the probability that a link loses a transmission, by default 0", set_loss},
    {"boot", "[NODE:]TIME",
     "the nodes boot at random times up to this one, by default 1s; an only node boots at once by default. With NODE: "
     "that node boots at this time",
     set_boot},
    {"drift", "[NODE:]PPM",
     "the nodes' clocks run fast or slow by up to this, by default 0ppm. With NODE: the drift of that node, negative "
     "if it is slow",
     set_drift},
    {"battery", "[NODE:]MAH",
     "the node's battery has so many milliampere-hours, and the node is switched off for good when it is empty. What "
     "the node draws is by the board's table of currents. Without NODE: every node has such a battery",
     set_battery},
    {"set", "[NODE:]SYMBOL=VALUE",
     "gives a variable a value after start-up code has run, %id being the node's id. Without NODE: of every node. Of "
     "several nodes, TinyOS's TOS_NODE_ID and active-message address and the kit's node_id are set to the id by "
     "default. May be given many times",
     run_set_variable},
    {"threads", "N", "threads that run the nodes, by default one for each processor; results do not depend on it",
     set_threads},
    {"engine", "ENGINE",
     "how firmware is executed: loop (instruction by instruction) or translate (code that is executed often becomes "
     "code of this computer; the default where it is installed). Results, times and counts are the same",
     run_set_engine},
    {"pcap", "FILE", "writes the radio traffic (IEEE 802.15.4, CC1000) for Wireshark", set_pcap},
    {"plot", "EXPRESSION[,OPTION=VALUE,...]",
     "the same as --monitor plot:expression=EXPRESSION: the value of a C expression each time it changes; with "
     "format=svg,file=PATH as a picture",
     run_set_plot},
    {"log-interface", "PIECE,...[=FILE]",
     "logs every call into and out of a component, with parameters, results and buffers, at no cost to the node. A "
     "PIECE "
     "is a file (route.c), a directory (kit/), a function, a glob of names (CtpRoutingEngineP.*), or a description of "
     "buffers (my.interface). FILE, for motet merge and motet replay, is node-%id.ilog unless given; %id becomes the "
     "node's id",
     run_set_log_interface},
    {"save", "FILE",
     "saves the run in a file (such as run.motet) that motet open can go through again on any machine, forward and "
     "backward",
     set_save},
    {"script", "[NODE:]FILE",
     "puts a Lua file's probes, watches and hooks on the node, without NODE: on every node (docs/instrumentation.md). "
     "May be given many times",
     run_set_script},
    {"plugin", "[NODE:]FILE[:OPTIONS]",
     "loads a shared object that puts probes, watches and hooks on the node, without NODE: on every node. May be given "
     "many times",
     set_plugin},
    {"part", "[NODE:]FILE[:LEG,...]",
     "adds a part to the board, from a shared object (docs/parts.md), and connects its legs in the order of its table: "
     "pins (PB2), buses (spi0, i2c0), serial ports (serial1), analog lines (analog3). NAME=PLACE names a leg, and "
     "NAME=NUMBER sets a parameter. Without NODE: to the board of every node. May be given many times",
     run_set_part},
    {"monitor", "NAME[:OPTION=VALUE,...]",
     "watches every node and prints its findings at the end, on standard output or with file=PATH in a file; motet "
     "monitors lists them. May be given many times",
     run_set_monitor},
    {"flash", "[NODE:]FILE",
     "what the board's serial flash memory holds before the run: a file that --save-flash wrote, or Intel HEX for some "
     "of its bytes. Without NODE: of every node, with %id in the name of the file for the node's id",
     set_flash},
    {"save-flash", "[NODE:]FILE",
     "writes at the end what the board's serial flash memory holds, for --flash and motet collect. Without NODE: of "
     "every node, with %id in the name of the file where there are several",
     set_save_flash},
    {"eeprom", "[NODE:]FILE",
     "what the chip's EEPROM holds before the run, in place of what the firmware's file has for it: a file that "
     "--save-eeprom wrote, or Intel HEX for some of its bytes. Otherwise as --flash",
     set_eeprom},
    {"save-eeprom", "[NODE:]FILE", "writes at the end what the chip's EEPROM holds. Otherwise as --save-flash",
     set_save_eeprom},
    {"realtime", NULL,
     "paces the run so that simulated time passes no faster than real time. Time that a busy host loses is not made up",
     set_realtime},
    {"junit", "FILE",
     "writes how the run went and each check of the scenario as a test case, in the form of JUnit, which CI servers "
     "read",
     run_set_junit},
    {"json", NULL, "ends with one line of JSON on standard output that describes the run", run_set_json},
    {"quiet", NULL, "prints no summary, no progress and no hints; faults and traces are still printed", set_quiet},
    {"digest", NULL, "prints a digest of the whole state of all nodes at the end on standard error", set_digest},
    {NULL, NULL, NULL, NULL},
};

const struct option_alias run_aliases[] = {{"keep", "save"}, {"keep-flash", "save-flash"}, {NULL, NULL}};
