/* Logs: what happened on the nodes, a record each, kept by node and written in one order for all of them.
 *
 * A record has a time, a line for people and a cell for each of its monitor's columns for everything else. Invariant:
 * the order is by time, then by the nodes' ids, then as told, whatever the threads did. A log is the first member of
 * its monitor's state.
 */
#ifndef MONITOR_LOG_H
#define MONITOR_LOG_H

#include "monitor/monitor.h"

struct log_cell {
    enum { LOG_NONE, LOG_TEXT, LOG_INTEGER, LOG_REAL, LOG_SECONDS } kind;
    union {
        size_t text; /* where it begins */
        int64_t integer;
        double real;
    };
};

struct log_record {
    uint64_t time; /* nanoseconds */
    size_t line;   /* where its text begins */
};

struct log {
    const struct monitor_site *site;
    const char *name;           /* of the monitor */
    const char *const *columns; /* behind time and node; NULL at the end */
    size_t width;
    struct log_record *records;
    size_t count, room;
    struct log_cell *cells; /* `width` for each record */
    size_t cell_count, cell_room;
    char *text;
    size_t text_size, text_room;
};

enum { LOG_COLUMNS = 24 };

void log_begin(struct log *l, const struct monitor_site *site, const char *name, const char *const *columns);
void log_end(struct log *l); /* gives back what it holds, not itself */

/* A record: its line without a newline, then its cells from the first to the last. Times are nanoseconds, worked out
 * when it happens: a node that is switched off and on counts its ticks anew. */
void log_record(struct log *l, uint64_t time, const char *line, ...) __attribute__((format(printf, 3, 4)));
void log_text(struct log *l, const char *text);
void log_integer(struct log *l, int64_t value);
void log_real(struct log *l, double value);
void log_seconds(struct log *l, uint64_t time); /* with all its digits */
void log_none(struct log *l);

/* Writes the logs of all nodes, for `together` of a monitor; `states` begin with a log each. Its formats: */
void log_write(void *const *states, size_t count, const char *format, FILE *out);
#define LOG_FORMATS                                                                                               \
    {.name = "text", .about = "a line each"}, {.name = "json", .about = "an object for each node, with records"}, \
        {.name = "jsonl", .about = "an object for each, a line each"},                                            \
    {                                                                                                             \
        .name = "csv", .about = "a table, comma-separated"                                                        \
    }

#endif
