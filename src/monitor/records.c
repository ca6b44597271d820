#include "monitor/records.h"

#include <stdarg.h>

#include "export/table.h"

void records_begin(struct records *l, const struct monitor_site *site, const char *name, const char *const *columns)
{
    *l = (struct records){.site = site, .name = name, .columns = columns};
    while (columns[l->width])
        l->width++;
}

void records_end(struct records *l)
{
    free(l->list);
    free(l->cells);
    free(l->text);
}

/* ---- telling ---- */

static char *text_room(struct records *l, size_t size)
{
    if (l->text_size + size > l->text_room) {
        l->text_room = 2 * (l->text_size + size) + 256;
        l->text = memory_resize(l->text, l->text_room, 1);
    }
    return l->text + l->text_size;
}

void records_add(struct records *l, uint64_t time, const char *line, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, line);
    vsnprintf(text, sizeof text, line, arguments);
    va_end(arguments);
    l->list = memory_grow(l->list, &l->room, l->count, sizeof *l->list);
    l->list[l->count++] = (struct record){time, l->text_size};
    size_t size = strlen(text) + 1;
    memcpy(text_room(l, size), text, size);
    l->text_size += size;
}

static struct record_cell *cell(struct records *l)
{
    l->cells = memory_grow(l->cells, &l->cell_room, l->cell_count, sizeof *l->cells);
    return &l->cells[l->cell_count++];
}

void records_text(struct records *l, const char *text)
{
    size_t size = strlen(text) + 1;
    *cell(l) = (struct record_cell){.kind = RECORD_TEXT, .text = l->text_size};
    memcpy(text_room(l, size), text, size);
    l->text_size += size;
}

void records_integer(struct records *l, int64_t value)
{
    *cell(l) = (struct record_cell){.kind = RECORD_INTEGER, .integer = value};
}

void records_real(struct records *l, double value)
{
    *cell(l) = (struct record_cell){.kind = RECORD_REAL, .real = value};
}

void records_seconds(struct records *l, uint64_t time)
{
    *cell(l) = (struct record_cell){.kind = RECORD_SECONDS, .integer = (int64_t)time};
}

void records_none(struct records *l)
{
    *cell(l) = (struct record_cell){.kind = RECORD_NONE};
}

/* ---- one order for all ---- */

struct place {
    uint64_t time;
    size_t state, number;
};

static int records_by_time(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* The states come in the order of their nodes' ids. */
static struct place *records_in_order(void *const *states, size_t count, size_t *records)
{
    size_t all = 0, used = 0;
    for (size_t i = 0; i < count; i++)
        all += ((const struct records *)states[i])->count;
    struct place *places = memory_array(all + 1, sizeof *places);
    for (size_t i = 0; i < count; i++) {
        const struct records *l = states[i];
        for (size_t k = 0; k < l->count; k++)
            places[used++] = (struct place){l->list[k].time, i, k};
    }
    qsort(places, used, sizeof *places, records_by_time);
    *records = used;
    return places;
}

static void write_lines(void *const *states, size_t count, FILE *out)
{
    size_t records;
    struct place *places = records_in_order(states, count, &records);
    for (size_t i = 0; i < records; i++) {
        const struct records *l = states[places[i].state];
        uint64_t time = places[i].time;
        fprintf(out, "%3" PRIu64 ".%09" PRIu64 " ", time / MOTET_SECOND, time % MOTET_SECOND);
        if (l->site->several)
            fprintf(out, "node %" PRIu32 " ", motet_node_id(l->site->node));
        fprintf(out, "%s\n", l->text + l->list[places[i].number].line);
    }
    free(places);
}

static void write_cell(struct table *t, const struct records *l, const struct record_cell *c)
{
    switch (c->kind) {
    case RECORD_TEXT: table_text(t, l->text + c->text); break;
    case RECORD_INTEGER: table_integer(t, c->integer); break;
    case RECORD_REAL: table_real(t, c->real); break;
    case RECORD_SECONDS: table_seconds(t, (uint64_t)c->integer); break;
    default: table_empty(t);
    }
}

static void write_cells(struct table *t, const struct records *l, size_t record)
{
    for (size_t i = 0; i < l->width; i++)
        write_cell(t, l, &l->cells[record * l->width + i]);
}

static void records_write_table(void *const *states, size_t count, FILE *out, enum table_format format)
{
    struct table t;
    size_t records;
    const char *columns[RECORD_COLUMNS + 3] = {"time", "node"};
    struct place *places = records_in_order(states, count, &records);
    const struct records *first = states[0];
    for (size_t i = 0; i < first->width; i++)
        columns[2 + i] = first->columns[i];
    table_begin(&t, out, format, columns);
    for (size_t i = 0; i < records; i++) {
        const struct records *l = states[places[i].state];
        table_seconds(&t, places[i].time);
        table_integer(&t, motet_node_id(l->site->node));
        write_cells(&t, l, places[i].number);
    }
    free(places);
}

static void records_write_json(void *const *states, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct records *l = states[i];
        struct table t;
        const char *columns[RECORD_COLUMNS + 2] = {"time"};
        for (size_t k = 0; k < l->width; k++)
            columns[1 + k] = l->columns[k];
        table_begin(&t, out, TABLE_JSON_LIST, columns);
        fprintf(out, "{\"monitor\": \"%s\", \"node\": %" PRIu32 ", \"records\": [", l->name,
                motet_node_id(l->site->node));
        for (size_t k = 0; k < l->count; k++) {
            table_seconds(&t, l->list[k].time);
            write_cells(&t, l, k);
        }
        fprintf(out, "]}\n");
    }
}

void records_write(void *const *states, size_t count, const char *format, FILE *out)
{
    if (strcmp(format, "json") == 0)
        records_write_json(states, count, out);
    else if (strcmp(format, "jsonl") == 0)
        records_write_table(states, count, out, TABLE_JSON_LINES);
    else if (strcmp(format, "csv") == 0)
        records_write_table(states, count, out, TABLE_CSV);
    else
        write_lines(states, count, out);
}
