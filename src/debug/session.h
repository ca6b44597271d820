/* Sessions: breakpoints, steps by lines, values and source, as commands in gdb's vocabulary over a timeline of nodes of
 * any instruction set, forward and backward. Public as motet/inspect.h; Motet's own debugger (src/debugger) adds the
 * commands that all debugger faces share.
 *
 * Invariant: looking changes nothing; what is changed (`set`) is an input of the timeline, undone by going back before
 * it. For any arguments, the answer is a sentence.
 */
#ifndef DEBUG_SESSION_H
#define DEBUG_SESSION_H

#include "timeline/timeline.h"

struct session;

/* Whom a session talks to; all but `say` may be NULL. */
struct session_face {
    void *context;
    void (*say)(void *context, const char *text);
    bool (*interrupted)(void *context); /* asked now and then while many steps are under way */
    size_t (*explain)(void *context, uint32_t node, char *text,
                      size_t size); /* a node's fault, or the end of its log */
    bool (*give)(void *context, uint32_t node, uint32_t data, const void *bytes, size_t size); /* to data memory */
};

/* What is debugged; all of it stays its owner's. */
struct session_target {
    struct timeline *timeline;
    struct node *const *nodes; /* by number */
    uint32_t count;
    uint64_t until; /* where running ends by itself; TIMELINE_NEVER */
};

struct session *session_new(const struct session_target *t, const struct session_face *face);
void session_free(struct session *s); /* before the timeline */

/* The commands, by number; NULL past the last. `alias` may be NULL. */
struct session_command {
    const char *name, *alias, *arguments, *help;
    bool repeats; /* an empty line does it again */
};
const struct session_command *session_command(size_t number);
void session_obey(struct session *s, size_t number, const char *arguments);

uint32_t session_node(const struct session *s); /* the number of the selected one, */
size_t session_level(const struct session *s);  /* and of its frame */
void session_moved(struct session *s);          /* the timeline is elsewhere: the innermost frame is selected */

/* The number-th name that begins so, in memory to be freed; NULL if there are not so many. */
char *session_complete(struct session *s, const char *word, size_t number);

/* Where the selected frame is: its file and line; false if that is not known. */
bool session_place(struct session *s, const char **file, unsigned *line);
bool session_has_break(const struct session *s, const char *file, unsigned line);

#endif
