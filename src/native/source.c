#include "native/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/memory.h"

enum { MOST_TEXT = 1 << 28 };

bool source_next(const struct native_recorded *r, size_t *at, struct source *s, struct motet_error *e)
{
    const char *bytes = (const char *)r->sources;
    size_t stored, size;
    int length = 0;
    char line[512] = "";
    if (*at >= r->source_size)
        return false;
    const char *end = memchr(bytes + *at, '\n', r->source_size - *at);
    if (!end || (size_t)(end - bytes) - *at >= sizeof line)
        return error_set(e, "the sources in the firmware's file are damaged");
    memcpy(line, bytes + *at, (size_t)(end - bytes) - *at);
    size_t from = (size_t)(end - bytes) + 1;
    if (sscanf(line, "%zu %zu %n", &stored, &size, &length) != 2 || stored > r->source_size - from || size > MOST_TEXT)
        return error_set(e, "the sources in the firmware's file are damaged");
    snprintf(s->head, sizeof s->head, "%s", line + length);
    s->text = memory_bytes(size + 1);
    s->size = size;
    *at = from + stored;
    size_t got = ZSTD_decompress(s->text, size, bytes + from, stored);
    if (got != size) {
        free(s->text);
        return error_set(e, "the sources in the firmware's file are damaged");
    }
    s->text[size] = '\0';
    return true;
}

/* The place of the first site that the text lists: "file:line:column\tNAME...". */
static bool source_site(const struct source *s, char *place, size_t size)
{
    const char *at = strstr(s->text, ".pushsection .motet.sites,");
    at = at ? strstr(at, ".asciz \\\"") : NULL;
    if (!at)
        return false;
    at += strlen(".asciz \\\"");
    const char *end = strstr(at, "\\\\t");
    if (!end || (size_t)(end - at) >= size)
        return false;
    snprintf(place, size, "%.*s", (int)(end - at), at);
    return true;
}

long source_first_site(const struct native_recorded *r, const struct source *s)
{
    char place[400];
    long number = 0;
    if (!source_site(s, place, sizeof place))
        return -1;
    size_t length = strlen(place);
    for (size_t at = 0; at < r->site_size; number++) {
        const char *text = (const char *)r->sites + at;
        size_t size = strnlen(text, r->site_size - at);
        if (size > length && memcmp(text, place, length) == 0 && text[length] == '\t')
            return number;
        at += size + 1;
    }
    return -1;
}
