/* Registers, memories, breakpoints and watchpoints of the node that is looked at. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdb/gdb.h"

static void gdb_memory_fail(struct gdb *g)
{
    packet_reply(&g->packets, "E01");
}

static void gdb_memory_done(struct gdb *g, bool well)
{
    packet_reply(&g->packets, well ? "OK" : "E01");
}

/* ---- registers ---- */

/* Of a register, in bytes; 0 if there is none of that number. */
static unsigned gdb_memory_size_of(const struct gdb *g, uint64_t number)
{
    const char *name;
    unsigned size;
    return number < UINT32_MAX && motet_machine_register(g->machine, (unsigned)number, &name, &size) ? size : 0;
}

static void put_register(struct gdb *g, unsigned number)
{
    uint32_t value = motet_node_register(g->node, number);
    uint8_t bytes[4];
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    packet_hex(&g->packets, bytes, gdb_memory_size_of(g, number));
}

static void gdb_memory_read_registers(struct gdb *g)
{
    packet_begin(&g->packets);
    for (unsigned i = 0; gdb_memory_size_of(g, i); i++)
        put_register(g, i);
    packet_send(&g->packets);
}

static void gdb_memory_read_register(struct gdb *g, const char *packet)
{
    uint64_t number;
    if (!packet_number(&packet, UINT32_MAX, &number) || !gdb_memory_size_of(g, number)) {
        gdb_memory_fail(g);
        return;
    }
    packet_begin(&g->packets);
    put_register(g, (unsigned)number);
    packet_send(&g->packets);
}

/* Sets the register from as many bytes as it has; returns how many, 0 if there are too few. */
static size_t gdb_memory_set_register(struct gdb *g, unsigned number, const char *hex)
{
    size_t size = gdb_memory_size_of(g, number);
    uint8_t bytes[4];
    if (packet_from_hex(hex, strlen(hex), bytes, size) != size)
        return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    struct motet_input is = {.kind = MOTET_INPUT_REGISTER, .where = number, .value = value};
    return value == motet_node_register(g->node, number) || gdb_give(g, is) ? size : 0;
}

static bool write_registers(struct gdb *g, const char *packet)
{
    for (unsigned i = 0; gdb_memory_size_of(g, i); i++) {
        size_t size = gdb_memory_set_register(g, i, packet);
        if (!size)
            return false;
        packet += 2 * size;
    }
    return true;
}

static bool gdb_memory_write_register(struct gdb *g, const char *packet)
{
    uint64_t number;
    return packet_number(&packet, UINT32_MAX, &number) && gdb_memory_size_of(g, number) && *packet == '=' &&
           gdb_memory_set_register(g, (unsigned)number, packet + 1);
}

/* ---- memory ---- */

/* "ADDRESS,LENGTH"; moves past it. */
static bool range(const char **packet, uint32_t *address, uint64_t *length)
{
    uint64_t at;
    if (!packet_number(packet, UINT32_MAX, &at) || *(*packet)++ != ',' || !packet_number(packet, UINT32_MAX, length))
        return false;
    *address = (uint32_t)at;
    return true;
}

static void gdb_memory_read_memory(struct gdb *g, const char *packet)
{
    uint8_t bytes[PACKET_SIZE / 2];
    uint32_t address;
    uint64_t length;
    if (!range(&packet, &address, &length)) {
        gdb_memory_fail(g);
        return;
    }
    length = length < sizeof bytes ? length : sizeof bytes;
    size_t count = motet_node_look(g->node, address, bytes, (size_t)length);
    if (!count && length) {
        gdb_memory_fail(g);
        return;
    }
    packet_begin(&g->packets);
    packet_hex(&g->packets, bytes, count);
    packet_send(&g->packets);
}

static bool gdb_memory_write_memory(struct gdb *g, const char *packet, bool binary)
{
    uint8_t bytes[PACKET_SIZE];
    const char *start = packet;
    uint32_t address, at;
    enum motet_memory memory;
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
    if (!motet_node_locate(g->node, address, count, &memory, &at) || memory == MOTET_MEMORY_CODE)
        return false;
    enum motet_input_kind kind = memory == MOTET_MEMORY_EEPROM ? MOTET_INPUT_EEPROM : MOTET_INPUT_DATA;
    return gdb_give(g, (struct motet_input){.kind = kind, .where = at, .bytes = bytes, .size = count});
}

/* ---- program memory: written in one go at vFlashDone ---- */

/* Where it ends. */
static uint32_t flash_end(const motet_node *n)
{
    struct motet_memory_info code;
    return motet_node_memory(n, MOTET_MEMORY_CODE, &code) ? code.start + code.size : 0;
}

static bool flash_range(const struct gdb *g, uint32_t address, uint64_t length)
{
    struct motet_memory_info code;
    enum motet_memory memory;
    uint32_t at;
    return motet_node_memory(g->node, MOTET_MEMORY_CODE, &code) && code.writable &&
           motet_node_locate(g->node, address, (size_t)length, &memory, &at) && memory == MOTET_MEMORY_CODE;
}

static void flash_drop(struct gdb *g)
{
    free(g->flash);
    free(g->flash_written);
    g->flash = g->flash_written = NULL;
}

static void flash_begin(struct gdb *g)
{
    uint32_t size = flash_end(g->node);
    assert(size > 0); /* flash_range has seen to it */
    if (g->flash && g->flash_of == g->at)
        return;
    flash_drop(g);
    g->flash_of = g->at;
    g->flash = memory_array(size, 1);
    g->flash_written = memory_array(size, 1);
}

static bool flash_put(struct gdb *g, uint32_t address, const void *bytes, size_t length)
{
    flash_begin(g);
    if (bytes)
        memcpy(g->flash + address, bytes, length);
    else
        memset(g->flash + address, 0xff, length);
    memset(g->flash_written + address, 1, length);
    return true;
}

static bool flash_done(struct gdb *g)
{
    uint32_t size = flash_end(g->node);
    bool well = !g->flash || g->flash_of == g->at;
    for (uint32_t at = 0; well && g->flash && at < size;) {
        uint32_t end = at;
        while (end < size && g->flash_written[end] == g->flash_written[at])
            end++;
        if (g->flash_written[at])
            well &= gdb_give(g, (struct motet_input){
                                    .kind = MOTET_INPUT_CODE, .where = at, .bytes = g->flash + at, .size = end - at});
        at = end;
    }
    flash_drop(g);
    return well;
}

bool gdb_flash(struct gdb *g, const char *packet)
{
    uint32_t address;
    uint64_t length, at;
    const char *rest = strchr(packet, ':');
    rest = rest ? rest + 1 : packet + strlen(packet);
    if (strncmp(packet, "vFlashErase:", 12) == 0) {
        gdb_memory_done(g, range(&rest, &address, &length) && flash_range(g, address, length) &&
                               flash_put(g, address, NULL, (size_t)length));
    } else if (strncmp(packet, "vFlashWrite:", 12) == 0) {
        bool well = packet_number(&rest, UINT32_MAX, &at) && *rest++ == ':';
        size_t count = well ? g->packets.length - (size_t)(rest - packet) : 0;
        gdb_memory_done(g, well && flash_range(g, (uint32_t)at, count) && flash_put(g, (uint32_t)at, rest, count));
    } else if (strcmp(packet, "vFlashDone") == 0) {
        gdb_memory_done(g, flash_done(g));
    } else {
        return false;
    }
    return true;
}

/* ---- breakpoints and watchpoints ---- */

static unsigned find_breakpoint(const struct gdb_node *n, uint32_t address)
{
    unsigned i = 0;
    while (i < n->breakpoints && n->breakpoint[i].address != address)
        i++;
    return i;
}

bool gdb_breakpoint_at(const struct gdb_node *n, uint32_t address)
{
    return find_breakpoint(n, address) < n->breakpoints;
}

static bool lift_breakpoint(struct gdb_node *n, uint32_t address)
{
    unsigned i = find_breakpoint(n, address);
    if (i == n->breakpoints)
        return true;
    free(n->breakpoint[i].conditions);
    n->breakpoint[i] = n->breakpoint[--n->breakpoints];
    return true;
}

/* ";X3,260027;X5,..." into lengths and codes. False if it is no such list. */
static bool read_conditions(const char *text, struct gdb_breakpoint *b)
{
    b->conditions = NULL;
    b->size = 0;
    uint8_t all[GDB_CONDITION];
    while (*text == ';' && text[1] != 'c') { /* "cmds:" would be for us to run */
        uint64_t length;
        text += 1;
        if (*text != 'X')
            return false;
        text++;
        if (!packet_number(&text, GDB_CONDITION, &length) || *text++ != ',' || b->size + 2 + length > sizeof all ||
            packet_from_hex(text, strlen(text), all + b->size + 2, (size_t)length) != length)
            return false;
        all[b->size] = (uint8_t)(length >> 8);
        all[b->size + 1] = (uint8_t)length;
        b->size += 2 + (size_t)length;
        text += 2 * length;
    }
    if (*text && *text != ';')
        return false;
    if (b->size) {
        b->conditions = memory_array(b->size, 1);
        memcpy(b->conditions, all, b->size);
    }
    return true;
}

static bool set_breakpoint(struct gdb_node *n, uint32_t address, const char *conditions)
{
    struct gdb_breakpoint b = {.address = address};
    if (address >= flash_end(n->node) || address & 1 || !read_conditions(conditions, &b))
        return false;
    lift_breakpoint(n, address); /* the last one counts */
    if (n->breakpoints == GDB_BREAKPOINTS) {
        free(b.conditions);
        return false;
    }
    if (!n->breakpoint)
        n->breakpoint = memory_array(GDB_BREAKPOINTS, sizeof *n->breakpoint);
    n->breakpoint[n->breakpoints++] = b;
    return true;
}

void gdb_forget_breakpoints(struct gdb *g, uint32_t node)
{
    struct gdb_node *n = &g->nodes[node];
    while (n->breakpoints)
        free(n->breakpoint[--n->breakpoints].conditions);
    n->watches = 0;
}

static bool set_watch(struct gdb *g, char type, uint32_t address, uint64_t length, bool on)
{
    static const unsigned kinds[] = {MOTET_WRITE, MOTET_READ, MOTET_READ | MOTET_WRITE};
    struct gdb_node *n = &g->nodes[g->at];
    enum motet_memory memory;
    uint32_t data;
    if (!length || length > UINT16_MAX || !motet_node_locate(g->node, address, (size_t)length, &memory, &data) ||
        memory != MOTET_MEMORY_DATA)
        return false;
    struct motet_timeline_watch w = {data, data + (uint32_t)length - 1, kinds[type - '2']};
    unsigned i = 0;
    while (i < n->watches &&
           (n->watch[i].type != type || n->watch[i].watch.first != w.first || n->watch[i].watch.last != w.last))
        i++;
    if (on && i == n->watches) {
        if (i == MOTET_TIMELINE_WATCHES)
            return false;
        n->watch[i].watch = w;
        n->watch[n->watches++].type = type;
    } else if (!on && i < n->watches) {
        n->watch[i] = n->watch[--n->watches];
    }
    return true;
}

/* On the node that is looked at; a debugger that knows of one process means all its threads. */
static bool put_breakpoint(struct gdb *g, uint32_t address, bool on, const char *conditions)
{
    bool well = true;
    for (uint32_t i = 0; i < g->count; i++) {
        struct gdb_node *n = &g->nodes[i];
        if (i == g->at || (!g->multiprocess && !n->away))
            well &= on ? set_breakpoint(n, address, conditions) : lift_breakpoint(n, address);
    }
    return well;
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
        gdb_memory_fail(g);
        return;
    }
    if (type >= '2')
        gdb_memory_done(g, set_watch(g, type, address, kind, on));
    else
        gdb_memory_done(g, put_breakpoint(g, address, on, rest));
}

bool gdb_memory(struct gdb *g, const char *packet)
{
    switch (packet[0]) {
    case 'g': gdb_memory_read_registers(g); break;
    case 'G': gdb_memory_done(g, write_registers(g, packet + 1)); break;
    case 'p': gdb_memory_read_register(g, packet + 1); break;
    case 'P': gdb_memory_done(g, gdb_memory_write_register(g, packet + 1)); break;
    case 'm': gdb_memory_read_memory(g, packet + 1); break;
    case 'M': gdb_memory_done(g, gdb_memory_write_memory(g, packet + 1, false)); break;
    case 'X': gdb_memory_done(g, gdb_memory_write_memory(g, packet + 1, true)); break;
    case 'Z':
    case 'z': breakpoint(g, packet); break;
    default: return false;
    }
    return true;
}
