#include "monitor/records.h"

#include <stdarg.h>

#include "base/merge.h"
#include "export/table.h"

enum record_kind { RECORD_NONE, RECORD_TEXT, RECORD_INTEGER, RECORD_REAL, RECORD_SECONDS };

void records_begin(struct records *l, const struct monitor_site *site, const char *name, const char *const *columns)
{
    *l = (struct records){.site = site, .name = name, .columns = columns};
    spool_begin(&l->spool, site->spool);
    while (columns[l->width])
        l->width++;
}

void records_end(struct records *l)
{
    spool_end(&l->spool);
}

/* ---- telling ---- */

static void records_put_text(struct records *l, const char *text)
{
    uint32_t size = (uint32_t)strlen(text);
    spool_add(&l->spool, &size, sizeof size);
    spool_add(&l->spool, text, size);
}

void records_add(struct records *l, uint64_t time, const char *line, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, line);
    vsnprintf(text, sizeof text, line, arguments);
    va_end(arguments);
    l->disordered |= time < l->last;
    l->last = time;
    l->count++;
    spool_add(&l->spool, &time, sizeof time);
    records_put_text(l, text);
}

static void records_put_cell(struct records *l, enum record_kind kind, const void *value)
{
    uint8_t byte = (uint8_t)kind;
    spool_add(&l->spool, &byte, 1);
    if (value)
        spool_add(&l->spool, value, 8);
}

void records_text(struct records *l, const char *text)
{
    records_put_cell(l, RECORD_TEXT, NULL);
    records_put_text(l, text);
}

void records_integer(struct records *l, int64_t value)
{
    records_put_cell(l, RECORD_INTEGER, &value);
}

void records_real(struct records *l, double value)
{
    records_put_cell(l, RECORD_REAL, &value);
}

void records_seconds(struct records *l, uint64_t time)
{
    records_put_cell(l, RECORD_SECONDS, &time);
}

void records_none(struct records *l)
{
    records_put_cell(l, RECORD_NONE, NULL);
}

/* ---- reading ---- */

/* A record as it was told. Texts are in `text`, one after the other, the line first. */
struct row {
    uint64_t time;
    struct row_cell {
        enum record_kind kind;
        union {
            size_t text; /* where it begins */
            int64_t integer;
            double real;
        };
    } cells[RECORD_COLUMNS];
    char *text;
    size_t size, room;
};

static bool row_read_text(struct row *row, struct spool_reader *r)
{
    uint32_t size;
    if (!spool_read(r, &size, sizeof size))
        return false;
    while (row->room < row->size + size + 1)
        row->text = memory_grow(row->text, &row->room, row->size + size, 1);
    bool good = spool_read(r, row->text + row->size, size);
    row->text[row->size + size] = 0;
    row->size += size + 1;
    return good;
}

static bool row_read_cell(struct row *row, struct row_cell *c, struct spool_reader *r)
{
    uint8_t kind = RECORD_NONE;
    bool good = spool_read(r, &kind, 1);
    c->kind = (enum record_kind)kind;
    if (kind == RECORD_TEXT) {
        c->text = row->size;
        return good && row_read_text(row, r);
    }
    return good && (kind == RECORD_NONE || spool_read(r, &c->integer, sizeof c->integer));
}

static bool row_read(struct row *row, const struct records *l, struct spool_reader *r)
{
    row->size = 0;
    bool good = spool_read(r, &row->time, sizeof row->time) && row_read_text(row, r);
    for (size_t i = 0; good && i < l->width; i++)
        good = row_read_cell(row, &row->cells[i], r);
    return good;
}

/* ---- one order for all ---- */

struct record_place {
    uint64_t time, at;
};

/* The records of a node, by time. */
struct cursor {
    const struct records *records;
    struct spool_reader reader;
    struct record_place *places; /* where they are, sorted, if they were told in another order; else NULL */
    size_t next;
};

static int records_by_time(const void *left, const void *right)
{
    const struct record_place *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static void cursor_sort(struct cursor *c)
{
    struct row row = {.room = 0};
    size_t count = 0;
    c->places = memory_array(c->records->count, sizeof *c->places);
    for (uint64_t at = 0; row_read(&row, c->records, &c->reader); at = c->reader.at)
        c->places[count++] = (struct record_place){row.time, at};
    qsort(c->places, count, sizeof *c->places, records_by_time);
    spool_seek(&c->reader, 0);
    free(row.text);
}

/* The time of the next record, which the reader is then before; false if there is none. */
static bool cursor_next(struct cursor *c, uint64_t *time)
{
    if (c->next == c->records->count)
        return false;
    if (c->places)
        spool_seek(&c->reader, c->places[c->next].at);
    uint64_t at = c->reader.at;
    c->next++;
    if (!spool_read(&c->reader, time, sizeof *time))
        return false;
    spool_seek(&c->reader, at);
    return true;
}

/* The states come in the order of their nodes' ids. */
struct ordered {
    struct merge merge;
    struct cursor *cursors;
    size_t count;
    struct row row;
};

static void ordered_step(struct ordered *o, size_t which)
{
    uint64_t time;
    if (cursor_next(&o->cursors[which], &time))
        merge_put(&o->merge, time, which);
}

static void ordered_begin(struct ordered *o, void *const *states, size_t count)
{
    *o = (struct ordered){.cursors = memory_array(count, sizeof *o->cursors), .count = count};
    merge_begin(&o->merge);
    for (size_t i = 0; i < count; i++) {
        struct cursor *c = &o->cursors[i];
        c->records = states[i];
        spool_reader_begin(&c->reader, &c->records->spool);
        if (c->records->disordered)
            cursor_sort(c);
        ordered_step(o, i);
    }
}

static void ordered_end(struct ordered *o)
{
    for (size_t i = 0; i < o->count; i++) {
        spool_reader_end(&o->cursors[i].reader);
        free(o->cursors[i].places);
    }
    merge_end(&o->merge);
    free(o->cursors);
    free(o->row.text);
}

/* The next record of all, in o->row; NULL after the last. */
static const struct records *ordered_next(struct ordered *o)
{
    struct merge_head h;
    if (!merge_take(&o->merge, &h))
        return NULL;
    struct cursor *c = &o->cursors[h.sequence];
    if (!row_read(&o->row, c->records, &c->reader))
        return NULL;
    ordered_step(o, h.sequence);
    return c->records;
}

/* ---- writing ---- */

static void write_lines(void *const *states, size_t count, FILE *out)
{
    struct ordered o;
    const struct records *l;
    ordered_begin(&o, states, count);
    while ((l = ordered_next(&o))) {
        uint64_t time = o.row.time;
        fprintf(out, "%3" PRIu64 ".%09" PRIu64 " ", time / MOTET_SECOND, time % MOTET_SECOND);
        if (l->site->several)
            fprintf(out, "node %" PRIu32 " ", motet_node_id(l->site->node));
        fprintf(out, "%s\n", o.row.text);
    }
    ordered_end(&o);
}

static void write_cells(struct table *t, const struct records *l, const struct row *row)
{
    for (size_t i = 0; i < l->width; i++) {
        const struct row_cell *c = &row->cells[i];
        switch (c->kind) {
        case RECORD_TEXT: table_text(t, row->text + c->text); break;
        case RECORD_INTEGER: table_integer(t, c->integer); break;
        case RECORD_REAL: table_real(t, c->real); break;
        case RECORD_SECONDS: table_seconds(t, (uint64_t)c->integer); break;
        default: table_empty(t);
        }
    }
}

static void records_write_table(void *const *states, size_t count, FILE *out, enum table_format format)
{
    struct table t;
    struct ordered o;
    const char *columns[RECORD_COLUMNS + 3] = {"time", "node"};
    const struct records *first = states[0], *l;
    for (size_t i = 0; i < first->width; i++)
        columns[2 + i] = first->columns[i];
    table_begin(&t, out, format, columns);
    ordered_begin(&o, states, count);
    while ((l = ordered_next(&o))) {
        table_seconds(&t, o.row.time);
        table_integer(&t, motet_node_id(l->site->node));
        write_cells(&t, l, &o.row);
    }
    ordered_end(&o);
}

static void records_write_json(void *const *states, size_t count, FILE *out)
{
    struct row row = {.room = 0};
    for (size_t i = 0; i < count; i++) {
        const struct records *l = states[i];
        struct table t;
        struct spool_reader r;
        const char *columns[RECORD_COLUMNS + 2] = {"time"};
        for (size_t k = 0; k < l->width; k++)
            columns[1 + k] = l->columns[k];
        table_begin(&t, out, TABLE_JSON_LIST, columns);
        fprintf(out, "{\"monitor\": \"%s\", \"node\": %" PRIu32 ", \"records\": [", l->name,
                motet_node_id(l->site->node));
        spool_reader_begin(&r, &l->spool);
        for (size_t k = 0; k < l->count && row_read(&row, l, &r); k++) {
            table_seconds(&t, row.time);
            write_cells(&t, l, &row);
        }
        spool_reader_end(&r);
        fprintf(out, "]}\n");
    }
    free(row.text);
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
