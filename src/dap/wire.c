#include "dap/wire.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

#define WIRE_NOT_SAID SIZE_MAX

void wire_put(struct wire *w, const char *bytes, size_t count)
{
    if (w->broken)
        return;
    while (w->room - w->count < count)
        w->bytes = memory_grow(w->bytes, &w->room, w->room, 1);
    memcpy(w->bytes + w->count, bytes, count);
    w->count += count;
}

static void wire_break(struct wire *w, const char *why)
{
    w->broken = true;
    snprintf(w->error.text, sizeof w->error.text, "the client does not speak the Debug Adapter Protocol: %s", why);
}

/* The length of a header with the empty line after it, 0 if that has not come; it begins at w->bytes. */
static size_t wire_header(const struct wire *w)
{
    for (size_t i = 0; i + 4 <= w->count && i < WIRE_HEADER; i++)
        if (memcmp(w->bytes + i, "\r\n\r\n", 4) == 0)
            return i + 4;
    return 0;
}

/* A decimal number with nothing else around it but spaces; false if it is none, or too large. */
static bool wire_number(const char *text, const char *end, size_t *number)
{
    *number = 0;
    while (text < end && *text == ' ')
        text++;
    while (end > text && end[-1] == ' ')
        end--;
    if (text == end)
        return false;
    for (; text < end; text++) {
        if (!isdigit((unsigned char)*text))
            return false;
        *number = *number * 10 + (size_t)(*text - '0');
        if (*number > WIRE_BODY)
            return false;
    }
    return true;
}

/* One line of a header; false if it breaks the wire. Fields with other names are allowed. */
static bool wire_field(struct wire *w, const char *line, const char *end, size_t *length)
{
    static const char name[] = "Content-Length";
    const char *colon = memchr(line, ':', (size_t)(end - line));
    size_t number;
    if (!colon) {
        wire_break(w, "a line of a header has no colon");
        return false;
    }
    if ((size_t)(colon - line) != sizeof name - 1 || strncasecmp(line, name, sizeof name - 1) != 0)
        return true;
    if (!wire_number(colon + 1, end, &number)) {
        wire_break(w, "Content-Length is no number of bytes up to 4194304");
        return false;
    }
    if (*length != WIRE_NOT_SAID && *length != number) {
        wire_break(w, "a header has two lengths");
        return false;
    }
    *length = number;
    return true;
}

/* How many bytes follow the header; false if it breaks the wire. */
static bool wire_length(struct wire *w, size_t header, size_t *length)
{
    const char *end = w->bytes + header - 2;
    *length = WIRE_NOT_SAID;
    for (const char *line = w->bytes; line < end;) {
        const char *at = line;
        while (memcmp(at, "\r\n", 2) != 0)
            at++;
        if (!wire_field(w, line, at, length))
            return false;
        line = at + 2;
    }
    if (*length == WIRE_NOT_SAID)
        wire_break(w, "a header has no Content-Length");
    return *length != WIRE_NOT_SAID;
}

char *wire_take(struct wire *w, size_t *length)
{
    size_t header = w->broken ? 0 : wire_header(w);
    if (!header && !w->broken && w->count >= WIRE_HEADER)
        wire_break(w, "a header does not end");
    if (!header || !wire_length(w, header, length) || w->count - header < *length)
        return NULL;
    char *body = memory_copy(w->bytes + header, *length);
    w->count -= header + *length;
    memmove(w->bytes, w->bytes + header + *length, w->count);
    return body;
}

void wire_free(struct wire *w)
{
    free(w->bytes);
}
