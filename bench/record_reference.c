#include "record_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- TARDIS ---- */

enum { SITES = 0x8000 };

/* 128 bytes of window, 64 of hash table: LZRW-T (section 3.8). 9 bits a literal, 17 a match. */
static uint64_t lzrw_t(const uint8_t *bytes, size_t size)
{
    size_t places[64], at = 0;
    uint64_t bits = 0;
    memset(places, 0xff, sizeof places);
    while (at < size) {
        size_t length = 0;
        if (at + 2 < size) {
            size_t *place = &places[(bytes[at] * 5 + bytes[at + 1] * 3 + bytes[at + 2]) % 64];
            if (*place != SIZE_MAX && at - *place <= 128)
                while (at + length < size && length < 255 && bytes[*place + length] == bytes[at + length])
                    length++;
            *place = at;
        }
        bits += length >= 3 ? 17 : 9;
        size_t step = length >= 3 ? length : 1;
        for (size_t i = 1; i < step && at + i + 2 < size; i++)
            places[(bytes[at + i] * 5 + bytes[at + i + 1] * 3 + bytes[at + i + 2]) % 64] = at + i;
        at += step;
    }
    return bits;
}

static unsigned timer_bits(unsigned delta)
{
    return delta < 4 ? 3 : delta < 64 ? 8 : 19;
}

/* Vectors of timers: the first read after one of these is close to the compare or capture register (section 3.6). Which
 * one is not in the trace: all of them are taken to be less than 64 away. */
static bool is_timer(unsigned vector, bool avr)
{
    return avr ? vector >= 9 && vector <= 16 : vector == 5 || vector == 6 || vector == 12 || vector == 13;
}

struct runs {
    unsigned length, value;
};

static void add_state(struct tardis *r, struct runs *runs, const struct trace_event *e)
{
    struct runs *s = &runs[e->site % SITES];
    r->state_raw += 8 * e->size;
    r->state_masked += (unsigned)__builtin_popcount(e->live);
    if (s->length && s->value == e->value && s->length < 255) {
        s->length++;
        return;
    }
    if (s->length)
        r->state += 3 + 6 + 8 + (unsigned)__builtin_popcount(e->live);
    *s = (struct runs){1, e->value};
}

static void add_interrupt(struct tardis *r, const struct trace_event *e, unsigned vector_bits)
{
    unsigned awake = 2 + vector_bits + 16 + (e->count < 256 ? 8 : 16);
    r->interrupt_raw += vector_bits + 32;
    r->interrupt_awake += awake;
    r->interrupt += e->kind == TRACE_WOKE ? 1 + vector_bits : awake;
}

struct tardis tardis_of(const struct trace *t, bool avr)
{
    struct tardis r = {0};
    struct runs *runs = calloc(SITES, sizeof *runs);
    uint8_t *data = malloc(2 * t->count + 1);
    size_t bytes = 0;
    unsigned last[3] = {0};
    bool fresh = false;
    for (size_t i = 0; i < t->count && runs && data; i++) {
        const struct trace_event *e = &t->events[i];
        unsigned class = e->site >> 13 & 3;
        if (e->kind == TRACE_WRAPPED) {
            continue;
        } else if (e->kind != TRACE_READ && e->kind != TRACE_BYTE) {
            add_interrupt(&r, e, avr ? 6 : 4);
            fresh |= is_timer(e->vector, avr);
        } else if (class == 1) {
            unsigned delta = (e->value - last[e->size]) & (e->size == 1 ? 0xff : 0xffff);
            r.timer_raw += 8 * e->size;
            r.timer += timer_bits(fresh && delta >= 64 ? 63 : delta);
            last[e->size] = e->value;
            fresh = false;
        } else if (class == 2 || e->kind == TRACE_BYTE) {
            r.data_raw += 8 * e->size;
            data[bytes++] = (uint8_t)e->value;
            if (e->size == 2)
                data[bytes++] = (uint8_t)(e->value >> 8);
        } else {
            add_state(&r, runs, e);
        }
    }
    r.data = data ? lzrw_t(data, bytes) : 0;
    free(runs);
    free(data);
    return r;
}

uint64_t tardis_bits(const struct tardis *t)
{
    return t->state + t->timer + t->data + t->interrupt;
}

/* ---- general compression ---- */

size_t reference_raw(const struct trace *t, uint8_t **bytes)
{
    size_t size = 0;
    uint8_t *b = *bytes = malloc(5 * t->count + 1);
    for (size_t i = 0; i < t->count && b; i++) {
        const struct trace_event *e = &t->events[i];
        if (e->kind == TRACE_READ || e->kind == TRACE_BYTE) {
            b[size++] = (uint8_t)e->value;
            if (e->size == 2)
                b[size++] = (uint8_t)(e->value >> 8);
        } else if (e->kind != TRACE_WRAPPED) {
            const uint8_t interrupt[5] = {e->vector, (uint8_t)e->address, (uint8_t)(e->address >> 8), (uint8_t)e->count,
                                          (uint8_t)(e->count >> 8)};
            memcpy(b + size, interrupt, sizeof interrupt);
            size += sizeof interrupt;
        }
    }
    return size;
}

size_t reference_gzip(const uint8_t *bytes, size_t size)
{
    char path[] = "/tmp/motet-bench-XXXXXX", command[128];
    unsigned long result = 0;
    int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f)
        return 0;
    fwrite(bytes, 1, size, f);
    fclose(f);
    snprintf(command, sizeof command, "gzip -9c %s | wc -c", path);
    FILE *p = popen(command, "r");
    if (p && fscanf(p, "%lu", &result) != 1)
        result = 0;
    if (p)
        pclose(p);
    unlink(path);
    return result;
}

/* Blocks of 528 bytes, each with a dictionary of its own: 512 entries, which stay as they are when it is full. */
size_t reference_s_lzw(const uint8_t *bytes, size_t size)
{
    enum { ENTRIES = 512, CODE = 9, BLOCK = 528 };
    uint64_t bits = 0;
    for (size_t begin = 0; begin < size; begin += BLOCK) {
        static struct {
            uint16_t prefix;
            uint8_t byte;
        } dictionary[ENTRIES];
        unsigned entries = 256, prefix = bytes[begin];
        size_t end = begin + BLOCK < size ? begin + BLOCK : size, block = CODE;
        for (size_t at = begin + 1; at < end; at++) {
            unsigned found = 256;
            while (found < entries && (dictionary[found].prefix != prefix || dictionary[found].byte != bytes[at]))
                found++;
            if (found < entries) {
                prefix = found;
                continue;
            }
            if (entries < ENTRIES) {
                dictionary[entries].prefix = (uint16_t)prefix;
                dictionary[entries++].byte = bytes[at];
            }
            block += CODE;
            prefix = bytes[at];
        }
        bits += (block + 7) / 8 * 8;
    }
    return bits / 8;
}
