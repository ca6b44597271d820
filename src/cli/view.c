/* motet view: what happened in a run, as a page that a server on this machine gives to browsers. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "motet/amount.h"
#include "launch.h"
#include "option.h"
#include "page.h"
#include "sentence.h"
#include "terminal.h"

static bool view_set_port(void *into, const char *text, struct motet_error *e)
{
    return motet_read_number(text, 65535, &((struct page_options *)into)->port, e);
}

static bool view_set_browser(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct page_options *)into)->browser = text;
    return true;
}

static bool view_set_open(void *into, const char *text, struct motet_error *e)
{
    return view_set_browser(into, text ? text : "xdg-open", e);
}

static const struct option view_options[] = {
    {"port", "N", "the port on this machine; by default any that is free", view_set_port},
    {"open", NULL, "opens the page in the desktop's browser (xdg-open)", view_set_open},
    {"browser", "COMMAND", "opens the page with this program, which gets the address as its argument",
     view_set_browser},
    PAGE_OPTIONS,
    {NULL, NULL, NULL, NULL},
};

/* The run of a firmware is saved while it is shown, unless the user keeps it. */
struct view_kept {
    char folder[32], path[64];
};

static bool view_keep(struct view_kept *k, struct motet_error *e)
{
    strcpy(k->folder, "/tmp/motet-view-XXXXXX");
    if (!mkdtemp(k->folder))
        return sentence(e, "cannot make a folder in /tmp: %s", strerror(errno));
    snprintf(k->path, sizeof k->path, "%s/run.motet", k->folder);
    return true;
}

static void view_forget(const struct view_kept *k)
{
    if (!k->path[0])
        return;
    unlink(k->path);
    rmdir(k->folder);
}

/* The browser is not ours: it is started, and lives on. */
static bool view_start(const char *browser, const char *address, struct motet_error *e)
{
    pid_t child = fork();
    if (child == 0) {
        char command[1024];
        snprintf(command, sizeof command, "exec %.800s '%s' >/dev/null 2>&1", browser, address);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return child > 0 || sentence(e, "cannot start %s: %s", browser, strerror(errno));
}

/* Until Ctrl-C. Signals wait outside of this, so that none is missed. */
static void view_wait(void)
{
    sigset_t none;
    sigemptyset(&none);
    while (!terminal_interrupted())
        sigsuspend(&none);
}

static int view_serve(struct page_options *o, motet_view *v, motet_timeline *t)
{
    struct motet_view_server how = {.port = (unsigned)o->port, .timeline = t};
    struct motet_error e = {""};
    char address[MOTET_VIEW_ADDRESS];
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, &before);
    motet_view_service *s = motet_view_serve(v, &how, address, &e);
    bool good = s != NULL;
    if (good) {
        printf("%s\n", address);
        fflush(stdout);
        fprintf(stderr, "motet: the page is at this address, for this machine alone; Ctrl-C ends it\n");
        good = !o->browser || view_start(o->browser, address, &e);
        if (good)
            view_wait();
    }
    motet_view_serve_end(s);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return good ? 0 : complain("%s", e.text);
}

static int view_show(struct page_options *o, const char *const *files)
{
    struct view_kept kept = {.path = ""};
    struct page_subject subject = {.saved = NULL};
    struct motet_error e = {""};
    bool run = !o->elf && !page_is_saved_run(files[0]);
    if (o->browser && !launch_is_there(o->browser))
        return complain("%s is not there; open the address that motet view prints, or name another with --browser",
                        o->browser);
    terminal_catch_signals();
    if (run && !o->run.save && !view_keep(&kept, &e))
        return complain("%s", e.text);
    const char *path = o->run.save ? o->run.save : kept.path[0] ? kept.path : NULL;
    motet_view *v = page_collect(o, files, run ? path : NULL);
    int status = STATUS_USAGE;
    if (v && terminal_go_on())
        fprintf(stderr, "motet: the run ends here, and is shown\n");
    if (v)
        status = page_subject_open(&subject, o, files, path, &e) ? view_serve(o, v, subject.timeline)
                                                                 : complain("%s", e.text);
    page_subject_close(&subject);
    motet_view_free(v);
    view_forget(&kept);
    return status;
}

static int view_run(const struct verb *v, int argc, char **argv)
{
    struct page_options o;
    const char *files[PAGE_FILES + 1] = {NULL};
    int status;
    page_options_init(&o, argc, argv);
    if (options_parse(v, argc, argv, &o, files, PAGE_FILES, &status))
        status = view_show(&o, files);
    page_options_free(&o);
    return status;
}

extern const struct verb verb_view;
const struct verb verb_view = {
    .name = "view",
    .operands = "FILE...",
    .about = "show what happened in a run in a browser",
    .more = "Executes FILE once and prints the address of a page that shows it, as motet report does, until Ctrl-C. "
            "The page is for browsers of this machine alone, and only with the random token of its address. "
            "Here the page also knows the exact state of all nodes at any moment, every variable, and "
            "when it was written last. FILE is what motet report takes.",
    .options = view_options,
    .lent = run_options,
    .borrowed = page_borrowed,
    .run = view_run,
};
