/* Endpoints: where the other end of a serial port is: the terminal, files, a file with input at given times, a
 * pseudo-terminal, a TCP connection, the clients of a serial forwarder.
 *
 * Input is offered to the node only between windows of simulated time, so what comes from a file is part of the run's
 * definition: the same file, the same run. Invariant: output is written in order and completely, or the run ends with
 * an error; a reader that has gone away on a connection is no error.
 */
#ifndef CLI_ENDPOINT_H
#define CLI_ENDPOINT_H

#include "motet/motet.h"
#include "timed_input.h"

enum { ENDPOINT_BUFFER = 4096 };

struct endpoint {
    unsigned line;
    char name[40];         /* "serial 0", "serial 0 of node 3" */
    int in, out, listener; /* -1: none */
    bool paced;            /* input comes when it comes (a terminal, a connection), not from a file */
    bool standard;         /* output is standard output */
    bool socket, pty;
    struct forwarder *forwarder;      /* or NULL; `in` is its descriptor then */
    struct timed_input *timed;        /* or NULL; fed by its own function */
    uint8_t pending[ENDPOINT_BUFFER]; /* read, not yet taken by the node */
    size_t pending_first, pending_count;
    uint8_t output[ENDPOINT_BUFFER];
    size_t output_count;
    int last; /* byte sent, -1 if none */
};

/* Opens what `spec` says: stdio, null, pty, tcp:PORT, sf:[HOST:]PORT, file:[INPUT][,OUTPUT] or timed:INPUT[,OUTPUT].
 * Says on standard error where a user can connect to, unless `quiet`. */
bool endpoint_open(struct endpoint *p, const motet_node *of, unsigned line, const char *spec, bool quiet,
                   struct motet_error *e);

/* "INPUT,OUTPUT" of a place that is files, else NULL. */
const char *endpoint_files(const char *spec);

/* Checks a specification without opening anything; and, before the first of several is opened and so perhaps written,
 * whether the files of one can be. */
bool endpoint_check(const char *spec, struct motet_error *e);
bool endpoint_check_files(const motet_node *of, unsigned line, const char *spec, struct motet_error *e);

/* Waits for a connection; false if interrupted or failed (then e has a sentence). */
bool endpoint_wait(struct endpoint *p, struct motet_error *e);

/* Gives the node what has come in. */
bool endpoint_feed(struct endpoint *p, motet_node *n, struct motet_error *e);
bool endpoint_has_input(const struct endpoint *p); /* there is, or may still come, input */

void endpoint_put(struct endpoint *p, uint8_t byte); /* buffers it; flush when full */
bool endpoint_flush(struct endpoint *p, struct motet_error *e);
bool endpoint_close(struct endpoint *p, struct motet_error *e); /* flushes first */

#endif
