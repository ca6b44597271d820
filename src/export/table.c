#include "export/table.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "export/json.h"

enum table_format table_format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    bool json = dot && (!strcmp(dot, ".json") || !strcmp(dot, ".jsonl") || !strcmp(dot, ".ndjson"));
    return json ? TABLE_JSON_LINES : TABLE_CSV;
}

/* A field with a comma, a quotation mark or the end of a line is put between quotation marks, its own are doubled. */
static void csv_text(FILE *f, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, f);
        return;
    }
    putc('"', f);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', f);
        putc(*text, f);
    }
    putc('"', f);
}

void table_begin(struct table *t, FILE *file, enum table_format format, const char *const *columns)
{
    *t = (struct table){.file = file, .format = format, .columns = columns};
    assert(columns[0]);
    if (format != TABLE_CSV)
        return;
    for (size_t i = 0; columns[i]; i++) {
        fputs(i ? "," : "", file);
        csv_text(file, columns[i]);
    }
    fputc('\n', file);
}

static void table_before(struct table *t)
{
    if (t->format != TABLE_CSV) {
        fputs(t->at ? ", " : t->format == TABLE_JSON_LIST && t->rows ? ", {" : "{", t->file);
        json_put(t->file, t->columns[t->at]);
        fputs(": ", t->file);
    } else if (t->at) {
        fputc(',', t->file);
    }
}

static void table_after(struct table *t)
{
    if (t->columns[++t->at])
        return;
    fputs(t->format == TABLE_JSON_LINES ? "}\n" : t->format == TABLE_JSON_LIST ? "}" : "\n", t->file);
    t->at = 0;
    t->rows++;
}

void table_text(struct table *t, const char *text)
{
    table_before(t);
    if (t->format != TABLE_CSV)
        json_put(t->file, text);
    else
        csv_text(t->file, text);
    table_after(t);
}

void table_integer(struct table *t, int64_t value)
{
    table_before(t);
    fprintf(t->file, "%" PRId64, value);
    table_after(t);
}

void table_real(struct table *t, double value)
{
    if (!isfinite(value)) {
        table_empty(t);
        return;
    }
    table_before(t);
    fprintf(t->file, "%.9g", value);
    table_after(t);
}

void table_seconds(struct table *t, uint64_t nanosecond)
{
    table_before(t);
    fprintf(t->file, "%" PRIu64 ".%09" PRIu64, nanosecond / 1000000000, nanosecond % 1000000000);
    table_after(t);
}

void table_empty(struct table *t)
{
    table_before(t);
    if (t->format != TABLE_CSV)
        fputs("null", t->file);
    table_after(t);
}
