#include "page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* All of it; nothing if it is not there. */
static char *page_read(const char *path)
{
    char *text = NULL;
    size_t size;
    FILE *copy = open_memstream(&text, &size), *in = fopen(path, "r");
    if (!copy)
        abort();
    for (int c; in && (c = getc(in)) != EOF;)
        putc(c, copy);
    if (in)
        fclose(in);
    fclose(copy);
    return text;
}

static char *page_find(char *page, const char *last)
{
    for (char *at = page; (at = strstr(at, last)); at++)
        if ((at == page || at[-1] == '\n') && at[strlen(last)] == '\n')
            return at;
    return page + strlen(page);
}

static bool page_put(const char *path, const char *first, size_t size, const char *second)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return bench_wrong("cannot write %s: %s", path, strerror(errno));
    fwrite(first, 1, size, out);
    if (size > 1 && first[size - 2] != '\n' && *second) /* a blank line before a heading */
        fputc('\n', out);
    fputs(second, out);
    return fclose(out) == 0 || bench_wrong("cannot write %s", path);
}

bool page_write_last(const char *path, const char *last, const char *text)
{
    char *page = page_read(path), *from = page_find(page, last);
    bool good = page_put(path, page, (size_t)(from - page), text);
    free(page);
    return good;
}

bool page_write_others(const char *path, const char *last, const char *text)
{
    char *page = page_read(path);
    bool good = page_put(path, text, strlen(text), page_find(page, last));
    free(page);
    return good;
}
