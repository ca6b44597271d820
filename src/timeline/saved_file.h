/* The file of a saved run: a header, sections and a table of them (docs/saved-runs.md).
 *
 *     header   64 bytes: magic, format version, place and size of the table, digest of the table, digest of the
 *              header's first 48 bytes
 *     sections one after the other, each compressed by zstd if that makes it smaller
 *     table    for each section: kind, compression, offset, stored size, used size, digest of the stored bytes
 *
 * Numbers are little-endian. Invariant: every byte of the file belongs to the header, to one section or to the table,
 * and each of these has a digest. A truncated file, or one with a changed bit, is therefore refused. A file appears
 * under its name when it is complete, or not at all.
 */
#ifndef TIMELINE_SAVED_FILE_H
#define TIMELINE_SAVED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SAVED_FILE_VERSION 2 /* 1 had another form for a node alone; it is refused */

enum saved_section {
    SECTION_ABOUT = 1, /* names and texts that describe the run */
    SECTION_FILE,      /* a name and the bytes of a file that belongs to the run */
    SECTION_INPUTS,    /* what was done to the nodes, and when (saved_inputs.h) */
    SECTION_ANALOG,    /* readings of the nodes' analog inputs */
    SECTION_MOMENTS,   /* moments, their digests, places of their snapshots */
    SECTION_STATES,    /* snapshots, one after the other */
    SECTION_KINDS,
};

/* ---- writing ---- */

struct saved_file_writer;

/* Writes to a temporary file beside `path`. */
struct saved_file_writer *saved_file_create(const char *path, struct motet_error *e);

/* Adds a section and returns its number. Write errors are reported by saved_file_finish. */
size_t saved_file_add(struct saved_file_writer *w, enum saved_section kind, const void *bytes, size_t size);

/* Completes the file and gives it its name. On a write error: false, and no file remains. Frees the writer. */
bool saved_file_finish(struct saved_file_writer *w, struct motet_error *e);
void saved_file_abandon(struct saved_file_writer *w); /* no file remains */

/* ---- reading ---- */

struct saved_file;

struct saved_file *saved_file_open(const char *path, struct motet_error *e);
struct saved_file *saved_file_parse(const char *name, const void *bytes, size_t size,
                                    struct motet_error *e); /* of memory */
void saved_file_close(struct saved_file *r);

size_t saved_file_sections(const struct saved_file *r);
enum saved_section saved_file_kind(const struct saved_file *r, size_t section);
size_t saved_file_size(const struct saved_file *r);

/* The first section of a kind from a number on; saved_file_sections() if there is none. */
size_t saved_file_find(const struct saved_file *r, enum saved_section kind, size_t from);

/* A section's bytes as they were given, in memory of its own; NULL with a sentence if they cannot be had. */
uint8_t *saved_file_read(const struct saved_file *r, size_t section, size_t *size, struct motet_error *e);

#endif
