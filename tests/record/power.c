/* usage: power FIRMWARE BOARD SECONDS [USED]
 * Runs firmware that records, and cuts the power at every operation of the flash memory: as each begins, and as it has
 * ended. What was being written then holds anything. Of each cut the log must have all pages that were whole, and its
 * parts must be beginnings of those of a life that was not cut, and replay to their ends. Then power comes back: the
 * node goes on in a new part, and what could be replayed before still can. With USED so many pages of the flash hold
 * bytes of another program at first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "board/board.h"
#include "chip/chip.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/taps.h"
#include "record/log.h"
#include "record/replay.h"
#include "recorded.h"

static const char *path, *board;
static unsigned cut; /* its number */

static void fail(const char *text)
{
    fprintf(stderr, "power: cut %u: %s\n", cut, text);
    exit(1);
}

/* NULL if there is not one whole page. */
static struct log *log_of(const struct node *n)
{
    struct motet_error e = {""};
    return recorded_log(n, 512, &e); /* no log here takes more */
}

/* ---- the life that is not cut: the longest that was seen of each part ---- */

enum { MOST_PARTS = 4000 };
static struct log_part whole[MOST_PARTS];

static void keep_longest(struct log_stream *of, const uint8_t *bytes, size_t size)
{
    if (size <= of->size)
        return;
    of->bytes = realloc(of->bytes, size);
    memcpy(of->bytes, bytes, size);
    of->size = size;
}

static void learn(const struct log *l)
{
    for (size_t i = 0; l && i < l->count; i++) {
        const struct log_part *p = &l->parts[i];
        if (p->number >= MOST_PARTS)
            fail("more parts than this test knows");
        struct log_part *w = &whole[p->number];
        struct log_stream events = {.bytes = w->bytes, .size = w->size};
        keep_longest(&events, p->bytes, p->size);
        keep_longest(&w->checkpoint, p->checkpoint.bytes, p->checkpoint.size);
        w->bytes = events.bytes;
        w->size = events.size;
    }
}

/* ---- replay ---- */

static void replay(const struct log_part *p)
{
    struct motet_error e = {""};
    char text[1024];
    struct image *image = image_load(path, &e);
    struct replay *r = replay_new(image, board_named(board)->chip->isa, p, &e);
    if (!r)
        fail(e.text);
    struct machine *m = recorded_machine(path, board, NULL, replay_device(r));
    struct node *n = node_new(m, 1, 1);
    node_run(n, UINT64_MAX);
    enum replay_end end = (enum replay_end)replay_state_of(n)->end;
    if (end != REPLAY_LOG_ENDED && end != REPLAY_GAP && end != REPLAY_CONTINUES)
        fail(replay_explain(n, text, sizeof text));
    node_free(n);
    machine_free(m);
    replay_free(r);
    image_free(image);
}

/* ---- cuts ---- */

static size_t usable(const struct log *l)
{
    size_t count = 0;
    for (size_t i = 0; l && i < l->count; i++)
        count += log_part_usable(&l->parts[i]);
    return count;
}

static const struct log_part *part_numbered(const struct log *l, unsigned number)
{
    for (size_t i = 0; l && i < l->count; i++)
        if (l->parts[i].number == number)
            return &l->parts[i];
    return NULL;
}

/* What there is must be the beginning of what was. */
static void check_parts(const struct log *l, unsigned limit)
{
    for (size_t i = 0; l && i < l->count; i++) {
        const struct log_part *p = &l->parts[i], *w = &whole[p->number % MOST_PARTS];
        if (p->number >= limit)
            continue;
        if (p->size > w->size || (p->size && memcmp(p->bytes, w->bytes, p->size) != 0) ||
            p->checkpoint.size > w->checkpoint.size ||
            (p->checkpoint.size && memcmp(p->checkpoint.bytes, w->checkpoint.bytes, p->checkpoint.size) != 0))
            fail("a part has other bytes than the node wrote");
    }
}

static unsigned last_number(const struct log *l)
{
    return l && l->count ? l->parts[l->count - 1].number : 0;
}

static unsigned replays, gone_on;

static bool is_new(const struct log *l, const struct log *was)
{
    return l && (!was || l->parts[l->count - 1].number != last_number(was));
}

/* The node goes on from its flash as the cut left it, until there is a new part, and for a while longer. */
static void go_on(struct node *n, const struct log *was, bool long_enough_to_go_round)
{
    enum { PATIENCE = 40 }; /* two sectors may have to be erased first, a second each */
    struct log *l = NULL;
    uint64_t tenth = n->machine->hz / 10, end = n->state->now + (long_enough_to_go_round ? 15 : 2) * tenth;
    for (unsigned i = 0; i < PATIENCE && (!is_new(l, was) || n->state->now < end); i++) {
        node_run(n, n->state->now + tenth);
        log_free(l);
        l = log_of(n);
    }
    if (!is_new(l, was))
        fail("no new part was begun after power came back");
    check_parts(l, was ? last_number(was) + 1u : 0);
    size_t kept = 0;
    for (size_t i = 0; was && i < was->count; i++) {
        const struct log_part *p = part_numbered(l, was->parts[i].number);
        kept += log_part_usable(&was->parts[i]) && p && log_part_usable(p);
    }
    if (usable(was) && !kept && !long_enough_to_go_round)
        fail("nothing of what could be replayed before the cut can be after it");
    if (!usable(l))
        fail("nothing can be replayed after power came back");
    for (size_t i = l->count; i > 0; i--)
        if (log_part_usable(&l->parts[i - 1])) {
            replay(&l->parts[i - 1]);
            gone_on++;
            break;
        }
    log_free(l);
}

/* `n` is as it was when power failed. */
static void power_fails(struct node *n, bool busy, size_t pages, size_t could)
{
    cut++;
    node_power_cycle(n);
    struct log *l = log_of(n);
    size_t now = l ? l->pages : 0;
    if (now > pages || now + (busy ? 1 : 0) < pages)
        fail("pages that were whole are not there");
    check_parts(l, MOST_PARTS);
    if (could && !usable(l))
        fail("nothing can be replayed, and could before");
    if (cut % 17 == 0 && usable(l)) {
        for (size_t i = 0; i < l->count; i++)
            if (log_part_usable(&l->parts[i])) {
                replay(&l->parts[i]);
                replays++;
            }
    }
    if (cut % 7 == 0)
        go_on(n, l, cut % 4 == 0);
    log_free(l);
}

/* ---- the run ---- */

static void happened(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    (void)handle, (void)h;
    struct node *n = context;
    const struct device *d = recorded_flash(n->machine);
    static bool was;
    bool writes = strcmp(d->type->doing(n, d), "write") == 0;
    if (writes == was)
        return;
    was = writes;
    n->stopped = true;
    n->cut = true;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        fail("usage: power FIRMWARE BOARD SECONDS [USED]");
    path = argv[1];
    board = argv[2];
    struct machine *m = recorded_machine(path, board, NULL, NULL);
    const struct device *d = recorded_flash(m);
    struct node *n = node_new(m, 1, 1), *other = node_new(m, 1, 1);
    unsigned used = argc > 4 ? (unsigned)atoi(argv[4]) : 0, most = 0;
    for (size_t i = 0; i < used * 256u; i++)
        pages_set(device_pages(n, d), i, (uint8_t)(i * 7));
    tap_hook(n, MOTET_ON(PART), happened, n);
    uint64_t end = (uint64_t)(atof(argv[3]) * (double)m->hz);
    while (node_run(n, end) == NODE_RUNNING && n->state->now < end) {
        bool busy = strcmp(d->type->doing(n, d), "write") == 0;
        n->stopped = false;
        struct log *l = log_of(n);
        learn(l);
        if (l && usable(l) > most)
            most = (unsigned)usable(l);
        struct snapshot *s = snapshot_take(n);
        snapshot_restore(other, s);
        snapshot_free(s);
        power_fails(other, busy, l ? l->pages : 0, busy ? 0 : usable(l));
        log_free(l);
    }
    struct log *l = log_of(n);
    printf("%u cuts, %u replays, %u lives that went on; %u parts at a time, the last is number %u\n", cut, replays,
           gone_on, most, last_number(l));
    unsigned least = last_number(l) ? 2 : 1; /* where there are no checkpoints a life is one part */
    if (cut < 100 || replays < 10 || gone_on < 10 || most < least)
        fail("too little was tried");
    log_free(l);
    node_free(n);
    node_free(other);
    machine_free(m);
    for (unsigned i = 0; i < MOST_PARTS; i++) {
        free(whole[i].bytes);
        free(whole[i].checkpoint.bytes);
    }
    return 0;
}
