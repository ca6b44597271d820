#include "page.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "motet/amount.h"
#include "sentence.h"
#include "stage.h"

/* ---- options ---- */

bool page_set_elf(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct page_options *)into)->elf = text;
    return true;
}

bool page_set_time(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct page_options *)into)->time = text;
    return true;
}

bool page_set_id(void *into, const char *text, struct motet_error *e)
{
    struct topology *t = &((struct page_options *)into)->run.topology;
    t->id_said = true;
    return motet_read_number(text, UINT32_MAX, &t->id, e);
}

bool page_set_variable(void *into, const char *text, struct motet_error *e)
{
    struct page_options *o = into;
    (void)e;
    o->variables = cli_one_more(o->variables, o->variable_count, sizeof *o->variables);
    o->variables[o->variable_count++] = text;
    return true;
}

const char *const page_borrowed[] = {"board",  "for",    "seed",   "with",  "clock",   "fuses",    "lock",    "fault",
                                     "serial", "analog", "sense",  "drive", "nodes",   "topology", "link",    "medium",
                                     "noise",  "loss",   "boot",   "drift", "battery", "set",      "threads", "flash",
                                     "eeprom", "part",   "script", "save",  NULL};

/* Whether an argument is an option that motet run has not, and whether its value is the next one. */
static bool page_is_ours(const char *argument, bool *value)
{
    static const char *const with_value[] = {"-o", "--output", "--variable", "--port", "--browser", NULL};
    *value = false;
    for (size_t i = 0; with_value[i]; i++) {
        size_t length = strlen(with_value[i]);
        if (strncmp(argument, with_value[i], length) == 0 && (!argument[length] || argument[length] == '=')) {
            *value = !argument[length];
            return true;
        }
    }
    return strcmp(argument, "--open") == 0 || strcmp(argument, "--json") == 0;
}

static char *page_arguments(int argc, char **argv)
{
    size_t size = 1;
    bool value;
    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    char *text = cli_array(size, 1);
    for (int i = 0; i < argc; i++)
        if (!page_is_ours(argv[i], &value))
            strcat(strcat(text, " "), argv[i]);
        else
            i += value;
    return text;
}

void page_options_init(struct page_options *o, int argc, char **argv)
{
    *o = (struct page_options){.arguments = page_arguments(argc, argv)};
    run_options_init(&o->run);
    o->run.quiet = true;
}

void page_options_free(struct page_options *o)
{
    run_options_free(&o->run);
    free(o->variables);
    free(o->arguments);
}

bool page_is_saved_run(const char *file)
{
    size_t length = strlen(file), tail = strlen(".motet");
    return length > tail && strcmp(file + length - tail, ".motet") == 0;
}

/* ---- what to type for the same position in a debugger ---- */

static char *page_join(const char *first, const char *middle, const char *last)
{
    char *text = cli_array(strlen(first) + strlen(middle) + strlen(last) + 1, 1);
    return strcat(strcat(strcpy(text, first), middle), last);
}

static char *page_debug(const struct page_options *o, const char *file, const char *kept)
{
    const char *saved = kept ? kept : o->run.save ? o->run.save : page_is_saved_run(file) ? file : NULL;
    if (o->elf)
        return page_join("motet replay", o->arguments, "");
    if (saved)
        return page_join("motet open --debug ", saved, " --at {time}");
    return page_join("motet run", o->arguments, " --save run.motet && motet open --debug run.motet --at {time}");
}

static motet_view *page_new(const struct page_options *o, const char *const *files, const char *kept)
{
    char *debug = page_debug(o, files[0], kept), *title = page_join("", files[0], "");
    for (size_t i = 1; files[i]; i++) {
        char *longer = page_join(title, " ", files[i]);
        free(title);
        title = longer;
    }
    motet_view *v = motet_view_new(&(struct motet_view_options){.title = title,
                                                                .debug = debug,
                                                                .then = o->elf ? "seek {time}" : NULL,
                                                                .variables = o->variables,
                                                                .variable_count = o->variable_count});
    free(debug);
    free(title);
    return v;
}

/* ---- runs ---- */

struct page_run {
    motet_view *view;
    bool done;
};

/* A run that could not begin, or broke, has nothing to show. */
static void page_over(void *context, const struct stage *s, int status)
{
    struct page_run *r = context;
    if (status == STATUS_USAGE || !s->network)
        return;
    motet_view_finish(r->view);
    r->done = true;
}

static bool page_run(struct page_options *o, motet_view *v, const char *file, const char *keep)
{
    struct page_run r = {.view = v};
    const char *before = o->run.save;
    o->run.file = file;
    o->run.view = v;
    o->run.save = keep ? keep : before;
    char *command = page_join("motet run", o->arguments, "");
    o->run.command = command;
    run_file(&o->run, page_over, &r);
    free(command);
    o->run.save = before;
    return r.done;
}

/* ---- saved runs ---- */

/* Without its snapshots: all of it is executed. */
static motet_saved_run *page_open(const struct page_options *o, const char *file, bool anew, struct motet_error *e)
{
    struct motet_saved_run_options how = {.threads = o->run.threads, .anew = anew};
    motet_saved_run *r = motet_saved_run_open(file, &how, e);
    if (!r || motet_saved_run_network(r))
        return r;
    motet_saved_run_free(r);
    sentence(e, "%s: was saved by a Motet that knew nodes without a network; save the run again", file);
    return NULL;
}

/* A counterexample says what went wrong, and by which choices. */
static void page_tell(motet_view *v, const motet_saved_run *r)
{
    const char *name, *text, *violation = NULL, *story = NULL;
    for (size_t i = 0; motet_saved_run_about(r, i, &name, &text); i++) {
        violation = strcmp(name, "violation") == 0 ? text : violation;
        story = strcmp(name, "story") == 0 ? text : story;
    }
    if (!violation || !story)
        return;
    char *both = page_join(violation, story, "");
    motet_view_about(v, both);
    free(both);
}

static bool page_saved_run(struct page_options *o, motet_view *v, const char *file, struct motet_error *e)
{
    motet_saved_run *r = page_open(o, file, true, e);
    struct motet_saved_run_info info;
    if (!r)
        return false;
    motet_saved_run_info(r, &info);
    page_tell(v, r);
    bool good = motet_view_attach(v, motet_saved_run_network(r), e) && motet_saved_run_seek(r, info.end, e);
    if (good)
        motet_view_finish(v);
    motet_saved_run_free(r);
    return good;
}

/* ---- node logs ---- */

static bool page_logs_open(struct page_subject *s, struct page_options *o, const char *const *files,
                           struct motet_error *e)
{
    assert(files[0]);
    char *named = NULL;
    bool said, one = !files[1];
    uint32_t id;
    const char *path = replay_network_id(files[0], &said, &id);
    o->run.file = o->elf;
    for (size_t i = 0; files[i]; i++)
        if (motet_interface_is_log(files[i]))
            return sentence(e, "%s is an interface log; motet merge --html writes a page of such logs", files[i]);
    if (one && !o->time) {
        o->run.topology.id_said |= said;
        o->run.topology.id = said ? id : o->run.topology.id;
        s->log = motet_log_load(path, 0, e);
        return s->log && stretch_load(&s->stretch, &o->run, s->log, motet_log_begin(s->log), e);
    }
    const char *list[] = {files[0], NULL};
    if (one && !said) {
        char number[32];
        snprintf(number, sizeof number, "%" PRIu64 ":", o->run.topology.id_said ? o->run.topology.id : UINT64_C(0));
        list[0] = named = page_join(number, files[0], "");
    }
    s->logs = replay_network_open(&o->run, o->time, one ? list : files, e);
    free(named);
    return s->logs != NULL;
}

static motet_network *page_logs_network(const struct page_subject *s)
{
    return s->logs ? replay_network_of(s->logs) : s->stretch.network;
}

static bool page_logs(struct page_options *o, motet_view *v, const char *const *files, struct motet_error *e)
{
    struct page_subject s = {.saved = NULL};
    bool good = page_logs_open(&s, o, files, e) && motet_view_attach(v, page_logs_network(&s), e);
    if (good) {
        motet_network *n = page_logs_network(&s);
        replay_network_ignore_faults(n);
        while (!replay_network_ended(n) && motet_network_run(n, MOTET_NEVER) != MOTET_NETWORK_IDLE)
            ;
        if (s.logs)
            motet_view_tell(v, replay_network_story(s.logs));
        motet_view_finish(v);
    }
    page_subject_close(&s);
    return good;
}

/* ---- all ---- */

motet_view *page_collect(struct page_options *o, const char *const *files, const char *keep)
{
    struct motet_error e = {""};
    bool saved = !o->elf && page_is_saved_run(files[0]);
    motet_view *v = page_new(o, files, keep);
    bool good = o->elf     ? page_logs(o, v, files, &e)
                : files[1] ? sentence(&e, "one file at a time; several are for node logs, which need --elf")
                : saved    ? page_saved_run(o, v, files[0], &e)
                           : page_run(o, v, files[0], keep);
    if (good)
        return v;
    if (e.text[0])
        complain("%s", e.text);
    motet_view_free(v);
    return NULL;
}

bool page_subject_open(struct page_subject *s, struct page_options *o, const char *const *files, const char *kept,
                       struct motet_error *e)
{
    struct motet_timeline_options how = {.memory = 0};
    *s = (struct page_subject){.saved = NULL};
    if (o->elf) {
        if (!page_logs_open(s, o, files, e))
            return false;
        replay_network_ignore_faults(page_logs_network(s));
        s->timeline = motet_timeline_of_network(page_logs_network(s), &how);
        return true;
    }
    s->saved = page_open(o, page_is_saved_run(files[0]) ? files[0] : kept, false, e);
    if (s->saved)
        s->timeline = motet_timeline_of_saved_run(s->saved, &how);
    return s->saved != NULL;
}

void page_subject_close(struct page_subject *s)
{
    motet_timeline_free(s->timeline);
    if (s->saved)
        motet_saved_run_free(s->saved);
    replay_network_close(s->logs);
    if (s->stretch.machine)
        stretch_free(&s->stretch);
    motet_log_free(s->log);
}
