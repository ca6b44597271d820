/* Jobs: numbered work, each piece in a process of its own, at most so many at once; shared between ranks by rank 0.
 *
 * Rank 0 gives each rank as many jobs as the rank has workers, and one more so that none waits. A job of a rank that
 * fell silent is given to another. Invariant: each wanted job is answered once, whatever the number of workers and
 * ranks, unless it was stopped from outside. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "api/ranks.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pack.h"
#include "motet/sweep.h"

enum { JOBS_SILENCE = 5, JOBS_ABANDONED = 60 }; /* seconds without a word of a rank, and of rank 0 */
#define JOBS_BEAT 0.2                           /* seconds from one word to the next */
enum { JOBS_NOBODY = UINT32_MAX };

enum jobs_message { JOBS_ALIVE, JOBS_GIVEN, JOBS_ANSWER, JOBS_OVER };

/* A process that does a job. */
struct jobs_child {
    pid_t process; /* 0: none */
    int pipe;
    size_t number;
    char *answer;
    size_t size, room;
};

enum jobs_state { JOBS_OPEN, JOBS_TAKEN, JOBS_DONE };

/* What rank 0 knows. */
struct jobs_item {
    enum jobs_state state;
    unsigned rank; /* that has taken it */
};
struct jobs_rank {
    unsigned workers, given; /* jobs that it has not answered */
    double heard;            /* 0: never */
    bool lost;
};

struct jobs {
    const struct motet_jobs *work;
    const struct ranks *ranks;
    struct jobs_child *children;
    unsigned running;
    size_t *waiting; /* given to this process and not begun */
    size_t waiting_count, waiting_room;
    double begun, said, met, asked; /* when this rank began, spoke, heard rank 0, and asked whether to stop */
    bool over;
    unsigned lost; /* ranks, when it is over */
    struct motet_error *error;
    bool broken;

    /* of rank 0 */
    struct jobs_item *items;
    size_t next, open; /* no item below `next` is open; how many are not done */
    struct jobs_rank *known;
};

static double jobs_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static unsigned jobs_own_rank(const struct jobs *k)
{
    return k->ranks ? k->ranks->rank : 0;
}

/* ---- messages ---- */

static struct pack jobs_message(enum jobs_message kind, uint64_t number)
{
    struct pack p = {.bytes = NULL};
    pack_count(&p, kind);
    pack_count(&p, number);
    return p;
}

static void jobs_send(const struct jobs *k, unsigned to, struct pack p)
{
    k->ranks->send(to, p.bytes, p.count);
    pack_free(&p);
}

/* ---- processes ---- */

/* The job has a group of its own, so that Ctrl-C reaches the parent alone, and does not outlive it. */
static void jobs_be_child(const struct motet_jobs *work, size_t number, int pipe, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    FILE *answer = fdopen(pipe, "w");
    if (!answer)
        _exit(1);
    work->one(work->context, number, answer);
    _exit(fclose(answer) == 0 ? 0 : 1);
}

static bool jobs_begin(struct jobs *k, struct jobs_child *c, size_t number)
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(k->error, "cannot make a pipe for a run: %s", strerror(errno));
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        jobs_be_child(k->work, number, ends[1], parent);
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return error_set(k->error, "cannot start a process for a run: %s", strerror(errno));
    }
    *c = (struct jobs_child){.process = process, .pipe = ends[0], .number = number};
    k->running++;
    return true;
}

/* The exit status of its process; a signal as a negative number. */
static int jobs_reap(struct jobs *k, struct jobs_child *c)
{
    int status = 0;
    close(c->pipe);
    while (waitpid(c->process, &status, 0) < 0 && errno == EINTR)
        ;
    c->process = 0;
    k->running--;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void jobs_kill(struct jobs *k)
{
    for (unsigned i = 0; i < k->work->workers; i++) {
        struct jobs_child *c = &k->children[i];
        if (!c->process)
            continue;
        kill(c->process, SIGKILL);
        jobs_reap(k, c);
        free(c->answer);
    }
}

/* ---- rank 0 ---- */

static void jobs_done(struct jobs *k, size_t number, const char *answer, size_t size, int signal)
{
    struct jobs_item *item = &k->items[number];
    if (item->state == JOBS_TAKEN && item->rank != JOBS_NOBODY)
        k->known[item->rank].given--;
    if (item->state == JOBS_DONE)
        return; /* a rank that was thought lost */
    item->state = JOBS_DONE;
    k->open--;
    k->work->done(k->work->context, number, signal ? NULL : answer, size, signal);
}

static void jobs_wait_for(struct jobs *k, size_t number)
{
    k->waiting = memory_grow(k->waiting, &k->waiting_room, k->waiting_count, sizeof *k->waiting);
    k->waiting[k->waiting_count++] = number;
}

/* The lowest job that nobody has; false: there is none. */
static bool jobs_take_open(struct jobs *k, unsigned rank, size_t *number)
{
    while (k->next < k->work->count && k->items[k->next].state != JOBS_OPEN)
        k->next++;
    if (k->next == k->work->count)
        return false;
    *number = k->next++;
    k->items[*number] = (struct jobs_item){JOBS_TAKEN, rank};
    k->known[rank].given++;
    return true;
}

static void jobs_give(struct jobs *k)
{
    unsigned count = k->ranks ? k->ranks->count : 1;
    size_t number;
    for (unsigned i = 0; i < count; i++) {
        struct jobs_rank *r = &k->known[i];
        while (!r->lost && r->workers && r->given <= r->workers && jobs_take_open(k, i, &number))
            if (i == 0)
                jobs_wait_for(k, number);
            else
                jobs_send(k, i, jobs_message(JOBS_GIVEN, number));
    }
}

static void jobs_find_lost(struct jobs *k, double now)
{
    for (unsigned i = 1; k->ranks && i < k->ranks->count; i++) {
        struct jobs_rank *r = &k->known[i];
        if (r->lost || now < (r->heard > 0 ? r->heard : k->begun) + JOBS_SILENCE)
            continue;
        r->lost = true;
        r->given = 0;
        for (size_t n = 0; n < k->work->count; n++)
            if (k->items[n].state == JOBS_TAKEN && k->items[n].rank == i) {
                k->items[n] = (struct jobs_item){JOBS_OPEN, JOBS_NOBODY};
                k->next = n < k->next ? n : k->next;
            }
    }
}

static void jobs_hear(struct jobs *k, unsigned from, enum jobs_message kind, uint64_t number, struct unpack *u)
{
    struct jobs_rank *r = &k->known[from];
    r->heard = jobs_clock();
    r->lost = false;
    if (kind == JOBS_ALIVE)
        r->workers = (unsigned)number;
    if (kind != JOBS_ANSWER || number >= k->work->count)
        return;
    uint64_t signal = unpack_count(u), size = unpack_below(u, unpack_left(u) + 1);
    const uint8_t *bytes = unpack_bytes(u, size);
    if (!u->failed)
        jobs_done(k, number, (const char *)bytes, size, (int)signal);
}

/* Whether it is known of each rank that it lives, or not: those that live end together. */
static bool jobs_all_known(const struct jobs *k)
{
    for (unsigned i = 1; k->ranks && i < k->ranks->count; i++)
        if (k->known[i].heard == 0 && !k->known[i].lost)
            return false;
    return true;
}

static void jobs_lead(struct jobs *k)
{
    double now = jobs_clock();
    jobs_find_lost(k, now);
    jobs_give(k);
    if (k->ranks && now > k->said + JOBS_BEAT) {
        k->said = now;
        for (unsigned i = 1; i < k->ranks->count; i++)
            jobs_send(k, i, jobs_message(JOBS_ALIVE, 0));
    }
    if (now > k->asked + 0.1) {
        k->asked = now;
        k->over |= k->work->stop && k->work->stop(k->work->context);
    }
    k->over |= !k->open && jobs_all_known(k);
}

/* ---- every rank ---- */

/* A job of this process has ended. */
static void jobs_finish(struct jobs *k, struct jobs_child *c)
{
    int status = jobs_reap(k, c);
    if (jobs_own_rank(k)) {
        struct pack p = jobs_message(JOBS_ANSWER, c->number);
        pack_count(&p, status < 0 ? (uint64_t)-status : 0);
        pack_count(&p, c->size);
        pack_bytes(&p, c->answer ? c->answer : "", c->size);
        jobs_send(k, 0, p);
    } else {
        jobs_done(k, c->number, c->answer ? c->answer : "", c->size, status < 0 ? -status : 0);
    }
    free(c->answer);
    c->answer = NULL;
}

static void jobs_read(struct jobs *k, struct jobs_child *c)
{
    char bytes[4096];
    ssize_t count = read(c->pipe, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (count <= 0) {
        jobs_finish(k, c);
        return;
    }
    for (ssize_t i = 0; i < count; i++) {
        c->answer = memory_grow(c->answer, &c->room, c->size, 1);
        c->answer[c->size++] = bytes[i];
    }
}

static void jobs_start(struct jobs *k)
{
    for (unsigned i = 0; i < k->work->workers && k->waiting_count && !k->broken; i++) {
        if (k->children[i].process)
            continue;
        size_t number = k->waiting[0];
        memmove(k->waiting, k->waiting + 1, --k->waiting_count * sizeof *k->waiting);
        k->broken = !jobs_begin(k, &k->children[i], number);
    }
}

/* Waits for what the processes say; with ranks no longer than a message may wait. */
static void jobs_wait(struct jobs *k)
{
    struct pollfd *ears = memory_array(k->work->workers, sizeof *ears);
    nfds_t count = 0;
    for (unsigned i = 0; i < k->work->workers; i++)
        if (k->children[i].process)
            ears[count++] = (struct pollfd){.fd = k->children[i].pipe, .events = POLLIN};
    if (poll(ears, count, k->ranks ? 5 : 100) > 0)
        for (unsigned i = 0, at = 0; i < k->work->workers; i++)
            if (k->children[i].process && ears[at++].revents)
                jobs_read(k, &k->children[i]);
    free(ears);
}

static void jobs_obey(struct jobs *k, enum jobs_message kind, uint64_t number)
{
    k->met = jobs_clock();
    k->over |= kind == JOBS_OVER;
    if (kind == JOBS_OVER)
        k->lost = (unsigned)number;
    if (kind == JOBS_GIVEN && number < k->work->count)
        jobs_wait_for(k, number);
}

static void jobs_receive(struct jobs *k)
{
    unsigned from;
    uint8_t *bytes;
    size_t size;
    while (k->ranks->receive(&from, &bytes, &size)) {
        struct unpack u = {.at = bytes, .end = bytes + size};
        enum jobs_message kind = (enum jobs_message)unpack_below(&u, JOBS_OVER + 1);
        uint64_t number = unpack_count(&u);
        if (!u.failed && from < k->ranks->count) {
            if (k->ranks->rank == 0)
                jobs_hear(k, from, kind, number, &u);
            else
                jobs_obey(k, kind, number);
        }
        free(bytes);
    }
}

static void jobs_follow(struct jobs *k)
{
    double now = jobs_clock();
    if (now > k->said + JOBS_BEAT) {
        k->said = now;
        jobs_send(k, 0, jobs_message(JOBS_ALIVE, k->work->workers));
    }
    if (now > k->met + JOBS_ABANDONED)
        k->broken =
            !error_set(k->error, "rank %u has heard nothing of rank 0 for a minute, and gave up", k->ranks->rank);
}

static void jobs_loop(struct jobs *k)
{
    while (!k->over && !k->broken) {
        if (k->ranks)
            jobs_receive(k);
        if (jobs_own_rank(k))
            jobs_follow(k);
        else
            jobs_lead(k);
        jobs_start(k);
        if (!k->over)
            jobs_wait(k);
    }
}

static bool jobs_run(const struct motet_jobs *work, const struct ranks *ranks, unsigned *lost, struct motet_error *e)
{
    struct jobs k = {.work = work, .ranks = ranks, .error = e, .begun = jobs_clock()};
    k.met = k.begun;
    unsigned count = ranks ? ranks->count : 1;
    k.children = memory_array(work->workers, sizeof *k.children);
    k.items = memory_array(work->count, sizeof *k.items);
    k.known = memory_array(count, sizeof *k.known);
    k.known[0].workers = work->workers;
    for (size_t i = 0; i < work->count; i++) {
        bool wanted = !work->wanted || work->wanted(work->context, i);
        k.items[i].state = wanted ? JOBS_OPEN : JOBS_DONE;
        k.open += wanted;
    }
    jobs_loop(&k);
    jobs_kill(&k);
    for (unsigned i = 1; i < count && !jobs_own_rank(&k); i++)
        k.lost += k.known[i].lost;
    for (unsigned i = 1; i < count && !jobs_own_rank(&k); i++)
        jobs_send(&k, i, jobs_message(JOBS_OVER, k.lost));
    *lost = k.lost;
    free(k.children);
    free(k.waiting);
    free(k.items);
    free(k.known);
    return !k.broken;
}

int motet_jobs_run(const struct motet_jobs *j, unsigned *lost, struct motet_error *e)
{
    struct ranks ranks;
    if (!j->ranks)
        return jobs_run(j, NULL, lost, e) ? 0 : -1;
    if (!ranks_join(&ranks, e))
        return -1;
    bool good = jobs_run(j, &ranks, lost, e);
    ranks_leave(good && !*lost);
    return good ? (int)ranks.rank : -1;
}
