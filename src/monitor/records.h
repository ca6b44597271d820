/* Records of a monitor: what happened on the nodes, kept by node and written in one order for all of them.
 *
 * A record has a time, a line for people, and for programs a cell for each of its monitor's columns. Invariant: the
 * order is by time, then by the nodes' ids, then as added; it does not depend on threads. Records are in a spool, and
 * are merged by time when they are written, so memory does not grow with them. `struct records` is the first member of
 * its monitor's state.
 */
#ifndef MONITOR_RECORDS_H
#define MONITOR_RECORDS_H

#include "monitor/monitor.h"

struct records {
    const struct monitor_site *site;
    const char *name;           /* of the monitor */
    const char *const *columns; /* after time and node; NULL at the end */
    size_t width;
    struct spool spool; /* each record as bytes: time, line, `width` cells */
    size_t count;
    uint64_t last;   /* time of the last one */
    bool disordered; /* a time was before that of the record before: a clock of the firmware's own was set back */
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
