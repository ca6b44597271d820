/* Time: where the run is, going to another moment, keeping it. */
#include <inttypes.h>
#include <stdio.h>

#include "debugger/internal.h"
#include "motet/amount.h"

void commands_say_here(const struct commands *c, struct answer *a)
{
    const motet_node *n = commands_node(c);
    const motet_machine *m = motet_node_machine(n);
    uint64_t now = motet_timeline_now(c->timeline);
    const char *standing = commands_standing(c, c->node);
    char place[200];
    motet_machine_place(m, motet_node_pc(n), place, sizeof place);
    answer_row(a);
    answer_number(a, "time", now);
    answer_number(a, "node", motet_node_id(n));
    answer_number(a, "tick", motet_node_now(n));
    answer_number(a, "instruction", motet_node_instructions(n));
    answer_number(a, "pc", motet_node_pc(n));
    answer_text(a, "standing", standing);
    answer_text(a, "place", place);
    answer_say(a, "%.9f s, ", commands_seconds(now));
    if (motet_timeline_count(c->timeline) > 1)
        answer_say(a, "node %" PRIu32 ", ", motet_node_id(n));
    answer_say(a, "tick @%" PRIu64 ", instruction %" PRIu64 ", %s%sat %s\n", motet_node_now(n),
               motet_node_instructions(n), *standing == 'r' ? "" : standing, *standing == 'r' ? "" : " ", place);
}

void commands_when(struct commands *c, const char *arguments, struct answer *a)
{
    (void)arguments;
    commands_say_here(c, a);
}

/* ---- elsewhere ---- */

/* Where it is after it has moved, with the line of source. */
static void commands_say_there(struct commands *c, struct answer *a)
{
    char source[COMMANDS_TEXT];
    const motet_node *n = commands_node(c);
    a->moved = true;
    c->level = 0;
    commands_say_here(c, a);
    if (motet_machine_source(motet_node_machine(n), motet_node_pc(n), source, sizeof source)) {
        answer_text(a, "source", source);
        answer_say(a, "%s", source);
    }
}

void commands_seek(struct commands *c, const char *arguments, struct answer *a)
{
    struct motet_span time;
    struct motet_error e;
    if (!*arguments) {
        answer_refuse(a, "seek to which time? such as seek 12.5s, seek 300ms, seek @160000");
        return;
    }
    if (!motet_read_time(arguments, &time, &e)) {
        answer_refuse(a, "%s", e.text);
        return;
    }
    uint64_t to = time.nanoseconds;
    if (time.in_ticks) /* of the node, in its life of now */
        to = motet_timeline_time(c->timeline, c->node, time.ticks);
    if (to > c->until) {
        answer_say(a, "the run ends at %.9f s\n", commands_seconds(c->until));
        to = c->until;
    }
    struct motet_timeline_event event = motet_timeline_seek(c->timeline, to);
    if (event.why == MOTET_TIMELINE_INTERRUPTED)
        answer_say(a, "interrupted on the way\n");
    commands_say_there(c, a);
}

void commands_checkpoint(struct commands *c, const char *arguments, struct answer *a)
{
    (void)arguments;
    if (c->checkpoint_count == COMMANDS_CHECKPOINTS) {
        answer_refuse(a, "there are %d checkpoints, and no room for more", COMMANDS_CHECKPOINTS);
        return;
    }
    c->checkpoints[c->checkpoint_count++] = motet_timeline_position(c->timeline);
    answer_say(a, "checkpoint %u: ", c->checkpoint_count);
    commands_say_here(c, a);
    answer_number(a, "checkpoint", c->checkpoint_count);
}

void commands_restart(struct commands *c, const char *arguments, struct answer *a)
{
    struct motet_error e;
    uint64_t number = 0;
    if (*arguments &&
        (!motet_read_number(arguments, UINT32_MAX, &number, &e) || number < 1 || number > c->checkpoint_count)) {
        answer_refuse(a, "there is no checkpoint '%s'; restart alone goes to the beginning", arguments);
        return;
    }
    if (number)
        motet_timeline_go(c->timeline, c->checkpoints[number - 1]);
    else
        motet_timeline_seek(c->timeline, 0);
    commands_say_there(c, a);
}

/* ---- what is kept ---- */

void commands_history(struct commands *c, const char *arguments, struct answer *a)
{
    (void)arguments;
    char digest[MOTET_DIGEST_TEXT];
    struct motet_timeline_kept kept;
    motet_timeline_digest(c->timeline, digest);
    motet_timeline_kept(c->timeline, &kept);
    answer_row(a);
    answer_text(a, "digest", digest);
    answer_number(a, "snapshots", kept.snapshots);
    answer_number(a, "memory", kept.memory);
    answer_number(a, "disk", kept.disk);
    answer_say(a, "digest %s, %zu snapshots in %.1f MB\n", digest, kept.snapshots, (double)kept.memory / 1e6);
}

void commands_save(struct commands *c, const char *arguments, struct answer *a)
{
    struct motet_error e;
    if (!*arguments) {
        answer_refuse(a, "save to which file? such as save run.motet");
    } else if (!motet_timeline_save(c->timeline, arguments, &e)) {
        answer_refuse(a, "%s", e.text);
    } else {
        answer_row(a);
        answer_text(a, "file", arguments);
        answer_say(a, "saved to %s, up to here\n", arguments);
    }
}
