#include "check/shares.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/pack.h"

enum { SHARES_MOST = 4096 };                        /* items that are given at once */
enum { SHARES_SILENCE = 5, SHARES_ABANDONED = 60 }; /* seconds without a word of a rank, and of rank 0 */
#define SHARES_BEAT 0.2                             /* seconds from one report or word to the next */

enum share_message { SHARE_REPORT, SHARE_FOUND, SHARE_GIVEN, SHARE_NEWS, SHARE_RESULT };

/* What rank 0 knows of a rank. */
struct shares_rank {
    bool heard, lost;
    double at; /* when it was heard last */
    uint64_t wants;
    struct search_progress done;
    uint64_t figures[CREW_FIGURES];
};

/* What was given and is not completed; no rank: it is to be given again. */
struct shares_given {
    uint64_t first, end;
    unsigned rank;
};
enum { SHARES_NOBODY = UINT32_MAX };

struct shares {
    struct crew *crew;
    const struct ranks *ranks;
    uint64_t round;
    uint64_t asks;    /* how many items this rank asks for */
    double said, met; /* when this rank has reported last, and heard rank 0 last */
    bool over, stopped;
    uint64_t found; /* the item that was sent to rank 0 as found; UINT64_MAX: none */
    struct search_result result;

    /* of rank 0 */
    uint64_t next, told; /* the next item to be given; the lowest that failed, as the other ranks know it */
    struct shares_rank *known;
    struct shares_given *given;
    size_t given_count, given_room;
};

static double shares_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct shares *shares_begin(struct crew *c, const struct ranks *r)
{
    struct shares *s = memory_new(sizeof *s);
    s->crew = c;
    s->ranks = r;
    s->round = crew_job_of(c)->round;
    s->asks = crew_workers(c);
    s->met = shares_clock();
    s->found = s->told = UINT64_MAX;
    s->next = crew_job_of(c)->first;
    s->known = memory_array(r->count, sizeof *s->known);
    return s;
}

/* ---- messages ---- */

static struct pack shares_message(const struct shares *s, enum share_message kind)
{
    struct pack p = {.bytes = NULL};
    pack_count(&p, s->round);
    pack_count(&p, kind);
    return p;
}

static void shares_send(const struct shares *s, unsigned to, struct pack *p)
{
    s->ranks->send(to, p->bytes, p->count);
    pack_free(p);
}

static void shares_send_all(const struct shares *s, struct pack *p)
{
    for (unsigned i = 1; i < s->ranks->count; i++)
        s->ranks->send(i, p->bytes, p->count);
    pack_free(p);
}

static void shares_pack_violation(struct pack *p, const struct violation *v)
{
    pack_count(p, v->kind);
    pack_count(p, v->node);
    pack_count(p, v->at);
    pack_count(p, v->detail);
    pack_count(p, v->pc);
}

static struct violation shares_unpack_violation(struct unpack *u)
{
    struct violation v = {.kind = (enum violation_kind)unpack_below(u, VIOLATION_PROPERTY + 1)};
    v.node = (uint32_t)unpack_count(u);
    v.at = unpack_count(u);
    v.detail = (uint32_t)unpack_count(u);
    v.pc = (uint32_t)unpack_count(u);
    return v;
}

static void shares_pack_trace(struct pack *p, const struct trace *t)
{
    pack_count(p, t->count);
    for (size_t i = 0; i < t->count; i++) {
        const struct choice *c = &t->list[i];
        const uint64_t numbers[] = {c->source, c->node, c->other, c->ordinal, c->outcome, c->at};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            pack_count(p, numbers[k]);
    }
}

static void shares_unpack_trace(struct unpack *u, struct trace *t)
{
    uint64_t count = unpack_below(u, unpack_left(u) + 1);
    for (uint64_t i = 0; i < count && !u->failed; i++) {
        struct choice c = {.source = (enum choice_source)unpack_below(u, CHOICE_SOURCES)};
        c.node = (uint32_t)unpack_count(u);
        c.other = (uint32_t)unpack_count(u);
        c.ordinal = unpack_count(u);
        c.outcome = (uint32_t)unpack_count(u);
        c.at = unpack_count(u);
        trace_add(t, &c);
    }
}

/* ---- a rank, rank 0 too: what it has done, and how much more it wants ---- */

/* A rank that has run out of items asks for more at once from then on. */
static uint64_t shares_wants(struct shares *s)
{
    uint64_t untaken = crew_untaken(s->crew);
    if (crew_stopped(s->crew) || untaken >= s->asks)
        return 0;
    uint64_t wants = s->asks;
    if (!untaken && s->asks < SHARES_MOST)
        s->asks *= 2;
    return wants;
}

static void shares_send_found(struct shares *s)
{
    struct search_result r;
    if (!crew_found(s->crew, s->found, &r))
        return;
    struct pack p = shares_message(s, SHARE_FOUND);
    s->found = r.item;
    pack_count(&p, r.item);
    shares_pack_violation(&p, &r.violation);
    shares_pack_trace(&p, &r.trace);
    shares_send(s, 0, &p);
    search_result_free(&r);
}

static void shares_pack_progress(struct pack *p, const struct search_progress *d, const uint64_t figures[CREW_FIGURES])
{
    pack_count(p, d->items);
    pack_count(p, d->nanoseconds);
    pack_count(p, d->asked);
    for (unsigned i = 0; i < CREW_FIGURES; i++)
        pack_count(p, figures[i]);
}

static void shares_unpack_progress(struct unpack *u, struct search_progress *d, uint64_t figures[CREW_FIGURES])
{
    d->items = unpack_count(u);
    d->nanoseconds = unpack_count(u);
    d->asked = unpack_count(u);
    for (unsigned i = 0; i < CREW_FIGURES; i++)
        figures[i] = unpack_count(u);
}

static void shares_own_progress(const struct shares *s, struct search_progress *d, uint64_t figures[CREW_FIGURES])
{
    const struct crew_job *job = crew_job_of(s->crew);
    *d = crew_progress(s->crew);
    memset(figures, 0, CREW_FIGURES * sizeof *figures);
    if (job->figures)
        job->figures(job->context, figures);
}

/* What was found goes first: when a share is done, nothing of it is still to come. */
static void shares_send_report(struct shares *s)
{
    struct search_progress done;
    uint64_t figures[CREW_FIGURES], first, firsts[64];
    size_t count = 0;
    while (count < sizeof firsts / sizeof *firsts && crew_take_done(s->crew, &first))
        firsts[count++] = first;
    shares_send_found(s);
    uint64_t wants = shares_wants(s);
    double now = shares_clock();
    if (!count && !wants && now < s->said + SHARES_BEAT)
        return;
    s->said = now;
    shares_own_progress(s, &done, figures);
    struct pack p = shares_message(s, SHARE_REPORT);
    pack_count(&p, wants);
    pack_count(&p, crew_stopped(s->crew));
    shares_pack_progress(&p, &done, figures);
    pack_count(&p, count);
    for (size_t i = 0; i < count; i++)
        pack_count(&p, firsts[i]);
    shares_send(s, 0, &p);
}

static void shares_take_result(struct shares *s, struct unpack *u)
{
    struct search_result r = {.found = false};
    r.found = unpack_below(u, 2);
    r.stopped = unpack_below(u, 2);
    r.item = unpack_count(u);
    r.next = unpack_count(u);
    r.lost = (unsigned)unpack_count(u);
    r.violation = shares_unpack_violation(u);
    shares_unpack_progress(u, &r.done, r.figures);
    if (u->failed)
        return;
    s->result = r;
    s->over = true;
}

static void shares_obey(struct shares *s, enum share_message kind, struct unpack *u)
{
    s->met = shares_clock();
    if (kind == SHARE_RESULT) {
        shares_take_result(s, u);
    } else if (kind == SHARE_GIVEN) {
        uint64_t first = unpack_count(u), end = unpack_count(u);
        if (!u->failed && first < end)
            crew_give(s->crew, first, end);
    } else if (kind == SHARE_NEWS) {
        uint64_t best = unpack_count(u);
        if (!u->failed)
            crew_bound(s->crew, best);
    }
}

/* ---- rank 0 ---- */

static void shares_strike_out(struct shares *s, uint64_t first)
{
    for (size_t i = 0; i < s->given_count; i++)
        if (s->given[i].first == first) {
            s->given[i] = s->given[--s->given_count];
            return;
        }
}

static void shares_take_report(struct shares *s, struct shares_rank *from, struct unpack *u)
{
    struct shares_rank is = *from;
    is.wants = unpack_count(u);
    s->stopped |= unpack_below(u, 2);
    shares_unpack_progress(u, &is.done, is.figures);
    uint64_t count = unpack_below(u, unpack_left(u) + 1);
    for (uint64_t i = 0; i < count && !u->failed; i++)
        shares_strike_out(s, unpack_count(u));
    if (!u->failed)
        *from = is;
}

static void shares_take_found(struct shares *s, struct unpack *u)
{
    struct trace t = {.list = NULL};
    uint64_t item = unpack_count(u);
    struct violation v = shares_unpack_violation(u);
    shares_unpack_trace(u, &t);
    if (!u->failed)
        crew_report(s->crew, item, &v, &t);
    trace_free(&t);
}

static void shares_listen(struct shares *s, unsigned rank, enum share_message kind, struct unpack *u)
{
    struct shares_rank *from = &s->known[rank];
    from->heard = true;
    from->lost = false;
    from->at = shares_clock();
    if (kind == SHARE_REPORT)
        shares_take_report(s, from, u);
    else if (kind == SHARE_FOUND)
        shares_take_found(s, u);
}

/* A range for a rank: one that another has lost, or the next. False: there is none. */
static bool shares_give_one(struct shares *s, unsigned rank, uint64_t wants)
{
    const struct crew_job *job = crew_job_of(s->crew);
    struct shares_given *g = NULL;
    for (size_t i = 0; i < s->given_count && !g; i++)
        g = s->given[i].rank == SHARES_NOBODY ? &s->given[i] : NULL;
    if (!g) {
        uint64_t left = s->next < job->count ? job->count - s->next : 0, fair = left / (2 * s->ranks->count);
        uint64_t count = wants < fair ? wants : fair ? fair : 1;
        if (!left || s->next > crew_best(s->crew))
            return false;
        s->given = memory_grow(s->given, &s->given_room, s->given_count, sizeof *s->given);
        g = &s->given[s->given_count++];
        *g = (struct shares_given){.first = s->next, .end = s->next + count};
        s->next += count;
    }
    g->rank = rank;
    if (rank == 0) {
        crew_give(s->crew, g->first, g->end);
        return true;
    }
    struct pack p = shares_message(s, SHARE_GIVEN);
    pack_count(&p, g->first);
    pack_count(&p, g->end);
    shares_send(s, rank, &p);
    return true;
}

static void shares_give(struct shares *s)
{
    s->known[0].wants = shares_wants(s);
    for (unsigned i = 0; i < s->ranks->count && !crew_stopped(s->crew); i++)
        if (s->known[i].wants) {
            shares_give_one(s, i, s->known[i].wants);
            s->known[i].wants = 0;
        }
}

/* What silent ranks were given goes back. */
static void shares_find_lost(struct shares *s, double now)
{
    for (unsigned i = 1; i < s->ranks->count; i++) {
        struct shares_rank *r = &s->known[i];
        if (!r->heard || r->lost || now < r->at + SHARES_SILENCE)
            continue;
        r->lost = true;
        r->wants = 0;
        for (size_t k = 0; k < s->given_count; k++)
            if (s->given[k].rank == i)
                s->given[k].rank = SHARES_NOBODY;
    }
}

static void shares_tell(struct shares *s, double now)
{
    uint64_t best = crew_best(s->crew);
    if (best == s->told && now < s->said + SHARES_BEAT)
        return;
    struct pack p = shares_message(s, SHARE_NEWS);
    s->said = now;
    s->told = best;
    pack_count(&p, best);
    shares_send_all(s, &p);
}

/* Whether all that can still be the result is completed. */
static bool shares_complete(const struct shares *s)
{
    uint64_t best = crew_best(s->crew);
    for (size_t i = 0; i < s->given_count; i++)
        if (s->given[i].first <= best)
            return false;
    return s->next >= crew_job_of(s->crew)->count || s->next > best;
}

static void shares_add_up(struct shares *s, struct search_result *r)
{
    shares_own_progress(s, &s->known[0].done, s->known[0].figures);
    for (unsigned i = 0; i < s->ranks->count; i++) {
        const struct shares_rank *k = &s->known[i];
        r->done.items += k->done.items;
        r->done.nanoseconds += k->done.nanoseconds;
        r->done.asked += k->done.asked;
        r->lost += k->lost;
        for (unsigned f = 0; f < CREW_FIGURES; f++)
            r->figures[f] += k->figures[f];
    }
}

static void shares_conclude(struct shares *s)
{
    struct search_result found, *r = &s->result;
    r->stopped = crew_stopped(s->crew);
    r->next = s->next;
    for (size_t i = 0; i < s->given_count; i++)
        r->next = s->given[i].first < r->next ? s->given[i].first : r->next;
    if (crew_found(s->crew, UINT64_MAX, &found)) {
        r->found = true;
        r->item = r->next = found.item;
        r->violation = found.violation;
        search_result_free(&found);
    }
    shares_add_up(s, r);
    struct pack p = shares_message(s, SHARE_RESULT);
    pack_count(&p, r->found);
    pack_count(&p, r->stopped);
    pack_count(&p, r->item);
    pack_count(&p, r->next);
    pack_count(&p, r->lost);
    shares_pack_violation(&p, &r->violation);
    shares_pack_progress(&p, &r->done, r->figures);
    shares_send_all(s, &p);
    s->over = true;
}

static void shares_lead(struct shares *s)
{
    double now = shares_clock();
    uint64_t first;
    while (crew_take_done(s->crew, &first))
        shares_strike_out(s, first);
    if (s->stopped && !crew_stopped(s->crew))
        crew_stop(s->crew);
    shares_find_lost(s, now);
    shares_give(s);
    shares_tell(s, now);
    if (shares_complete(s) || crew_stopped(s->crew))
        shares_conclude(s);
}

/* ---- all ranks ---- */

static void shares_receive(struct shares *s)
{
    unsigned from;
    uint8_t *bytes;
    size_t size;
    while (!s->over && s->ranks->receive(&from, &bytes, &size)) {
        struct unpack u = {.at = bytes, .end = bytes + size};
        uint64_t round = unpack_count(&u);
        enum share_message kind = (enum share_message)unpack_below(&u, SHARE_RESULT + 1);
        if (!u.failed && round == s->round && from < s->ranks->count) {
            if (s->ranks->rank == 0)
                shares_listen(s, from, kind, &u);
            else
                shares_obey(s, kind, &u);
        }
        free(bytes);
    }
}

bool shares_turn(struct shares *s)
{
    shares_receive(s);
    if (s->ranks->rank == 0)
        shares_lead(s);
    else if (!s->over)
        shares_send_report(s);
    if (s->ranks->rank && !s->over && shares_clock() > s->met + SHARES_ABANDONED) {
        s->result.stopped = s->over = true;
        s->result.lost = 1;
    }
    if (s->over)
        crew_stop(s->crew);
    return !s->over;
}

void shares_end(struct shares *s, struct search_result *r)
{
    struct trace trace = s->ranks->rank == 0 ? r->trace : (struct trace){.list = NULL};
    if (s->ranks->rank)
        trace_free(&r->trace);
    *r = s->result;
    r->trace = trace;
    free(s->known);
    free(s->given);
    free(s);
}
