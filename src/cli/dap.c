/* motet dap: what an editor starts, to debug by the Debug Adapter Protocol.
 *
 * A launch request becomes the command line of another verb, which sets everything up as it always does and then comes
 * back here (dap_serve) with what is to be debugged.
 */
#include "dap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch.h"
#include "memory.h"
#include "motet/amount.h"
#include "option.h"
#include "sentence.h"

/* ---- what is printed: it belongs to the user, not into the messages ---- */

struct dap_stream {
    const char *category;
    int also; /* a descriptor it goes to as well, or -1 */
    FILE *file;
    char *text; /* not shown yet */
    size_t count, room;
};

/* Of this process, like the streams they stand for. */
static struct dap_stream dap_printed = {.category = "stdout"}, dap_complained = {.category = "stderr"};
static motet_dap_client *dap_launcher; /* the client on standard input and output; NULL: there is none */
static bool dap_served;                /* with what it had asked for */

static ssize_t dap_write(void *stream, const char *bytes, size_t count)
{
    struct dap_stream *s = stream;
    for (size_t done = 0; s->also >= 0 && done < count;) {
        ssize_t now = write(s->also, bytes + done, count - done);
        if (now < 0 && errno != EINTR)
            break;
        done += now > 0 ? (size_t)now : 0;
    }
    if (s->room - s->count < count) {
        s->room = 2 * (s->room + count);
        s->text = cli_resized(s->text, s->room, 1);
    }
    memcpy(s->text + s->count, bytes, count);
    s->count += count;
    return (ssize_t)count;
}

static FILE *dap_divert(struct dap_stream *s, int also)
{
    s->also = also;
    s->file = fopencookie(s, "w", (cookie_io_functions_t){.write = dap_write});
    if (s->file)
        setvbuf(s->file, NULL, _IOLBF, 0);
    return s->file;
}

static bool dap_divert_all(int also)
{
    FILE *out = dap_divert(&dap_printed, also), *error = dap_divert(&dap_complained, STDERR_FILENO);
    if (!out || !error)
        return false;
    fflush(stdout);
    stdout = out;
    stderr = error;
    return true;
}

static void dap_show_stream(struct dap_stream *s, motet_dap_client *c)
{
    if (!s->file)
        return;
    fflush(s->file);
    if (s->count)
        motet_dap_output(c, s->category, s->text, s->count);
    s->count = 0;
}

void dap_show(motet_dap_client *c)
{
    dap_show_stream(&dap_printed, c);
    dap_show_stream(&dap_complained, c);
}

/* ---- serving ---- */

static int dap_left(motet_dap_client *c)
{
    return *motet_dap_client_error(c) ? complain("%s", motet_dap_client_error(c)) : 0;
}

/* One client after the other, until one closes what is debugged, or its connection. */
static int dap_serve_attached(motet_dap *d, int listener)
{
    enum motet_debug_end end = MOTET_DEBUG_DETACHED;
    struct launched nobody = {.process = 0};
    int status = 0;
    while (end == MOTET_DEBUG_DETACHED && status == 0) {
        struct motet_dap_launch wish;
        int connection = launch_accept(listener, &nobody);
        if (connection < 0)
            return complain("no connection can be accepted: %s", strerror(errno));
        motet_dap_client *c = motet_dap_client_new(connection, connection);
        bool asked;
        while ((asked = motet_dap_await(c, &wish)) && !wish.attach)
            motet_dap_refuse(c, "something is debugged here already; use an attach request");
        if (asked)
            end = motet_dap_serve(d, c);
        status = dap_left(c);
        motet_dap_client_free(c);
        close(connection);
    }
    return status;
}

static bool dap_take_standard(int *in, int *out)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    *in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    *out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    bool taken = nothing >= 0 && *in >= 0 && *out >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
                 dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    if (nothing >= 0)
        close(nothing);
    return taken;
}

/* A client that attaches by standard input and output. */
static int dap_serve_standard(motet_dap *d)
{
    struct motet_dap_launch wish;
    int in, out, status = 0;
    if (!dap_take_standard(&in, &out) || !dap_divert_all(-1))
        return complain("standard input and output cannot be used: %s", strerror(errno));
    motet_dap_client *c = motet_dap_client_new(in, out);
    bool asked;
    while ((asked = motet_dap_await(c, &wish)) && !wish.attach)
        motet_dap_refuse(c, "something is debugged here already; use an attach request");
    if (asked)
        motet_dap_serve(d, c);
    status = dap_left(c);
    motet_dap_client_free(c);
    return status;
}

int dap_serve(motet_dap *d, const struct debug_options *o)
{
    struct motet_error e = {""};
    unsigned port;
    signal(SIGPIPE, SIG_IGN);
    if (dap_launcher && !o->listen) {
        dap_served = true;
        motet_dap_serve(d, dap_launcher);
        return 0;
    }
    if (!o->listen)
        return dap_serve_standard(d);
    int listener = launch_listen(o->host, o->port, &port, &e);
    if (listener < 0)
        return complain("%s", e.text);
    fprintf(stderr, "motet: waiting for an editor on port %u\n", port);
    int status = dap_divert_all(STDOUT_FILENO) ? dap_serve_attached(d, listener) : complain("output cannot be shown");
    close(listener);
    return status;
}

/* ---- launching: another verb, with the words of the request ---- */

static const char *dap_verb_for(const struct motet_dap_launch *l)
{
    size_t length = strlen(l->program);
    bool saved = length > 6 && strcmp(l->program + length - 6, ".motet") == 0;
    return l->log_count ? "replay" : saved ? "open" : "debug";
}

static int dap_run_verb(const struct motet_dap_launch *l)
{
    const struct verb *v = verb_named(dap_verb_for(l));
    char **words = cli_array(l->word_count + l->log_count + 6, sizeof *words);
    int count = 0;
    for (size_t i = 0; i < l->word_count; i++)
        words[count++] = (char *)l->words[i];
    words[count++] = "--dap";
    words[count++] = "-";
    if (l->log_count) {
        words[count++] = "--elf";
        words[count++] = (char *)l->program;
    }
    words[count++] = "--";
    if (!l->log_count)
        words[count++] = (char *)l->program;
    for (size_t i = 0; i < l->log_count; i++)
        words[count++] = (char *)l->logs[i];
    int status = v->run(v, count, words);
    free(words);
    return status;
}

/* The verb's last words, as the answer: "motet: app.elf: cannot be opened". */
static void dap_refuse(motet_dap_client *c)
{
    struct dap_stream *s = &dap_complained;
    fflush(stderr);
    while (s->count && s->text[s->count - 1] == '\n')
        s->count--;
    char *text = cli_text(s->count ? s->text : "", s->count), *line = strrchr(text, '\n');
    const char *why = line ? line + 1 : text, *name = "motet: ";
    why += strncmp(why, name, strlen(name)) == 0 ? strlen(name) : 0;
    motet_dap_refuse(c, *why ? why : "there is nothing to debug; an option asks for something else");
    s->count = 0;
    free(text);
}

static bool dap_launch(const struct motet_dap_launch *l)
{
    if (l->attach) {
        motet_dap_refuse(dap_launcher, "there is nothing to attach to; start motet debug, open or replay with --dap "
                                       ":PORT, or use a launch request");
        return false;
    }
    if (l->folder && chdir(l->folder) != 0) {
        complain("%s: %s", l->folder, strerror(errno));
        dap_refuse(dap_launcher);
        return false;
    }
    dap_run_verb(l);
    if (!dap_served)
        dap_refuse(dap_launcher);
    return dap_served;
}

/* ---- the verb ---- */

struct dap_options {
    bool listen;
    uint64_t port;
};

static bool dap_set_port(void *into, const char *text, struct motet_error *e)
{
    struct dap_options *o = into;
    return (o->listen = true) && motet_read_number(text, 65535, &o->port, e);
}

static const struct option options[] = {
    {"port", "PORT",
     "waits for one editor on that port of this machine, instead of using standard input and output; port 0 is any "
     "free port",
     dap_set_port},
    {NULL, NULL, NULL, NULL},
};

/* The connection of the first client, in place of standard input and output. */
static bool dap_accept(const struct dap_options *o, struct motet_error *e)
{
    struct launched nobody = {.process = 0};
    unsigned port;
    int listener = launch_listen("", (unsigned)o->port, &port, e);
    if (listener < 0)
        return false;
    fprintf(stderr, "motet: waiting for an editor on port %u\n", port);
    int connection = launch_accept(listener, &nobody);
    close(listener);
    bool good = connection >= 0 && dup2(connection, STDIN_FILENO) >= 0 && dup2(connection, STDOUT_FILENO) >= 0;
    if (connection >= 0)
        close(connection);
    return good || sentence(e, "no connection can be accepted: %s", strerror(errno));
}

static int dap_run(const struct verb *v, int argc, char **argv)
{
    struct dap_options o = {.listen = false};
    struct motet_dap_launch wish;
    struct motet_error e = {""};
    int status, in, out;
    if (!options_parse(v, argc, argv, &o, NULL, 0, &status))
        return status;
    signal(SIGPIPE, SIG_IGN);
    if (o.listen && !dap_accept(&o, &e))
        return complain("%s", e.text);
    if (!dap_take_standard(&in, &out) || !dap_divert_all(-1))
        return complain("standard input and output cannot be used: %s", strerror(errno));
    dap_launcher = motet_dap_client_new(in, out);
    bool served = false;
    while (!served && motet_dap_await(dap_launcher, &wish))
        served = dap_launch(&wish);
    status = dap_left(dap_launcher);
    motet_dap_client_free(dap_launcher);
    dap_launcher = NULL;
    close(in);
    close(out);
    return status;
}

extern const struct verb verb_dap;
const struct verb verb_dap = {
    .name = "dap",
    .operands = "",
    .about = "debug in an editor, by the Debug Adapter Protocol",
    .more = "An editor starts this and talks to it on standard input and output (docs/editors.md). A launch request "
            "names a firmware, a scenario or a saved run as program, and a node's log as log; its other attributes are "
            "the options of motet debug, open and replay. Every node is a thread. Execution goes forward and backward. "
            "It ends with the editor's session, or with its connection. To let an editor attach to something that is "
            "set up already, use motet debug, open or replay with --dap.",
    .options = options,
    .run = dap_run,
};
