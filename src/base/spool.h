/* Spools: sequences of bytes that only grow, kept in a temporary file, so that memory does not grow with them.
 *
 * Many spools share one file, which has no name and is gone with the process. A spool belongs to one thread at a time;
 * spools of one file may be used from different threads. Invariant: a spool holds the bytes that were added, in their
 * order, or its file has failed. Memory that a spool takes is its last piece and 8 bytes for each piece before.
 */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SPOOL_PIECE = 8192 };

struct spool_file;

/* The file is made when the first piece is full. */
struct spool_file *spool_file_new(void);
void spool_file_free(struct spool_file *f); /* after its spools; NULL is allowed */

/* The errno of the first write or read that failed, 0 if none has. What is read then is not what was added. */
int spool_file_error(const struct spool_file *f);

struct spool {
    struct spool_file *file;
    uint8_t *last; /* the piece that is not full */
    size_t last_size, last_room;
    uint64_t *pieces; /* where the full ones are */
    size_t piece_count, piece_room;
};

void spool_begin(struct spool *s, struct spool_file *f);
void spool_end(struct spool *s);
void spool_add(struct spool *s, const void *bytes, size_t size);
uint64_t spool_size(const struct spool *s);

/* A stream that adds what is written to it; to be closed before the spool ends. */
FILE *spool_stream(struct spool *s);

/* Reads what a spool holds, from the beginning or another place. Nothing is added while it reads. */
struct spool_reader {
    const struct spool *spool;
    uint64_t at;
    uint8_t *piece; /* the one that was read last */
    size_t number;  /* its number */
};

void spool_reader_begin(struct spool_reader *r, const struct spool *s);
void spool_reader_end(struct spool_reader *r);
bool spool_read(struct spool_reader *r, void *to, size_t size); /* false past the end, or if the file has failed */
void spool_seek(struct spool_reader *r, uint64_t at);

/* Writes the bytes from the reader's place up to an end. */
void spool_copy(struct spool_reader *r, uint64_t end, FILE *to);

#endif
