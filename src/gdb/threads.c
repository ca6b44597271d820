/* Processes and threads: node number N is process N + 1 with its one thread; to a debugger that knows of one process
 * only, thread N + 1 of it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdb/gdb.h"

bool gdb_thread(const struct gdb *g, const char **text, uint32_t *number)
{
    uint64_t process = 0, thread = 0;
    bool named = **text == 'p';
    *number = g->count;
    *text += named;
    if (strncmp(*text, "-1", 2) == 0)
        *text += 2;
    else if (!packet_number(text, UINT32_MAX, &process))
        return false;
    if (named && **text == '.') { /* a process has one thread: which one does not matter */
        ++*text;
        if (strncmp(*text, "-1", 2) == 0)
            *text += 2;
        else if (!packet_number(text, UINT32_MAX, &thread))
            return false;
    }
    if (process > g->count)
        return false;
    if (process)
        *number = (uint32_t)process - 1;
    return true;
}

void gdb_say_thread(const struct gdb *g, uint32_t number, char text[24])
{
    if (g->multiprocess)
        snprintf(text, 24, "p%" PRIx32 ".1", number + 1);
    else
        snprintf(text, 24, "%" PRIx32, number + 1);
}

static uint32_t next_shown(const struct gdb *g, uint32_t from)
{
    while (from < g->count && g->nodes[from].away)
        from++;
    return from;
}

/* As many as fit into a packet; the rest is asked for. */
static void gdb_threads_list(struct gdb *g)
{
    enum { AT_ONCE = 200 };
    char name[24];
    unsigned told = 0;
    packet_begin(&g->packets);
    for (; told < AT_ONCE && (g->next_thread = next_shown(g, g->next_thread)) < g->count; told++) {
        gdb_say_thread(g, g->next_thread++, name);
        packet_text(&g->packets, "%c%s", told ? ',' : 'm', name);
    }
    if (!told)
        packet_text(&g->packets, "l");
    packet_send(&g->packets);
}

static void gdb_threads_choose(struct gdb *g, const char *packet)
{
    const char *text = packet + 2;
    uint32_t number;
    if (!packet[1] || !gdb_thread(g, &text, &number)) {
        packet_reply(&g->packets, "E01");
        return;
    }
    if (packet[1] == 'c')
        g->chosen = number;
    else if (number < g->count)
        gdb_look_at(g, number);
    packet_reply(&g->packets, "OK");
}

static void gdb_threads_attach(struct gdb *g, const char *process)
{
    uint64_t number;
    if (!packet_number(&process, UINT32_MAX, &number) || number < 1 || number > g->count) {
        packet_reply(&g->packets, "E01");
        return;
    }
    g->nodes[number - 1].away = false;
    gdb_look_at(g, (uint32_t)number - 1);
    gdb_describe_stop(g, "", SIGNAL_TRAP);
    packet_reply(&g->packets, g->stop);
}

bool gdb_threads(struct gdb *g, const char *packet)
{
    const char *text = packet + 1;
    uint32_t number;
    char name[24];
    if (packet[0] == 'H') {
        gdb_threads_choose(g, packet);
    } else if (packet[0] == 'T') {
        bool there = gdb_thread(g, &text, &number) && number < g->count && !g->nodes[number].away;
        packet_reply(&g->packets, there ? "OK" : "E01");
    } else if (strcmp(packet, "qC") == 0) {
        gdb_say_thread(g, g->at, name);
        packet_begin(&g->packets);
        packet_text(&g->packets, "QC%s", name);
        packet_send(&g->packets);
    } else if (strcmp(packet, "qfThreadInfo") == 0 || strcmp(packet, "qsThreadInfo") == 0) {
        g->next_thread = packet[1] == 'f' ? 0 : g->next_thread;
        gdb_threads_list(g);
    } else if (strncmp(packet, "vAttach;", 8) == 0) {
        gdb_threads_attach(g, packet + 8);
    } else {
        return false;
    }
    return true;
}
