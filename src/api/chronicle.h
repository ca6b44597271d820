/* Chronicles: a node alone, or a network, taking note of what is done to it through the public interface.
 *
 * Notes begin with the first thing said, since nobody can ask for a recording of something that does not exist yet;
 * they are thrown away when it first runs, unless it is being kept by then. Invariant: where the chronicle is silent
 * nothing was done from outside.
 */
#ifndef API_CHRONICLE_H
#define API_CHRONICLE_H

#include "motet/motet.h"
#include "motet/recording.h"
#include "timeline/journal.h"

struct chronicle {
    struct journal journal;
    const motet_machine **machines; /* by their number in the journal */
    size_t machine_count;
    uint32_t *lives;  /* by node: how often it was booted again */
    motet_keep *keep; /* or NULL: nobody wants it yet */
};

struct chronicle *chronicle_new(void);
void chronicle_free(struct chronicle *c);

/* Takes note; the chronicle may be NULL. */
void chronicle_note(struct chronicle *c, struct journal_entry e);
uint32_t chronicle_machine(struct chronicle *c, const motet_machine *m); /* its number */
void chronicle_node(struct chronicle *c, uint32_t number);               /* there is one more */

/* An analog source that takes note of what is read from the one given; a node's handle has one. */
struct chronicle_ear {
    struct chronicle *chronicle;
    uint32_t node;
    motet_analog *source;
    void *context;
};
int32_t chronicle_hear(void *ear, unsigned channel, uint64_t tick);

/* keep.c: the time up to which it may run before a snapshot is due, and the snapshot. */
uint64_t keep_next(const motet_keep *k);
void keep_mark(motet_keep *k, uint64_t time);
void keep_tear(motet_keep *k); /* what is kept was put into another state: it can no longer be made again */

#endif
