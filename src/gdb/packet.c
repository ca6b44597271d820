#include "gdb/packet.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CTRL_C = 3 };

/* ---- bytes ---- */

static void gdb_packet_put(struct packets *p, const char *bytes, size_t count)
{
    while (count && !p->closed) {
        ssize_t written = send(p->fd, bytes, count, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            p->closed = true;
            return;
        }
        bytes += written;
        count -= (size_t)written;
    }
}

/* Reads what there is; waits for it if asked to. */
static bool gdb_packet_fill(struct packets *p, bool wait)
{
    struct pollfd f = {.fd = p->fd, .events = POLLIN};
    if (p->in_first && p->in_first + p->in_count == sizeof p->in) {
        memmove(p->in, p->in + p->in_first, p->in_count);
        p->in_first = 0;
    }
    size_t end = p->in_first + p->in_count;
    if (p->over || end == sizeof p->in || (!wait && poll(&f, 1, 0) <= 0))
        return false;
    ssize_t count;
    do
        count = read(p->fd, p->in + end, sizeof p->in - end);
    while (count < 0 && errno == EINTR);
    if (count <= 0) {
        p->over = true;
        return false;
    }
    p->in_count += (size_t)count;
    return true;
}

static int gdb_packet_get(struct packets *p)
{
    if (!p->in_count) {
        p->in_first = 0;
        if (!gdb_packet_fill(p, true))
            return -1;
    }
    p->in_count--;
    return p->in[p->in_first++];
}

static int digit(int c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* ---- receiving ---- */

/* From after the `$` to the checksum. A `$` within begins anew: something was lost. */
static bool body(struct packets *p, bool *whole)
{
    unsigned sum = 0;
    bool escaped = false, fits = true;
    int c;
    p->length = 0;
    while ((c = gdb_packet_get(p)) >= 0 && c != '#') {
        if (c == '$') {
            sum = 0;
            p->length = 0;
            escaped = false;
            fits = true;
            continue;
        }
        sum += (unsigned)c;
        if (c == '}' && !escaped) {
            escaped = true;
            continue;
        }
        if (p->length < PACKET_SIZE)
            p->packet[p->length++] = (char)(escaped ? c ^ 0x20 : c);
        else
            fits = false;
        escaped = false;
    }
    p->packet[p->length] = 0;
    int first = c < 0 ? -1 : gdb_packet_get(p), second = first < 0 ? -1 : gdb_packet_get(p), high = digit(first),
        low = digit(second);
    *whole = fits && high >= 0 && low >= 0 && (unsigned)(high << 4 | low) == (sum & 0xff);
    return second >= 0;
}

enum packet_event packet_receive(struct packets *p)
{
    for (;;) {
        bool whole;
        int c = gdb_packet_get(p);
        if (c < 0)
            return PACKET_CLOSED;
        if (c == CTRL_C)
            return PACKET_INTERRUPT;
        if (c == '-' && !p->silent)
            gdb_packet_put(p, p->sent, p->sent_length);
        if (c != '$')
            continue;
        if (!body(p, &whole))
            return PACKET_CLOSED;
        if (!p->silent)
            gdb_packet_put(p, whole ? "+" : "-", 1);
        if (whole)
            return PACKET_COMMAND;
    }
}

bool packet_interrupts(struct packets *p)
{
    gdb_packet_fill(p, false);
    while (p->in_count && (p->in[p->in_first] == '+' || p->in[p->in_first] == '-')) {
        p->in_first++;
        p->in_count--;
    }
    if (p->in_count && p->in[p->in_first] == CTRL_C) {
        p->in_first++;
        p->in_count--;
        return true;
    }
    return p->in_count || p->over || p->closed;
}

/* ---- sending ---- */

void packet_begin(struct packets *p)
{
    p->out_length = 0;
}

void packet_text(struct packets *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof p->out - p->out_length;
    int count = vsnprintf(p->out + p->out_length, room, format, arguments);
    va_end(arguments);
    if (count > 0)
        p->out_length += (size_t)count < room ? (size_t)count : room - 1;
}

void packet_hex(struct packets *p, const void *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *b = bytes;
    for (size_t i = 0; i < count && p->out_length + 2 < sizeof p->out; i++) {
        p->out[p->out_length++] = digits[b[i] >> 4];
        p->out[p->out_length++] = digits[b[i] & 15];
    }
}

void packet_binary(struct packets *p, const void *bytes, size_t count)
{
    size_t room = sizeof p->out - 1 - p->out_length;
    count = count < room ? count : room;
    memcpy(p->out + p->out_length, bytes, count);
    p->out_length += count;
}

void packet_send(struct packets *p)
{
    static const char digits[] = "0123456789abcdef";
    unsigned sum = 0;
    size_t n = 0;
    p->sent[n++] = '$';
    for (size_t i = 0; i < p->out_length; i++) {
        char c = p->out[i];
        if (c == '$' || c == '#' || c == '}' || c == '*') {
            p->sent[n++] = '}';
            sum += '}';
            c ^= 0x20;
        }
        p->sent[n++] = c;
        sum += (uint8_t)c;
    }
    p->sent[n++] = '#';
    p->sent[n++] = digits[sum >> 4 & 15];
    p->sent[n++] = digits[sum & 15];
    p->sent_length = n;
    gdb_packet_put(p, p->sent, n);
}

void packet_reply(struct packets *p, const char *text)
{
    packet_begin(p);
    packet_text(p, "%s", text);
    packet_send(p);
}

/* ---- reading what was received ---- */

size_t packet_from_hex(const char *text, size_t length, uint8_t *bytes, size_t room)
{
    size_t count = 0;
    for (; count < room && 2 * count + 1 < length; count++) {
        int high = digit(text[2 * count]), low = digit(text[2 * count + 1]);
        if (high < 0 || low < 0)
            break;
        bytes[count] = (uint8_t)(high << 4 | low);
    }
    return count;
}

bool packet_number(const char **text, uint64_t limit, uint64_t *value)
{
    const char *s = *text;
    uint64_t v = 0;
    for (; digit(*s) >= 0; s++) {
        if (v > limit >> 4)
            return false;
        v = v << 4 | (unsigned)digit(*s);
    }
    if (s == *text || v > limit)
        return false;
    *text = s;
    *value = v;
    return true;
}
