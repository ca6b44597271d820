#include "debug/gdb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "debug/gdb_internal.h"
#include "debug/space.h"
#include "isa/isa.h"
#include "node/machine.h"

static void fail(struct gdb *g)
{
    packet_reply(&g->packets, "E01");
}

static void done(struct gdb *g, bool well)
{
    packet_reply(&g->packets, well ? "OK" : "E01");
}

/* ---- registers ---- */

static void put_register(struct gdb *g, unsigned number)
{
    const struct isa *isa = g->node->machine->chip->isa;
    uint32_t value = isa->get_register(g->node, number);
    uint8_t bytes[4];
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    packet_hex(&g->packets, bytes, isa->register_size(number));
}

static void read_registers(struct gdb *g)
{
    packet_begin(&g->packets);
    for (unsigned i = 0; i < g->node->machine->chip->isa->registers; i++)
        put_register(g, i);
    packet_send(&g->packets);
}

static void read_register(struct gdb *g, const char *packet)
{
    uint64_t number;
    if (!packet_number(&packet, UINT32_MAX, &number) || number >= g->node->machine->chip->isa->registers) {
        fail(g);
        return;
    }
    packet_begin(&g->packets);
    put_register(g, (unsigned)number);
    packet_send(&g->packets);
}

/* Sets the register from as many bytes as it has; returns how many, 0 if there are too few. */
static size_t set_register(struct gdb *g, unsigned number, const char *hex)
{
    const struct isa *isa = g->node->machine->chip->isa;
    size_t size = isa->register_size(number);
    uint8_t bytes[4];
    if (packet_from_hex(hex, strlen(hex), bytes, size) != size)
        return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    if (value != isa->get_register(g->node, number) &&
        !timeline_give(g->timeline, 0, INPUT_REGISTER, number, value, NULL, 0))
        return 0;
    return size;
}

static bool write_registers(struct gdb *g, const char *packet)
{
    for (unsigned i = 0; i < g->node->machine->chip->isa->registers; i++) {
        size_t size = set_register(g, i, packet);
        if (!size)
            return false;
        packet += 2 * size;
    }
    return true;
}

static bool write_register(struct gdb *g, const char *packet)
{
    uint64_t number;
    return packet_number(&packet, UINT32_MAX, &number) && number < g->node->machine->chip->isa->registers &&
           *packet == '=' && set_register(g, (unsigned)number, packet + 1);
}

/* ---- memory ---- */

/* "ADDRESS,LENGTH"; moves behind it. */
static bool range(const char **packet, uint32_t *address, uint64_t *length)
{
    uint64_t at;
    if (!packet_number(packet, UINT32_MAX, &at) || *(*packet)++ != ',' || !packet_number(packet, UINT32_MAX, length))
        return false;
    *address = (uint32_t)at;
    return true;
}

static void read_memory(struct gdb *g, const char *packet)
{
    uint8_t bytes[PACKET_SIZE / 2];
    uint32_t address;
    uint64_t length;
    if (!range(&packet, &address, &length)) {
        fail(g);
        return;
    }
    length = length < sizeof bytes ? length : sizeof bytes;
    size_t count = space_read(g->node, address, bytes, (size_t)length);
    if (!count && length) {
        fail(g);
        return;
    }
    packet_begin(&g->packets);
    packet_hex(&g->packets, bytes, count);
    packet_send(&g->packets);
}

static bool write_memory(struct gdb *g, const char *packet, bool binary)
{
    uint8_t bytes[PACKET_SIZE];
    const char *start = packet;
    uint32_t address, data;
    uint64_t length;
    if (!range(&packet, &address, &length) || *packet++ != ':')
        return false;
    size_t rest = g->packets.length - 1 - (size_t)(packet - start), count = rest;
    if (binary)
        memcpy(bytes, packet, rest);
    else
        count = packet_from_hex(packet, rest, bytes, sizeof bytes);
    if (count != length)
        return false;
    if (!length) /* how gdb asks whether there are binary writes */
        return true;
    return space_data(g->node, address, count, &data) &&
           timeline_give(g->timeline, 0, INPUT_MEMORY, data, 0, bytes, count);
}

/* ---- breakpoints and watchpoints ---- */

static bool set_breakpoint(struct gdb *g, uint32_t address, bool on)
{
    unsigned i = 0;
    while (i < g->breakpoints && g->breakpoint[i] != address)
        i++;
    if (on && i == g->breakpoints) {
        if (i == GDB_BREAKPOINTS || address >= g->node->machine->chip->flash_size || address & 1)
            return false;
        g->breakpoint[g->breakpoints++] = address;
    } else if (!on && i < g->breakpoints) {
        g->breakpoint[i] = g->breakpoint[--g->breakpoints];
    }
    return true;
}

static bool set_watch(struct gdb *g, char type, uint32_t address, uint64_t length, bool on)
{
    static const uint8_t kinds[] = {WATCH_WRITE, WATCH_READ, WATCH_READ | WATCH_WRITE};
    uint32_t data;
    if (!length || length > UINT16_MAX || !space_data(g->node, address, (size_t)length, &data))
        return false;
    struct watch w = {data, data + (uint32_t)length - 1, kinds[type - '2']};
    unsigned i = 0;
    while (i < g->watches &&
           (g->watch[i].type != type || g->watch[i].watch.first != w.first || g->watch[i].watch.last != w.last))
        i++;
    if (on && i == g->watches) {
        if (i == STOPS_WATCHES)
            return false;
        g->watch[i].watch = w;
        g->watch[g->watches++].type = type;
    } else if (!on && i < g->watches) {
        g->watch[i] = g->watch[--g->watches];
    }
    return true;
}

/* "Z0,ADDRESS,KIND" and so on. */
static void breakpoint(struct gdb *g, const char *packet)
{
    bool on = packet[0] == 'Z';
    char type = packet[1];
    uint32_t address;
    uint64_t kind;
    if (type < '0' || type > '4') {
        packet_reply(&g->packets, "");
        return;
    }
    const char *rest = packet + 3;
    if (packet[2] != ',' || !range(&rest, &address, &kind)) {
        fail(g);
        return;
    }
    done(g, type < '2' ? set_breakpoint(g, address, on) : set_watch(g, type, address, kind, on));
}

/* ---- life ---- */

static void leave(struct gdb *g, enum gdb_end end)
{
    g->ended = true;
    g->end = end;
}

static void verbose(struct gdb *g, const char *packet)
{
    if (strncmp(packet, "vKill", 5) == 0) {
        packet_reply(&g->packets, "OK");
        if (!g->extended)
            leave(g, GDB_KILLED);
    } else if (strncmp(packet, "vRun", 4) == 0) {
        gdb_restart(g);
        packet_reply(&g->packets, g->stop);
    } else {
        packet_reply(&g->packets, "");
    }
}

static void command(struct gdb *g, const char *packet)
{
    if (gdb_resume(g, packet))
        return;
    switch (packet[0]) {
    case '?': packet_reply(&g->packets, g->stop); break;
    case '!':
        g->extended = true;
        packet_reply(&g->packets, "OK");
        break;
    case 'g': read_registers(g); break;
    case 'G': done(g, write_registers(g, packet + 1)); break;
    case 'p': read_register(g, packet + 1); break;
    case 'P': done(g, write_register(g, packet + 1)); break;
    case 'm': read_memory(g, packet + 1); break;
    case 'M': done(g, write_memory(g, packet + 1, false)); break;
    case 'X': done(g, write_memory(g, packet + 1, true)); break;
    case 'Z':
    case 'z': breakpoint(g, packet); break;
    case 'H':
    case 'T': packet_reply(&g->packets, "OK"); break;
    case 'D':
        packet_reply(&g->packets, "OK");
        leave(g, GDB_DETACHED);
        break;
    case 'k':
        if (!g->extended)
            leave(g, GDB_KILLED);
        break;
    case 'R': gdb_restart(g); break; /* has no reply */
    case 'v': verbose(g, packet); break;
    default:
        if (!gdb_query(g, packet))
            packet_reply(&g->packets, "");
    }
}

static bool interrupted(void *context)
{
    return packet_interrupts(&((struct gdb *)context)->packets);
}

struct gdb *gdb_new(struct node *n, size_t memory, gdb_explain *explain, void *context)
{
    struct gdb *g = calloc(1, sizeof *g);
    if (!g)
        abort();
    g->node = n;
    g->explain = explain;
    g->context = context;
    g->timeline = timeline_new(subject_of_node(n), memory, interrupted, g);
    return g;
}

void gdb_free(struct gdb *g)
{
    if (!g)
        return;
    stops_set(g->node, NULL, 0, NULL, 0);
    timeline_free(g->timeline);
    free(g);
}

enum gdb_end gdb_serve(struct gdb *g, int fd)
{
    g->packets = (struct packets){.fd = fd};
    g->breakpoints = g->watches = 0;
    g->ended = g->extended = false;
    gdb_describe_stop(g, "", 5);
    while (!g->ended)
        switch (packet_receive(&g->packets)) {
        case PACKET_COMMAND: command(g, g->packets.packet); break;
        case PACKET_INTERRUPT: packet_reply(&g->packets, g->stop); break;
        case PACKET_CLOSED: leave(g, GDB_CLOSED); break;
        }
    g->breakpoints = g->watches = 0;
    gdb_arm(g);
    return g->end;
}
