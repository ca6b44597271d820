/* Intel HEX, as Intel's "Hexadecimal Object File Format Specification" (1988) has it: record types 0 to 5; and
 * Motorola's S-records, which TinyOS makes for AVR boards. */
#include "image/internal.h"

#include <stdlib.h>
#include <string.h>

enum { RECORD_BYTES = 260 };
enum record_type { DATA, END, SEGMENT_BASE, SEGMENT_START, LINEAR_BASE, LINEAR_START };

struct record {
    unsigned line, type, length, offset;
    uint8_t data[255];
};

/* A run of bytes of one data record, at its place. */
struct run {
    uint32_t address, length, line;
    uint32_t at; /* where in `bytes` its data is */
};

struct hex {
    uint32_t base;
    bool segmented; /* base is of record type 2: offsets wrap at 64 KB */
    bool ended;
    struct growing runs;
    struct growing bytes;
};

static int nibble(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

/* Bytes of a line from column `from` on, as hexadecimal digits, and their sum. */
static bool bytes_read(const char *text, size_t size, size_t from, unsigned line, uint8_t bytes[RECORD_BYTES],
                       size_t *count, unsigned *sum, struct motet_error *e)
{
    size_t digits = size - from;
    if (digits % 2 || digits < 8 || digits / 2 > RECORD_BYTES)
        return error_set(e, "line %u: a record of %zu hexadecimal digits is impossible; the file seems cut or damaged",
                         line, digits);
    *sum = 0;
    for (*count = 0; *count < digits / 2; ++*count) {
        size_t at = from + *count * 2;
        int high = nibble(text[at]), low = nibble(text[at + 1]);
        if (high < 0 || low < 0)
            return error_set(e, "line %u, column %zu: not a hexadecimal digit", line, at + 1 + (high < 0 ? 0 : 1));
        bytes[*count] = (uint8_t)(high << 4 | low);
        *sum += bytes[*count];
    }
    return true;
}

/* Decodes ":LLAAAATT..CC" from text without its line end. */
static bool hex_record_read(struct record *r, const char *text, size_t size, struct motet_error *e)
{
    if (text[0] != ':')
        return error_set(e, "line %u: does not begin with a colon, as each line of an Intel HEX file must", r->line);
    uint8_t bytes[RECORD_BYTES] = {0};
    size_t count;
    unsigned sum;
    if (!bytes_read(text, size, 1, r->line, bytes, &count, &sum, e))
        return false;
    r->length = bytes[0];
    if (count != r->length + 5u)
        return error_set(e, "line %u: the record says it has %u bytes of data, but has %zu", r->line, r->length,
                         count - 5);
    if (sum & 0xff)
        return error_set(e, "line %u: wrong checksum 0x%02x, expected 0x%02x; the file is damaged", r->line,
                         bytes[count - 1], (unsigned)(bytes[count - 1] - sum) & 0xff);
    r->offset = (unsigned)bytes[1] << 8 | bytes[2];
    r->type = bytes[3];
    memcpy(r->data, bytes + 4, r->length);
    return true;
}

static bool run_add(struct hex *h, unsigned line, uint32_t address, const uint8_t *data, uint32_t length,
                    struct motet_error *e)
{
    if (address >= IMAGE_LOAD_LIMIT || length > IMAGE_LOAD_LIMIT - address)
        return error_set(e, "line %u: address 0x%x is beyond the 24 bits that a microcontroller's file can use", line,
                         address);
    struct run *run = growing_add(&h->runs, sizeof *run);
    *run = (struct run){.address = address, .length = length, .line = line, .at = (uint32_t)h->bytes.count};
    for (uint32_t n = 0; n < length; n++)
        *(uint8_t *)growing_add(&h->bytes, 1) = data[n];
    return true;
}

static bool data_add(struct hex *h, const struct record *r, struct motet_error *e)
{
    unsigned before_wrap = r->length;
    if (h->segmented && r->offset + r->length > 0x10000)
        before_wrap = 0x10000 - r->offset;
    if (before_wrap && !run_add(h, r->line, h->base + r->offset, r->data, before_wrap, e))
        return false;
    if (before_wrap < r->length)
        return run_add(h, r->line, h->base, r->data + before_wrap, r->length - before_wrap, e);
    return true;
}

static bool record_apply(struct hex *h, const struct record *r, struct motet_error *e)
{
    static const uint8_t lengths[] = {
        [END] = 0, [SEGMENT_BASE] = 2, [SEGMENT_START] = 4, [LINEAR_BASE] = 2, [LINEAR_START] = 4};
    if (r->type > LINEAR_START)
        return error_set(e, "line %u: record type %u is unknown; Intel HEX has 0 to 5", r->line, r->type);
    if (r->type != DATA && r->length != lengths[r->type])
        return error_set(e, "line %u: a record of type %u has %u bytes of data, not %u", r->line, r->type,
                         lengths[r->type], r->length);
    uint32_t value = (uint32_t)r->data[0] << 8 | r->data[1];
    switch (r->type) {
    case DATA: return data_add(h, r, e);
    case END: h->ended = true; break;
    case SEGMENT_BASE:
        h->base = value << 4;
        h->segmented = true;
        break;
    case LINEAR_BASE:
        h->base = value << 16;
        h->segmented = false;
        break;
    }
    return true;
}

static bool hex_take(struct hex *h, unsigned line, const char *text, size_t size, struct motet_error *e)
{
    struct record r = {.line = line};
    return hex_record_read(&r, text, size, e) && record_apply(h, &r, e);
}

/* "STLLAA..DD..CC": T is the type, and tells how many bytes of address there are; CC the complement of the sum. */
static bool srec_take(struct hex *h, unsigned line, const char *text, size_t size, struct motet_error *e)
{
    enum { HEADER = '0', DATA_FIRST = '1', DATA_LAST = '3', RESERVED = '4', END_FIRST = '7', END_LAST = '9' };
    uint8_t bytes[RECORD_BYTES] = {0};
    size_t count;
    unsigned sum;
    if (text[0] != 'S' || size < 2 || text[1] < HEADER || text[1] > END_LAST || text[1] == RESERVED)
        return error_set(e, "line %u: does not begin with S0 to S9, as each line of S-records must", line);
    if (!bytes_read(text, size, 2, line, bytes, &count, &sum, e))
        return false;
    bool data = text[1] >= DATA_FIRST && text[1] <= DATA_LAST;
    size_t width = data ? (size_t)(text[1] - DATA_FIRST) + 2 : 2;
    if (count != bytes[0] + 1u || count < width + 2)
        return error_set(e, "line %u: the record says it has %u bytes, but has %zu", line, bytes[0], count - 1);
    if ((sum & 0xff) != 0xff)
        return error_set(e, "line %u: wrong checksum 0x%02x, expected 0x%02x; the file is damaged", line,
                         bytes[count - 1], (unsigned)(bytes[count - 1] - sum - 1) & 0xff);
    h->ended = text[1] >= END_FIRST;
    uint32_t address = 0;
    for (size_t i = 0; i < width; i++)
        address = address << 8 | bytes[1 + i];
    return !data || count == width + 2 ||
           run_add(h, line, address, bytes + 1 + width, (uint32_t)(count - width - 2), e);
}

typedef bool take_line(struct hex *h, unsigned line, const char *text, size_t size, struct motet_error *e);

static bool lines_read(struct hex *h, const char *bytes, size_t size, take_line *take, struct motet_error *e)
{
    unsigned line = 0;
    for (size_t at = 0, next; at < size; at = next) {
        const char *end = memchr(bytes + at, '\n', size - at);
        size_t length = end ? (size_t)(end - bytes) - at : size - at;
        next = at + length + 1;
        line++;
        while (length && strchr(" \t\r", bytes[at + length - 1]) && bytes[at + length - 1])
            length--;
        if (length == 0)
            continue;
        if (h->ended)
            return error_set(e, "line %u: there is more after the end record; give one image, not several in one file",
                             line);
        if (!take(h, line, bytes + at, length, e))
            return false;
    }
    if (!h->ended)
        return error_set(e, "the end record (%s) is missing after line %u; the file seems cut",
                         take == hex_take ? ":00000001FF" : "S9030000FC", line);
    return true;
}

static int run_order(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Merges runs that touch into segments. */
static bool runs_merge(struct image *i, struct hex *h, struct motet_error *e)
{
    struct run *runs = h->runs.items;
    size_t count = h->runs.count;
    if (count)
        qsort(runs, count, sizeof *runs, run_order);
    uint8_t *bytes = store_take(&i->store, h->bytes.count + 1);
    struct growing segments = {0};
    struct image_segment *s = NULL;
    for (size_t n = 0; n < count; n++) {
        uint32_t end = s ? s->address + s->size : 0;
        if (s && runs[n].address < end) {
            growing_free(&segments);
            return error_set(e, "line %u: address 0x%x was already given a byte, in line %u or before", runs[n].line,
                             runs[n].address, runs[n - 1].line);
        }
        if (!s || runs[n].address > end) {
            s = growing_add(&segments, sizeof *s);
            *s = (struct image_segment){
                .address = runs[n].address, .run_address = runs[n].address, .executable = true, .bytes = bytes};
        }
        memcpy(bytes, (const uint8_t *)h->bytes.items + runs[n].at, runs[n].length);
        bytes += runs[n].length;
        s->size += runs[n].length;
    }
    bool set = segments_set(i, &segments, e);
    growing_free(&segments);
    return set;
}

static bool hex_load_file(struct image *i, const char *bytes, size_t size, take_line *take, struct motet_error *e)
{
    struct hex h = {0};
    bool loaded = lines_read(&h, bytes, size, take, e) && runs_merge(i, &h, e);
    growing_free(&h.runs);
    growing_free(&h.bytes);
    return loaded;
}

bool hex_load(struct image *i, const char *bytes, size_t size, struct motet_error *e)
{
    return hex_load_file(i, bytes, size, hex_take, e);
}

bool srec_load(struct image *i, const char *bytes, size_t size, struct motet_error *e)
{
    return hex_load_file(i, bytes, size, srec_take, e);
}
