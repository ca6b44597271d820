#include "rewrite/listing.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool listing_starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

const char *listing_trimmed(const char *line)
{
    while (isspace((unsigned char)*line))
        line++;
    return line;
}

bool listing_read(struct listing *l, const char *path, struct motet_error *e)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return error_set(e, "cannot read %s: %s", path, strerror(errno));
    size_t size = 0, room = 0;
    for (size_t got = 1; got; size += got) {
        l->text = memory_grow(l->text, &room, size + 65536, 1);
        got = fread(l->text + size, 1, room - size - 1, f);
    }
    fclose(f);
    l->text[size] = '\0';
    room = 0;
    for (char *at = l->text; at < l->text + size; at += strlen(at) + 1) {
        char *end = strchr(at, '\n');
        if (end)
            *end = '\0';
        l->list = memory_grow(l->list, &room, l->count, sizeof *l->list);
        l->list[l->count++] = at;
    }
    return true;
}

void listing_free(struct listing *l)
{
    free(l->list);
    free(l->text);
    *l = (struct listing){0};
}
