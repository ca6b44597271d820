/* Sets of monitors: parsing what was asked for, putting it on nodes, writing what was found. */
#include <errno.h>

#include "monitor/monitor.h"

struct argument {
    char *name, *value;
};

struct monitor_arguments {
    struct argument *list;
    size_t count, room;
};

/* A monitor as it was asked for. */
struct wish {
    const struct monitor *monitor;
    const struct monitor_format *format; /* NULL: text, or JSON if that is wanted */
    const char *file;
    struct monitor_arguments arguments;
    FILE *opened; /* its file, where all nodes have the same */
};

/* A monitor on a node. */
struct fitted {
    struct monitor_site site;
    size_t wish;
    void *state;
};

struct motet_monitors {
    struct wish *wishes;
    size_t wish_count, wish_room;
    struct fitted **fitted;
    size_t fitted_count, fitted_room;
    struct spool_file *spool;
    motet_replay_clock **clocks; /* of the nodes, the latest last */
    size_t clock_count, clock_room;
};

static const struct motet_monitor_option shared[] = {
    {"file", "PATH", "writes to a file; %id in its name becomes the node's id"},
    {"format", "NAME", "the form in which it is written"},
};
enum { SHARED = sizeof shared / sizeof shared[0] };

/* ---- what there is ---- */

static const struct monitor *monitor_at(size_t number)
{
    size_t i = 0;
    while (i < number && monitors[i])
        i++;
    return monitors[i];
}

bool motet_monitor(size_t number, struct motet_monitor_info *info)
{
    const struct monitor *m = monitor_at(number);
    if (!m)
        return false;
    *info = (struct motet_monitor_info){.name = m->name, .about = m->about};
    return true;
}

static const struct motet_monitor_option *option_at(const struct monitor *m, size_t number)
{
    for (size_t i = 0; m->options && m->options[i].name; i++, number--)
        if (number == 0)
            return &m->options[i];
    return number < SHARED ? &shared[number] : NULL;
}

bool motet_monitor_option(size_t monitor, size_t number, struct motet_monitor_option *o)
{
    const struct monitor *m = monitor_at(monitor);
    const struct motet_monitor_option *found = m ? option_at(m, number) : NULL;
    if (found)
        *o = *found;
    return found != NULL;
}

bool motet_monitor_format(size_t monitor, size_t number, const char **name, const char **about)
{
    const struct monitor *m = monitor_at(monitor);
    for (size_t i = 0; m && m->formats[i].name; i++)
        if (i == number) {
            *name = m->formats[i].name;
            *about = m->formats[i].about;
            return true;
        }
    return false;
}

/* ---- what is asked for ---- */

motet_monitors *motet_monitors_new(void)
{
    motet_monitors *s = memory_new(sizeof *s);
    s->spool = spool_file_new();
    return s;
}

size_t motet_monitors_count(const motet_monitors *s)
{
    return s->wish_count;
}

static const struct monitor *find_monitor(const char *name, struct motet_error *e)
{
    const char *near = NULL;
    for (size_t i = 0; monitors[i]; i++) {
        if (strcmp(monitors[i]->name, name) == 0)
            return monitors[i];
        near = motet_word_nearer(name, near, monitors[i]->name);
    }
    if (near)
        monitor_sentence(e, "there is no monitor '%.40s'; did you mean %s?", name, near);
    else
        monitor_sentence(e, "there is no monitor '%.40s'; see motet monitors", name);
    return NULL;
}

static const struct monitor_format *find_format(const struct monitor *m, const char *name, struct motet_error *e)
{
    char known[200] = "";
    for (size_t i = 0; m->formats[i].name; i++) {
        size_t used = strlen(known);
        if (strcmp(m->formats[i].name, name) == 0)
            return &m->formats[i];
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", m->formats[i].name);
    }
    monitor_sentence(e, "%s is not written as '%.40s'; its formats are %s", m->name, name, known);
    return NULL;
}

static const char *given(const struct monitor_arguments *a, const char *name, size_t number)
{
    for (size_t i = 1; i < a->count; i++)
        if (strcmp(a->list[i].name, name) == 0 && number-- == 0)
            return a->list[i].value;
    return NULL;
}

/* Whether one may come more than once, its help says. */
static bool comes_again(const struct wish *w, const char *name, struct motet_error *e)
{
    const struct motet_monitor_option *o;
    const char *before = given(&w->arguments, name, 0);
    for (size_t i = 0; before && (o = option_at(w->monitor, i)); i++)
        if (strcmp(o->name, name) == 0 && !strstr(o->about, "many times"))
            return monitor_sentence(e, "%s is given twice to monitor %s, '%.40s' before", name, w->monitor->name,
                                    before);
    return true;
}

static bool known_option(const struct monitor *m, const char *name, struct motet_error *e)
{
    const struct motet_monitor_option *o;
    const char *near = NULL;
    char known[400] = "";
    for (size_t i = 0; (o = option_at(m, i)); i++) {
        size_t used = strlen(known);
        if (strcmp(o->name, name) == 0)
            return true;
        near = motet_word_nearer(name, near, o->name);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", o->name);
    }
    if (near)
        return monitor_sentence(e, "monitor %s has no option '%.40s'; did you mean %s?", m->name, name, near);
    return monitor_sentence(e, "monitor %s has no option '%.40s'; its options are %s", m->name, name, known);
}

static bool add_argument(struct wish *w, char *text, struct motet_error *e)
{
    char *equals = strchr(text, '=');
    if (equals && equals != text && !equals[1])
        return monitor_sentence(e, "nothing follows '%.80s' for monitor %s", text, w->monitor->name);
    if (!equals || equals == text)
        return monitor_sentence(e, "'%.80s' is not OPTION=VALUE for monitor %s", text, w->monitor->name);
    *equals = 0;
    if (!known_option(w->monitor, text, e) || !comes_again(w, text, e))
        return false;
    w->arguments.list =
        memory_grow(w->arguments.list, &w->arguments.room, w->arguments.count, sizeof *w->arguments.list);
    w->arguments.list[w->arguments.count++] = (struct argument){text, equals + 1};
    if (strcmp(text, "file") == 0)
        w->file = equals + 1;
    return strcmp(text, "format") != 0 || (w->format = find_format(w->monitor, equals + 1, e));
}

/* Names and values are pieces of one copy of the text, which the first argument begins. */
static bool set_parse(struct wish *w, const char *text, struct motet_error *e)
{
    char name[64];
    size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    w->monitor = find_monitor(name, e);
    if (!w->monitor)
        return false;
    if (!text[length] || !text[length + 1])
        return true;
    char *rest = memory_new(strlen(text + length));
    strcpy(rest, text + length + 1);
    w->arguments.list =
        memory_grow(w->arguments.list, &w->arguments.room, w->arguments.count, sizeof *w->arguments.list);
    w->arguments.list[w->arguments.count++] = (struct argument){rest, rest};
    while (rest) {
        char *piece = strsep(&rest, ",");
        if (!add_argument(w, piece, e))
            return false;
    }
    return true;
}

static void free_wish(struct wish *w)
{
    if (w->arguments.count)
        free(w->arguments.list[0].name);
    free(w->arguments.list);
}

/* Two of them in one file would write over one another; devices can be shared. */
static bool own_file(const motet_monitors *s, const struct wish *w, struct motet_error *e)
{
    for (size_t i = 0; w->file && strncmp(w->file, "/dev/", 5) != 0 && i < s->wish_count; i++)
        if (s->wishes[i].file && strcmp(s->wishes[i].file, w->file) == 0)
            return monitor_sentence(e, "the monitors %s and %s cannot both write to %.200s", s->wishes[i].monitor->name,
                                    w->monitor->name, w->file);
    return true;
}

bool motet_monitors_add(motet_monitors *s, const char *text, struct motet_error *e)
{
    struct wish w = {.monitor = NULL};
    if (!set_parse(&w, text, e) || !own_file(s, &w, e)) {
        free_wish(&w);
        return false;
    }
    s->wishes = memory_grow(s->wishes, &s->wish_room, s->wish_count, sizeof *s->wishes);
    s->wishes[s->wish_count++] = w;
    return true;
}

const char *monitor_option_at(const struct monitor_site *site, const char *name, size_t number)
{
    return given(site->arguments, name, number);
}

const char *monitor_option(const struct monitor_site *site, const char *name)
{
    return monitor_option_at(site, name, 0);
}

/* ---- on nodes ---- */

static bool fit(motet_monitors *s, size_t wish, motet_node *n, struct motet_error *e)
{
    const struct wish *w = &s->wishes[wish];
    struct fitted *f = memory_new(sizeof *f);
    struct motet_error why = {""};
    f->site = (struct monitor_site){.node = n,
                                    .machine = motet_node_machine(n),
                                    .network = motet_node_network(n),
                                    .several = motet_network_count(motet_node_network(n)) > 1,
                                    .arguments = &w->arguments,
                                    .spool = s->spool,
                                    .clock = s->clock_count ? s->clocks[s->clock_count - 1] : NULL};
    f->wish = wish;
    f->state = w->monitor->attach(&f->site, &why);
    if (!f->state) {
        free(f);
        return monitor_sentence(e, "monitor %s: %.900s", w->monitor->name, why.text);
    }
    s->fitted = memory_grow(s->fitted, &s->fitted_room, s->fitted_count, sizeof *s->fitted);
    s->fitted[s->fitted_count++] = f;
    return true;
}

static char *file_name(const struct wish *w, const motet_node *n)
{
    size_t length = strlen(w->file) + 16;
    char *name = memory_new(length);
    const char *at = strstr(w->file, "%id");
    if (at)
        snprintf(name, length, "%.*s%" PRIu32 "%s", (int)(at - w->file), w->file, motet_node_id(n), at + 3);
    else
        snprintf(name, length, "%s", w->file);
    return name;
}

static bool check_file(const struct wish *w, bool several, struct motet_error *e)
{
    if (w->format && w->format->alone && several && !(w->file && strstr(w->file, "%id")))
        return monitor_sentence(e, "monitor %s: %s holds one node; give each its own file, such as file=node%%id.out",
                                w->monitor->name, w->format->name);
    return true;
}

/* Whether the files can be written is found out before the run. */
static bool set_open_file(struct wish *w, struct motet_error *e)
{
    if (!w->file || strstr(w->file, "%id") || w->opened)
        return true;
    w->opened = fopen(w->file, "w");
    return w->opened ||
           monitor_sentence(e, "monitor %s: cannot write to %.200s: %s", w->monitor->name, w->file, strerror(errno));
}

static bool check_files(motet_monitors *s, bool several, struct motet_error *e)
{
    for (size_t i = 0; i < s->wish_count; i++)
        if (!check_file(&s->wishes[i], several, e))
            return false;
    for (size_t i = 0; i < s->wish_count; i++)
        if (!set_open_file(&s->wishes[i], e))
            return false;
    return true;
}

bool motet_monitors_clock(motet_monitors *s, motet_node *n, const char *clock, struct motet_error *e)
{
    motet_replay_clock *c = motet_replay_clock_new(n, clock, e);
    if (!c)
        return false;
    s->clocks = memory_grow(s->clocks, &s->clock_room, s->clock_count, sizeof *s->clocks);
    s->clocks[s->clock_count++] = c;
    return true;
}

bool motet_monitors_attach_network(motet_monitors *s, motet_network *n, struct motet_error *e)
{
    size_t count = motet_network_count(n);
    for (size_t i = 0; i < s->wish_count; i++)
        for (size_t k = 0; k < count; k++)
            if (!fit(s, i, motet_network_at(n, k), e))
                return false;
    return check_files(s, count > 1, e);
}

/* ---- what was found ---- */

static const struct monitor_format *format_of(const struct wish *w, bool json)
{
    const struct monitor_format *f = w->monitor->formats;
    if (w->format)
        return w->format;
    for (size_t i = 0; json && f[i].name; i++)
        if (strcmp(f[i].name, "json") == 0)
            return &f[i];
    return f;
}

static void write_one(const struct fitted *f, const struct wish *w, const struct monitor_format *format, FILE *out)
{
    const struct monitor_site *site = &f->site;
    bool json = strcmp(format->name, "json") == 0, text = strcmp(format->name, "text") == 0;
    if (json)
        fprintf(out, "{\"monitor\": \"%s\", \"node\": %" PRIu32, w->monitor->name, motet_node_id(site->node));
    if (text && site->several)
        fprintf(out, "== %s of node %" PRIu32 "\n", w->monitor->name, motet_node_id(site->node));
    else if (text)
        fprintf(out, "== %s\n", w->monitor->name);
    format->write(f->state, out);
    if (json)
        fprintf(out, "}\n");
}

/* All of a monitor at once, as far as they go to one file. */
static void write_together(struct fitted *const *list, size_t count, const struct wish *w,
                           const struct monitor_format *format, FILE *out)
{
    void **states = memory_array(count, sizeof *states);
    for (size_t i = 0; i < count; i++)
        states[i] = list[i]->state;
    if (strcmp(format->name, "text") == 0)
        fprintf(out, "== %s\n", w->monitor->name);
    w->monitor->together(states, count, format->name, out);
    free(states);
}

static bool write_fitted(struct wish *w, struct fitted *const *list, size_t count, FILE *out, bool json,
                         struct motet_error *e)
{
    const struct fitted *f = list[0];
    const struct monitor_format *format = format_of(w, json);
    bool own = w->file && !w->opened, good = true;
    char *name = w->file ? file_name(w, f->site.node) : NULL;
    FILE *to = own ? fopen(name, "w") : w->opened ? w->opened : out;
    if (to && !format->write)
        write_together(list, count, w, format, to);
    else if (to)
        write_one(f, w, format, to);
    good = to && !ferror(to);
    if (own && to)
        good &= fclose(to) == 0;
    if (!good)
        monitor_sentence(e, "monitor %s: cannot write to %.200s: %s", w->monitor->name, name ? name : "standard output",
                         strerror(errno));
    free(name);
    return good;
}

static int by_id(const void *a, const void *b)
{
    const struct fitted *x = *(struct fitted *const *)a, *y = *(struct fitted *const *)b;
    uint32_t i = motet_node_id(x->site.node), k = motet_node_id(y->site.node);
    return x->wish != y->wish ? (x->wish > y->wish) - (x->wish < y->wish) : (i > k) - (i < k);
}

static bool close_files(motet_monitors *s, struct motet_error *e)
{
    bool good = true;
    for (size_t i = 0; i < s->wish_count; i++) {
        struct wish *w = &s->wishes[i];
        if (w->opened && fclose(w->opened) != 0)
            good = monitor_sentence(e, "monitor %s: cannot write to %.200s: %s", w->monitor->name, w->file,
                                    strerror(errno));
        w->opened = NULL;
    }
    return good;
}

/* How many are written at once, from one on: all nodes of a monitor whose format wants that, if they have one file. */
static size_t set_piece(const motet_monitors *s, size_t first, bool json)
{
    const struct wish *w = &s->wishes[s->fitted[first]->wish];
    size_t count = 1;
    if (format_of(w, json)->write || (w->file && !w->opened))
        return 1;
    while (first + count < s->fitted_count && s->fitted[first + count]->wish == s->fitted[first]->wish)
        count++;
    return count;
}

/* Where a temporary file had no room, what was found is not whole. */
static bool spool_good(const motet_monitors *s, struct motet_error *e)
{
    int error = spool_file_error(s->spool);
    return !error ||
           monitor_sentence(e, "monitors: cannot keep what they found in a temporary file: %s", strerror(error));
}

bool motet_monitors_write(motet_monitors *s, FILE *out, bool json, struct motet_error *e)
{
    if (s->fitted_count)
        qsort(s->fitted, s->fitted_count, sizeof(struct fitted *), by_id);
    for (size_t i = 0; i < s->fitted_count; i++) {
        const struct fitted *f = s->fitted[i];
        if (s->wishes[f->wish].monitor->finish)
            s->wishes[f->wish].monitor->finish(f->state);
    }
    bool good = spool_good(s, e);
    for (size_t i = 0, count; good && i < s->fitted_count; i += count) {
        count = set_piece(s, i, json);
        good = write_fitted(&s->wishes[s->fitted[i]->wish], s->fitted + i, count, out, json, e) && spool_good(s, e);
    }
    return close_files(s, e) && good;
}

void motet_monitors_free(motet_monitors *s)
{
    struct motet_error ignored;
    if (!s)
        return;
    for (size_t i = 0; i < s->fitted_count; i++) {
        void (*end)(void *) = s->wishes[s->fitted[i]->wish].monitor->free;
        (end ? end : free)(s->fitted[i]->state);
        free(s->fitted[i]);
    }
    close_files(s, &ignored);
    for (size_t i = 0; i < s->wish_count; i++)
        free_wish(&s->wishes[i]);
    free(s->wishes);
    free(s->fitted);
    for (size_t i = 0; i < s->clock_count; i++)
        motet_replay_clock_free(s->clocks[i]);
    free(s->clocks);
    spool_file_free(s->spool);
    free(s);
}
