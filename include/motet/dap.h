/* Motet: a server of the Debug Adapter Protocol, by which editors debug (docs/editors.md).
 *
 * A client is a connection. It asks for something to debug; the caller sets that up, as a network or a saved run, and
 * serves the client with it. Every node is a thread of the protocol; time passes for all of them.
 *
 * Invariant: any bytes that a client sends are answered, or end the connection with a sentence; none ends the program.
 */
#ifndef MOTET_DAP_H
#define MOTET_DAP_H

#include "motet/debugger.h"
#include "motet/network.h"
#include "motet/saved.h"

#include "motet/base/begin.h"

typedef struct motet_dap_client motet_dap_client;

/* Reads from one descriptor and writes to the other, which may be the same; both stay the caller's. */
motet_dap_client *motet_dap_client_new(int in, int out);
void motet_dap_client_free(motet_dap_client *c); /* NULL is allowed */

/* What a client asks for. All of it is valid until the next call for the client. */
struct motet_dap_launch {
    bool attach;              /* to what is there; else to something new: */
    const char *program;      /* firmware, scenario or saved run; NULL: it was not named */
    const char *folder;       /* that paths begin in; NULL: the working directory */
    const char *const *logs;  /* of nodes that recorded; the program is their firmware */
    const char *const *words; /* options, as on a command line */
    size_t log_count, word_count;
};

/* Answers until the client asks for something to debug. False if it has left, or its messages make no sense: then
 * motet_dap_client_error says why. */
bool motet_dap_await(motet_dap_client *c, struct motet_dap_launch *l);

/* Why the connection ended; "" if the client has left in order. */
const char *motet_dap_client_error(const motet_dap_client *c);

/* Answers that what was asked for cannot be. */
void motet_dap_refuse(motet_dap_client *c, const char *why);

/* Shows text to the user: what nodes print ("stdout"), what is wrong ("stderr"), other words ("console"). */
void motet_dap_output(motet_dap_client *c, const char *category, const char *text, size_t length);

/* ---- what is debugged ---- */

typedef struct motet_dap motet_dap;

struct motet_dap_options {
    struct motet_debug_options debug;
    void *context;
    /* Gives what was printed meanwhile to motet_dap_output, also lines that are not ended if it is `standing`; may be
     * NULL. */
    void (*flush)(void *context, motet_dap_client *c, bool standing);
};

/* What they are given is theirs until they are freed. A saved run begins at a time. */
motet_dap *motet_dap_of_network(motet_network *n, const struct motet_dap_options *o);
motet_dap *motet_dap_of_saved_run(motet_saved_run *r, const struct motet_dap_options *o, uint64_t at);
void motet_dap_free(motet_dap *d);

/* Serves a client that waits for an answer to what it asked for (motet_dap_await), until it leaves. DETACHED: what is
 * debugged is to stay for the next client. */
enum motet_debug_end motet_dap_serve(motet_dap *d, motet_dap_client *c);

#include "motet/base/end.h"

#endif
