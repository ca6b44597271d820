#include "dap/client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "dap/arguments.h"
#include "dap/text.h"

motet_dap_client *motet_dap_client_new(int in, int out)
{
    motet_dap_client *c = memory_new(sizeof *c);
    c->in = in;
    c->out = out;
    c->queue = json_array();
    return c;
}

void motet_dap_client_free(motet_dap_client *c)
{
    if (!c)
        return;
    wire_free(&c->wire);
    json_decref(c->queue);
    json_decref(c->launch);
    free(c->words);
    free(c->logs);
    free(c);
}

const char *motet_dap_client_error(const motet_dap_client *c)
{
    if (c->wire.broken)
        return c->wire.error.text;
    return c->in_order     ? ""
           : c->wire.count ? "the client closed the connection in the middle of a message"
                           : "the client closed the connection without a disconnect";
}

/* ---- out ---- */

static void client_write(motet_dap_client *c, const char *bytes, size_t count)
{
    while (count && !c->deaf) {
        ssize_t done = write(c->out, bytes, count);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            c->deaf = c->closed = true;
            return;
        }
        bytes += done;
        count -= (size_t)done;
    }
}

/* Takes over the message. */
static void client_send(motet_dap_client *c, json_t *message)
{
    char header[64];
    json_object_set_new(message, "seq", json_integer(++c->sequence));
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    size_t length = strlen(memory_must(text));
    snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", length);
    client_write(c, header, strlen(header));
    client_write(c, text, length);
    free(text);
}

static json_t *client_answer(const json_t *request, bool success)
{
    json_t *sequence = json_object_get(request, "seq");
    return json_pack("{s:s, s:I, s:b, s:s}", "type", "response", "request_seq", json_integer_value(sequence), "success",
                     success, "command", client_command(request));
}

void client_respond(motet_dap_client *c, const json_t *request, json_t *body)
{
    json_t *answer = client_answer(request, true);
    if (body)
        json_object_set_new(answer, "body", body);
    client_send(c, answer);
}

void client_refuse(motet_dap_client *c, const json_t *request, const char *why)
{
    json_t *answer = client_answer(request, false);
    json_t *error = json_pack("{s:i, s:s, s:b}", "id", 1, "format", "{why}", "showUser", 1);
    json_t *variables = json_object();
    json_object_set_new(variables, "why", text_string(why));
    json_object_set_new(error, "variables", variables);
    json_object_set_new(answer, "message", text_string(why));
    json_object_set_new(answer, "body", json_pack("{s:o}", "error", error));
    client_send(c, answer);
}

void client_event(motet_dap_client *c, const char *name, json_t *body)
{
    json_t *event = json_pack("{s:s, s:s}", "type", "event", "event", name);
    if (body)
        json_object_set_new(event, "body", body);
    client_send(c, event);
}

void motet_dap_output(motet_dap_client *c, const char *category, const char *text, size_t length)
{
    json_t *body = json_pack("{s:s}", "category", category);
    json_object_set_new(body, "output", text_json(text, length));
    client_event(c, "output", body);
}

/* ---- in ---- */

static void client_complain(motet_dap_client *c, const char *why)
{
    char text[sizeof((struct motet_error *)0)->text + 40];
    snprintf(text, sizeof text, "motet: %s\n", why);
    motet_dap_output(c, "stderr", text, strlen(text));
}

/* A message that is no request gets no answer, but a word to the user. Responses are to requests we never made. */
static void client_take(motet_dap_client *c, const char *body, size_t length)
{
    json_error_t why;
    struct motet_error e;
    json_t *message = json_loadb(body, length, 0, &why);
    if (!message)
        argument_error(&e, "the client sent what is not JSON: %s", why.text);
    else if (!client_command(message))
        argument_error(&e, "the client sent a message that is no request");
    else if (!json_is_integer(json_object_get(message, "seq")))
        argument_error(&e, "the client sent a request without a number");
    else if (json_object_get(message, "arguments") && !json_is_object(json_object_get(message, "arguments")) &&
             !json_is_null(json_object_get(message, "arguments")))
        argument_error(&e, "the client sent a request whose arguments are no object");
    else {
        json_array_append_new(c->queue, message);
        return;
    }
    json_decref(message);
    client_complain(c, e.text);
}

static bool client_waiting(const motet_dap_client *c, int patience)
{
    struct pollfd p = {.fd = c->in, .events = POLLIN};
    int found;
    do
        found = poll(&p, 1, patience);
    while (found < 0 && errno == EINTR);
    return found > 0;
}

static void client_read(motet_dap_client *c)
{
    char bytes[65536];
    ssize_t count;
    do
        count = read(c->in, bytes, sizeof bytes);
    while (count < 0 && errno == EINTR);
    if (count > 0)
        wire_put(&c->wire, bytes, (size_t)count);
    else
        c->closed = true;
    size_t length;
    for (char *body; (body = wire_take(&c->wire, &length)); free(body))
        client_take(c, body, length);
    if (c->wire.broken && !c->closed) {
        client_complain(c, c->wire.error.text);
        c->closed = true;
    }
}

void client_look(motet_dap_client *c)
{
    while (!c->closed && client_waiting(c, 0))
        client_read(c);
}

json_t *client_next(motet_dap_client *c, bool wait)
{
    client_look(c);
    while (wait && !c->closed && !json_array_size(c->queue))
        if (client_waiting(c, -1))
            client_read(c);
    json_t *first = json_incref(json_array_get(c->queue, 0));
    if (first)
        json_array_remove(c->queue, 0);
    return first;
}

const char *client_command(const json_t *message)
{
    const char *type = json_string_value(json_object_get(message, "type"));
    return type && strcmp(type, "request") == 0 ? json_string_value(json_object_get(message, "command")) : NULL;
}

const json_t *client_arguments(const json_t *request)
{
    const json_t *is = json_object_get(request, "arguments");
    return json_is_object(is) ? is : NULL;
}

/* ---- before something is debugged ---- */

static bool client_initialize(motet_dap_client *c, const json_t *request, struct motet_error *e)
{
    const json_t *a = client_arguments(request);
    bool lines = true, columns = true; /* count from 1 */
    if (c->initialized)
        return argument_error(e, "initialize was sent already");
    if (!argument_flag(a, "linesStartAt1", &lines, e) || !argument_flag(a, "columnsStartAt1", &columns, e) ||
        !argument_flag(a, "supportsProgressReporting", &c->progress, e) ||
        !argument_flag(a, "supportsInvalidatedEvent", &c->invalidated, e) ||
        !argument_flag(a, "supportsMemoryEvent", &c->memory_event, e))
        return false;
    c->lines_from_0 = !lines;
    c->columns_from_0 = !columns;
    c->initialized = true;
    client_respond(c, request, client_capabilities());
    return true;
}

/* Whether the client asks for something to debug; else the request is answered. */
static bool client_begins(motet_dap_client *c, const json_t *request, struct motet_dap_launch *l)
{
    const char *command = client_command(request);
    struct motet_error e = {""};
    bool launch = strcmp(command, "launch") == 0, attach = strcmp(command, "attach") == 0;
    if (strcmp(command, "disconnect") == 0) {
        c->in_order = true;
        client_respond(c, request, NULL);
        return false;
    }
    if (strcmp(command, "initialize") == 0) {
        if (!client_initialize(c, request, &e))
            client_refuse(c, request, e.text);
        return false;
    }
    if (!launch && !attach) {
        client_refuse(c, request, "nothing is debugged yet; send launch or attach first");
        return false;
    }
    json_decref(c->launch);
    c->launch = json_deep_copy(request);
    *l = (struct motet_dap_launch){.attach = attach};
    if (client_read_launch(c, l, &e))
        return true;
    motet_dap_refuse(c, e.text);
    return false;
}

bool motet_dap_await(motet_dap_client *c, struct motet_dap_launch *l)
{
    while (!c->in_order) {
        json_t *request = client_next(c, true);
        if (!request)
            return false;
        bool begins = client_begins(c, request, l);
        json_decref(request);
        if (begins)
            return true;
    }
    return false;
}

void motet_dap_refuse(motet_dap_client *c, const char *why)
{
    if (c->launch)
        client_refuse(c, c->launch, why);
    json_decref(c->launch);
    c->launch = NULL;
}
