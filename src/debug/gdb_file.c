/* vFile packets: a debugger reads the firmware of the nodes, and no other file, through the connection ("Host I/O
 * Packets" in gdb's manual). Nothing is ever written. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug/gdb_internal.h"
#include "image/image.h"
#include "node/machine.h"

enum { NO_ENTRY = 2, BAD_FILE = 9, STAT_SIZE = 64 }; /* errors as the protocol numbers them */

static void refuse(struct gdb *g, int error)
{
    packet_begin(&g->packets);
    packet_text(&g->packets, "F-1,%x", error);
    packet_send(&g->packets);
}

/* A file is known by the first node that runs it: the descriptor given out is that node's number. */
static uint32_t node_with(const struct gdb *g, const char *path)
{
    uint32_t i = 0;
    while (i < g->count && strcmp(image_path(g->nodes[i].node->machine->image), path) != 0)
        i++;
    return i;
}

static void open_file(struct gdb *g, const char *hex)
{
    char path[PACKET_SIZE / 2];
    size_t length = packet_from_hex(hex, strcspn(hex, ","), (uint8_t *)path, sizeof path - 1);
    path[length] = 0;
    uint32_t number = node_with(g, path);
    for (uint32_t i = 0; i < g->count && number == g->count; i++) { /* by its whole path */
        char whole[4096];
        const char *own = image_path(g->nodes[i].node->machine->image);
        if (own[0] != '/' && getcwd(whole, sizeof whole - 1)) {
            size_t at = strlen(whole);
            snprintf(whole + at, sizeof whole - at, "/%s", own);
            if (strcmp(whole, path) == 0)
                number = i;
        }
    }
    if (number == g->count) {
        refuse(g, NO_ENTRY);
        return;
    }
    packet_begin(&g->packets);
    packet_text(&g->packets, "F%x", number + 1);
    packet_send(&g->packets);
}

static int descriptor(const struct gdb *g, const char **text)
{
    uint64_t number;
    if (!packet_number(text, UINT32_MAX, &number) || number < 1 || number > g->count)
        return -1;
    return open(image_path(g->nodes[number - 1].node->machine->image), O_RDONLY | O_CLOEXEC);
}

static void read_file(struct gdb *g, const char *text)
{
    uint8_t bytes[PACKET_SIZE / 2 - 32];
    uint64_t count, offset;
    int fd = descriptor(g, &text);
    bool well = fd >= 0 && *text++ == ',' && packet_number(&text, INT32_MAX, &count) && *text++ == ',' &&
                packet_number(&text, INT32_MAX, &offset);
    ssize_t got = well ? pread(fd, bytes, count < sizeof bytes ? (size_t)count : sizeof bytes, (off_t)offset) : -1;
    if (fd >= 0)
        close(fd);
    if (got < 0) {
        refuse(g, BAD_FILE);
        return;
    }
    packet_begin(&g->packets);
    packet_text(&g->packets, "F%zx;", (size_t)got);
    packet_binary(&g->packets, bytes, (size_t)got);
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
    struct stat s;
    int fd = descriptor(g, &text);
    bool well = fd >= 0 && fstat(fd, &s) == 0;
    if (fd >= 0)
        close(fd);
    if (!well) {
        refuse(g, BAD_FILE);
        return;
    }
    put_big(stat_bytes + 8, 0100444, 4);
    put_big(stat_bytes + 28, (uint64_t)s.st_size, 8);
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
        open_file(g, packet + 5);
    else if (strncmp(packet, "pread:", 6) == 0)
        read_file(g, packet + 6);
    else if (strncmp(packet, "fstat:", 6) == 0)
        stat_file(g, packet + 6);
    else if (strncmp(packet, "close:", 6) == 0 || strncmp(packet, "setfs:", 6) == 0)
        packet_reply(&g->packets, "F0");
    else
        packet_reply(&g->packets, "");
    return true;
}
