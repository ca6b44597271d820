/* Recordings: the file of sections in which a run is kept (docs/recordings.md).
 *
 *     header   64 bytes: magic, version of the format, place and size of the table, digest of the table, digest of the
 *              header's first 48 bytes
 *     sections one behind the other, each compressed by zstd where that makes it smaller
 *     table    for each section: what it is, how it is compressed, where it begins, its size in the file and as it is
 *              used, and the digest of its bytes in the file
 *
 * Numbers are little-endian. Invariant: every byte of the file belongs to the header, to one section or to the table,
 * and each of these has its digest: so a file that was cut, or of which one bit has changed, is refused. A file appears
 * under its name when it is complete, or not at all.
 */
#ifndef TIMELINE_RECORDING_H
#define TIMELINE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define RECORDING_VERSION 1

enum recording_kind {
    RECORDING_ABOUT = 1, /* the run in words: names and texts */
    RECORDING_FILE,      /* a name and the bytes of a file that belongs to the run */
    RECORDING_JOURNAL,   /* what was done to the nodes, and when (timeline/journal.h) */
    RECORDING_ANALOG,    /* what the nodes' analog inputs read */
    RECORDING_MARKS,     /* moments, their digests, and where their snapshots are */
    RECORDING_STATES,    /* snapshots, one behind the other */
    RECORDING_KINDS,
};

/* ---- writing ---- */

struct recording_writer;

/* Writes to a temporary file beside `path`. */
struct recording_writer *recording_create(const char *path, struct error *e);

/* Adds a section and returns its number. What cannot be written is told at the end. */
size_t recording_add(struct recording_writer *w, enum recording_kind kind, const void *bytes, size_t size);

/* Completes the file and gives it its name; false, with nothing left behind, if something could not be written. Frees
 * the writer. */
bool recording_finish(struct recording_writer *w, struct error *e);
void recording_abandon(struct recording_writer *w); /* leaves nothing behind */

/* ---- reading ---- */

struct recording;

struct recording *recording_open(const char *path, struct error *e);
struct recording *recording_parse(const char *name, const void *bytes, size_t size, struct error *e); /* of memory */
void recording_close(struct recording *r);

size_t recording_sections(const struct recording *r);
enum recording_kind recording_kind(const struct recording *r, size_t section);
size_t recording_file_size(const struct recording *r);

/* The first section of a kind from a number on; recording_sections() if there is none. */
size_t recording_find(const struct recording *r, enum recording_kind kind, size_t from);

/* A section's bytes as they were given, in memory of its own; NULL with a sentence if they cannot be had. */
uint8_t *recording_read(const struct recording *r, size_t section, size_t *size, struct error *e);

#endif
