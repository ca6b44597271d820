/* Stories: the nodes of a recording, made again from its journal, and moved along it.
 *
 * Invariant: a story that stands at a time has done to its nodes everything the journal says up to and including that
 * time, and nothing else; so its nodes are in the state in which those of the run were.
 */
#ifndef API_STORY_H
#define API_STORY_H

#include "api/handles.h"
#include "api/marks.h"
#include "base/error.h"
#include "timeline/journal.h"

struct story {
    struct journal journal;
    motet_machine **machines;
    size_t machine_count;
    motet_node *node;       /* alone, or */
    motet_network *network; /* all of them */
    size_t nodes;
    struct story_ear {
        const struct story *story;
        uint32_t node, life;
    } * ears;
    uint64_t time; /* where it stands */
    size_t next;   /* entry of the journal to be done */
    size_t begun;  /* entries that were done to make it */
};

/* A firmware's file, for machines: its bytes and name by number. */
typedef const uint8_t *story_file(void *context, size_t number, const char **name, size_t *size);

/* Makes the nodes as they were at the beginning. `s` has a journal and is otherwise zero. */
bool story_begin(struct story *s, unsigned threads, story_file *file, void *context, struct error *e);
void story_free(struct story *s);

/* Goes on to a time, and to an entry of the journal if that is not behind it. */
bool story_go(struct story *s, uint64_t time, size_t entries, struct error *e);

/* Does the entries that are due at the time it stands at, for those who move the nodes by themselves. */
bool story_act(struct story *s, struct error *e);
uint64_t story_due(const struct story *s); /* when there is something to do next; UINT64_MAX: never */

/* The nodes were put into another state, in which so many entries were done. */
void story_moved(struct story *s, uint64_t time, size_t entries);
struct digest story_digest(const struct story *s);

#endif
