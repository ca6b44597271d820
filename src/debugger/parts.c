/* Parts from outside, and their state. */
#include <stdio.h>
#include <string.h>

#include "debugger/internal.h"
#include "motet/part.h"

enum { SHOWN = 16, ROW = 32 }; /* bytes of the state in a list, and in a row of all of them */

static void parts_say_bytes(const uint8_t *state, size_t from, size_t to, struct answer *a)
{
    for (size_t i = from; i < to; i++)
        answer_say(a, " %02x", state[i]);
}

static void parts_say_one(const struct motet_part_info *part, const uint8_t *state, struct answer *a)
{
    size_t size = part->table->state_size, shown = size < SHOWN ? size : SHOWN;
    answer_say(a, "%s %s:", part->name, part->wish);
    parts_say_bytes(state, 0, shown, a);
    if (size > shown)
        answer_say(a, " and %zu bytes more (parts %s)", size - shown, part->name);
    answer_say(a, "\n");
}

static void parts_say_all(const struct motet_part_info *part, const uint8_t *state, struct answer *a)
{
    size_t size = part->table->state_size;
    for (size_t at = 0; at < size; at += ROW) {
        answer_say(a, "%5zu:", at);
        parts_say_bytes(state, at, size - at < ROW ? size : at + ROW, a);
        answer_say(a, "\n");
    }
}

static void parts_say_row(const struct motet_part_info *part, const motet_node *n, struct answer *a)
{
    answer_row(a);
    answer_number(a, "node", motet_node_id(n));
    answer_text(a, "name", part->name);
    answer_text(a, "wired", part->wish);
    answer_number(a, "size", part->table->state_size);
}

void commands_parts(struct commands *c, const char *arguments, struct answer *a)
{
    char name[COMMANDS_TEXT];
    uint32_t node;
    struct motet_part_info part;
    if (!commands_take_node(c, arguments, false, name, &node, a))
        return;
    const motet_node *n = motet_timeline_node(c->timeline, node);
    size_t count = 0, found = 0;
    for (; motet_machine_part(motet_node_machine(n), count, &part); count++) {
        if (*name && strcmp(name, part.name) != 0)
            continue;
        found++;
        parts_say_row(&part, n, a);
        (*name ? parts_say_all : parts_say_one)(&part, motet_node_part(n, count), a);
    }
    if (!count)
        answer_refuse(a, "the board has no parts from outside; see --part");
    else if (!found)
        answer_refuse(a, "there is no part '%s' from outside; see parts", name);
}
