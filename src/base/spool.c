#include "base/spool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum { SPOOL_FIRST = 256 }; /* room in the beginning: there may be many spools that get little */

struct spool_file {
    pthread_mutex_t lock; /* of all that follows */
    FILE *file;
    uint64_t size;
    int error;
};

/* ---- the file ---- */

struct spool_file *spool_file_new(void)
{
    struct spool_file *f = memory_new(sizeof *f);
    pthread_mutex_init(&f->lock, NULL);
    return f;
}

void spool_file_free(struct spool_file *f)
{
    if (!f)
        return;
    if (f->file)
        fclose(f->file);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

int spool_file_error(const struct spool_file *f)
{
    return f->error;
}

static void spool_file_fail(struct spool_file *f, int error)
{
    pthread_mutex_lock(&f->lock);
    f->error = f->error ? f->error : error;
    pthread_mutex_unlock(&f->lock);
}

/* Room for a piece; the descriptor, or -1. */
static int spool_file_take(struct spool_file *f, uint64_t *at)
{
    pthread_mutex_lock(&f->lock);
    if (!f->file && !f->error && !(f->file = tmpfile()))
        f->error = errno;
    int descriptor = f->file && !f->error ? fileno(f->file) : -1;
    *at = f->size;
    f->size += descriptor >= 0 ? SPOOL_PIECE : 0;
    pthread_mutex_unlock(&f->lock);
    return descriptor;
}

static void spool_file_write(struct spool_file *f, int descriptor, const uint8_t *bytes, uint64_t at)
{
    for (size_t done = 0; done < SPOOL_PIECE;) {
        ssize_t wrote = pwrite(descriptor, bytes + done, SPOOL_PIECE - done, (off_t)(at + done));
        if (wrote < 0 && errno != EINTR) {
            spool_file_fail(f, errno);
            return;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
}

static bool spool_file_read(struct spool_file *f, uint8_t *to, uint64_t at)
{
    for (size_t done = 0; done < SPOOL_PIECE;) {
        ssize_t got = pread(fileno(f->file), to + done, SPOOL_PIECE - done, (off_t)(at + done));
        if (got == 0 || (got < 0 && errno != EINTR)) {
            spool_file_fail(f, got ? errno : EIO);
            return false;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* ---- adding ---- */

void spool_begin(struct spool *s, struct spool_file *f)
{
    *s = (struct spool){.file = f};
}

void spool_end(struct spool *s)
{
    free(s->last);
    free(s->pieces);
    *s = (struct spool){.file = s->file};
}

uint64_t spool_size(const struct spool *s)
{
    return (uint64_t)s->piece_count * SPOOL_PIECE + s->last_size;
}

static void spool_put_away(struct spool *s)
{
    uint64_t at;
    int descriptor = spool_file_take(s->file, &at);
    if (descriptor >= 0)
        spool_file_write(s->file, descriptor, s->last, at);
    s->pieces = memory_grow(s->pieces, &s->piece_room, s->piece_count, sizeof *s->pieces);
    s->pieces[s->piece_count++] = at;
    s->last_size = 0;
}

void spool_add(struct spool *s, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size) {
        if (s->last_size == s->last_room && s->last_room < SPOOL_PIECE) {
            s->last_room = s->last_room ? 2 * s->last_room : SPOOL_FIRST;
            s->last = memory_resize(s->last, s->last_room, 1);
        }
        size_t room = s->last_room - s->last_size, count = size < room ? size : room;
        memcpy(s->last + s->last_size, from, count);
        s->last_size += count;
        from += count;
        size -= count;
        if (s->last_size == SPOOL_PIECE)
            spool_put_away(s);
    }
}

static ssize_t spool_written(void *spool, const char *bytes, size_t size)
{
    spool_add(spool, bytes, size);
    return (ssize_t)size;
}

FILE *spool_stream(struct spool *s)
{
    return memory_must(fopencookie(s, "w", (cookie_io_functions_t){.write = spool_written}));
}

/* ---- reading ---- */

void spool_reader_begin(struct spool_reader *r, const struct spool *s)
{
    *r = (struct spool_reader){.spool = s, .number = SIZE_MAX};
}

void spool_reader_end(struct spool_reader *r)
{
    free(r->piece);
    r->piece = NULL;
}

void spool_seek(struct spool_reader *r, uint64_t at)
{
    r->at = at;
}

/* The bytes at the reader's place and how many there are without a break; NULL past the end. */
static const uint8_t *spool_here(struct spool_reader *r, size_t *count)
{
    const struct spool *s = r->spool;
    size_t number = (size_t)(r->at / SPOOL_PIECE), within = (size_t)(r->at % SPOOL_PIECE);
    if (r->at >= spool_size(s))
        return NULL;
    if (number == s->piece_count) {
        *count = s->last_size - within;
        return s->last + within;
    }
    *count = SPOOL_PIECE - within;
    if (spool_file_error(s->file))
        return NULL;
    if (number != r->number) {
        if (!r->piece)
            r->piece = memory_bytes(SPOOL_PIECE);
        r->number = SIZE_MAX;
        if (!spool_file_read(s->file, r->piece, s->pieces[number]))
            return NULL;
        r->number = number;
    }
    return r->piece + within;
}

bool spool_read(struct spool_reader *r, void *to, size_t size)
{
    uint8_t *out = to;
    while (size) {
        size_t count;
        const uint8_t *from = spool_here(r, &count);
        if (!from)
            return false;
        count = count < size ? count : size;
        memcpy(out, from, count);
        out += count;
        size -= count;
        r->at += count;
    }
    return true;
}

void spool_copy(struct spool_reader *r, uint64_t end, FILE *to)
{
    while (r->at < end) {
        size_t count;
        const uint8_t *from = spool_here(r, &count);
        if (!from)
            return;
        count = count < end - r->at ? count : (size_t)(end - r->at);
        fwrite(from, 1, count, to);
        r->at += count;
    }
}
