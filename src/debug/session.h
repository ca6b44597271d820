/* Sessions: a debugger of our own, without a face: commands in gdb's vocabulary over a timeline of a node or a network,
 * of any instruction set, forward and backward.
 *
 * Two faces show it (lines and panes, in the command line); both give it commands and print what it says. Invariant:
 * looking changes nothing; what is changed (`set`) is an input of the timeline, undone by going back before it.
 * Whatever is typed, the answer is a sentence.
 */
#ifndef DEBUG_SESSION_H
#define DEBUG_SESSION_H

#include "network/network.h"
#include "timeline/timeline.h"

struct session;
struct airlog;

/* Whom a session talks to; all but `say` may be NULL. */
struct session_face {
    void *context;
    void (*say)(void *context, const char *text);
    bool (*interrupted)(void *context); /* asked now and then while many steps are under way */
    size_t (*explain)(void *context, uint32_t node, char *text, size_t size); /* a node's fault, in words */
    bool (*save)(void *context, const char *path, struct error *e);           /* saves the run up to here */
};

/* What is debugged; all of it stays its owner's. */
struct session_target {
    struct timeline *timeline;
    struct node *const *nodes; /* by number */
    uint32_t count;
    const struct network *network; /* they are in; NULL: one node alone */
    struct airlog *air;            /* what was on the air */
    uint64_t until;                /* where running ends by itself; TIMELINE_NEVER */
};

struct session *session_new(const struct session_target *t, const struct session_face *face);
void session_free(struct session *s); /* before the timeline */

/* Obeys a line; false if it was to end the session. */
bool session_command(struct session *s, const char *line);

/* The same, but what it says goes into `text`. */
void session_ask(struct session *s, const char *line, char *text, size_t size);

/* The number-th way to complete the last word of a line, in memory to be freed; NULL if there are not so many. */
char *session_complete(struct session *s, const char *line, size_t number);

/* Where the selected frame is: its file and line; false if that is not known. */
bool session_place(struct session *s, const char **file, unsigned *line);
bool session_has_break(const struct session *s, const char *file, unsigned line);

#endif
