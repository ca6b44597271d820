/* Tables: rows of named columns as CSV (RFC 4180) or as JSON lines, one object a row.
 *
 * A row is its cells from the first column to the last. Invariant: each row has a cell for each column; in CSV what
 * needs quotation marks has them, in JSON numbers are numbers and what is not finite is null.
 */
#ifndef EXPORT_TABLE_H
#define EXPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum table_format {
    TABLE_CSV,
    TABLE_JSON_LINES,
    TABLE_JSON_LIST, /* the same with commas between them, for a list of JSON */
};

struct table {
    FILE *file;
    enum table_format format;
    const char *const *columns; /* NULL at the end */
    size_t at;                  /* the column of the next cell */
    size_t rows;                /* before this one */
};

/* By the name of a file: JSON lines for .json, .jsonl and .ndjson, else CSV. */
enum table_format table_format_of(const char *path);

void table_begin(struct table *t, FILE *file, enum table_format format, const char *const *columns);

void table_text(struct table *t, const char *text);
void table_integer(struct table *t, int64_t value);
void table_real(struct table *t, double value);
void table_seconds(struct table *t, uint64_t nanosecond); /* with all nine digits */
void table_empty(struct table *t);

#endif
