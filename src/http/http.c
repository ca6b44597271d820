#include "http/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum { HTTP_BROWSERS = 64, HTTP_IDLE = 60 /* seconds */ };

struct http {
    struct MHD_Daemon *daemon;
    struct http_options options;
    unsigned port;
    char *token;
};

static const char *http_argument(void *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

/* A page of another origin that has its name resolved to this machine has another Host. */
static bool http_is_ours(const struct http *h, struct MHD_Connection *c)
{
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    char by_number[32], by_name[32];
    snprintf(by_number, sizeof by_number, "127.0.0.1:%u", h->port);
    snprintf(by_name, sizeof by_name, "localhost:%u", h->port);
    return host && (strcmp(host, by_number) == 0 || strcmp(host, by_name) == 0);
}

/* The rest of the path; NULL if it does not begin with the token. All of the token is compared, in the same time. */
static const char *http_path(const struct http *h, const char *url)
{
    size_t size = strlen(h->token);
    unsigned different = 0;
    if (strlen(url) < size + 2 || url[0] != '/' || url[size + 1] != '/')
        return NULL;
    for (size_t i = 0; i < size; i++)
        different |= (unsigned)(url[1 + i] ^ h->token[i]);
    return different ? NULL : url + size + 2;
}

static enum MHD_Result http_send(struct MHD_Connection *c, unsigned status, const char *type, char *bytes, size_t size)
{
    static const char *const headers[][2] = {
        {MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
        {"Referrer-Policy", "no-referrer"},
        {"X-Content-Type-Options", "nosniff"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    struct MHD_Response *r = MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
    if (!r)
        return MHD_NO;
    MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(r, headers[i][0], headers[i][1]);
    enum MHD_Result result = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return result;
}

static enum MHD_Result http_refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
    char *text = memory_string(why);
    return http_send(c, status, "text/plain; charset=utf-8", text, strlen(text));
}

static enum MHD_Result http_handle(void *context, struct MHD_Connection *c, const char *url, const char *method,
                                   const char *version, const char *upload, size_t *upload_size, void **state)
{
    struct http *h = context;
    const char *path = http_path(h, url);
    (void)version, (void)upload, (void)upload_size, (void)state;
    if (!http_is_ours(h, c))
        return http_refuse(c, MHD_HTTP_FORBIDDEN, "This address belongs to another host.\n");
    if (!path)
        return http_refuse(c, MHD_HTTP_FORBIDDEN, "Open the address that motet view printed, with its token.\n");
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return http_refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "There is nothing to change here.\n");
    struct http_answer a = {.bytes = NULL};
    h->options.answer(h->options.context, &(struct http_request){path, c, http_argument}, &a);
    if (!a.type) {
        free(a.bytes);
        return http_refuse(c, MHD_HTTP_NOT_FOUND, "There is no such page.\n");
    }
    return http_send(c, MHD_HTTP_OK, a.type, a.bytes, a.size);
}

/* Our own socket: it says why it cannot be had, and which port it has. */
static int http_listen(unsigned wanted, unsigned *port, struct motet_error *e)
{
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)wanted)};
    socklen_t size = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (s >= 0)
        setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (s < 0 || bind(s, (struct sockaddr *)&at, sizeof at) != 0 || listen(s, HTTP_BROWSERS) != 0 ||
        getsockname(s, (struct sockaddr *)&at, &size) != 0) {
        error_set(e, "cannot listen on port %u of this machine: %s; leave out --port for any that is free", wanted,
                  strerror(errno));
        if (s >= 0)
            close(s);
        return -1;
    }
    *port = ntohs(at.sin_port);
    return s;
}

extern http_begin_function motet_http_begin;
struct http *motet_http_begin(const struct http_options *o, unsigned *port, struct motet_error *e)
{
    int socket = http_listen(o->port, port, e);
    if (socket < 0)
        return NULL;
    struct http *h = memory_new(sizeof *h);
    *h = (struct http){.options = *o, .port = *port, .token = memory_string(o->token)};
    h->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)*port, NULL, NULL, http_handle, h,
                                 MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT, HTTP_BROWSERS,
                                 MHD_OPTION_CONNECTION_TIMEOUT, HTTP_IDLE, MHD_OPTION_END);
    if (h->daemon)
        return h;
    close(socket);
    free(h->token);
    free(h);
    error_set(e, "cannot start the server of the page");
    return NULL;
}

extern http_end_function motet_http_end;
void motet_http_end(struct http *h)
{
    MHD_stop_daemon(h->daemon);
    free(h->token);
    free(h);
}
