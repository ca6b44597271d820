/* Records of a monitor: what happened on the nodes, kept by node and written in one order for all of them.
 *
 * A record has a time, a line for people, and for programs a cell for each of its monitor's columns. Invariant: the
 * order is by time, then by the nodes' ids, then as added; it does not depend on threads. `struct records` is the first
 * member of its monitor's state.
 */
#ifndef MONITOR_RECORDS_H
#define MONITOR_RECORDS_H

#include "monitor/monitor.h"

struct record_cell {
    enum { RECORD_NONE, RECORD_TEXT, RECORD_INTEGER, RECORD_REAL, RECORD_SECONDS } kind;
    union {
        size_t text; /* where it begins */
        int64_t integer;
        double real;
    };
};

struct record {
    uint64_t time; /* nanoseconds */
    size_t line;   /* where its text begins */
};

struct records {
    const struct monitor_site *site;
    const char *name;           /* of the monitor */
    const char *const *columns; /* after time and node; NULL at the end */
    size_t width;
    struct record *list;
    size_t count, room;
    struct record_cell *cells; /* `width` for each record */
    size_t cell_count, cell_room;
    char *text;
    size_t text_size, text_room;
};

enum { RECORD_COLUMNS = 24 };

void records_begin(struct records *l, const struct monitor_site *site, const char *name, const char *const *columns);
void records_end(struct records *l); /* frees what it holds, not itself */

/* A record: its line without a newline, then its cells from the first to the last. Times are nanoseconds, worked out
 * when it happens: a node that is switched off and on counts its ticks anew. */
void records_add(struct records *l, uint64_t time, const char *line, ...) __attribute__((format(printf, 3, 4)));
void records_text(struct records *l, const char *text);
void records_integer(struct records *l, int64_t value);
void records_real(struct records *l, double value);
void records_seconds(struct records *l, uint64_t time); /* with all its digits */
void records_none(struct records *l);

/* Writes the records of all nodes, for `together` of a monitor; each state begins with a struct records. Its
 * formats: */
void records_write(void *const *states, size_t count, const char *format, FILE *out);
#define RECORD_FORMATS                                                                                            \
    {.name = "text", .about = "a line each"}, {.name = "json", .about = "an object for each node, with records"}, \
        {.name = "jsonl", .about = "an object for each, a line each"},                                            \
    {                                                                                                             \
        .name = "csv", .about = "a table, comma-separated"                                                        \
    }

#endif
