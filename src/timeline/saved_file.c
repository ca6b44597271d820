#include "timeline/saved_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/pack.h"

enum {
    HEADER = 64,
    HEADER_SIGNED = 48, /* bytes of it that its digest is of */
    ENTRY = 48,         /* bytes of the table for a section */
    LEVEL = 3,          /* of zstd */
};

/* No text: a carriage return and a line feed show a file that was copied as if it were one. */
static const uint8_t magic[8] = {'m', 'o', 't', 'e', 't', '\r', '\n', 0x1a};

#define FILE_LIMIT    (UINT64_C(1) << 40)
#define SECTION_LIMIT (UINT64_C(1) << 31) /* bytes as used, far above what is ever written */

struct section {
    enum saved_section kind;
    bool compressed;
    uint64_t at, stored, size;
    struct digest digest;
};

/* ---- writing ---- */

struct saved_file_writer {
    char *path, *temporary;
    int fd;
    uint64_t at;
    int failed; /* errno of the first failure; 0: none */
    struct section *sections;
    size_t count, room;
    ZSTD_CCtx *zstd;
};

static void write_at(struct saved_file_writer *w, const void *bytes, size_t count, uint64_t at)
{
    const uint8_t *from = bytes;
    while (count && !w->failed) {
        ssize_t done = pwrite(w->fd, from, count, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            w->failed = done < 0 ? errno : ENOSPC;
            return;
        }
        from += done, at += (uint64_t)done, count -= (size_t)done;
    }
}

struct saved_file_writer *saved_file_create(const char *path, struct motet_error *e)
{
    struct saved_file_writer *w = memory_new(sizeof *w);
    struct stat s;
    size_t length = strlen(path) + 8;
    w->path = memory_string(path);
    w->temporary = memory_bytes(length);
    snprintf(w->temporary, length, "%s.XXXXXX", path);
    bool odd = stat(path, &s) == 0 && !S_ISREG(s.st_mode);
    w->fd = odd ? -1 : mkstemp(w->temporary);
    if (w->fd < 0) {
        error_set(e, "%s: cannot be written: %s", path, odd ? "it is not a plain file" : strerror(errno));
        free(w->path);
        free(w->temporary);
        free(w);
        return NULL;
    }
    fcntl(w->fd, F_SETFD, FD_CLOEXEC);
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(w->fd, 0666 & ~mask) != 0) /* mkstemp made it ours alone */
        w->failed = errno;
    w->at = HEADER;
    w->zstd = memory_must(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
    return w;
}

size_t saved_file_add(struct saved_file_writer *w, enum saved_section kind, const void *bytes, size_t size)
{
    size_t room = ZSTD_compressBound(size);
    uint8_t *small = memory_bytes(room + 1);
    size_t stored = ZSTD_compress2(w->zstd, small, room, bytes, size);
    bool compressed = !ZSTD_isError(stored) && stored < size;
    stored = compressed ? stored : size;
    const void *what = compressed ? small : bytes;
    write_at(w, what, stored, w->at);
    w->sections = memory_grow(w->sections, &w->room, w->count, sizeof *w->sections);
    w->sections[w->count] = (struct section){kind, compressed, w->at, stored, size, digest_of(what, stored)};
    w->at += stored;
    free(small);
    return w->count++;
}

static void saved_file_write_table(struct saved_file_writer *w)
{
    struct pack table = {.bytes = NULL}, header = {.bytes = NULL};
    for (size_t i = 0; i < w->count; i++) {
        const struct section *s = &w->sections[i];
        pack_number(&table, s->kind, 4);
        pack_number(&table, s->compressed, 4);
        pack_number(&table, s->at, 8);
        pack_number(&table, s->stored, 8);
        pack_number(&table, s->size, 8);
        pack_digest(&table, s->digest);
    }
    pack_bytes(&header, magic, sizeof magic);
    pack_number(&header, SAVED_FILE_VERSION, 4);
    pack_number(&header, HEADER, 4);
    pack_number(&header, w->at, 8);
    pack_number(&header, w->count, 8);
    pack_digest(&header, digest_of(table.bytes, table.count));
    pack_digest(&header, digest_of(header.bytes, HEADER_SIGNED));
    write_at(w, table.bytes, table.count, w->at);
    write_at(w, header.bytes, header.count, 0);
    pack_free(&table);
    pack_free(&header);
}

static void writer_free(struct saved_file_writer *w)
{
    ZSTD_freeCCtx(w->zstd);
    free(w->sections);
    free(w->path);
    free(w->temporary);
    free(w);
}

bool saved_file_finish(struct saved_file_writer *w, struct motet_error *e)
{
    saved_file_write_table(w);
    if (!w->failed && fsync(w->fd) != 0 && errno != EINVAL)
        w->failed = errno;
    if (close(w->fd) != 0 && !w->failed)
        w->failed = errno;
    if (!w->failed && rename(w->temporary, w->path) != 0)
        w->failed = errno;
    bool good = !w->failed;
    if (!good) {
        error_set(e, "%s: cannot be written: %s", w->path, strerror(w->failed));
        unlink(w->temporary);
    }
    writer_free(w);
    return good;
}

void saved_file_abandon(struct saved_file_writer *w)
{
    if (!w)
        return;
    close(w->fd);
    unlink(w->temporary);
    writer_free(w);
}

/* ---- reading ---- */

struct saved_file {
    char *name;
    uint8_t *bytes;
    size_t size;
    struct section *sections;
    size_t count;
};

static bool saved_file_damaged(const struct saved_file *r, struct motet_error *e, const char *what)
{
    return error_set(e, "%s: is damaged: %s; get another copy", r->name, what);
}

static bool saved_file_read_header(const struct saved_file *r, uint64_t *table, uint64_t *count, struct digest *digest,
                                   struct motet_error *e)
{
    struct unpack u = {.at = r->bytes, .end = r->bytes + r->size};
    const uint8_t *found = unpack_bytes(&u, sizeof magic);
    if (!found || memcmp(found, magic, sizeof magic) != 0)
        return error_set(e, "%s: is not a saved run; motet run --save writes one", r->name);
    uint64_t version = unpack_number(&u, 4);
    if (!u.failed && version > SAVED_FILE_VERSION)
        return error_set(e, "%s: was written by a newer Motet (format %" PRIu64 "; this one reads %d)", r->name,
                         version, SAVED_FILE_VERSION);
    if (!u.failed && version && version < SAVED_FILE_VERSION)
        return error_set(e,
                         "%s: was written by an older Motet (format %" PRIu64 "; this one reads %d); open it there, or "
                         "save the run again",
                         r->name, version, SAVED_FILE_VERSION);
    uint64_t size = unpack_number(&u, 4);
    *table = unpack_number(&u, 8);
    *count = unpack_number(&u, 8);
    *digest = unpack_digest(&u);
    struct digest own = unpack_digest(&u);
    if (u.failed || size != HEADER || version == 0)
        return saved_file_damaged(r, e, "its header is not whole");
    return digest_equal(own, digest_of(r->bytes, HEADER_SIGNED)) || saved_file_damaged(r, e, "its header has changed");
}

/* Sections follow each other without gaps, from the header to the table. */
static bool read_section(struct saved_file *r, struct unpack *u, uint64_t *at, uint64_t table, struct motet_error *e)
{
    uint64_t kind = unpack_number(u, 4), compressed = unpack_number(u, 4);
    struct section s = {.compressed = compressed == 1, .at = unpack_number(u, 8)};
    s.stored = unpack_number(u, 8);
    s.size = unpack_number(u, 8);
    s.digest = unpack_digest(u);
    bool fits = s.at == *at && s.stored <= table - *at && s.size <= SECTION_LIMIT && kind > 0 && kind < SECTION_KINDS &&
                compressed <= 1 && (compressed || s.size == s.stored);
    if (u->failed || !fits)
        return saved_file_damaged(r, e, "its table makes no sense");
    s.kind = (enum saved_section)kind;
    if (!digest_equal(s.digest, digest_of(r->bytes + s.at, (size_t)s.stored)))
        return saved_file_damaged(r, e, "the digest of a section is not that of its bytes");
    *at += s.stored;
    r->sections[r->count++] = s;
    return true;
}

static bool saved_file_read_table(struct saved_file *r, struct motet_error *e)
{
    uint64_t table = 0, count = 0, at = HEADER;
    struct digest digest;
    if (!saved_file_read_header(r, &table, &count, &digest, e))
        return false;
    if (table < HEADER || table > r->size || count > (r->size - table) / ENTRY || r->size - table != count * ENTRY)
        return saved_file_damaged(r, e, "it is cut off, or something was added");
    if (!digest_equal(digest, digest_of(r->bytes + table, r->size - table)))
        return saved_file_damaged(r, e, "its table has changed");
    struct unpack u = {.at = r->bytes + table, .end = r->bytes + r->size};
    r->sections = memory_array(count + 1, sizeof *r->sections);
    for (uint64_t i = 0; i < count; i++)
        if (!read_section(r, &u, &at, table, e))
            return false;
    return at == table || saved_file_damaged(r, e, "its sections do not fill it");
}

static struct saved_file *saved_file_take(const char *name, uint8_t *bytes, size_t size, struct motet_error *e)
{
    struct saved_file *r = memory_new(sizeof *r);
    r->name = memory_string(name);
    r->bytes = bytes;
    r->size = size;
    if (saved_file_read_table(r, e))
        return r;
    saved_file_close(r);
    return NULL;
}

struct saved_file *saved_file_parse(const char *name, const void *bytes, size_t size, struct motet_error *e)
{
    uint8_t *copy = memory_bytes(size + 1);
    if (size)
        memcpy(copy, bytes, size);
    return saved_file_take(name, copy, size, e);
}

static uint8_t *saved_file_read_whole(int fd, size_t size)
{
    uint8_t *bytes = memory_bytes(size + 1);
    size_t have = 0;
    while (have < size) {
        ssize_t got = read(fd, bytes + have, size - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got ? errno : EIO;
            free(bytes);
            return NULL;
        }
        have += (size_t)got;
    }
    return bytes;
}

struct saved_file *saved_file_open(const char *path, struct motet_error *e)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &s) != 0) {
        error_set(e, "%s: cannot be opened: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    uint8_t *bytes = NULL;
    if (!S_ISREG(s.st_mode) || (uint64_t)s.st_size > FILE_LIMIT)
        error_set(e, "%s: is not a saved run but %s", path, S_ISREG(s.st_mode) ? "far too large" : "not a plain file");
    else if (!(bytes = saved_file_read_whole(fd, (size_t)s.st_size)))
        error_set(e, "%s: cannot be read: %s", path, strerror(errno));
    close(fd);
    return bytes ? saved_file_take(path, bytes, (size_t)s.st_size, e) : NULL;
}

void saved_file_close(struct saved_file *r)
{
    if (!r)
        return;
    free(r->sections);
    free(r->bytes);
    free(r->name);
    free(r);
}

size_t saved_file_sections(const struct saved_file *r)
{
    return r->count;
}

enum saved_section saved_file_kind(const struct saved_file *r, size_t section)
{
    return r->sections[section].kind;
}

size_t saved_file_size(const struct saved_file *r)
{
    return r->size;
}

size_t saved_file_find(const struct saved_file *r, enum saved_section kind, size_t from)
{
    while (from < r->count && r->sections[from].kind != kind)
        from++;
    return from;
}

uint8_t *saved_file_read(const struct saved_file *r, size_t section, size_t *size, struct motet_error *e)
{
    const struct section *s = &r->sections[section];
    const uint8_t *stored = r->bytes + s->at;
    /* No section is larger than zstd can make of what is stored: 1:2^17 is beyond its format's reach. */
    if (s->compressed && s->size >> 17 > s->stored) {
        saved_file_damaged(r, e, "a section claims to be far too large");
        return NULL;
    }
    uint8_t *bytes = memory_bytes((size_t)s->size + 1);
    size_t got = (size_t)s->size;
    if (s->compressed)
        got = ZSTD_decompress(bytes, (size_t)s->size, stored, (size_t)s->stored);
    else
        memcpy(bytes, stored, (size_t)s->size);
    if (got != s->size) {
        saved_file_damaged(r, e, "a section cannot be decompressed");
        free(bytes);
        return NULL;
    }
    *size = (size_t)s->size;
    return bytes;
}
