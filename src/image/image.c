#include "image/internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *first_visible(const char *bytes, size_t size)
{
    for (size_t n = 0; n < size; n++)
        if (!strchr(" \t\r\n", bytes[n]) || !bytes[n])
            return bytes + n;
    return NULL;
}

static bool image_parse_bytes(struct image *i, const char *bytes, size_t size, struct motet_error *e)
{
    if (size > IMAGE_FILE_LIMIT)
        return error_set(e, "the file is larger than %u MB, which no firmware is", IMAGE_FILE_LIMIT >> 20);
    const char *first = first_visible(bytes, size);
    if (!first)
        return error_set(e, "the file is empty");
    if (size >= 4 && memcmp(bytes, "\177ELF", 4) == 0)
        return elf_load(i, bytes, size, e);
    if (*first == ':')
        return hex_load(i, bytes, size, e);
    if (*first == 'S' && size - (size_t)(first - (const char *)bytes) > 1 && isdigit((unsigned char)first[1]))
        return srec_load(i, bytes, size, e);
    return error_set(e, "the file is neither ELF nor Intel HEX nor S-records; give the .elf (or .hex) that the "
                        "firmware's build makes");
}

struct image *image_parse(const char *name, const void *bytes, size_t size, struct motet_error *e)
{
    struct image *i = memory_new(sizeof *i);
    i->target = &target_unknown;
    i->path = store_string(&i->store, name);
    if (image_parse_bytes(i, bytes, size, e)) {
        i->file = store_copy(&i->store, bytes, size);
        i->file_size = size;
        return i;
    }
    error_prefix(e, "%s", name);
    image_free(i);
    return NULL;
}

/* Reads up to the limit and one byte more, so that a file that is too large differs from one that just fits. */
static char *image_read_whole(FILE *file, size_t *size)
{
    struct growing bytes = {0};
    for (;;) {
        bytes.items = memory_grow(bytes.items, &bytes.capacity, bytes.count + 4096, 1);
        size_t count = fread((char *)bytes.items + bytes.count, 1, bytes.capacity - bytes.count, file);
        bytes.count += count;
        if (count == 0 || bytes.count > IMAGE_FILE_LIMIT)
            break;
    }
    *size = bytes.count;
    return bytes.items;
}

struct image *image_load(const char *path, struct motet_error *e)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        error_set(e, "%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    size_t size;
    errno = 0;
    char *bytes = image_read_whole(file, &size);
    struct image *i = NULL;
    if (ferror(file))
        error_set(e, "%s: cannot be read: %s", path, strerror(errno));
    else
        i = image_parse(path, bytes, size, e);
    free(bytes);
    fclose(file);
    return i;
}

void image_free(struct image *i)
{
    if (!i)
        return;
    store_free(&i->store);
    free(i);
}

const char *image_path(const struct image *i)
{
    return i->path;
}

const void *image_file(const struct image *i, size_t *size)
{
    *size = i->file_size;
    return i->file;
}

enum image_machine image_machine(const struct image *i)
{
    return i->target->machine;
}

unsigned image_elf_flags(const struct image *i)
{
    return i->elf_flags;
}

uint32_t image_variables_end(const struct image *i, uint32_t first, uint32_t last)
{
    uint32_t end = 0;
    for (size_t k = 0; k < i->writable_count; k++) {
        const struct image_range *r = &i->writable[k];
        if (r->address >= first && r->address < last && r->size <= last - r->address && r->address + r->size > end)
            end = r->address + r->size;
    }
    return end;
}

const char *image_device(const struct image *i)
{
    return i->device;
}

uint64_t image_build(const struct image *i)
{
    enum { BYTES = 8 };
    size_t size;
    uint64_t build = 0;
    const uint8_t *bytes = image_section(i, ".motet.build", 0, &size);
    for (unsigned b = 0; bytes && size >= BYTES && b < BYTES; b++)
        build |= (uint64_t)bytes[b] << 8 * b;
    return build;
}

const uint8_t *image_section(const struct image *i, const char *prefix, size_t number, size_t *size)
{
    *size = 0;
    for (size_t n = 0; n < i->section_count; n++)
        if (strncmp(i->sections[n].name, prefix, strlen(prefix)) == 0 && number-- == 0) {
            *size = i->sections[n].size;
            return i->sections[n].bytes;
        }
    return NULL;
}

size_t image_segments(const struct image *i, const struct image_segment **first)
{
    *first = i->segments;
    return i->segment_count;
}

static int segment_order(const void *a, const void *b)
{
    const struct image_segment *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

bool segments_set(struct image *i, struct growing *segments, struct motet_error *e)
{
    struct image_segment *s = segments->items;
    if (segments->count == 0)
        return error_set(e, "the file holds nothing to load: no byte of code or data");
    qsort(s, segments->count, sizeof *s, segment_order);
    for (size_t n = 0; n < segments->count; n++) {
        if (s[n].size > IMAGE_LOAD_LIMIT || s[n].address > IMAGE_LOAD_LIMIT - s[n].size)
            return error_set(e,
                             "%u bytes at 0x%x lie beyond the 24 bits of address that a microcontroller's file can use",
                             s[n].size, s[n].address);
        if (n && s[n - 1].address + s[n - 1].size > s[n].address)
            return error_set(e, "two segments both load something at 0x%x; check the linker script's load addresses",
                             s[n].address);
    }
    i->segment_count = segments->count;
    i->segments = growing_keep(segments, sizeof *s, &i->store);
    return true;
}

static const struct line_range *range_at(const struct image *i, uint32_t address)
{
    size_t low = 0, high = i->line_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (i->lines[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 || address >= i->lines[low - 1].end ? NULL : &i->lines[low - 1];
}

const char *image_producer_at(const struct image *i, uint32_t address)
{
    const struct line_range *r = range_at(i, address);
    return r ? r->producer : NULL;
}

bool image_row_at(const struct image *i, uint32_t address, struct image_row *row)
{
    const struct line_range *r = range_at(i, address);
    if (r)
        *row = (struct image_row){
            .start = r->start, .end = r->end, .file = r->file, .line = r->line, .second = r->second, .body = r->body};
    return r;
}

bool image_line_at(const struct image *i, uint32_t address, struct image_line *line)
{
    struct image_row row;
    if (!image_row_at(i, address, &row))
        return false;
    *line = (struct image_line){.file = row.file, .line = row.line};
    return true;
}

char *image_readable(const char *name, char *text, size_t size)
{
    if (!mangled_read(name, text, size))
        snprintf(text, size, "%s", name);
    return text;
}

char *image_place(const struct image *i, uint32_t address, char *text, size_t size)
{
    char offset[16] = "", where[256] = "", readable[200];
    const struct image_symbol *s = image_symbol_at(i, address);
    if (s && address != s->address)
        snprintf(offset, sizeof offset, s->kind == IMAGE_SYMBOL_OBJECT ? "+%u" : "+0x%x", address - s->address);
    struct image_line line;
    if (image_line_at(i, address, &line)) {
        const char *slash = strrchr(line.file, '/');
        snprintf(where, sizeof where, " (%s:%u)", slash ? slash + 1 : line.file, line.line);
    }
    if (s)
        snprintf(text, size, "%s%s%s", mangled_read(s->name, readable, sizeof readable) ? readable : s->name, offset,
                 where);
    else
        snprintf(text, size, "0x%x%s", address, where);
    return text;
}
