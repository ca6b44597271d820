/* Motet: sessions of its own debugger (docs/debugging.md), over anything that can be executed again: a network,
 * a scenario, a saved run. Commands are lines of text in gdb's vocabulary, and so are the answers; a face shows them.
 */
#ifndef MOTET_DEBUG_H
#define MOTET_DEBUG_H

#include "motet/debugger.h"
#include "motet/network.h"
#include "motet/node.h"
#include "motet/saved.h"

#include "motet/base/begin.h"

typedef struct motet_session motet_session;

struct motet_session_face {
    void *context;
    void (*say)(void *context, const char *text);
    bool (*interrupted)(void *context); /* asked now and then while something long is under way; may be NULL */
};

/* What is debugged has not run yet, and is the session's until it is freed. A saved run is gone through from its
 * beginning, and does not run beyond its end. */
motet_session *motet_session_network(motet_network *n, const struct motet_debug_options *o,
                                     const struct motet_session_face *face);
motet_session *motet_session_saved_run(motet_saved_run *r, size_t memory, const struct motet_session_face *face);
void motet_session_free(motet_session *s);

/* Obeys a line; false if it was to end the session. */
bool motet_session_command(motet_session *s, const char *line);

/* The same, but what it says goes into `text`, as far as it fits. */
void motet_session_ask(motet_session *s, const char *line, char *text, size_t size);

/* Goes to a time, in nanoseconds. */
void motet_session_seek(motet_session *s, uint64_t time);

/* The number-th way to complete the last word of a line, in memory to be freed; NULL if there are not so many. */
char *motet_session_complete(motet_session *s, const char *line, size_t number);

/* Where the selected function is: its file and line; false if that is not known. */
bool motet_session_place(motet_session *s, const char **file, unsigned *line);
bool motet_session_has_break(const motet_session *s, const char *file, unsigned line);

/* The server for gdb over a saved run, which begins at a time; see motet_debugger_of_network. */
motet_debugger *motet_debugger_of_saved_run(motet_saved_run *r, size_t memory, uint64_t at);

#include "motet/base/end.h"

#endif
