/* Breakpoints: of lines, functions, instructions and data, with conditions, hit counts and log messages. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "dap/arguments.h"
#include "dap/dap.h"
#include "dap/text.h"

/* ---- life ---- */

static void points_free(motet_dap *d, struct dap_point *p)
{
    if (p->number)
        motet_inspector_delete_point(d->inspector, p->number);
    free(p->source);
    free(p->message);
}

/* Those of a kind; of lines, those of one file. */
static void points_replace(motet_dap *d, enum dap_point_kind kind, const char *source)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->point_count; i++) {
        struct dap_point *p = &d->points[i];
        if (p->kind == kind && (!source || strcmp(p->source, source) == 0))
            points_free(d, p);
        else
            d->points[kept++] = *p;
    }
    d->point_count = kept;
}

void points_clear(motet_dap *d)
{
    for (size_t i = 0; i < d->point_count; i++)
        points_free(d, &d->points[i]);
    d->point_count = 0;
}

void points_reset(motet_dap *d)
{
    for (size_t i = 0; i < d->point_count; i++)
        d->points[i].hits = 0;
}

struct dap_point *points_met(motet_dap *d, unsigned number)
{
    for (size_t i = 0; number && i < d->point_count; i++)
        if (d->points[i].number == number)
            return &d->points[i];
    return NULL;
}

/* ---- when it counts ---- */

static bool points_counts(const struct dap_point *p)
{
    uint64_t h = p->hits, n = p->operand;
    switch (p->compare[0]) {
    case '=': return h == n;
    case '<': return p->compare[1] ? h <= n : h < n;
    case '>': return p->compare[1] ? h >= n : h > n;
    case '%': return n && h % n == 0;
    default: return true;
    }
}

/* Going back nothing is logged: it happened before, and was logged then. */
bool points_stops(motet_dap *d, struct dap_point *p, uint32_t node)
{
    struct answer a = {.text = NULL};
    p->hits++;
    if (!points_counts(p))
        return false;
    if (!p->message)
        return true;
    if (!d->move.backward) {
        evaluate_expand(d, node, p->message, &a);
        answer_say(&a, "\n");
        dap_flush(d, false);
        dap_console(d, "console", a.text);
        answer_free(&a);
    }
    return false;
}

/* "5" is the fifth hit and all after it; ">= 5", "== 5", "< 5", "% 5". */
static bool points_read_hits(struct dap_point *p, const char *text, struct motet_error *e)
{
    const char *at = text + strspn(text, " ");
    size_t length = strspn(at, "<>=%");
    char *end;
    snprintf(p->compare, sizeof p->compare, "%.*s", (int)(length < 3 ? length : 2), at);
    if (!length)
        snprintf(p->compare, sizeof p->compare, ">=");
    at += length + strspn(at + length, " ");
    p->operand = strtoull(at, &end, 10);
    bool known = strstr(" == = < <= > >= % ", p->compare) != NULL && length < 3;
    return (known && isdigit((unsigned char)*at) && !end[strspn(end, " ")]) ||
           argument_error(e, "'%.60s' is no hit condition; give a number such as 5, or == 5, >= 5, < 5, %% 5", text);
}

/* ---- making one ---- */

struct points_wish {
    enum dap_point_kind kind;
    const char *source;
    const json_t *from; /* condition, hitCondition, logMessage */
    struct motet_point point;
    struct motet_point_place *places;
    size_t place_room;
    const char *missing; /* what to say if there are no places */
};

static void points_add_place(struct points_wish *w, uint32_t node, uint32_t address)
{
    w->places = memory_grow(w->places, &w->place_room, w->point.place_count, sizeof *w->places);
    w->places[w->point.place_count++] = (struct motet_point_place){node, address};
    w->point.places = w->places;
}

/* Takes "node 3", or "node 3 if ...", off a condition: only that node's places stay. */
static bool points_choose_node(motet_dap *d, struct points_wish *w, struct motet_error *e)
{
    const char *text = w->point.condition + strspn(w->point.condition, " ");
    char *end;
    if (strncmp(text, "node ", 5) != 0 || !isdigit((unsigned char)text[5 + strspn(text + 5, " ")]))
        return true;
    unsigned long id = strtoul(text + 5, &end, 10);
    end += strspn(end, " ");
    if (*end && strncmp(end, "if ", 3) != 0)
        return argument_error(e, "a condition for one node is 'node 3', or 'node 3 if EXPRESSION'");
    size_t kept = 0;
    for (size_t i = 0; i < w->point.place_count; i++)
        if (motet_node_id(motet_timeline_node(d->timeline, w->places[i].node)) == id)
            w->places[kept++] = w->places[i];
    w->point.place_count = kept;
    w->point.condition = *end ? end + 3 : NULL;
    return kept || argument_error(e, "there is no code for this breakpoint on a node %lu", id);
}

static bool points_read(motet_dap *d, struct points_wish *w, struct dap_point *p, struct motet_error *e)
{
    const char *hits = NULL, *message = NULL;
    if (!argument_text(w->from, "condition", &w->point.condition, e) ||
        !argument_text(w->from, "hitCondition", &hits, e) || !argument_text(w->from, "logMessage", &message, e))
        return false;
    if (w->point.condition && !w->point.condition[strspn(w->point.condition, " ")])
        w->point.condition = NULL;
    if (hits && hits[strspn(hits, " ")] && !points_read_hits(p, hits, e))
        return false;
    if (message && *message)
        p->message = memory_string(message);
    if (w->kind != DAP_POINT_DATA && !w->point.place_count)
        return argument_error(e, "%s", w->missing);
    return !w->point.condition || w->kind == DAP_POINT_DATA || points_choose_node(d, w, e);
}

/* The answer about it. One that cannot be is kept, unverified, with the reason. */
static json_t *points_add(motet_dap *d, struct points_wish *w)
{
    struct dap_point p = {.kind = w->kind, .source = w->source ? memory_string(w->source) : NULL, .id = ++d->point_ids};
    struct motet_error e = {""};
    if (points_read(d, w, &p, &e))
        p.number = motet_inspector_add_point(d->inspector, &w->point, &e);
    json_t *answer = json_pack("{s:I, s:b}", "id", p.id, "verified", p.number != 0);
    if (!p.number)
        json_object_set_new(answer, "message", text_string(e.text));
    if (p.number && w->point.place_count)
        json_object_set_new(answer, "instructionReference", memory_reference(w->places[0].node, w->places[0].address));
    d->points = memory_grow(d->points, &d->point_room, d->point_count, sizeof *d->points);
    d->points[d->point_count++] = p;
    free(w->places);
    return answer;
}

/* ---- lines ---- */

static const char *points_folder(const char *path)
{
    const char *end = strrchr(path, '/');
    while (end && end > path && end[-1] != '/')
        end--;
    return end ? end : path;
}

/* Whether a file of the firmware is the client's. A copy elsewhere is, if its folder has the same name; another file
 * that has only its own name in common is not. */
static bool points_is_file(const char *path, const char *known)
{
    struct stat a, b;
    const char *here = known ? motet_source_path(known) : NULL;
    if (!here || stat(path, &a) != 0 || stat(here, &b) != 0)
        return true;
    return (a.st_dev == b.st_dev && a.st_ino == b.st_ino) || strcmp(points_folder(path), points_folder(here)) == 0;
}

/* Places of a line on all nodes; the line becomes that of the first of them. Nodes with the same firmware share their
 * machine, which is asked once. */
static void points_find_line(motet_dap *d, struct points_wish *w, const char *path, unsigned *line)
{
    uint32_t addresses[DAP_PLACES];
    struct motet_instruction is;
    const motet_machine *last = NULL;
    unsigned wanted = *line, nearest = UINT32_MAX, found = 0;
    size_t count = 0;
    for (uint32_t i = 0; i < motet_timeline_count(d->timeline); i++) {
        const motet_machine *m = motet_node_machine(motet_timeline_node(d->timeline, i));
        if (m != last) {
            found = wanted;
            count = motet_machine_lines(m, path, &found, addresses, DAP_PLACES);
            if (count && motet_machine_instruction(m, addresses[0], &is) && !points_is_file(path, is.file))
                count = 0;
        }
        last = m;
        for (size_t k = 0; k < count; k++)
            points_add_place(w, i, addresses[k]);
        nearest = count && found < nearest ? found : nearest;
    }
    *line = nearest == UINT32_MAX ? wanted : nearest;
}

static bool points_source_path(const json_t *a, const char **path, struct motet_error *e)
{
    json_t *source = NULL;
    *path = NULL;
    return argument_needs(a, "source", e) && argument_object(a, "source", &source, e) &&
           argument_needs(source, "path", e) && argument_text(source, "path", path, e);
}

/* The list of a request, whose elements must be objects. */
static bool points_list(const json_t *a, const char *name, json_t **list, struct motet_error *e)
{
    json_t *one;
    size_t i;
    *list = NULL;
    if (!argument_list(a, name, list, e))
        return false;
    json_array_foreach(*list, i, one) if (!json_is_object(one)) return argument_error(
        e, "the elements of '%s' must be objects", name);
    return true;
}

bool points_source(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    json_t *wishes, *one, *answers = json_array();
    const char *path;
    size_t i;
    json_object_set_new(body, "breakpoints", answers);
    if (!points_source_path(a, &path, e) || !points_list(a, "breakpoints", &wishes, e))
        return false;
    json_array_foreach(wishes, i, one)
    {
        int64_t line = 0;
        if (!argument_needs(one, "line", e) || !argument_number(one, "line", 0, INT32_MAX, &line, e))
            return false;
    }
    points_replace(d, DAP_POINT_SOURCE, path);
    json_array_foreach(wishes, i, one)
    {
        unsigned line = (unsigned)json_number_value(json_object_get(one, "line")) + d->client->lines_from_0;
        struct points_wish w = {.kind = DAP_POINT_SOURCE,
                                .source = path,
                                .from = one,
                                .missing =
                                    "there is no code of this line, or a later one, in the firmware of any node"};
        points_find_line(d, &w, path, &line);
        json_t *answer = points_add(d, &w);
        json_object_set_new(answer, "line", json_integer(dap_line_out(d, line)));
        json_array_append_new(answers, answer);
    }
    return true;
}

bool points_locations(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    enum { POINTS_LINES = 2000 };
    json_t *answers = json_array();
    const char *path;
    int64_t first = 0, last;
    json_object_set_new(body, "breakpoints", answers);
    if (!points_source_path(a, &path, e) || !argument_needs(a, "line", e) ||
        !argument_number(a, "line", 0, INT32_MAX, &first, e))
        return false;
    last = first;
    if (!argument_number(a, "endLine", 0, INT32_MAX, &last, e))
        return false;
    first += d->client->lines_from_0;
    last += d->client->lines_from_0;
    for (unsigned n = 0; first <= last && n < POINTS_LINES; n++, first++) {
        struct points_wish w = {.kind = DAP_POINT_SOURCE};
        unsigned line = (unsigned)first;
        points_find_line(d, &w, path, &line);
        free(w.places);
        if (!w.point.place_count || line > last)
            break;
        json_array_append_new(answers, json_pack("{s:I}", "line", (json_int_t)dap_line_out(d, line)));
        first = line;
    }
    return true;
}

/* ---- functions and instructions ---- */

bool points_function(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    json_t *wishes, *one, *answers = json_array();
    size_t i;
    json_object_set_new(body, "breakpoints", answers);
    if (!points_list(a, "breakpoints", &wishes, e))
        return false;
    json_array_foreach(wishes, i, one)
    {
        const char *name;
        if (!argument_needs(one, "name", e) || !argument_text(one, "name", &name, e))
            return false;
    }
    points_replace(d, DAP_POINT_FUNCTION, NULL);
    json_array_foreach(wishes, i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        struct points_wish w = {
            .kind = DAP_POINT_FUNCTION, .from = one, .missing = "no node's firmware has a function of that name"};
        for (uint32_t node = 0; node < motet_timeline_count(d->timeline); node++) {
            uint32_t address;
            if (motet_machine_body(motet_node_machine(motet_timeline_node(d->timeline, node)), name, &address))
                points_add_place(&w, node, address);
        }
        json_array_append_new(answers, points_add(d, &w));
    }
    return true;
}

/* On all nodes with that firmware, as for lines. */
static void points_find_instruction(motet_dap *d, struct points_wish *w, uint32_t node, uint32_t address)
{
    const motet_machine *m = motet_node_machine(motet_timeline_node(d->timeline, node));
    struct motet_instruction is;
    if (!motet_machine_instruction(m, address, &is))
        return;
    for (uint32_t i = 0; i < motet_timeline_count(d->timeline); i++)
        if (motet_node_machine(motet_timeline_node(d->timeline, i)) == m)
            points_add_place(w, i, address);
}

bool points_instruction(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    json_t *wishes, *one, *answers = json_array();
    size_t i;
    json_object_set_new(body, "breakpoints", answers);
    if (!points_list(a, "breakpoints", &wishes, e))
        return false;
    points_replace(d, DAP_POINT_INSTRUCTION, NULL);
    json_array_foreach(wishes, i, one)
    {
        const char *reference = NULL;
        int64_t offset = 0;
        uint32_t node, address;
        if (!argument_needs(one, "instructionReference", e) ||
            !argument_text(one, "instructionReference", &reference, e) ||
            !argument_number(one, "offset", INT32_MIN, INT32_MAX, &offset, e) ||
            !memory_referred(d, reference, &node, &address, e))
            return false;
        struct points_wish w = {
            .kind = DAP_POINT_INSTRUCTION, .from = one, .missing = "there is no program memory at that address"};
        points_find_instruction(d, &w, node, (uint32_t)(address + offset));
        json_array_append_new(answers, points_add(d, &w));
    }
    return true;
}

/* ---- data ---- */

static bool points_data_place(motet_dap *d, const json_t *a, const char *name, uint32_t *node, uint32_t *address,
                              uint32_t *size, struct motet_error *e)
{
    int64_t reference = 0;
    size_t level;
    bool as_address = false;
    if (!argument_number(a, "variablesReference", 0, INT32_MAX, &reference, e) ||
        !argument_flag(a, "asAddress", &as_address, e))
        return false;
    if (as_address)
        return memory_referred(d, name, node, address, e) && (*size = 1);
    const struct dap_held *h = reference ? variables_held(d, reference) : NULL;
    if (reference && !h)
        return argument_error(e, "there are no such variables any more");
    if (!h && !look_frame(d, a, node, &level, e))
        return false;
    motet_variable *v =
        h ? variables_member(d, h, name) : motet_variable_find(motet_timeline_node(d->timeline, *node), level, name, e);
    *node = h ? h->node : *node;
    bool found = v && motet_variable_place(v, address, size);
    if (v && !found)
        argument_error(e, "'%s' is in registers here, not in memory", name);
    else if (!v && h)
        argument_error(e, "there is no '%s'", name);
    motet_variable_free(v);
    return found;
}

bool points_data_info(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    const char *name = NULL;
    uint32_t node = 0, address = 0, size = 0;
    int64_t bytes = 0;
    char id[64], text[300];
    struct motet_error why = {""};
    enum motet_memory which;
    uint32_t at;
    if (!argument_needs(a, "name", e) || !argument_text(a, "name", &name, e) ||
        !argument_number(a, "bytes", 0, 65536, &bytes, e))
        return false;
    bool found = points_data_place(d, a, name, &node, &address, &size, &why);
    size = bytes ? (uint32_t)bytes : size;
    const motet_node *n = motet_timeline_node(d->timeline, node);
    if (found && (!size || !motet_node_locate(n, address, size, &which, &at) || which != MOTET_MEMORY_DATA))
        found = argument_error(&why, "'%.100s' is not in data memory; only what is there can be watched", name);
    snprintf(id, sizeof id, "%" PRIu32 "/0x%" PRIx32 "/%" PRIu32, node, address, size);
    snprintf(text, sizeof text, "%.200s of node %" PRIu32 ", %" PRIu32 " byte%s", name, motet_node_id(n), size,
             size > 1 ? "s" : "");
    json_object_set_new(body, "dataId", found ? json_string(id) : json_null());
    json_object_set_new(body, "description", text_string(found ? text : why.text));
    if (found)
        json_object_set_new(body, "accessTypes", json_pack("[s, s, s]", "read", "write", "readWrite"));
    return true;
}

static bool points_data_wish(motet_dap *d, const json_t *one, struct points_wish *w, struct motet_error *e)
{
    const char *id = NULL, *access = "write";
    if (!argument_needs(one, "dataId", e) || !argument_text(one, "dataId", &id, e) ||
        !argument_text(one, "accessType", &access, e))
        return false;
    struct motet_point *p = &w->point;
    if (sscanf(id, "%" SCNu32 "/0x%" SCNx32 "/%" SCNu32, &p->node, &p->address, &p->size) != 3 ||
        p->node >= motet_timeline_count(d->timeline))
        return argument_error(e, "'%.60s' is no dataId; dataBreakpointInfo gives them", id);
    p->kind = strcmp(access, "read") == 0    ? MOTET_POINT_READ
              : strcmp(access, "write") == 0 ? MOTET_POINT_WATCH
                                             : MOTET_POINT_ACCESS;
    return p->kind != MOTET_POINT_ACCESS || strcmp(access, "readWrite") == 0 ||
           argument_error(e, "there is no access '%.60s'; there are read, write and readWrite", access);
}

bool points_data(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    json_t *wishes, *one, *answers = json_array();
    size_t i;
    json_object_set_new(body, "breakpoints", answers);
    if (!points_list(a, "breakpoints", &wishes, e))
        return false;
    json_array_foreach(wishes, i, one)
    {
        struct points_wish w = {.kind = DAP_POINT_DATA};
        if (!points_data_wish(d, one, &w, e))
            return false;
    }
    points_replace(d, DAP_POINT_DATA, NULL);
    json_array_foreach(wishes, i, one)
    {
        struct points_wish w = {.kind = DAP_POINT_DATA, .from = one};
        points_data_wish(d, one, &w, e);
        json_array_append_new(answers, points_add(d, &w));
    }
    return true;
}

/* ---- faults ---- */

bool points_exceptions(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    json_t *filters = NULL, *one;
    size_t i;
    bool faults = false, ends = false;
    (void)body;
    if (!argument_list(a, "filters", &filters, e))
        return false;
    json_array_foreach(filters, i, one)
    {
        const char *name = json_is_string(one) ? json_string_value(one) : "";
        if (strcmp(name, DAP_FILTER_FAULTS) != 0 && strcmp(name, DAP_FILTER_ENDS) != 0)
            return argument_error(e, "there is no filter '%.60s'; there are fault and end", name);
        faults |= strcmp(name, DAP_FILTER_FAULTS) == 0;
        ends |= strcmp(name, DAP_FILTER_ENDS) == 0;
    }
    d->stop_at_faults = faults;
    d->stop_at_ends = ends;
    return true;
}
