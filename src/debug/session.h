/* Sessions: breakpoints, steps by lines, values and source, as commands in gdb's vocabulary over a timeline of nodes of
 * any instruction set, forward and backward. Public as motet/inspect.h; Motet's own debugger (src/debugger) adds the
 * commands that all debugger faces share.
 *
 * Invariant: looking changes nothing; what is changed (`set`) is an input of the timeline, undone by going back before
 * it. For any arguments, the answer is a sentence.
 */
#ifndef DEBUG_SESSION_H
#define DEBUG_SESSION_H

#include "base/error.h"
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
void session_select(struct session *s, uint32_t node, size_t level);
void session_moved(struct session *s); /* the timeline is elsewhere: the innermost frame is selected */

/* ---- the same as data, for faces that are no text ---- */

enum session_point_kind { SESSION_BREAK, SESSION_WATCH, SESSION_READ, SESSION_ACCESS };

struct session_place {
    uint32_t node, address; /* of an instruction */
};

/* A breakpoint has places; a watchpoint a node, a debugger's address and a size. */
struct session_wish {
    enum session_point_kind kind;
    const struct session_place *places;
    size_t place_count;
    uint32_t node, address, size;
    const char *condition; /* NULL: none */
};

/* Its number, which is no other point's; 0 with a sentence. */
unsigned session_point_add(struct session *s, const struct session_wish *w, struct motet_error *e);
void session_point_delete(struct session *s, unsigned number);

enum session_extent { SESSION_RUN, SESSION_INTO, SESSION_OVER, SESSION_OUT, SESSION_THERE };

struct session_move {
    uint32_t node;
    size_t level; /* OUT: the frame that is left */
    enum session_extent extent;
    bool backward;
    bool instruction; /* INTO, OVER: by instructions; by lines needs a firmware that has them */
    uint32_t address; /* THERE: of an instruction, past all breakpoints */
};

struct session_stop {
    struct timeline_event event;
    unsigned point; /* that was met; 0: none */
    bool lost;      /* no line was reached in reasonable time */
};

/* False with a sentence where such a move cannot be. */
bool session_move(struct session *s, const struct session_move *m, struct session_stop *stop, struct motet_error *e);

/* The number-th name that begins so, in memory to be freed; NULL if there are not so many. */
char *session_complete(struct session *s, const char *word, size_t number);

/* Where the selected frame is: its file and line; false if that is not known. */
bool session_place(struct session *s, const char **file, unsigned *line);
bool session_has_break(const struct session *s, const char *file, unsigned line);

#endif
