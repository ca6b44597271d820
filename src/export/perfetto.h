/* Traces for ui.perfetto.dev and chrome://tracing, in the JSON of Chrome's trace events.
 *
 * A process is a node, a track something that goes on in it: slices with a beginning and an end, flows between slices
 * of any nodes as arrows, counters as curves. Events of one process are told in one thread, those of different
 * processes may be told in different ones; processes are made before. Invariant: the file depends on what each process
 * was told alone. Slices of a track nest, and each that is begun is ended, at the latest when the file is written.
 */
#ifndef EXPORT_PERFETTO_H
#define EXPORT_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct perfetto;

struct perfetto *perfetto_new(void);
void perfetto_free(struct perfetto *p);

/* Returns its number, from 0. `id` is shown and must be one of its own. */
size_t perfetto_process(struct perfetto *p, uint32_t id, const char *name);

/* Names a track, which is a number of the caller's; tracks are shown in the order of their numbers. */
void perfetto_track(struct perfetto *p, size_t process, unsigned track, const char *name);

void perfetto_begin(struct perfetto *p, size_t process, unsigned track, uint64_t nanosecond, const char *name);
void perfetto_end(struct perfetto *p, size_t process, unsigned track, uint64_t nanosecond);
void perfetto_slice(struct perfetto *p, size_t process, unsigned track, uint64_t from, uint64_t to, const char *name);
void perfetto_instant(struct perfetto *p, size_t process, unsigned track, uint64_t nanosecond, const char *name);
void perfetto_counter(struct perfetto *p, size_t process, uint64_t nanosecond, const char *name, double value);

/* The two ends of an arrow, each in a slice of its track that holds the time: from where `arrives` is false to all
 * where it is true. */
void perfetto_flow(struct perfetto *p, size_t process, unsigned track, uint64_t nanosecond, uint64_t id, bool arrives);

/* `end` is when looking ended. False if it could not all be written. */
bool perfetto_write(struct perfetto *p, FILE *f, uint64_t end);

#endif
