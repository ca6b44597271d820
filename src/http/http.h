/* Pages for browsers of this machine, over HTTP: a module of its own, on libmicrohttpd, so that Motet runs without that
 * library.
 *
 * Invariants: the server listens on the loopback interface alone. It answers only requests whose path begins with its
 * token and whose Host header names this machine, so that pages of other origins and other users' guesses get nothing.
 * One thread answers all requests, one after the other. A browser that breaks off costs nothing but its answer.
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct http_request {
    const char *path; /* after the token and its slash: "", "window" */
    void *connection;
    const char *(*argument)(void *connection, const char *name); /* of the query, decoded; NULL: it has none */
};

struct http_answer {
    char *bytes; /* in memory that is freed by the server */
    size_t size;
    const char *type; /* a constant: "text/html"; NULL: there is no such thing */
};

struct http_options {
    unsigned port; /* 0: any */
    const char *token;
    void (*answer)(void *context, const struct http_request *r, struct http_answer *a);
    void *context;
};

struct http;

/* Starts a server, and says at which port. NULL with a sentence. The module's functions are motet_http_begin and
 * motet_http_end. */
typedef struct http *http_begin_function(const struct http_options *o, unsigned *port, struct motet_error *e);
typedef void http_end_function(struct http *h); /* answers what is under way */

#endif
