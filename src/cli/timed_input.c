#include "timed_input.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "motet/amount.h"
#include "sentence.h"

struct timed_line {
    uint64_t time; /* nanoseconds of the network */
    size_t end;    /* of its bytes among all bytes */
};

struct timed_input {
    struct timed_line *lines;
    size_t count, next;
    uint8_t *bytes;
    size_t size, room, sent;
};

/* ---- reading ---- */

static void timed_input_add(struct timed_input *t, int byte)
{
    if (t->size == t->room) {
        size_t room = t->room ? 2 * t->room : 256;
        uint8_t *bytes = cli_array(room, 1);
        if (t->size)
            memcpy(bytes, t->bytes, t->size);
        free(t->bytes);
        t->bytes = bytes;
        t->room = room;
    }
    t->bytes[t->size++] = (uint8_t)byte;
}

/* Two hexadecimal digits; -1 if they are none. */
static int timed_input_byte(const char *text)
{
    char digits[3] = {text[0], text[0] ? text[1] : 0, 0};
    if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]))
        return -1;
    return (int)strtol(digits, NULL, 16);
}

/* What follows a backslash; moves past it. -1: nothing that is known. */
static int timed_input_escape(const char **at)
{
    static const char names[] = "nrt0\\\"", values[] = "\n\r\t\0\\\"";
    const char *found = **at ? strchr(names, **at) : NULL;
    if (found) {
        ++*at;
        return (unsigned char)values[found - names];
    }
    int byte = **at == 'x' ? timed_input_byte(*at + 1) : -1;
    *at += byte >= 0 ? 3 : 0;
    return byte;
}

/* From behind the opening quotation mark past the closing one. */
static bool timed_input_text(struct timed_input *t, const char **at, struct motet_error *e)
{
    while (**at && **at != '"') {
        int byte = (unsigned char)*(*at)++;
        if (byte == '\\' && (byte = timed_input_escape(at)) < 0)
            return sentence(e, "a backslash is followed by n, r, t, 0, x and two digits, \\ or \"");
        timed_input_add(t, byte);
    }
    return *(*at)++ == '"' || sentence(e, "the text has no closing quotation mark");
}

static bool timed_input_bytes(struct timed_input *t, const char *at, struct motet_error *e)
{
    size_t before = t->size;
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (!*at)
            return t->size > before ||
                   sentence(e, "a line is a time and bytes, such as `10ms \"text\"` or `10ms 7e 42`");
        if (*at == '"') {
            at++;
            if (!timed_input_text(t, &at, e))
                return false;
            continue;
        }
        int byte = timed_input_byte(at);
        if (byte < 0 || (at[2] && !isspace((unsigned char)at[2]) && at[2] != '"'))
            return sentence(e, "'%.*s' is neither a text in quotation marks nor a byte of two hexadecimal digits",
                            (int)strcspn(at, " \t\r\n"), at);
        timed_input_add(t, byte);
        at += 2;
    }
}

static bool timed_input_time(const char *text, const motet_node *n, uint64_t *time, struct motet_error *e)
{
    struct motet_span span;
    const motet_network *network = motet_node_network(n);
    if (!motet_read_time(text, &span, e))
        return false;
    if (span.in_ticks && motet_network_count(network) > 1)
        return sentence(e, "nodes have ticks of their own; give a time such as 10ms");
    *time = span.in_ticks ? motet_network_time(network, n, span.ticks) : span.nanoseconds;
    return true;
}

static bool timed_input_line(struct timed_input *t, char *text, const motet_node *n, struct motet_error *e)
{
    struct timed_line l = {0};
    text += strspn(text, " \t\r\n");
    if (!*text || *text == '#')
        return true;
    size_t length = strcspn(text, " \t\r\n");
    const char *rest = text + length + (text[length] != 0);
    text[length] = 0;
    if (!timed_input_time(text, n, &l.time, e))
        return false;
    if (t->count && l.time < t->lines[t->count - 1].time)
        return sentence(e, "%s is before the time of the line above", text);
    if (!timed_input_bytes(t, rest, e))
        return false;
    l.end = t->size;
    t->lines = cli_one_more(t->lines, t->count, sizeof l);
    t->lines[t->count++] = l;
    return true;
}

struct timed_input *timed_input_load(const char *path, const motet_node *n, struct motet_error *e)
{
    struct motet_error why = {""};
    char *text = NULL;
    size_t room = 0;
    unsigned number = 0;
    ssize_t length = 0;
    FILE *f = fopen(path, "r");
    if (!f) {
        sentence(e, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    struct timed_input *t = cli_array(1, sizeof *t);
    bool good = true;
    while (good && (length = getline(&text, &room, f)) >= 0) {
        number++;
        good = strlen(text) == (size_t)length ? timed_input_line(t, text, n, &why)
                                              : sentence(&why, "a line holds a zero byte; write it as 00");
        if (!good)
            sentence(e, "%s, line %u: %.600s", path, number, why.text);
    }
    if (good && ferror(f))
        good = sentence(e, "cannot read %s: %s", path, strerror(errno));
    if (good && !t->count)
        good = sentence(e, "%s holds no input; write lines such as `10ms \"text\"`", path);
    free(text);
    fclose(f);
    if (good)
        return t;
    timed_input_free(t);
    return NULL;
}

void timed_input_free(struct timed_input *t)
{
    if (!t)
        return;
    free(t->lines);
    free(t->bytes);
    free(t);
}

/* ---- giving ---- */

static size_t timed_input_due(const struct timed_input *t)
{
    return t->next ? t->lines[t->next - 1].end : 0;
}

void timed_input_feed(struct timed_input *t, motet_node *n, unsigned line, uint64_t now)
{
    while (t->next < t->count && t->lines[t->next].time <= now)
        t->next++;
    size_t due = timed_input_due(t);
    if (!motet_network_alive(motet_node_network(n), n))
        t->sent = due;
    else if (t->sent < due)
        t->sent += motet_node_send_now(n, line, t->bytes + t->sent, due - t->sent);
}

uint64_t timed_input_next(const struct timed_input *t)
{
    return t->next < t->count ? t->lines[t->next].time : MOTET_NEVER;
}

bool timed_input_pending(const struct timed_input *t)
{
    return t->sent < timed_input_due(t);
}
