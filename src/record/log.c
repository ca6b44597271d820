#include "record/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../target/recorder/page.h"
#include "base/memory.h"
#include "record/checkpoint.h"
#include "record/crc.h"

enum {
    FORMER_MAGIC = 0x4d /* build ids of 16 bits */,
    HEADER = sizeof(struct page_header),
    LEAST_PAGE = 64,
    MOST_PAGE = 4096,
    MOST_BYTES = 64 << 20
};

/* Of a header, little-endian. */
enum {
    AT_CODEC = offsetof(struct page_header, codec),
    AT_BUILD = offsetof(struct page_header, build),
    AT_SEQUENCE = offsetof(struct page_header, sequence),
    AT_PART = offsetof(struct page_header, part),
    AT_INDEX = offsetof(struct page_header, index),
    AT_USED = offsetof(struct page_header, used),
    AT_CHECK = offsetof(struct page_header, check),
};

static const char file_magic[8] = "motetlog"; /* then two bytes of page size */
enum { FILE_HEADER = 10 };

static unsigned record_log_word(const uint8_t *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

const char *log_codec_name(unsigned codec)
{
    static const char *const names[LOG_CODECS] = {
        "plain", "tardis", "motet (of an earlier Motet)", "motet", "bits (of an earlier Motet)", "words", "bits"};
    return codec < LOG_CODECS ? names[codec] : "unknown";
}

/* ---- pages ---- */

struct page {
    const uint8_t *bytes;
    uint32_t sequence;
    unsigned index;
};

static bool is_whole(const uint8_t *page, unsigned size, unsigned magic)
{
    unsigned used = record_log_word(page + AT_USED);
    if (page[0] != magic || used > size - HEADER)
        return false;
    uint16_t crc = crc16(crc16(0, page + HEADER, used), page, AT_CHECK);
    return crc == record_log_word(page + AT_CHECK);
}

static bool is_blank(const uint8_t *page, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        if (page[i] != 0xff)
            return false;
    return true;
}

static unsigned whole_pages(const uint8_t *bytes, size_t size, unsigned page_size, unsigned magic)
{
    unsigned whole = 0;
    for (size_t at = 0; at + page_size <= size; at += page_size)
        whole += is_whole(bytes + at, page_size, magic);
    return whole;
}

static int by_sequence(const void *a, const void *b)
{
    const struct page *p = a, *q = b;
    if (p->sequence != q->sequence)
        return p->sequence < q->sequence ? -1 : 1;
    return p->bytes < q->bytes ? -1 : p->bytes > q->bytes;
}

/* ---- parts ---- */

static bool belongs(const struct log_part *p, const struct page *page)
{
    return p->number == record_log_word(page->bytes + AT_PART) && p->tag == record_log_word(page->bytes + AT_BUILD) &&
           p->codec == (page->bytes[AT_CODEC] & PAGE_CODEC) &&
           p->continues == !!(page->bytes[AT_CODEC] & PAGE_CONTINUES);
}

static void record_log_append(struct log_stream *s, const struct page *page)
{
    unsigned used = record_log_word(page->bytes + AT_USED);
    if (page->index < s->pages) /* twice the same page */
        return;
    if (page->index != s->pages) {
        s->beyond++;
        return;
    }
    s->bytes = memory_resize(s->bytes, s->size + used + 1, 1);
    memcpy(s->bytes + s->size, page->bytes + HEADER, used);
    s->size += used;
    s->pages++;
}

/* Pages of a checkpoint and of the events before it come mixed, so a page may belong to one of the parts before the
 * last. */
static struct log_part *record_log_part_of(struct log *l, const struct page *page)
{
    enum { MIXED = 4 };
    for (size_t i = l->count; i > 0 && i + MIXED > l->count; i--)
        if (belongs(&l->parts[i - 1], page))
            return &l->parts[i - 1];
    l->parts = memory_resize(l->parts, l->count + 1, sizeof *l->parts);
    struct log_part *p = &l->parts[l->count++];
    *p = (struct log_part){
        .tag = (uint16_t)record_log_word(page->bytes + AT_BUILD),
        .number = (uint16_t)record_log_word(page->bytes + AT_PART),
        .codec = page->bytes[AT_CODEC] & PAGE_CODEC,
        .continues = page->bytes[AT_CODEC] & PAGE_CONTINUES,
        .sequence = page->sequence,
    };
    return p;
}

/* The events of a part begin with the build id, which is not the codec's. */
static void take_build(struct log_part *p, struct log_stream *s)
{
    p->named = s->size >= PAGE_BUILD;
    size_t taken = p->named ? PAGE_BUILD : s->size;
    p->build = p->named ? log_build_at(s->bytes) : 0;
    s->size -= taken;
    memmove(s->bytes, s->bytes + taken, s->size);
}

static void add_page(struct log *l, const struct page *page)
{
    struct log_part *p = record_log_part_of(l, page);
    if (page->bytes[AT_CODEC] & PAGE_CHECKPOINT) {
        record_log_append(&p->checkpoint, page);
        return;
    }
    struct log_stream s = {p->pages, p->beyond, p->bytes, p->size};
    record_log_append(&s, page);
    if (!p->pages && s.pages)
        take_build(p, &s);
    p->pages = s.pages;
    p->beyond = s.beyond;
    p->bytes = s.bytes;
    p->size = s.size;
    p->last = page->sequence;
    p->recovered |= page->bytes[AT_CODEC] & PAGE_RECOVERED;
    p->frozen |= page->bytes[AT_CODEC] & PAGE_FROZEN;
    p->gap |= page->bytes[AT_CODEC] & PAGE_GAP;
}

uint64_t log_build_at(const uint8_t *bytes)
{
    uint64_t build = 0;
    for (unsigned i = 0; i < PAGE_BUILD; i++)
        build |= (uint64_t)bytes[i] << 8 * i;
    return build;
}

bool log_part_usable(const struct log_part *p)
{
    uint64_t build;
    if (!p->continues)
        return p->named;
    return checkpoint_is_whole(&p->checkpoint, &build) && (!p->named || p->build == build);
}

static void link_parts(struct log *l)
{
    for (size_t i = 0; i + 1 < l->count; i++) { /* a checkpoint's first page may come before what leads to it */
        struct log_part *p = &l->parts[i], was = *p;
        if (p->continues && p->number == (uint16_t)(p[1].number + 1) && p->tag == p[1].tag) {
            *p = p[1];
            p[1] = was;
        }
    }
    for (size_t i = 0; i + 1 < l->count; i++) {
        struct log_part *p = &l->parts[i], *next = p + 1;
        p->restarted = !next->continues;
        if (next->continues && next->tag == p->tag && next->number == (uint16_t)(p->number + 1) && !p->beyond &&
            log_part_usable(next))
            p->next = next;
    }
}

/* ---- whole logs ---- */

/* That of which most pages are whole. Where it is as many (one, at a place that both sizes have), that of which the
 * memory is a multiple. */
static unsigned find_page_size(const uint8_t *bytes, size_t size, unsigned magic)
{
    static const unsigned sizes[] = {264, 256, 512, 528, 1024, 1056};
    unsigned best = 0, most = 0;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned whole = whole_pages(bytes, size, sizes[i], magic);
        if (whole > most || (most && whole == most && size % best != 0 && size % sizes[i] == 0)) {
            most = whole;
            best = sizes[i];
        }
    }
    return best;
}

static bool is_former(const uint8_t *bytes, size_t size, unsigned page_size)
{
    if (page_size == 0)
        page_size = find_page_size(bytes, size, FORMER_MAGIC);
    return page_size >= LEAST_PAGE && page_size <= MOST_PAGE && whole_pages(bytes, size, page_size, FORMER_MAGIC);
}

static void *refuse_log(const char *name, const uint8_t *bytes, size_t size, unsigned page_size, struct motet_error *e)
{
    if (is_former(bytes, size, page_size))
        error_set(e,
                  "%s: this log was written by firmware of an earlier Motet, in a format that this one does not read; "
                  "replay it with the Motet that built the firmware, or build the firmware again and record anew",
                  name);
    else
        error_set(e, "%s: there is not one whole page of a log in these %zu bytes", name, size);
    return NULL;
}

struct log *log_parse(const char *name, const uint8_t *bytes, size_t size, unsigned page_size, struct motet_error *e)
{
    if (size >= FILE_HEADER && memcmp(bytes, file_magic, sizeof file_magic) == 0) {
        page_size = record_log_word(bytes + sizeof file_magic);
        bytes += FILE_HEADER;
        size -= FILE_HEADER;
    }
    unsigned told = page_size;
    if (page_size == 0)
        page_size = find_page_size(bytes, size, PAGE_MAGIC);
    if (page_size < LEAST_PAGE || page_size > MOST_PAGE || !whole_pages(bytes, size, page_size, PAGE_MAGIC))
        return refuse_log(name, bytes, size, told, e);
    struct log *l = memory_new(sizeof *l);
    struct page *pages = memory_array(size / page_size + 1, sizeof *pages);
    l->page_size = page_size;
    for (size_t at = 0; at + page_size <= size; at += page_size) {
        const uint8_t *page = bytes + at;
        if (is_whole(page, page_size, PAGE_MAGIC))
            pages[l->pages++] =
                (struct page){page, record_log_word(page + AT_SEQUENCE) | record_log_word(page + AT_SEQUENCE + 2) << 16,
                              record_log_word(page + AT_INDEX)};
        else if (is_blank(page, page_size))
            l->blank++;
        else if (is_whole(page, page_size, FORMER_MAGIC))
            l->former++;
        else
            l->damaged++;
    }
    qsort(pages, l->pages, sizeof *pages, by_sequence);
    for (unsigned i = 0; i < l->pages; i++)
        add_page(l, &pages[i]);
    l->first = pages[0].sequence;
    l->last = pages[l->pages - 1].sequence;
    for (unsigned i = 1; i < l->pages; i++)
        if (pages[i].sequence != pages[i - 1].sequence)
            l->missing += pages[i].sequence - pages[i - 1].sequence - 1;
    link_parts(l);
    free(pages);
    return l;
}

struct log *log_load(const char *path, unsigned page_size, struct motet_error *e)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        error_set(e, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    uint8_t *bytes = NULL;
    size_t size = 0, got;
    do {
        bytes = memory_resize(bytes, size + 65536, 1);
        got = fread(bytes + size, 1, 65536, f);
        size += got;
    } while (got && size < MOST_BYTES);
    bool well = !ferror(f) && !got;
    fclose(f);
    struct log *l = NULL;
    if (well)
        l = log_parse(path, bytes, size, page_size, e);
    else
        error_set(e, "cannot read %s: it is not a file of up to 64 MB", path);
    free(bytes);
    return l;
}

void log_free(struct log *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->count; i++) {
        free(l->parts[i].bytes);
        free(l->parts[i].checkpoint.bytes);
    }
    free(l->parts);
    free(l);
}

/* ---- files ---- */

static void put_word(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

/* One page of a stream as the node would have written it. */
static void make_page(const struct log *l, const struct log_part *p, const struct log_stream *s, unsigned index,
                      uint32_t sequence, uint8_t *page)
{
    unsigned room = l->page_size - HEADER, kind = p->continues ? PAGE_CONTINUES : 0;
    unsigned before = s == &p->checkpoint ? 0 : PAGE_BUILD, id = index ? 0 : before;
    size_t from = (size_t)index * room - (index ? before : 0);
    unsigned used = s->size - from < room - id ? (unsigned)(s->size - from) : room - id;
    if (s == &p->checkpoint)
        kind |= PAGE_CHECKPOINT;
    else
        kind |= (p->recovered ? PAGE_RECOVERED : 0) | (p->frozen ? PAGE_FROZEN : 0) | (p->gap ? PAGE_GAP : 0);
    memset(page, 0xff, l->page_size);
    page[0] = PAGE_MAGIC;
    page[AT_CODEC] = (uint8_t)(p->codec | kind);
    put_word(page + AT_BUILD, p->tag);
    put_word(page + AT_SEQUENCE, sequence);
    put_word(page + AT_SEQUENCE + 2, sequence >> 16);
    put_word(page + AT_PART, p->number);
    put_word(page + AT_INDEX, index);
    put_word(page + AT_USED, id + used);
    for (unsigned i = 0; i < id; i++)
        page[HEADER + i] = (uint8_t)(p->build >> 8 * i);
    memcpy(page + HEADER + id, s->bytes + from, used);
    used += id;
    put_word(page + AT_CHECK, crc16(crc16(0, page + HEADER, used), page, AT_CHECK));
}

static void write_stream(const struct log *l, const struct log_part *p, const struct log_stream *s, uint32_t *sequence,
                         FILE *f)
{
    uint8_t page[MOST_PAGE];
    unsigned room = l->page_size - HEADER;
    size_t size = s->size + (s == &p->checkpoint || !p->named ? 0 : PAGE_BUILD);
    for (unsigned k = 0; k < (size + room - 1) / room; k++) {
        make_page(l, p, s, k, (*sequence)++, page);
        fwrite(page, 1, l->page_size, f);
    }
}

bool log_save(const struct log *l, const char *path, struct motet_error *e)
{
    uint8_t head[FILE_HEADER];
    uint32_t sequence = l->first;
    FILE *f = fopen(path, "wb");
    if (!f)
        return error_set(e, "cannot write %s: %s", path, strerror(errno));
    memcpy(head, file_magic, sizeof file_magic);
    put_word(head + sizeof file_magic, l->page_size);
    fwrite(head, 1, sizeof head, f);
    for (size_t i = 0; i < l->count; i++) {
        const struct log_part *p = &l->parts[i];
        const struct log_stream events = {p->pages, p->beyond, p->bytes, p->size};
        write_stream(l, p, &p->checkpoint, &sequence, f);
        write_stream(l, p, &events, &sequence, f);
    }
    bool well = !ferror(f);
    return fclose(f) == 0 && well ? true : error_set(e, "cannot write %s: %s", path, strerror(errno));
}
