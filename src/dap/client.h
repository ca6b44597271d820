/* Clients: a connection with its messages, in and out.
 *
 * Invariant: messages are answered in the order in which they came; each of ours has the next number. After the
 * connection is closed or broken, sending does nothing.
 */
#ifndef DAP_CLIENT_H
#define DAP_CLIENT_H

#include <jansson.h>

#include "dap/wire.h"
#include "motet/dap.h"

struct motet_dap_client {
    int in, out;
    struct wire wire;
    json_int_t sequence;
    json_t *queue; /* messages that have come and are not answered yet */
    bool closed;   /* nothing more comes */
    bool deaf;     /* nothing more can be sent */
    bool in_order; /* it said that it would leave */

    /* what initialize said */
    bool initialized, lines_from_0, columns_from_0, progress, invalidated, memory_event;

    json_t *launch; /* the request that waits for an answer, or NULL */
    const char **words, **logs;
    size_t word_count, word_room, log_count, log_room;
};

/* The next message, which is the caller's; NULL if there is none now. With `wait`, it is waited for until the end. */
json_t *client_next(motet_dap_client *c, bool wait);

/* Takes in what has come, without waiting. */
void client_look(motet_dap_client *c);

/* The body of each is taken over; NULL: it has none. */
void client_respond(motet_dap_client *c, const json_t *request, json_t *body);
void client_refuse(motet_dap_client *c, const json_t *request, const char *why);
void client_event(motet_dap_client *c, const char *name, json_t *body);

/* The name of a request; NULL if the message is none. */
const char *client_command(const json_t *message);
const json_t *client_arguments(const json_t *request); /* an object, empty if there are none */

/* What the launch or attach asks for, in words (launch.c). */
bool client_read_launch(motet_dap_client *c, struct motet_dap_launch *l, struct motet_error *e);

json_t *client_capabilities(void); /* capabilities.c */

#endif
