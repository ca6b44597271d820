/* `monitor` commands: what a debugger's own commands cannot say. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/board.h"
#include "chip/chip.h"
#include "debug/gdb_internal.h"
#include "debug/space.h"
#include "image/image.h"
#include "isa/isa.h"
#include "network/network.h"
#include "node/machine.h"
#include "node/pins.h"

struct answer {
    char *text;
    size_t size, length;
};

static void say(struct answer *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct answer *a, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(a->text + a->length, a->size - a->length, format, arguments);
    va_end(arguments);
    if (count > 0)
        a->length += (size_t)count < a->size - a->length ? (size_t)count : a->size - a->length - 1;
}

static uint32_t number_of(const struct gdb *g, const struct node *n)
{
    uint32_t i = 0;
    while (g->nodes[i].node != n)
        i++;
    return i;
}

static void say_place(const struct gdb *g, const struct node *n, struct answer *a)
{
    const struct machine *m = n->machine;
    const struct node_state *s = n->state;
    char place[200];
    image_place(m->image, m->chip->isa->pc(n), place, sizeof place);
    const struct network *network = g->target.network;
    uint32_t number = number_of(g, n);
    bool off =
        network && !s->exit &&
        (network_tick(network, number, 0) == NEVER || network_time(network, number, 0) > timeline_now(g->timeline));
    say(a, "%s %s", off ? "off at" : s->exit ? "ended at" : s->sleeping ? "asleep at" : "at", place);
}

/* The time, and where the node is that is looked at. */
static void say_here(struct gdb *g, struct answer *a)
{
    const struct node *n = g->node;
    if (g->target.network)
        say(a, "%.9f s, node %" PRIu32 ", ", (double)timeline_now(g->timeline) * 1e-9, n->id);
    else
        say(a, "%.9f s, ", (double)n->state->now / (double)n->machine->hz);
    say(a, "tick @%" PRIu64 ", instruction %" PRIu64 ", ", n->state->now, n->state->instructions);
    say_place(g, n, a);
    say(a, "\n");
}

static void when(struct gdb *g, const char *argument, struct answer *a)
{
    (void)argument;
    say_here(g, a);
}

/* ---- seek ---- */

/* "12.5s", "3ms", "20us", "5ns", "1m", "@16000" (ticks); a bare number is seconds. */
static bool read_tick(const char *text, uint64_t hz, uint64_t *tick)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"m", 60}, {"min", 60}, {"h", 3600}};
    char *end;
    if (*text == '@') {
        *tick = strtoull(text + 1, &end, 0);
        return isdigit((unsigned char)text[1]) && !*end && *tick <= INT64_MAX;
    }
    if (!isdigit((unsigned char)*text) && *text != '.')
        return false;
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double ticks = number * units[i].seconds * (double)hz + 0.5;
        if (strcmp(end, units[i].name) == 0 && ticks < 9e18) {
            *tick = (uint64_t)ticks;
            return true;
        }
    }
    return false;
}

static void seek(struct gdb *g, const char *argument, struct answer *a)
{
    uint64_t tick;
    const struct network *network = g->target.network;
    uint64_t hz = network && *argument != '@' ? NETWORK_SECOND : g->node->machine->hz;
    if (!read_tick(argument, hz, &tick)) {
        say(a, "'%s' is not a time; write it like seek 12.5s, seek 300ms or seek @160000 (ticks)\n", argument);
        return;
    }
    if (network && *argument == '@') /* of the node that is looked at, in its life of now */
        tick = network_time(network, g->at, tick);
    struct timeline_event e = timeline_seek(g->timeline, tick);
    if (e.why == TIMELINE_INTERRUPTED)
        say(a, "interrupted on the way\n");
    say_here(g, a);
}

/* ---- checkpoints ---- */

static void checkpoint(struct gdb *g, const char *argument, struct answer *a)
{
    (void)argument;
    if (g->checkpoints == GDB_CHECKPOINTS) {
        say(a, "there are %d checkpoints, and no room for more\n", GDB_CHECKPOINTS);
        return;
    }
    g->checkpoint[g->checkpoints++] = timeline_position(g->timeline);
    say(a, "checkpoint %u: ", g->checkpoints);
    say_here(g, a);
}

static void restart(struct gdb *g, const char *argument, struct answer *a)
{
    unsigned long number = *argument ? strtoul(argument, NULL, 10) : 0;
    if (!*argument) {
        gdb_restart(g);
    } else if (number < 1 || number > g->checkpoints) {
        say(a, "there is no checkpoint '%s'; restart alone goes to the beginning\n", argument);
        return;
    } else {
        timeline_go(g->timeline, g->checkpoint[number - 1]);
    }
    say_here(g, a);
}

/* ---- last-write ---- */

static bool find_place(struct gdb *g, const char *what, uint32_t *first, uint32_t *size, struct answer *a)
{
    const struct image_symbol *s = image_symbol_named(g->node->machine->image, what);
    char *end;
    uint32_t address = (uint32_t)strtoul(what, &end, 0);
    *size = 1;
    if (s) {
        address = s->address;
        *size = s->size ? s->size : 1;
    } else if (!isdigit((unsigned char)*what) || *end) {
        say(a, "there is no variable '%s'; give the name of one, or an address such as 0x%x\n", what,
            space_of_data(g->node, 0x100));
        return false;
    }
    if (space_data(g->node, address, *size, first))
        return true;
    say(a, "%s (0x%" PRIx32 ") is not in data memory\n", what, address);
    return false;
}

static void say_bytes(const struct gdb *g, uint32_t first, uint32_t size, struct answer *a)
{
    for (uint32_t i = 0; i < size && i < 16; i++)
        say(a, "%s%02x", i ? " " : "", g->node->data[first + i]);
}

/* "3:total" is about node 3; what is behind the colon. NULL, having said so, if there is no such node. */
static const char *about_node(struct gdb *g, const char *argument, struct answer *a)
{
    char *end;
    unsigned long id = strtoul(argument, &end, 10);
    if (end == argument || *end != ':' || end[1] == ':')
        return argument;
    for (uint32_t i = 0; i < g->count; i++)
        if (g->nodes[i].node->id == id) {
            gdb_look_at(g, i);
            return end + 1;
        }
    say(a, "there is no node %lu\n", id);
    return NULL;
}

static void find_last_write(struct gdb *g, const char *what, struct answer *a)
{
    uint32_t first, size;
    if (!find_place(g, what, &first, &size, a))
        return;
    struct position here = timeline_position(g->timeline);
    struct watch w = {first, first + size - 1, WATCH_WRITE};
    for (uint32_t i = 0; i < g->count; i++)
        stops_set(g->nodes[i].node, NULL, 0, &w, i == g->at);
    struct timeline_event e = timeline_run_back(g->timeline);
    for (uint32_t i = 0; i < g->count; i++)
        stops_set(g->nodes[i].node, NULL, 0, NULL, 0);
    if (e.why == TIMELINE_WATCH) {
        say(a, "%s was written at ", what);
        say_here(g, a);
        say(a, "  from ");
        say_bytes(g, first, size, a);
        timeline_step(g->timeline, g->at);
        say(a, " to ");
        say_bytes(g, first, size, a);
        say(a, "\n");
    } else if (e.why == TIMELINE_INTERRUPTED) {
        say(a, "interrupted\n");
    } else {
        say(a, "%s was not written since the beginning\n", what);
    }
    timeline_go(g->timeline, here);
}

static void last_write(struct gdb *g, const char *argument, struct answer *a)
{
    uint32_t at = g->at;
    const char *what = about_node(g, argument, a);
    if (what)
        find_last_write(g, what, a);
    gdb_look_at(g, at);
}

/* ---- the network ---- */

static void nodes(struct gdb *g, const char *argument, struct answer *a)
{
    (void)argument;
    for (uint32_t i = 0; i < g->count; i++) {
        const struct node *n = g->nodes[i].node;
        const struct machine *m = n->machine;
        say(a, "%c node %" PRIu32 ", %s, %s, ", i == g->at ? '*' : ' ', n->id,
            m->board ? m->board->name : m->chip->name, image_path(m->image));
        say_place(g, n, a);
        say(a, "\n");
    }
}

static void packets(struct gdb *g, const char *argument, struct answer *a)
{
    enum { USUAL = 20 };
    unsigned long most = *argument ? strtoul(argument, NULL, 10) : USUAL;
    airlog_say(&g->air, timeline_now(g->timeline), most ? most : USUAL, a->text + a->length, a->size - a->length);
    a->length += strlen(a->text + a->length);
}

static void where(struct gdb *g, const char *argument, struct answer *a)
{
    (void)argument;
    for (uint32_t i = 0; i < g->count; i++) {
        const struct node *n = g->nodes[i].node;
        if (g->count > 1)
            say(a, "node %" PRIu32 " ", n->id);
        say_place(g, n, a);
        say(a, "\n");
        if (g->target.where && a->length + 1 < a->size)
            a->length += g->target.where(g->target.context, i, a->text + a->length, a->size - a->length);
    }
}

/* ---- inputs ---- */

static void send_bytes(struct gdb *g, const char *argument, struct answer *a)
{
    uint8_t bytes[512];
    size_t count = 0;
    char *end;
    unsigned long line = strtoul(argument, &end, 10);
    if (end == argument || *end != ' ' || line >= MACHINE_BUSES || !g->node->machine->serial[line].count) {
        say(a, "send wants a serial port of the chip and the text, such as send 0 hello\\n\n");
        return;
    }
    for (const char *s = end + 1; *s && count < sizeof bytes; s++) {
        bool escape = *s == '\\' && s[1];
        s += escape;
        bytes[count++] = (uint8_t)(!escape ? *s : *s == 'n' ? '\n' : *s == 'r' ? '\r' : *s == 't' ? '\t' : *s);
    }
    if (!gdb_give(g, INPUT_SERIAL, (uint32_t)line, 0, bytes, count))
        say(a, "the run has ended; go back before giving it input\n");
}

static void set_pin(struct gdb *g, const char *argument, struct answer *a)
{
    static const struct {
        const char *name;
        enum pin_drive drive;
    } levels[] = {
        {"0", PIN_LOW}, {"1", PIN_HIGH}, {"z", PIN_FLOATING}, {"up", PIN_PULLED_UP}, {"down", PIN_PULLED_DOWN}};
    const char *ports = g->node->machine->chip->ports, *port = NULL;
    bool named = argument[0] == 'P' && argument[1] && (port = strchr(ports, argument[1])) != NULL;
    const char *bit = argument + 2 + (named && argument[2] == '.');
    if (named && *bit >= '0' && *bit <= '7' && bit[1] == '=')
        for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
            if (strcmp(bit + 2, levels[i].name) == 0) {
                unsigned pin = (unsigned)(port - ports) * 8 + (unsigned)(*bit - '0');
                if (!gdb_give(g, INPUT_PIN, pin, levels[i].drive, NULL, 0))
                    say(a, "the run has ended; go back before giving it input\n");
                return;
            }
    say(a, "pin wants PIN=LEVEL, such as pin PB0=1; levels are 0, 1, z, up and down\n");
}

static void reset(struct gdb *g, const char *argument, struct answer *a)
{
    (void)argument;
    gdb_give(g, INPUT_RESET, 0, 0, NULL, 0);
    say_here(g, a);
}

static void history(struct gdb *g, const char *argument, struct answer *a)
{
    (void)argument;
    char digest[DIGEST_TEXT];
    digest_print(timeline_digest(g->timeline), digest);
    say(a, "digest %s, %zu snapshots in %.1f MB\n", digest, timeline_snapshots(g->timeline),
        (double)timeline_memory(g->timeline) / 1e6);
}

static void help(struct gdb *g, const char *argument, struct answer *a);

static const struct {
    const char *name, *about;
    void (*run)(struct gdb *g, const char *argument, struct answer *a);
} commands[] = {
    {"when", "when: the time, and where the CPU is", when},
    {"seek", "seek TIME: goes there, forward or backward (12.5s, 300ms, @160000 ticks)", seek},
    {"checkpoint", "checkpoint: remembers this moment", checkpoint},
    {"restart", "restart [NUMBER]: goes to the beginning, or to a checkpoint", restart},
    {"last-write", "last-write [NODE:]VARIABLE|ADDRESS: who wrote it last, and when", last_write},
    {"nodes", "nodes: all of them, and where they are", nodes},
    {"packets", "packets [N]: the last transmissions before now", packets},
    {"where", "where: the calls that led to where each node is", where},
    {"send", "send PORT TEXT: bytes for a serial port", send_bytes},
    {"pin", "pin PIN=LEVEL: drives a pin from outside", set_pin},
    {"reset", "reset: as by the reset pin", reset},
    {"history", "history: the digest of the state, and what is kept for going back", history},
    {"help", "help: this list", help},
};

static void help(struct gdb *g, const char *argument, struct answer *a)
{
    (void)g, (void)argument;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        say(a, "monitor %s\n", commands[i].about);
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
    say(&a, "there is no monitor command '%.*s'; see monitor help\n", (int)(length < 40 ? length : 40), command);
}
