/* A replay as a part of a story: the frames in what its firmware said to the radio, and calls of functions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/merge.h"
#include "base/error.h"
#include "base/line.h"
#include "base/memory.h"
#include "board/board.h"
#include "chip/chip.h"
#include "debug/air_history.h"
#include "merge/frames.h"
#include "motet/merge.h"
#include "motet/watch.h"
#include "part/at86rf230.h"
#include "part/cc1000.h"
#include "part/cc2420.h"
#include "record/replay_places.h"

/* An event, before it is known whether a send has taken place and what it carried. */
struct merge_record {
    enum causal_kind kind;
    bool none; /* a send that did not take place */
    uint64_t time, cycle;
    struct merge_anchor anchor;
    const char *what; /* of a call: one of the names asked for */
    uint32_t pc;
    uint8_t frame[FRAMES_LONGEST];
    uint8_t count;
};

struct merge_reader {
    motet_merge *merge;
    bool together;
    const motet_node *node;
    motet_replay_clock *clock;
    const struct board_radio_bus *bus;
    struct frames frames;
    const char *last_name; /* of a register that was read */
    bool last_is_in;
    struct merge_record *records;
    size_t count, room;
    struct merge_anchor last; /* the last read from the log */
    size_t asleep;            /* the record of the last sleep; SIZE_MAX: none */
    struct merge_call {
        struct merge_reader *reader;
        const char *name;
    } * calls;
};

static struct merge_record *merge_record(struct merge_reader *r, enum causal_kind kind, const char *what)
{
    uint64_t tick = motet_node_now(r->node);
    r->records = memory_grow(r->records, &r->room, r->count, sizeof *r->records);
    struct merge_record *is = &r->records[r->count++];
    *is = (struct merge_record){.kind = kind, .what = what, .pc = motet_node_pc(r->node)};
    is->cycle = motet_node_cycles(r->node);
    is->anchor = r->last;
    is->anchor.happens = is->cycle;
    is->time = r->clock ? motet_replay_clock_time(r->clock, tick)
                        : (uint64_t)((double)tick * 1e9 / (double)motet_machine_hz(motet_node_machine(r->node)));
    return is;
}

/* ---- frames ---- */

static uint32_t merge_begun(void *context)
{
    struct merge_reader *r = context;
    merge_record(r, CAUSAL_SEND, "send");
    return (uint32_t)r->count - 1;
}

static void merge_put_frame(struct merge_record *is, const uint8_t *frame, size_t count)
{
    is->count = (uint8_t)count;
    memcpy(is->frame, frame, count);
}

static void merge_sent(void *context, uint32_t ticket, const uint8_t *frame, size_t count)
{
    struct merge_record *is = &((struct merge_reader *)context)->records[ticket];
    is->none = count == 0;
    if (frames_is_acknowledgement(frame, count)) /* by a driver: no message either */
        is->kind = CAUSAL_OTHER;
    merge_put_frame(is, frame, count);
}

/* Most chips acknowledge by themselves, before the firmware reads the frame: so that is no message. */
static void merge_received(void *context, const uint8_t *frame, size_t count)
{
    bool message = !frames_is_acknowledgement(frame, count);
    merge_put_frame(merge_record(context, message ? CAUSAL_RECEIVE : CAUSAL_OTHER, "receive"), frame, count);
}

static void merge_selected(void *context, const motet_node *n, const struct motet_access *a)
{
    struct merge_reader *r = context;
    (void)n;
    frames_select(&r->frames, !(a->value >> r->bus->select_bit & 1));
}

static void merge_started(void *context, const motet_node *n, const struct motet_access *a)
{
    struct merge_reader *r = context;
    (void)n;
    if (~a->old & a->value & 1u << r->bus->start_bit)
        frames_start(&r->frames);
}

static void merge_out(void *context, const motet_node *n, const struct motet_access *a)
{
    struct merge_reader *r = context;
    (void)n;
    frames_out(&r->frames, (uint8_t)a->value);
}

/* NULL if there is none. */
static const struct replay_register *merge_register(const motet_node *n, const char *name)
{
    const struct replay *replay = n->machine->replay;
    for (size_t i = 0; i < replay->register_count; i++)
        if (!strcmp(replay->registers[i].name, name))
            return &replay->registers[i];
    return NULL;
}

/* A register may have several names; that of a site stays where it is. */
static bool merge_is_in(struct merge_reader *r, const motet_node *n, const char *name)
{
    if (name != r->last_name) {
        const struct replay_register *is = merge_register(n, name), *in = merge_register(n, r->bus->in);
        r->last_name = name;
        r->last_is_in = is && in && is->address == in->address;
    }
    return r->last_is_in;
}

static uint64_t merge_taken(const motet_node *n)
{
    return replay_state_of(n->node)->decoder.events;
}

static void merge_logged(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct merge_reader *r = context;
    r->last = (struct merge_anchor){merge_taken(n) - 1, motet_node_cycles(n), 0};
    if (merge_is_in(r, n, h->logged.name))
        frames_in(&r->frames, (uint8_t)h->logged.value);
}

static bool merge_watch_register(struct merge_reader *r, motet_node *n, const char *name, motet_watched *f,
                                 struct motet_error *e)
{
    const struct replay_register *is = merge_register(n, name);
    if (!is)
        return error_set(e, "the firmware's list of registers has no %s; build it again with this motet cc", name);
    motet_watch(n, is->address, is->address, MOTET_WRITE | MOTET_AFTER, f, r);
    return true;
}

/* The radio of the board, as far as its frames can be recognised. */
static bool merge_radio(const struct board *b, enum frames_chip *chip)
{
    static const struct {
        const struct device_type *type;
        enum frames_chip chip;
    } radios[] = {{&cc2420_type, FRAMES_CC2420}, {&at86rf230_type, FRAMES_AT86RF230}, {&cc1000_type, FRAMES_CC1000}};
    for (size_t i = 0; b && b->radio_bus && i < b->part_count; i++)
        for (size_t k = 0; k < sizeof radios / sizeof *radios; k++)
            if (b->parts[i].type == radios[k].type) {
                *chip = radios[k].chip;
                return true;
            }
    return false;
}

static bool merge_follow_radio(struct merge_reader *r, motet_node *n, struct motet_error *e)
{
    const struct board *b = n->node->machine->board;
    enum frames_chip chip;
    if (!merge_radio(b, &chip))
        return error_set(
            e, "frames cannot be recognised in a recording of board %s; those of mica2, micaz, telosb and iris can",
            motet_machine_board(n->machine));
    r->bus = b->radio_bus;
    frames_begin(&r->frames, chip, (struct frames_sink){r, merge_begun, merge_sent, merge_received});
    motet_hook(n, MOTET_ON(LOGGED), merge_logged, r);
    return (!r->bus->select || merge_watch_register(r, n, r->bus->select, merge_selected, e)) &&
           merge_watch_register(r, n, r->bus->out, merge_out, e) &&
           (!r->bus->start || merge_watch_register(r, n, r->bus->start, merge_started, e));
}

/* ---- sleep, in which time passes ---- */

/* When the node woke up is known when it sleeps again: what its clock says then, less what it has executed since. */
static void merge_woken(struct merge_reader *r)
{
    if (r->asleep == SIZE_MAX)
        return;
    struct merge_record *is = &r->records[r->asleep];
    double hz = (double)motet_machine_cpu_hz(motet_node_machine(r->node));
    uint64_t now = motet_replay_clock_time(r->clock, motet_node_now(r->node));
    uint64_t since = (uint64_t)((double)(motet_node_cycles(r->node) - is->cycle) * 1e9 / hz);
    is->time = now > since && now - since > is->time ? now - since : is->time;
    r->asleep = SIZE_MAX;
}

static void merge_slept(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct merge_reader *r = context;
    (void)h;
    merge_woken(r);
    struct merge_record *is = merge_record(r, CAUSAL_OTHER, "wake");
    is->anchor = (struct merge_anchor){merge_taken(n), is->cycle, is->cycle};
    r->asleep = r->count - 1;
}

/* ---- calls ---- */

static void merge_called(void *context, const motet_node *n, uint32_t pc, bool after)
{
    const struct merge_call *c = context;
    (void)n, (void)pc, (void)after;
    merge_record(c->reader, CAUSAL_OTHER, c->name);
}

static bool merge_follow_calls(struct merge_reader *r, motet_node *n, const struct motet_merge_replay *o,
                               struct motet_error *e)
{
    r->calls = memory_array(o->call_count, sizeof *r->calls);
    for (size_t i = 0; i < o->call_count; i++) {
        r->calls[i] = (struct merge_call){r, o->calls[i]};
        if (!motet_probe_named(n, o->calls[i], MOTET_BEFORE, merge_called, &r->calls[i], e))
            return false;
    }
    return true;
}

/* ---- into the story ---- */

static void merge_tell(struct merge_reader *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct merge_record *is = &r->records[i];
        char details[400] = "", place[200] = "";
        uint16_t from;
        uint8_t frame[FRAMES_LONGEST + 2] = {0}; /* with a check sequence */
        if (is->none)
            continue;
        size_t header = r->merge->payloads ? frames_header(is->frame, is->count) : 0;
        memcpy(frame, is->frame, is->count);
        if (is->count)
            air_history_say_frame(&(struct line){details, sizeof details, 0}, frame, is->count + 2u);
        else
            motet_machine_place(motet_node_machine(r->node), is->pc, place, sizeof place);
        if (r->together) {
            r->merge->anchors = memory_grow(r->merge->anchors, &r->merge->anchor_room, r->merge->anchor_count,
                                            sizeof *r->merge->anchors);
            r->merge->anchors[r->merge->anchor_count++] = is->anchor;
        }
        story_add(r->merge->story, &(struct story_event){
                                       .kind = is->kind,
                                       .time = is->time,
                                       .cycle = is->cycle,
                                       .what = is->what,
                                       .details = details[0] ? details + 1 : "",
                                       .place = place,
                                       .content = is->frame + header,
                                       .content_size = is->count - header,
                                       .from = frames_source(is->frame, is->count, &from) ? from : STORY_NOBODY,
                                   });
    }
}

static void merge_run(motet_network *n)
{
    const motet_node *node = motet_network_at(n, 0);
    while (motet_node_exit(node) == MOTET_RUNNING && motet_network_run(n, MOTET_NEVER) != MOTET_NETWORK_IDLE)
        ;
}

bool motet_merge_add_replay(motet_merge *m, motet_network *n, const struct motet_merge_replay *o, struct motet_error *e)
{
    motet_node *node = motet_network_at(n, 0);
    struct merge_reader r = {.merge = m, .node = node, .together = o->together, .asleep = SIZE_MAX};
    const struct isa *isa = node->node->machine->chip->isa;
    if (isa->cores)
        return error_set(e, "logs of a %s cannot be merged yet; replay each by itself", isa->name);
    story_cut(m->story, (o->lost ? CAUSAL_LOST : 0u) | (o->starts || !o->time ? CAUSAL_NEW_CLOCK : 0u));
    for (unsigned i = 0; i < MOTET_FAULT_KINDS; i++)
        motet_node_on_fault(node, (enum motet_fault_kind)i, MOTET_FAULT_IGNORE);
    bool good = (!o->time || (r.clock = motet_replay_clock_new(node, o->time, e))) && merge_follow_radio(&r, node, e) &&
                merge_follow_calls(&r, node, o, e);
    if (good) {
        if (o->starts)
            merge_record(&r, CAUSAL_OTHER, "start");
        if (o->together && r.clock)
            motet_hook(node, MOTET_ON(SLEEP), merge_slept, &r);
        merge_run(n);
        if (r.clock)
            merge_woken(&r);
        frames_end(&r.frames);
        merge_record(&r, CAUSAL_OTHER, "end of log");
        merge_tell(&r);
    }
    motet_replay_clock_free(r.clock);
    free(r.records);
    free(r.calls);
    return good;
}
