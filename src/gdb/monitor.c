/* `monitor` commands: what a debugger's own commands cannot say. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdb/gdb.h"
#include "motet/amount.h"

struct answer {
    char *text;
    size_t size, length;
};

static void gdb_monitor_say(struct answer *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void gdb_monitor_say(struct answer *a, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(a->text + a->length, a->size - a->length, format, arguments);
    va_end(arguments);
    if (count > 0)
        a->length += (size_t)count < a->size - a->length ? (size_t)count : a->size - a->length - 1;
}

static void say_place(const struct gdb *g, uint32_t number, struct answer *a)
{
    const motet_node *n = g->nodes[number].node;
    char place[200];
    const char *how = motet_node_exit(n)                             ? "ended at"
                      : !motet_timeline_powered(g->timeline, number) ? "off at"
                      : motet_node_sleeping(n)                       ? "asleep at"
                                                                     : "at";
    gdb_monitor_say(a, "%s %s", how,
                    motet_machine_place(g->nodes[number].machine, motet_node_pc(n), place, sizeof place));
}

/* The time, and where the node is that is looked at. */
static void say_here(struct gdb *g, struct answer *a)
{
    const motet_node *n = g->node;
    gdb_monitor_say(a, "%.9f s, ", (double)motet_timeline_now(g->timeline) / (double)motet_timeline_hz(g->timeline));
    if (motet_timeline_is_network(g->timeline))
        gdb_monitor_say(a, "node %" PRIu32 ", ", motet_node_id(n));
    gdb_monitor_say(a, "tick @%" PRIu64 ", instruction %" PRIu64 ", ", motet_node_now(n), motet_node_instructions(n));
    say_place(g, g->at, a);
    gdb_monitor_say(a, "\n");
}

static void gdb_monitor_when(struct gdb *g, const char *argument, struct answer *a)
{
    (void)argument;
    say_here(g, a);
}

/* ---- seek ---- */

static void gdb_monitor_seek(struct gdb *g, const char *argument, struct answer *a)
{
    struct motet_span time;
    struct motet_error error;
    if (!motet_read_time(argument, &time, &error)) {
        gdb_monitor_say(a, "%s\n", error.text);
        return;
    }
    uint64_t tick = motet_span_ticks(&time, motet_timeline_hz(g->timeline));
    if (time.in_ticks) /* of the node that is looked at, in its life of now */
        tick = motet_timeline_time(g->timeline, g->at, tick);
    struct motet_timeline_event e = motet_timeline_seek(g->timeline, tick);
    if (e.why == MOTET_TIMELINE_INTERRUPTED)
        gdb_monitor_say(a, "interrupted on the way\n");
    say_here(g, a);
}

/* ---- checkpoints ---- */

static void gdb_monitor_checkpoint(struct gdb *g, const char *argument, struct answer *a)
{
    (void)argument;
    if (g->checkpoints == GDB_CHECKPOINTS) {
        gdb_monitor_say(a, "there are %d checkpoints, and no room for more\n", GDB_CHECKPOINTS);
        return;
    }
    g->checkpoint[g->checkpoints++] = motet_timeline_position(g->timeline);
    gdb_monitor_say(a, "checkpoint %u: ", g->checkpoints);
    say_here(g, a);
}

static void gdb_monitor_restart(struct gdb *g, const char *argument, struct answer *a)
{
    unsigned long number = *argument ? strtoul(argument, NULL, 10) : 0;
    if (!*argument) {
        gdb_restart(g);
    } else if (number < 1 || number > g->checkpoints) {
        gdb_monitor_say(a, "there is no checkpoint '%s'; restart alone goes to the beginning\n", argument);
        return;
    } else {
        motet_timeline_go(g->timeline, g->checkpoint[number - 1]);
    }
    say_here(g, a);
}

/* ---- last-write ---- */

static bool find_place(struct gdb *g, const char *what, uint32_t *first, uint32_t *size, struct answer *a)
{
    struct motet_symbol s;
    enum motet_memory memory;
    char *end;
    uint32_t address = (uint32_t)strtoul(what, &end, 0);
    *size = 1;
    if (motet_machine_symbol_named(g->machine, what, &s)) {
        address = s.address;
        *size = s.size ? s.size : 1;
    } else if (!isdigit((unsigned char)*what) || *end) {
        gdb_monitor_say(a, "there is no variable '%s'; give the name of one, or an address such as 0x%x\n", what,
                        gdb_address_of_data(g, 0x100));
        return false;
    }
    if (motet_node_locate(g->node, address, *size, &memory, first) && memory == MOTET_MEMORY_DATA)
        return true;
    gdb_monitor_say(a, "%s (0x%" PRIx32 ") is not in data memory\n", what, address);
    return false;
}

static void gdb_monitor_say_bytes(const struct gdb *g, uint32_t first, uint32_t size, struct answer *a)
{
    uint8_t bytes[16];
    size = size < sizeof bytes ? size : sizeof bytes;
    motet_node_peek(g->node, first, bytes, size);
    for (uint32_t i = 0; i < size; i++)
        gdb_monitor_say(a, "%s%02x", i ? " " : "", bytes[i]);
}

/* "3:total" is about node 3; what is behind the colon. NULL, having said so, if there is no such node. */
static const char *about_node(struct gdb *g, const char *argument, struct answer *a)
{
    char *end;
    unsigned long id = strtoul(argument, &end, 10);
    if (end == argument || *end != ':' || end[1] == ':')
        return argument;
    for (uint32_t i = 0; i < g->count; i++)
        if (motet_node_id(g->nodes[i].node) == id) {
            gdb_look_at(g, i);
            return end + 1;
        }
    gdb_monitor_say(a, "there is no node %lu\n", id);
    return NULL;
}

static void find_last_write(struct gdb *g, const char *what, struct answer *a)
{
    uint32_t first, size;
    if (!find_place(g, what, &first, &size, a))
        return;
    struct motet_position here = motet_timeline_position(g->timeline);
    struct motet_timeline_watch w = {first, first + size - 1, MOTET_WRITE};
    for (uint32_t i = 0; i < g->count; i++)
        motet_timeline_stops(g->timeline, i, NULL, 0, &w, i == g->at);
    struct motet_timeline_event e = motet_timeline_run_back(g->timeline);
    for (uint32_t i = 0; i < g->count; i++)
        motet_timeline_stops(g->timeline, i, NULL, 0, NULL, 0);
    if (e.why == MOTET_TIMELINE_WATCH) {
        gdb_monitor_say(a, "%s was written at ", what);
        say_here(g, a);
        gdb_monitor_say(a, "  from ");
        gdb_monitor_say_bytes(g, first, size, a);
        motet_timeline_step(g->timeline, g->at);
        gdb_monitor_say(a, " to ");
        gdb_monitor_say_bytes(g, first, size, a);
        gdb_monitor_say(a, "\n");
    } else if (e.why == MOTET_TIMELINE_INTERRUPTED) {
        gdb_monitor_say(a, "interrupted\n");
    } else {
        gdb_monitor_say(a, "%s was not written since the beginning\n", what);
    }
    motet_timeline_go(g->timeline, here);
}

static void gdb_monitor_last_write(struct gdb *g, const char *argument, struct answer *a)
{
    uint32_t at = g->at;
    const char *what = about_node(g, argument, a);
    if (what)
        find_last_write(g, what, a);
    gdb_look_at(g, at);
}

/* ---- the network ---- */

static void gdb_monitor_nodes(struct gdb *g, const char *argument, struct answer *a)
{
    (void)argument;
    for (uint32_t i = 0; i < g->count; i++) {
        const motet_machine *m = g->nodes[i].machine;
        gdb_monitor_say(a, "%c node %" PRIu32 ", %s, %s, ", i == g->at ? '*' : ' ', motet_node_id(g->nodes[i].node),
                        motet_machine_board(m), motet_machine_path(m));
        say_place(g, i, a);
        gdb_monitor_say(a, "\n");
    }
}

static void gdb_monitor_packets(struct gdb *g, const char *argument, struct answer *a)
{
    enum { USUAL = 20 };
    unsigned long most = *argument ? strtoul(argument, NULL, 10) : USUAL;
    a->length += motet_timeline_packets(g->timeline, most ? most : USUAL, a->text + a->length, a->size - a->length);
}

static void where(struct gdb *g, const char *argument, struct answer *a)
{
    (void)argument;
    for (uint32_t i = 0; i < g->count; i++) {
        const motet_node *n = g->nodes[i].node;
        if (g->count > 1)
            gdb_monitor_say(a, "node %" PRIu32 " ", motet_node_id(n));
        say_place(g, i, a);
        gdb_monitor_say(a, "\n");
        if (a->length + 1 < a->size)
            a->length += motet_node_where(n, a->text + a->length, a->size - a->length);
    }
}

/* ---- inputs ---- */

static bool has_serial(const struct gdb *g, unsigned long line)
{
    return line <= MOTET_CONSOLE && motet_machine_has_serial(g->machine, (unsigned)line);
}

static void send_bytes(struct gdb *g, const char *argument, struct answer *a)
{
    uint8_t bytes[512];
    size_t count = 0;
    char *end;
    unsigned long line = strtoul(argument, &end, 10);
    if (end == argument || *end != ' ' || !has_serial(g, line)) {
        gdb_monitor_say(a, "send wants a serial port of the chip and the text, such as send 0 hello\\n\n");
        return;
    }
    for (const char *s = end + 1; *s && count < sizeof bytes; s++) {
        bool escape = *s == '\\' && s[1];
        s += escape;
        bytes[count++] = (uint8_t)(!escape ? *s : *s == 'n' ? '\n' : *s == 'r' ? '\r' : *s == 't' ? '\t' : *s);
    }
    struct motet_input is = {.kind = MOTET_INPUT_SERIAL, .where = (uint32_t)line, .bytes = bytes, .size = count};
    if (!gdb_give(g, is))
        gdb_monitor_say(a, "the run has ended; go back before giving it input\n");
}

/* By its name, up to the '=' behind it; with a dot or without. -1: there is none. */
static int find_pin(const struct gdb *g, const char *text)
{
    char name[8];
    for (unsigned pin = 0; motet_machine_pin_name(g->machine, pin, name); pin++) {
        const char *has = name, *wanted = text;
        while (*has && *has == *wanted) {
            has += 1 + (has[1] == '.');
            wanted += 1 + (wanted[1] == '.');
        }
        if (!*has && *wanted == '=')
            return (int)pin;
    }
    return -1;
}

static void set_pin(struct gdb *g, const char *argument, struct answer *a)
{
    static const struct {
        const char *name;
        enum motet_drive drive;
    } levels[] = {{"0", MOTET_LOW},
                  {"1", MOTET_HIGH},
                  {"z", MOTET_FLOATING},
                  {"up", MOTET_PULLED_UP},
                  {"down", MOTET_PULLED_DOWN}};
    const char *level = strchr(argument, '=');
    int pin = level ? find_pin(g, argument) : -1;
    for (size_t i = 0; pin >= 0 && i < sizeof levels / sizeof levels[0]; i++)
        if (strcmp(level + 1, levels[i].name) == 0) {
            struct motet_input is = {.kind = MOTET_INPUT_PIN, .where = (uint32_t)pin, .value = levels[i].drive};
            if (!gdb_give(g, is))
                gdb_monitor_say(a, "the run has ended; go back before giving it input\n");
            return;
        }
    gdb_monitor_say(a, "pin wants PIN=LEVEL, such as pin PB0=1; levels are 0, 1, z, up and down\n");
}

static void gdb_monitor_reset(struct gdb *g, const char *argument, struct answer *a)
{
    (void)argument;
    gdb_give(g, (struct motet_input){.kind = MOTET_INPUT_RESET});
    say_here(g, a);
}

static void history(struct gdb *g, const char *argument, struct answer *a)
{
    (void)argument;
    char digest[MOTET_DIGEST_TEXT];
    struct motet_timeline_kept kept;
    motet_timeline_digest(g->timeline, digest);
    motet_timeline_kept(g->timeline, &kept);
    gdb_monitor_say(a, "digest %s, %zu snapshots in %.1f MB\n", digest, kept.snapshots, (double)kept.memory / 1e6);
}

static void gdb_monitor_help(struct gdb *g, const char *argument, struct answer *a);

static const struct {
    const char *name, *about;
    void (*run)(struct gdb *g, const char *argument, struct answer *a);
} commands[] = {
    {"when", "when: the time, and where the CPU is", gdb_monitor_when},
    {"seek", "seek TIME: goes there, forward or backward (12.5s, 300ms, @160000 ticks)", gdb_monitor_seek},
    {"checkpoint", "checkpoint: remembers this moment", gdb_monitor_checkpoint},
    {"restart", "restart [NUMBER]: goes to the beginning, or to a checkpoint", gdb_monitor_restart},
    {"last-write", "last-write [NODE:]VARIABLE|ADDRESS: who wrote it last, and when", gdb_monitor_last_write},
    {"nodes", "nodes: all of them, and where they are", gdb_monitor_nodes},
    {"packets", "packets [N]: the last transmissions before now", gdb_monitor_packets},
    {"where", "where: the calls that led to where each node is", where},
    {"send", "send PORT TEXT: bytes for a serial port", send_bytes},
    {"pin", "pin PIN=LEVEL: drives a pin from outside", set_pin},
    {"reset", "reset: as by the reset pin", gdb_monitor_reset},
    {"history", "history: the digest of the state, and what is kept for going back", history},
    {"help", "help: this list", gdb_monitor_help},
};

static void gdb_monitor_help(struct gdb *g, const char *argument, struct answer *a)
{
    (void)g, (void)argument;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        gdb_monitor_say(a, "monitor %s\n", commands[i].about);
}

void gdb_monitor(struct gdb *g, const char *command, char *text, size_t size)
{
    struct answer a = {.text = text, .size = size};
    command += strspn(command, " ");
    size_t length = strcspn(command, " ");
    const char *argument = command + length + strspn(command + length, " ");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strlen(commands[i].name) == length && strncmp(commands[i].name, command, length) == 0) {
            commands[i].run(g, argument, &a);
            return;
        }
    gdb_monitor_say(&a, "there is no monitor command '%.*s'; see monitor help\n", (int)(length < 40 ? length : 40),
                    command);
}
