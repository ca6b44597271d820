/* Motet: inspectors: breakpoints, steps by lines, values and source over a timeline (motet/timeline.h), as commands in
 * gdb's vocabulary. Motet's own debugger is an inspector and the commands that all debugger faces share.
 *
 * Invariant: looking changes nothing. What a command changes is an input of the timeline.
 */
#ifndef MOTET_INSPECT_H
#define MOTET_INSPECT_H

#include <stdio.h>

#include "motet/timeline.h"

#include "motet/base/begin.h"

typedef struct motet_inspector motet_inspector;

struct motet_inspector_face {
    void *context;
    void (*say)(void *context, const char *text); /* what commands answer */
    bool (*interrupted)(void *context);           /* asked now and then while many steps are under way; may be NULL */
};

/* `until` is where running ends by itself. The inspector uses the stops and the filter of its timeline. */
motet_inspector *motet_inspector_new(motet_timeline *t, uint64_t until, const struct motet_inspector_face *face);
void motet_inspector_free(motet_inspector *i); /* before its timeline; NULL is allowed */

/* Its commands, by number; false past the last. */
struct motet_inspector_command {
    const char *name, *alias; /* alias: a short name, or NULL */
    const char *arguments, *help;
    bool repeats; /* an empty line does it again */
};
bool motet_inspector_command(size_t number, struct motet_inspector_command *c);
void motet_inspector_obey(motet_inspector *i, size_t number, const char *arguments);

/* What is selected: the number of a node, and of a frame of its call chain, of which 0 is the innermost. */
uint32_t motet_inspector_node(const motet_inspector *i);
size_t motet_inspector_level(const motet_inspector *i);

/* ---- points and moves as data, for faces that are not text ---- */

enum motet_point_kind { MOTET_POINT_BREAK, MOTET_POINT_WATCH, MOTET_POINT_READ, MOTET_POINT_ACCESS };

struct motet_point_place {
    uint32_t node, address; /* of an instruction */
};

/* A breakpoint has places. A watchpoint has a node, a debugger's address and a size: WATCH stops where the bytes
 * change, READ where they are read, ACCESS at both. */
struct motet_point {
    enum motet_point_kind kind;
    const struct motet_point_place *places;
    size_t place_count;
    uint32_t node, address, size;
    const char *condition; /* an expression in the node's innermost frame, NULL: none */
};

/* Returns its number, 0 with a sentence. */
unsigned motet_inspector_add_point(motet_inspector *i, const struct motet_point *p, struct motet_error *e);
void motet_inspector_delete_point(motet_inspector *i, unsigned number);

enum motet_extent {
    MOTET_MOVE_RUN,   /* to the next point */
    MOTET_MOVE_INTO,  /* to another line, into functions */
    MOTET_MOVE_OVER,  /* to another line, over functions */
    MOTET_MOVE_OUT,   /* to where the frame returns to; backward: to where it was called */
    MOTET_MOVE_THERE, /* to an address, past all points */
};

struct motet_move {
    uint32_t node; /* whose step it is; time passes for all */
    size_t level;  /* OUT: the frame that is left */
    enum motet_extent extent;
    bool backward;
    bool instruction; /* INTO, OVER: one instruction instead of a line */
    uint32_t address; /* THERE */
};

struct motet_moved {
    struct motet_timeline_event event;
    unsigned point; /* the one that was met, 0: none */
    bool lost;      /* no line was reached in reasonable time */
};

/* False with a sentence where such a move cannot be. */
bool motet_inspector_move(motet_inspector *i, const struct motet_move *m, struct motet_moved *how,
                          struct motet_error *e);

/* Selects a node and a frame for the commands. */
void motet_inspector_select(motet_inspector *i, uint32_t node, size_t level);

/* The timeline was moved by others: the innermost frame is selected. */
void motet_inspector_moved(motet_inspector *i);

/* The number-th name of a variable or function that begins with a word, in memory to be freed; NULL if there are not
 * so many. */
char *motet_inspector_complete(motet_inspector *i, const char *word, size_t number);

/* Opens a file of source that debug information names: where it was compiled, else in the working directory by the
 * longest end of its path that is there. NULL if it cannot be read. */
FILE *motet_source_open(const char *file);

/* Where the selected frame is: its file and line; false if that is not known. */
bool motet_inspector_place(motet_inspector *i, const char **file, unsigned *line);
bool motet_inspector_has_break(const motet_inspector *i, const char *file, unsigned line);

#include "motet/base/end.h"

#endif
