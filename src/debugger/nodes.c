/* Nodes: what they do, the calls that led there, and what they sent. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debugger/internal.h"

enum { FRAMES = 200, PACKETS = 10, MOST = 1000 };

void commands_nodes(struct commands *c, const char *arguments, struct answer *a)
{
    (void)arguments;
    for (uint32_t i = 0; i < motet_timeline_count(c->timeline); i++) {
        const motet_node *n = motet_timeline_node(c->timeline, i);
        const motet_machine *m = motet_node_machine(n);
        const char *path = motet_machine_path(m), *slash = strrchr(path, '/'), *standing = commands_standing(c, i);
        char place[200];
        motet_machine_place(m, motet_node_pc(n), place, sizeof place);
        answer_row(a);
        answer_number(a, "node", motet_node_id(n));
        answer_text(a, "board", motet_machine_board(m));
        answer_text(a, "standing", standing);
        answer_text(a, "place", place);
        answer_text(a, "firmware", path);
        answer_say(a, "%c %-4" PRIu32 " %-10s %-8s %s, %s\n", i == c->node ? '*' : ' ', motet_node_id(n),
                   motet_machine_board(m), standing, place, slash ? slash + 1 : path);
    }
}

/* ---- calls ---- */

static void nodes_say_calls(const motet_node *n, size_t most, struct answer *a)
{
    struct motet_frame frames[FRAMES];
    char text[4096];
    size_t count = motet_node_frames(n, frames, FRAMES);
    for (size_t level = 0; level < most && motet_node_frame(n, level, text, sizeof text); level++) {
        bool guessed = level < count && level < FRAMES && frames[level].guessed;
        answer_row(a);
        answer_number(a, "node", motet_node_id(n));
        answer_number(a, "level", level);
        answer_number(a, "guessed", guessed);
        answer_text(a, "call", text);
        answer_say(a, "#%-2zu %s%s\n", level, text, guessed ? " (guessed)" : "");
    }
}

void commands_where(struct commands *c, const char *arguments, struct answer *a)
{
    char what[COMMANDS_TEXT];
    uint32_t node;
    uint64_t most;
    if (!commands_take_node(c, arguments, true, what, &node, a) ||
        !commands_take_number(what, FRAMES, FRAMES, &most, a))
        return;
    for (uint32_t i = 0; i < motet_timeline_count(c->timeline); i++) {
        const motet_node *n = motet_timeline_node(c->timeline, i);
        if (node != COMMANDS_ALL && node != i)
            continue;
        if (node == COMMANDS_ALL)
            answer_say(a, "node %" PRIu32 ", %s\n", motet_node_id(n), commands_standing(c, i));
        nodes_say_calls(n, (size_t)most, a);
    }
}

/* ---- transmissions ---- */

static void nodes_say_transmission(const struct motet_transmission *is, struct answer *a)
{
    char text[1024];
    answer_row(a);
    answer_number(a, "node", is->sender);
    answer_number(a, "begun", is->begun);
    answer_number(a, "ended", is->ended);
    answer_text(a, "frame", motet_transmission_text(is, text, sizeof text));
    answer_say(a, "%s\n", text);
}

void commands_packets(struct commands *c, const char *arguments, struct answer *a)
{
    char what[COMMANDS_TEXT];
    uint64_t most;
    snprintf(what, sizeof what, "%s", arguments);
    char *known = strstr(what, "known");
    if (known)
        *known = 0;
    what[strcspn(what, " ")] = 0;
    if (!commands_take_number(what, MOST, PACKETS, &most, a))
        return;
    bool found = known || motet_timeline_find_air(c->timeline, (size_t)most);
    uint64_t since = motet_timeline_air_since(c->timeline), now = motet_timeline_now(c->timeline);
    struct motet_transmission is;
    size_t count = 0;
    while (count < most && motet_timeline_transmission(c->timeline, count, &is))
        count++;
    if (count < most && since > 0 && since == now)
        answer_say(a, "what was sent before this is not known%s\n", found ? "; packets finds out" : ": interrupted");
    else if (count < most && since > 0)
        answer_say(a, "what was sent before %.6f s is not known%s\n", commands_seconds(since),
                   found ? "; packets finds out" : ": interrupted");
    if (!count && since == 0)
        answer_say(a, "nothing was sent so far\n");
    else if (!count && since < now)
        answer_say(a, "nothing was sent since\n");
    while (count-- > 0 && motet_timeline_transmission(c->timeline, count, &is))
        nodes_say_transmission(&is, a);
}
