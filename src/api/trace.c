#include "motet/trace.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handles.h"
#include "api/installed.h"
#include "api/native_component.h"
#include "api/native_program.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "image/debug.h"
#include "record/feed.h"
#include "record/trace_log.h"

struct motet_trace {
    const struct machine *machine;
    struct trace_log log;
    uint32_t *addresses; /* of each byte of the table, on the node */
};

enum { TRACE_ENTRY = 4 };

/* ---- loading ---- */

bool motet_machine_traces(const motet_machine *m)
{
    size_t size;
    return image_section(m->machine->image, ".motet.trace", 0, &size) != NULL;
}

uint32_t motet_trace_ring(const motet_machine *m)
{
    size_t size;
    unsigned ring = 0;
    const char *at = (const char *)image_section(m->machine->image, ".motet.trace", 0, &size);
    for (const char *end = at ? at + size : NULL; at && at < end && memchr(at, 0, (size_t)(end - at)) && !ring;
         at += strlen(at) + 1)
        if (sscanf(at, "ring %u", &ring) != 1)
            ring = 0;
    return ring;
}

static const char *trace_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A static variable of a function: debug information says where it is. */
static bool trace_find_static(const struct machine *m, const struct trace_cell *c, uint32_t *address)
{
    const struct debug_variable *all;
    size_t count = debug_variables(m->image, &all);
    for (size_t i = 0; i < count; i++)
        if (all[i].file && all[i].line == c->line && strcmp(all[i].name, c->name) == 0 &&
            strcmp(trace_base(all[i].file), trace_base(c->file)) == 0) {
            *address = feed_data_address(all[i].address) + c->offset;
            return true;
        }
    return false;
}

/* The table in the firmware has the other addresses. */
static bool trace_find_cells(motet_trace *t, struct motet_error *e)
{
    const struct image_symbol *table = image_symbol_named(t->machine->image, "motet_trace_cells");
    const struct trace_plan *p = &t->log.plan;
    size_t known = 0;
    if (!table || (uint64_t)table->address + p->cell_count * TRACE_ENTRY > t->machine->code_size)
        return error_set(e, "the firmware has no table of traced variables; build it again with this motet cc");
    t->addresses = memory_array(t->log.table + 1, sizeof *t->addresses);
    for (size_t i = 0; i < p->cell_count; i++) {
        const uint8_t *entry = t->machine->flash + table->address + i * TRACE_ENTRY;
        uint32_t address = entry[0] | (uint32_t)entry[1] << 8;
        if (p->cells[i].place && !trace_find_static(t->machine, &p->cells[i], &address))
            return error_set(e, "the firmware's debug information has no variable %s of %s; build it with -gdwarf-4",
                             p->cells[i].name, p->cells[i].function);
        for (unsigned k = 0; k < p->cells[i].size; k++)
            t->addresses[known++] = feed_data_address(address + k);
    }
    return true;
}

motet_trace *motet_trace_load(const motet_machine *m, const char *path, struct motet_error *e)
{
    motet_trace *t = memory_new(sizeof *t);
    t->machine = m->machine;
    if (!trace_log_load(&t->log, m->machine->image, path, e) || !trace_find_cells(t, e)) {
        motet_trace_free(t);
        return NULL;
    }
    return t;
}

void motet_trace_free(motet_trace *t)
{
    if (!t)
        return;
    trace_log_free(&t->log);
    free(t->addresses);
    free(t);
}

/* ---- events ---- */

bool motet_trace_event(const motet_trace *t, size_t number, struct motet_trace_event *e)
{
    if (number >= t->log.event_count)
        return false;
    const struct trace_event *is = &t->log.events[number];
    bool about =
        is->kind != TRACE_VALUE && is->kind != TRACE_CHANGED && is->kind != TRACE_END && is->kind != TRACE_SETTLED;
    const struct trace_function *f = about ? trace_plan_function(&t->log.plan, is->number) : NULL;
    *e = (struct motet_trace_event){.kind = (enum motet_trace_kind)is->kind,
                                    .number = is->kind == TRACE_INTERRUPT ? is->count : is->number,
                                    .name = f ? f->name : NULL,
                                    .file = f ? f->file : NULL,
                                    .line = f ? f->line : 0,
                                    .level = f && f->kind == TRACE_TRACED ? f->level : 0,
                                    .bytes = is->at,
                                    .size = is->count};
    return true;
}

bool motet_trace_inlined(const motet_trace *t, size_t number, struct motet_trace_event *e)
{
    const struct trace_plan *p = &t->log.plan;
    for (size_t i = 0; i < p->function_count; i++)
        if (p->functions[i].is_inlined && !number--) {
            const struct trace_function *f = &p->functions[i];
            *e = (struct motet_trace_event){
                .kind = MOTET_TRACE_CALLED, .name = f->name, .file = f->file, .line = f->line, .level = f->level};
            return true;
        }
    return false;
}

bool motet_trace_change(const motet_trace *t, size_t event, size_t number, struct motet_trace_change *c)
{
    const struct trace_event *is = &t->log.events[event];
    if (is->kind != TRACE_CHANGED || number >= is->count)
        return false;
    const struct trace_change *change = &t->log.changes[is->positions + number];
    unsigned before = 0;
    const struct trace_cell *cell = t->log.plan.cells;
    for (; before + cell->size <= change->position; cell++)
        before += cell->size;
    *c = (struct motet_trace_change){cell->name, cell->offset + change->position - before, change->is};
    return true;
}

/* ---- native programs ---- */

static void trace_write_events(const motet_trace *t, FILE *f)
{
    const struct trace_log *l = &t->log;
    fprintf(f, "const struct { unsigned kind, number, count; } motet_trace_events[] = {\n");
    for (unsigned i = 0; i < l->table; i++)
        fprintf(f, "{%d,%u,%u},\n", TRACE_CHANGED, (unsigned)t->addresses[i], l->state[i]);
    for (size_t i = 0; i < l->event_count; i++) {
        const struct trace_event *e = &l->events[i];
        for (unsigned k = 0; e->kind == TRACE_CHANGED && k < e->count; k++)
            fprintf(f, "{%d,%u,%u},\n", TRACE_CHANGED, (unsigned)t->addresses[l->changes[e->positions + k].position],
                    l->changes[e->positions + k].is);
        if (e->kind == TRACE_VALUE)
            fprintf(f, "{%d,%u,%u},\n", TRACE_VALUE, (unsigned)(e->at - l->bytes), e->count);
        else if (e->kind != TRACE_CHANGED)
            fprintf(f, "{%d,%u,%u},\n", e->kind, e->number, e->count);
    }
    fprintf(f, "{0}};\nconst unsigned char motet_trace_data[] = {");
    for (unsigned i = 0; i < l->used; i++)
        fprintf(f, "%u,", l->bytes[i]);
    fprintf(f, "0};\nconst unsigned motet_trace_lost = %d;\n", l->lost);
}

/* Pointers to functions count words where code has an address space of its own. */
static void trace_write_code(const motet_trace *t, FILE *f)
{
    const struct debug_function *all;
    size_t count = debug_functions(t->machine->image, &all);
    unsigned unit = image_machine(t->machine->image) == IMAGE_MACHINE_AVR ? 2 : 1;
    fprintf(f, "const unsigned motet_trace_code[][2] = {");
    for (size_t i = 0; i < t->log.plan.function_count; i++)
        for (size_t k = 0; k < count; k++)
            if (all[k].file && all[k].line == t->log.plan.functions[i].line &&
                strcmp(all[k].name, t->log.plan.functions[i].name) == 0 &&
                strcmp(trace_base(all[k].file), trace_base(t->log.plan.functions[i].file)) == 0)
                fprintf(f, "{%u,%zu},", (unsigned)(all[k].address / unit), i);
    fprintf(f, "{0}};\n");
}

static bool trace_write(const motet_trace *t, const struct native_program *p, const char *path, struct motet_error *e)
{
    FILE *f = fopen(path, "w");
    const struct trace_plan *plan = &t->log.plan;
    size_t before = 0;
    if (!f)
        return error_set(e, "cannot write %s: %s", path, strerror(errno));
    trace_write_events(t, f);
    trace_write_code(t, f);
    native_program_write(p, f);
    fprintf(
        f,
        "const struct { unsigned number, kind, is_handler, line; const char *name, *file; } motet_trace_plan[] = {\n");
    for (size_t i = 0; i < plan->function_count; i++) {
        const struct trace_function *is = &plan->functions[i];
        fprintf(f, "{%u,%d,%d,%u,", is->number ? is->number : TRACE_MOST + 1, is->kind, is->is_handler, is->line);
        native_write_text(f, is->name);
        fprintf(f, ",");
        native_write_text(f, is->file);
        fprintf(f, "},\n");
    }
    fprintf(f, "{0}};\nconst char motet_trace_left_out[] = \"\"");
    for (size_t i = 0; i < plan->left_count; i++) {
        fprintf(f, i ? " \", \" " : " ");
        native_write_text(f, plan->left[i].name);
    }
    fprintf(f, ";\nconst unsigned motet_trace_table[][3] = {");
    for (size_t i = 0; i < plan->cell_count; before += plan->cells[i++].size)
        fprintf(f, "{%u,%u,%d},", (unsigned)t->addresses[before], plan->cells[i].size,
                plan->cells[i].own          ? 1
                : plan->cells[i].interrupts ? 2
                                            : 0);
    fprintf(f, "{0}};\n");
    return fclose(f) == 0 || error_set(e, "cannot write %s: %s", path, strerror(errno));
}

/* A register that the linker places, with two underscores before its name: the list of the chip's registers has it. */
static bool trace_address(void *context, const char *symbol, unsigned *address)
{
    const motet_trace *t = context;
    char target[PATH_MAX], path[PATH_MAX + 64], line[256], name[64];
    struct motet_error e = {""};
    bool found = false;
    if (!installed_target(target, sizeof target, &e))
        return false;
    snprintf(path, sizeof path, "%s/registers/%s.txt", target, t->machine->chip->name);
    FILE *f = fopen(path, "r");
    while (f && !found && fgets(line, sizeof line, f))
        found = sscanf(line, "%x %63s", address, name) == 2 && strcmp(name, symbol + strspn(symbol, "_")) == 0;
    if (f)
        fclose(f);
    return found;
}

static bool trace_build(const motet_trace *t, const struct native_program *p, const struct motet_native *o,
                        const char *feed, struct motet_error *e)
{
    const struct trace_plan *plan = &t->log.plan;
    struct native_place *traced = memory_array(plan->function_count + 1, sizeof *traced);
    for (size_t i = 0; i < plan->function_count; i++)
        traced[i] = (struct native_place){plan->functions[i].name, plan->functions[i].file, plan->functions[i].line};
    struct native_recorded recorded = {.variables = p->variables,
                                       .variable_count = p->variable_count,
                                       .address = trace_address,
                                       .context = (void *)t,
                                       .feed = feed,
                                       .traced = traced,
                                       .traced_count = plan->function_count};
    /* The order of operands is not looked at: a trace has the state at each crossing, and shows any difference. */
    struct motet_native any = *o;
    any.any_order = true;
    bool good = native_compile(&any, t->machine->image, &recorded, e);
    free(traced);
    return good;
}

bool motet_trace_native(const motet_trace *t, const struct motet_native *o, struct motet_error *e)
{
    char folder[PATH_MAX], feed[PATH_MAX + 16];
    struct native_program p;
    snprintf(folder, sizeof folder, "%s", o->keep ? o->keep : "/tmp/motet-trace-XXXXXX");
    if (!o->keep && !mkdtemp(folder))
        return error_set(e, "cannot make a folder in /tmp: %s", strerror(errno));
    snprintf(feed, sizeof feed, "%s/trace.c", folder);
    native_program_begin(&p, t->machine);
    bool good = p.byte_count || !t->log.table ||
                error_set(e, "%s has no debug information about variables; build it with -gdwarf-4",
                          image_path(t->machine->image));
    good = good && trace_write(t, &p, feed, e) && trace_build(t, &p, o, feed, e);
    native_program_free(&p);
    if (!o->keep) {
        unlink(feed);
        rmdir(folder);
    }
    return good;
}
