/* usage: changed FIRMWARE BOARD SECONDS LOGS
 * Runs firmware that records, takes its log, and changes it LOGS times: one byte of what pages hold, whose own check is
 * not looked at any more. A replay of such a log must say so, no further than two pages of log after the byte, and
 * everything that it calls verified must be as in the log that was not changed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../target/recorder/codec_tardis.h"
#include "board/board.h"
#include "chip/chip.h"
#include "node/machine.h"
#include "node/node.h"
#include "record/log.h"
#include "record/replay.h"
#include "recorded.h"

/* A page has one check. Of codec tardis, a byte may also wait for its events, which are in other streams: one of three
 * goes out after each TARDIS_FLUSH_EVERY bytes, in turn (target/recorder/tardis_encode.c). */
enum { TARDIS_WAITS = 3 * TARDIS_FLUSH_EVERY };

static const char *path, *board;

static void fail(const char *text)
{
    fprintf(stderr, "changed: %s\n", text);
    exit(1);
}

/* ---- what a replay shows: of each event a hash of it, and of where it came ---- */

struct shown {
    struct heard {
        uint64_t hash, number; /* of events taken from the log by then */
    } * events;
    size_t count, room;
    uint64_t verified;
    uint32_t at; /* bytes of the log that it has taken */
    enum replay_end end;
    char how[1024];
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

static void hear(void *context, struct node *n, const struct replay_heard *h)
{
    struct shown *s = context;
    uint64_t hash = mix(mix(mix(mix(n->state->instructions, h->kind), h->site), h->value), h->vector);
    for (unsigned i = 0; h->kind == REPLAY_HEARD_BLOCK && i < h->size; i++)
        hash = mix(hash, h->bytes[i]);
    if (h->kind == REPLAY_HEARD_IDLE) /* is no event */
        return;
    if (s->count == s->room)
        s->events = realloc(s->events, (s->room = 2 * s->room + 64) * sizeof *s->events);
    s->events[s->count++] = (struct heard){hash, replay_state_of(n)->decoder.events};
}

static void show(const struct log_part *p, struct shown *s)
{
    struct motet_error e = {""};
    struct image *image = image_load(path, &e);
    struct replay *r = replay_new(image, board_named(board)->chip->isa, p, &e);
    if (!r)
        fail(e.text);
    replay_listen(r, hear, s);
    struct machine *m = recorded_machine(path, board, NULL, replay_device(r));
    struct node *n = node_new(m, 1, 1);
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        n->fault_action[i] = FAULT_IGNORE;
    node_run(n, UINT64_MAX);
    s->end = (enum replay_end)replay_state_of(n)->end;
    s->verified = replay_state_of(n)->verified;
    s->at = replay_state_of(n)->decoder.at;
    replay_explain(n, s->how, sizeof s->how);
    node_free(n);
    machine_free(m);
    replay_free(r);
    image_free(image);
}

/* How many events are the same from the beginning on. */
static size_t same(const struct shown *a, const struct shown *b)
{
    size_t i = 0;
    while (i < a->count && i < b->count && a->events[i].hash == b->events[i].hash)
        i++;
    return i;
}

/* ---- changes ---- */

static struct {
    unsigned refused, ended, wrong_first;
    uint64_t farthest; /* bytes of log from the change to where it was noticed */
} found;

static uint32_t any(void)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void change(const struct log_part *p, const struct shown *truth)
{
    struct log_part changed = *p;
    struct shown s = {.count = 0};
    size_t at = any() % p->size;
    changed.next = NULL; /* in which this part's byte is not */
    changed.bytes = malloc(p->size);
    memcpy(changed.bytes, p->bytes, p->size);
    changed.bytes[at] ^= (uint8_t)(1 + any() % 255);
    show(&changed, &s);
    size_t right = same(truth, &s);
    bool wrong = right < s.count;
    if (wrong && (s.verified > s.events[right].number || !strstr(s.how, "not verified"))) {
        fprintf(stderr, "changed: byte %zu: %" PRIu64 " events are called verified, and %" PRIu64 " are right: %s\n",
                at, s.verified, s.events[right].number, s.how);
        exit(1);
    }
    found.refused += s.end == REPLAY_DIFFERS;
    found.wrong_first += wrong;
    found.ended += s.end != REPLAY_DIFFERS;
    if (s.end == REPLAY_DIFFERS && s.at > at && s.at - at > found.farthest)
        found.farthest = s.at - at;
    free(changed.bytes);
    free(s.events);
}

int main(int count, char **arguments)
{
    if (count != 5)
        fail("usage: changed FIRMWARE BOARD SECONDS LOGS");
    path = arguments[1];
    board = arguments[2];
    struct machine *m = recorded_machine(path, board, NULL, NULL);
    struct node *n = node_new(m, 1, 1);
    node_run(n, (uint64_t)(atof(arguments[3]) * (double)m->hz));
    struct motet_error e = {""};
    struct log *l = recorded_log(n, 0, &e);
    if (!l)
        fail(e.text);
    const struct log_part *p = l->parts;
    while (!log_part_usable(p) && p < l->parts + l->count - 1)
        p++;
    struct shown truth = {.count = 0};
    struct log_part alone = *p;
    alone.next = NULL;
    show(&alone, &truth);
    if (truth.end == REPLAY_DIFFERS || !truth.count)
        fail(truth.how);
    for (int i = 0; i < atoi(arguments[4]); i++)
        change(p, &truth);
    printf("%u pages, %zu events: %u logs refused, at most %" PRIu64 " bytes after the change, %u came to an end; "
           "%u showed wrong values, all of them marked as not verified\n",
           p->pages, truth.count, found.refused, found.farthest, found.ended, found.wrong_first);
    unsigned bound = 2 * l->page_size;
    if (p->codec == LOG_TARDIS)
        bound += TARDIS_WAITS;
    if (found.farthest > bound)
        fail("a change was noticed too late");
    free(truth.events);
    log_free(l);
    node_free(n);
    machine_free(m);
    return 0;
}
