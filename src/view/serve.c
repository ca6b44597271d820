/* Answers to the page: windows of the model, and what only the timeline knows. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sys/random.h>

#include "api/installed.h"
#include "debugger/commands.h"
#include "export/json.h"
#include "export/page.h"
#include "http/http.h"
#include "view/model.h"

enum { SERVE_BARS = 6000, SERVE_PINS = 2000, SERVE_ARROWS = 3000, SERVE_TOKEN = 16, SERVE_TEXT = 4096 };

struct motet_view_service {
    motet_view *view;
    struct commands commands;
    struct http *http;
    http_end_function *end;
};

/* ---- arguments ---- */

static uint64_t serve_number(const struct http_request *r, const char *name, uint64_t otherwise)
{
    const char *text = r->argument(r->connection, name);
    char *end;
    if (!text || *text < '0' || *text > '9')
        return otherwise;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    return errno || *end ? otherwise : value;
}

/* ---- where all nodes are at a time ---- */

static const char *serve_standing(const motet_timeline *t, uint32_t number)
{
    static const char *const ends[] = {[MOTET_EXIT_FAULT] = "stopped at a fault",
                                       [MOTET_EXIT_FIRMWARE] = "ended",
                                       [MOTET_EXIT_HALT] = "halted",
                                       [MOTET_EXIT_LOG] = "at the end of its log"};
    const motet_node *n = motet_timeline_node(t, number);
    enum motet_exit e = motet_node_exit(n);
    if (!motet_timeline_powered(t, number))
        return "off";
    return e != MOTET_RUNNING ? ends[e] : motet_node_sleeping(n) ? "asleep" : "running";
}

static void serve_node(const motet_view *v, const motet_timeline *t, uint32_t number, FILE *to)
{
    const motet_node *n = motet_timeline_node(t, number);
    const motet_machine *m = motet_node_machine(n);
    struct motet_instruction i;
    char text[SERVE_TEXT];
    uint32_t pc = motet_node_pc(n);
    int64_t file = -1, line = 0;
    if (motet_machine_instruction(m, pc, &i) && i.file && i.line) {
        line = i.line;
        for (size_t k = 0; k < v->file_count; k++)
            if (strcmp(v->files[k].name, i.file) == 0)
                file = (int64_t)k;
    }
    fprintf(to,
            "{\"state\":\"%s\",\"pc\":%" PRIu32 ",\"instructions\":%" PRIu64 ",\"place\":", serve_standing(t, number),
            pc, motet_node_instructions(n));
    json_put(to, motet_machine_place(m, pc, text, sizeof text));
    fprintf(to, ",\"file\":%" PRId64 ",\"line\":%" PRId64 ",\"calls\":", file, line);
    text[0] = 0;
    motet_node_where(n, text, sizeof text);
    json_put(to, text);
    struct motet_led led;
    fputs(",\"leds\":[", to);
    for (size_t k = 0; motet_machine_led(m, k, &led); k++)
        fprintf(to, "%s%s", k ? "," : "", motet_node_led(n, k) ? "true" : "false");
    fputs("]}", to);
}

static void serve_at(struct motet_view_service *s, const struct http_request *r, FILE *to)
{
    motet_timeline *t = s->commands.timeline;
    uint64_t time = serve_number(r, "time", 0);
    char digest[MOTET_DIGEST_TEXT];
    motet_timeline_seek(t, time < s->view->end ? time : s->view->end);
    motet_timeline_digest(t, digest);
    fprintf(to, "{\"time\":%" PRIu64 ",\"digest\":\"%s\",\"nodes\":[", motet_timeline_now(t), digest);
    for (uint32_t i = 0; i < motet_timeline_count(t); i++) {
        fputs(i ? ",\n" : "", to);
        serve_node(s->view, t, i, to);
    }
    fputs("]}", to);
}

/* ---- variables ---- */

/* The value of a C expression on a node at a time: as text, and when it was written last if that is asked for. */
static void serve_variable(struct motet_view_service *s, const struct http_request *r, FILE *to)
{
    motet_timeline *t = s->commands.timeline;
    const char *what = r->argument(r->connection, "what"), *last = r->argument(r->connection, "last");
    uint64_t time = serve_number(r, "time", 0), node = serve_number(r, "node", 0);
    char text[SERVE_TEXT] = "", line[COMMANDS_LINE];
    struct motet_error e = {""};
    if (!what || node >= motet_timeline_count(t) || strlen(what) > COMMANDS_LINE / 2) {
        fputs("{\"error\":\"no such node or variable\"}", to);
        return;
    }
    motet_timeline_seek(t, time < s->view->end ? time : s->view->end);
    if (!motet_node_value_text(motet_timeline_node(t, (uint32_t)node), what, text, sizeof text, &e)) {
        fputs("{\"error\":", to);
        json_put(to, e.text);
        fputs("}", to);
        return;
    }
    fputs("{\"value\":", to);
    json_put(to, text);
    if (last) {
        struct answer a = {.text = NULL};
        s->commands.node = (uint32_t)node;
        snprintf(line, sizeof line, "last-write %s", what);
        commands_obey(&s->commands, line, &a);
        const struct answer_field *when = answer_field(&a, 0, "time");
        fputs(",\"said\":", to);
        json_put(to, a.text ? a.text : "");
        if (when)
            fprintf(to, ",\"written\":%" PRIu64, when->number);
        answer_free(&a);
    }
    fputs("}", to);
}

/* ---- all of it ---- */

static const struct view_window serve_limits = {.most = SERVE_BARS, .pins = SERVE_PINS, .arrows = SERVE_ARROWS};

static void serve_window(struct motet_view_service *s, const struct http_request *r, FILE *to)
{
    struct view_window w = serve_limits;
    w.from = serve_number(r, "from", 0);
    w.to = serve_number(r, "to", s->view->end);
    w.to = w.to < w.from ? w.from : w.to;
    w.node = (uint32_t)serve_number(r, "node", s->view->node_count); /* by default of none */
    view_write_window(s->view, w, to);
}

static void serve_page(struct motet_view_service *s, FILE *to)
{
    struct view_window w = serve_limits;
    w.to = s->view->end;
    w.node = s->view->node_count == 1 ? 0 : (uint32_t)s->view->node_count;
    page_begin(to);
    fputs("{\"run\":", to);
    view_write_head(s->view, true, to);
    fputs(",\"window\":", to);
    view_write_window(s->view, w, to);
    fprintf(to, ",\"story\":%s}", s->view->story ? s->view->story : "null");
    page_end(to);
}

static void serve_answer(void *context, const struct http_request *r, struct http_answer *a)
{
    struct motet_view_service *s = context;
    FILE *to = memory_must(open_memstream(&a->bytes, &a->size));
    bool timeline = s->commands.timeline != NULL;
    a->type = "application/json";
    if (strcmp(r->path, "") == 0) {
        a->type = "text/html; charset=utf-8";
        serve_page(s, to);
    } else if (strcmp(r->path, "window") == 0) {
        serve_window(s, r, to);
    } else if (strcmp(r->path, "at") == 0 && timeline) {
        serve_at(s, r, to);
    } else if (strcmp(r->path, "variable") == 0 && timeline) {
        serve_variable(s, r, to);
    } else {
        a->type = NULL;
    }
    memory_written(to);
}

/* ---- beginning and end ---- */

static bool serve_token(char text[2 * SERVE_TOKEN + 1], struct motet_error *e)
{
    uint8_t bytes[SERVE_TOKEN];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return monitor_sentence(e, "this machine has no random numbers for the address of the page");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static void *serve_module(struct motet_error *e)
{
    char path[PATH_MAX];
    struct motet_error why = {""};
    void *module = installed_module("motet_http.so", path, sizeof path, &why) ? dlopen(path, RTLD_NOW) : NULL;
    if (!module)
        monitor_sentence(e,
                         "pages cannot be served: %.600s (it needs libmicrohttpd when it is built: Debian's "
                         "libmicrohttpd-dev); motet report writes the page as a file",
                         why.text[0] ? why.text : dlerror());
    return module;
}

motet_view_service *motet_view_serve(motet_view *v, const struct motet_view_server *o, char address[MOTET_VIEW_ADDRESS],
                                     struct motet_error *e)
{
    char token[2 * SERVE_TOKEN + 1];
    void *module = serve_module(e);
    http_begin_function *begin;
    unsigned port;
    if (!module || !serve_token(token, e))
        return NULL;
    motet_view_service *s = memory_new(sizeof *s);
    s->view = v;
    s->commands = (struct commands){.timeline = o->timeline, .until = v->end};
    *(void **)&begin = dlsym(module, "motet_http_begin");
    *(void **)&s->end = dlsym(module, "motet_http_end");
    struct http_options how = {.port = o->port, .token = token, .answer = serve_answer, .context = s};
    s->http = begin && s->end ? begin(&how, &port, e) : NULL;
    if (!s->http) {
        free(s);
        return NULL;
    }
    snprintf(address, MOTET_VIEW_ADDRESS, "http://127.0.0.1:%u/%s/", port, token);
    return s;
}

void motet_view_serve_end(motet_view_service *s)
{
    if (!s)
        return;
    s->end(s->http);
    free(s);
}
