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
