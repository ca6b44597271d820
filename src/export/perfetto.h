/* Traces for ui.perfetto.dev and chrome://tracing, in the JSON of Chrome's trace events.
 *
 * A process is a node, a track something that goes on in it: slices with a beginning and an end, flows between slices
 * of any nodes as arrows, counters as curves. Each process gets its events from one thread at a time, different ones
 * from any threads. Invariant: the file depends only on the events of each process. Slices of a track nest, and each
 * that is begun is ended, at the latest when the file is written.
 */
#ifndef EXPORT_PERFETTO_H
#define EXPORT_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/spool.h"

struct perfetto; /* one process */

/* `id` is shown and must be one of its own. Events are kept in the file. */
struct perfetto *perfetto_new(struct spool_file *f, uint32_t id, const char *name);
void perfetto_free(struct perfetto *p);

/* Names a track, which is a number of the caller's; tracks are shown in the order of their numbers. */
void perfetto_track(struct perfetto *p, unsigned track, const char *name);

void perfetto_begin(struct perfetto *p, unsigned track, uint64_t nanosecond, const char *name);
void perfetto_end(struct perfetto *p, unsigned track, uint64_t nanosecond);
void perfetto_slice(struct perfetto *p, unsigned track, uint64_t from, uint64_t to, const char *name);
void perfetto_instant(struct perfetto *p, unsigned track, uint64_t nanosecond, const char *name);
void perfetto_counter(struct perfetto *p, uint64_t nanosecond, const char *name, double value);

/* An arrow to a slice of a process from one of the same track in another, each of which holds its time. What the
 * format knows of arrows ends with the first slice they come to, so that one to several is several. */
struct perfetto_start {
    uint32_t process; /* its id */
    uint64_t nanosecond;
    uint32_t number; /* of what goes there, with the process its name */
};
void perfetto_flow(struct perfetto *p, unsigned track, uint64_t nanosecond, struct perfetto_start from);

/* All processes of a file. `end` is when looking ended. False if it could not all be written. */
bool perfetto_write(struct perfetto *const *processes, size_t count, FILE *f, uint64_t end);

#endif
