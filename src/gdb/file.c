/* vFile packets: a debugger reads the firmware of the nodes, and no other file, through the connection ("Host I/O
 * Packets" in gdb's manual). Nothing is ever written. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gdb/gdb.h"

enum { NO_ENTRY = 2, BAD_FILE = 9, STAT_SIZE = 64 }; /* errors as the protocol numbers them */

static void gdb_file_refuse(struct gdb *g, int error)
{
    packet_begin(&g->packets);
    packet_text(&g->packets, "F-1,%x", error);
    packet_send(&g->packets);
}

/* A file is known by the first node that runs it: the descriptor given out is that node's number. */
static uint32_t node_with(const struct gdb *g, const char *path)
{
    uint32_t i = 0;
    while (i < g->count && strcmp(motet_machine_path(g->nodes[i].machine), path) != 0)
        i++;
    return i;
}

static void gdb_file_open_file(struct gdb *g, const char *hex)
{
    char path[PACKET_SIZE / 2];
    size_t length = packet_from_hex(hex, strcspn(hex, ","), (uint8_t *)path, sizeof path - 1);
    path[length] = 0;
    uint32_t number = node_with(g, path);
    if (number == g->count && path[0] == '/') /* a name without a path, of a saved run */
        number = node_with(g, path + 1);
    for (uint32_t i = 0; i < g->count && number == g->count; i++) { /* by its whole path */
        char whole[4096];
        const char *own = motet_machine_path(g->nodes[i].machine);
        if (own[0] != '/' && getcwd(whole, sizeof whole - 1)) {
            size_t at = strlen(whole);
            snprintf(whole + at, sizeof whole - at, "/%s", own);
            if (strcmp(whole, path) == 0)
                number = i;
        }
    }
    if (number == g->count) {
        gdb_file_refuse(g, NO_ENTRY);
        return;
    }
    packet_begin(&g->packets);
    packet_text(&g->packets, "F%x", number + 1);
    packet_send(&g->packets);
}

/* The bytes that the nodes run, even if the file has changed since; NULL if there is no such descriptor. */
static const uint8_t *firmware(const struct gdb *g, const char **text, size_t *size)
{
    uint64_t number;
    if (!packet_number(text, UINT32_MAX, &number) || number < 1 || number > g->count)
        return NULL;
    return motet_machine_file(g->nodes[number - 1].machine, size);
}

static void gdb_file_read_file(struct gdb *g, const char *text)
{
    enum { MOST = PACKET_SIZE / 2 - 32 };
    uint64_t count, offset;
    size_t size;
    const uint8_t *bytes = firmware(g, &text, &size);
    if (!bytes || *text++ != ',' || !packet_number(&text, INT32_MAX, &count) || *text++ != ',' ||
        !packet_number(&text, INT32_MAX, &offset)) {
        gdb_file_refuse(g, BAD_FILE);
        return;
    }
    size_t left = offset < size ? size - (size_t)offset : 0, got = count < MOST ? (size_t)count : MOST;
    got = got < left ? got : left;
    packet_begin(&g->packets);
    packet_text(&g->packets, "F%zx;", got);
    packet_binary(&g->packets, bytes + (left ? offset : 0), got);
    packet_send(&g->packets);
}

static void put_big(uint8_t *to, uint64_t value, unsigned bytes)
{
    while (bytes--) {
        to[bytes] = (uint8_t)value;
        value >>= 8;
    }
}

/* Of the struct only mode (at 8) and size (at 28) matter. */
static void stat_file(struct gdb *g, const char *text)
{
    uint8_t stat_bytes[STAT_SIZE] = {0};
    size_t size;
    if (!firmware(g, &text, &size)) {
        gdb_file_refuse(g, BAD_FILE);
        return;
    }
    put_big(stat_bytes + 8, 0100444, 4);
    put_big(stat_bytes + 28, size, 8);
    packet_begin(&g->packets);
    packet_text(&g->packets, "F%x;", STAT_SIZE);
    packet_binary(&g->packets, stat_bytes, STAT_SIZE);
    packet_send(&g->packets);
}

bool gdb_file(struct gdb *g, const char *packet)
{
    if (strncmp(packet, "vFile:", 6) != 0)
        return false;
    packet += 6;
    if (strncmp(packet, "open:", 5) == 0)
        gdb_file_open_file(g, packet + 5);
    else if (strncmp(packet, "pread:", 6) == 0)
        gdb_file_read_file(g, packet + 6);
    else if (strncmp(packet, "fstat:", 6) == 0)
        stat_file(g, packet + 6);
    else if (strncmp(packet, "close:", 6) == 0 || strncmp(packet, "setfs:", 6) == 0)
        packet_reply(&g->packets, "F0");
    else
        packet_reply(&g->packets, "");
    return true;
}
