/* What a debugger asks about the target, and how it sets up the conversation. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdb/gdb.h"

enum { FLASH_BLOCK = 0x80, DOCUMENT = 4096 };

/* ---- documents ---- */

/* Where code and data share their addresses it is all one memory: what lies between them may be asked for. */
static bool is_flash(const struct motet_region *r)
{
    return r->kind == MOTET_REGION_FLASH || r->kind == MOTET_REGION_INFORMATION;
}

static size_t put_region(char *text, size_t size, const struct motet_region *r)
{
    if (is_flash(r))
        return (size_t)snprintf(text, size,
                                "<memory type=\"flash\" start=\"0x%x\" length=\"0x%x\">"
                                "<property name=\"blocksize\">0x%x</property></memory>\n",
                                r->first, r->size, FLASH_BLOCK);
    return (size_t)snprintf(text, size, "<memory type=\"%s\" start=\"0x%x\" length=\"0x%x\"/>\n",
                            r->kind == MOTET_REGION_ROM ? "rom" : "ram", r->first, r->size);
}

/* What is read and written alike, and lies side by side, is one to a debugger. */
static bool joins(struct motet_region *r, const struct motet_region *next)
{
    bool plain = !is_flash(r) && !is_flash(next) && r->kind != MOTET_REGION_ROM && next->kind != MOTET_REGION_ROM;
    if (!plain || r->first + r->size != next->first)
        return false;
    r->size += next->size;
    return true;
}

static void memory_map(const struct gdb *g, char *text, size_t size)
{
    struct motet_region r, next;
    size_t used = (size_t)snprintf(text, size,
                                   "<?xml version=\"1.0\"?>\n"
                                   "<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" "
                                   "\"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n");
    bool more = motet_machine_region(g->machine, 0, &r);
    for (size_t i = 1; more && used < size; i++) {
        more = motet_machine_region(g->machine, i, &next);
        if (more && joins(&r, &next))
            continue;
        used += put_region(text + used, size - used, &r);
        r = next;
    }
    if (used < size)
        snprintf(text + used, size - used, "</memory-map>\n");
}

static const char *register_role(const struct motet_registers *r, unsigned number)
{
    return number == r->sp   ? " generic=\"sp\" type=\"data_ptr\""
           : number == r->pc ? " generic=\"pc\" type=\"code_ptr\""
                             : "";
}

/* For a debugger that does not know the registers by itself. Where there is one that does, it takes its architecture
 * from the firmware. */
static void target_description(const struct gdb *g, char *text, size_t size)
{
    const char *architecture = motet_machine_architecture(g->machine), *feature = motet_machine_feature(g->machine),
               *name;
    struct motet_registers registers;
    unsigned bytes;
    motet_machine_registers(g->machine, &registers);
    size_t used = (size_t)snprintf(text, size,
                                   "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                                   "<target version=\"1.0\"><architecture>%s</architecture>\n"
                                   "<feature name=\"%s%s\">\n",
                                   architecture, feature ? "" : "org.motet.", feature ? feature : architecture);
    for (unsigned i = 0; motet_machine_register(g->machine, i, &name, &bytes) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\"%s/>\n", name,
                                 8 * bytes, i, register_role(&registers, i));
    if (used < size)
        snprintf(text + used, size - used, "</feature></target>\n");
}

/* "OFFSET,LENGTH" of a document. */
static void gdb_query_piece(struct gdb *g, const char *document, const char *where)
{
    uint64_t offset, length, size = strlen(document);
    if (!packet_number(&where, UINT32_MAX, &offset) || *where++ != ',' || !packet_number(&where, UINT32_MAX, &length) ||
        offset > size) {
        packet_reply(&g->packets, "E01");
        return;
    }
    uint64_t left = size - offset, count = left < length ? left : length;
    count = count < PACKET_SIZE / 2 ? count : PACKET_SIZE / 2;
    packet_begin(&g->packets);
    packet_text(&g->packets, "%c", count < left ? 'm' : 'l');
    packet_binary(&g->packets, document + offset, (size_t)count);
    packet_send(&g->packets);
}

static bool gdb_query_begins(const char *packet, const char *with, const char **rest)
{
    size_t length = strlen(with);
    *rest = packet + length;
    return strncmp(packet, with, length) == 0;
}

/* The firmware of a process ("2:"), or of the one that is looked at (":"). */
static bool executable(struct gdb *g, const char **annex, char *text, size_t size)
{
    uint64_t process = g->at + 1;
    if (**annex != ':' && !packet_number(annex, UINT32_MAX, &process))
        return false;
    if (*(*annex)++ != ':')
        return false;
    if (process < 1 || process > g->count) /* a gdb that knows of one process makes up its number */
        process = g->at + 1;
    const char *path = motet_machine_path(g->nodes[process - 1].machine);
    char *whole = realpath(path, NULL);
    snprintf(text, size, "%s%s", whole || path[0] == '/' ? "" : "/", whole ? whole : path); /* else: in a saved run */
    free(whole);
    return true;
}

static char *threads(const struct gdb *g)
{
    enum { LINE = 160 };
    size_t size = 64 + (size_t)g->count * LINE, used;
    char *text = memory_array(size, 1), thread[24];
    used = (size_t)snprintf(text, size, "<?xml version=\"1.0\"?>\n<threads>\n");
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->nodes[i].away)
            continue;
        gdb_say_thread(g, i, thread);
        used +=
            (size_t)snprintf(text + used, size - used, "<thread id=\"%s\" name=\"node %" PRIu32 "\">%.60s</thread>\n",
                             thread, motet_node_id(g->nodes[i].node), motet_machine_board(g->nodes[i].machine));
    }
    snprintf(text + used, size - used, "</threads>\n");
    return text;
}

/* lldb takes one process, and knows no registers. */
static bool serves_lldb(const struct gdb *g)
{
    const char *package, *usual = motet_machine_debugger(g->machine, &package);
    return !usual || !strstr(usual, "gdb");
}

static bool describes(const struct gdb *g)
{
    return serves_lldb(g) || motet_machine_feature(g->machine);
}

static bool gdb_query_transfer(struct gdb *g, const char *packet)
{
    char document[PATH_MAX + DOCUMENT];
    const char *rest;
    if (gdb_query_begins(packet, "qXfer:threads:read::", &rest)) {
        char *text = threads(g);
        gdb_query_piece(g, text, rest);
        free(text);
        return true;
    }
    if (gdb_query_begins(packet, "qXfer:exec-file:read:", &rest)) {
        if (executable(g, &rest, document, sizeof document))
            gdb_query_piece(g, document, rest);
        else
            packet_reply(&g->packets, "E01");
        return true;
    }
    if (gdb_query_begins(packet, "qXfer:memory-map:read::", &rest))
        memory_map(g, document, sizeof document);
    else if (describes(g) && gdb_query_begins(packet, "qXfer:features:read:target.xml:", &rest))
        target_description(g, document, sizeof document);
    else
        return false;
    gdb_query_piece(g, document, rest);
    return true;
}

/* ---- monitor ---- */

static void remote_command(struct gdb *g, const char *hex)
{
    char command[COMMANDS_LINE];
    struct answer a = {.text = NULL};
    size_t length = packet_from_hex(hex, strlen(hex), (uint8_t *)command, sizeof command - 1);
    command[length] = 0;
    g->commands.timeline = g->timeline;
    g->commands.until = g->until;
    g->commands.node = g->at;
    g->condition.rose = false;
    g->commands.more = gdb_condition_commands;
    g->commands.more_count = GDB_CONDITION_COMMANDS;
    commands_obey(&g->commands, command, &a);
    if (a.text)
        gdb_say(g, a.text);
    packet_reply(&g->packets, "OK");
    answer_free(&a);
}

bool gdb_query(struct gdb *g, const char *packet)
{
    const char *rest;
    if (gdb_query_begins(packet, "qSupported", &rest)) {
        g->multiprocess = g->count > 1 && !serves_lldb(g) && strstr(rest, "multiprocess+");
        g->one_firmware = !g->multiprocess;
        gdb_show_nodes(g);
        gdb_describe_stop(g, "", SIGNAL_TRAP);
        packet_begin(&g->packets);
        packet_text(&g->packets,
                    "PacketSize=%x;QStartNoAckMode+;ReverseStep+;ReverseContinue+;vContSupported+;"
                    "qXfer:memory-map:read+;qXfer:exec-file:read+;qXfer:threads:read+;ConditionalBreakpoints+%s%s",
                    PACKET_SIZE, describes(g) ? ";qXfer:features:read+" : "", g->multiprocess ? ";multiprocess+" : "");
        packet_send(&g->packets);
    } else if (strcmp(packet, "QStartNoAckMode") == 0) {
        packet_reply(&g->packets, "OK");
        g->packets.silent = true;
    } else if (gdb_query_begins(packet, "qRcmd,", &rest)) {
        remote_command(g, rest);
    } else if (gdb_query_begins(packet, "qAttached", &rest)) {
        packet_reply(&g->packets, "1");
    } else if (gdb_query_begins(packet, "qSymbol", &rest)) {
        packet_reply(&g->packets, "OK");
    } else {
        return gdb_query_transfer(g, packet);
    }
    return true;
}
