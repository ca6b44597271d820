/* Motet: views: what happened on all nodes of a run, as a page for a browser (docs/view.md).
 *
 * A view is attached to a network before it runs, and finished when the run is over. Then it is written as one file
 * that needs no server, or served at a loopback port. Invariant: a view is made of taps (motet/watch.h), so the run has
 * the same digest with and without it; what is written depends on the run alone and not on the number of threads.
 */
#ifndef MOTET_VIEW_H
#define MOTET_VIEW_H

#include <stdio.h>

#include "motet/error.h"
#include "motet/merge.h"
#include "motet/network.h"
#include "motet/timeline.h"

#include "motet/base/begin.h"

typedef struct motet_view motet_view;

struct motet_view_options {
    const char *title;            /* what is shown: a file's name */
    const char *debug;            /* a command that opens a position in a debugger, with {time} in it; or NULL */
    const char *then;             /* what to type in that debugger, with {time} in it; or NULL */
    const char *const *variables; /* C expressions that are followed on each node that has them */
    size_t variable_count;
};

/* Copies what it is given. */
motet_view *motet_view_new(const struct motet_view_options *o);
void motet_view_free(motet_view *v); /* NULL is allowed */

/* Puts taps on all nodes, before they run. False with a sentence if no node has one of the variables. */
bool motet_view_attach(motet_view *v, motet_network *n, struct motet_error *e);

/* The story of merged logs: its events are shown beside what the nodes did. */
void motet_view_tell(motet_view *v, const motet_merge *m);

/* A text about the run, such as the story of a counterexample. */
void motet_view_about(motet_view *v, const char *text);

/* The run is over, and its nodes still are: copies what is needed of them. Nothing of the network is used later. */
void motet_view_finish(motet_view *v);

struct motet_view_summary {
    size_t nodes, bars, frames;
    uint64_t end; /* nanoseconds */
    char digest[MOTET_DIGEST_TEXT];
};
void motet_view_summary(const motet_view *v, struct motet_view_summary *s);

/* The page as one file. False if it could not all be written. */
bool motet_view_write(const motet_view *v, FILE *to);

/* ---- a server ---- */

struct motet_view_server {
    unsigned port;            /* on the loopback interface; 0: any that is free */
    motet_timeline *timeline; /* of the same run, for what only an execution can answer; used by the server alone */
};

/* Serves the page until motet_view_serve_end. `address` gets its URL, with a random token: nothing is served without
 * it, nor to a browser that asks for another host. False with a sentence. */
enum { MOTET_VIEW_ADDRESS = 128 };
typedef struct motet_view_service motet_view_service;
motet_view_service *motet_view_serve(motet_view *v, const struct motet_view_server *o, char address[MOTET_VIEW_ADDRESS],
                                     struct motet_error *e);
void motet_view_serve_end(motet_view_service *s); /* NULL is allowed */

#include "motet/base/end.h"

#endif
