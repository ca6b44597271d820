#include "rewrite/response.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { DEEPEST = 16 }; /* files that name files */

struct list {
    char **words;
    size_t count;
};

static void response_add(struct list *l, const char *word)
{
    l->words = memory_resize(l->words, l->count + 2, sizeof *l->words);
    l->words[l->count] = memory_string(word);
    l->words[++l->count] = NULL;
}

/* The next word of the text, in its own place, from *at on; NULL after the last. */
static char *next_word(char **at)
{
    char *from = *at;
    while (isspace((unsigned char)*from))
        from++;
    if (!*from)
        return NULL;
    char *word = from, *to = from, quote = '\0';
    for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
        if (*from == '\\' && from[1])
            *to++ = *++from;
        else if (quote ? *from == quote : *from == '\'' || *from == '"')
            quote = quote ? '\0' : *from;
        else
            *to++ = *from;
    }
    *at = *from ? from + 1 : from;
    *to = '\0';
    return word;
}

static bool expand(struct list *l, const char *word, unsigned depth, struct motet_error *e)
{
    if (word[0] != '@') {
        response_add(l, word);
        return true;
    }
    FILE *f = fopen(word + 1, "r");
    if (!f)
        return error_set(e, "cannot read %s: %s", word + 1, strerror(errno));
    char *text = NULL;
    size_t size = 0;
    bool good = depth < DEEPEST || error_set(e, "%s: response files that name each other in a circle", word + 1);
    if (good && getdelim(&text, &size, '\0', f) < 0 && ferror(f))
        good = error_set(e, "cannot read %s: %s", word + 1, strerror(errno));
    fclose(f);
    char *at = text;
    for (char *inner; good && at && (inner = next_word(&at));)
        good = expand(l, inner, depth + 1, e);
    free(text);
    return good;
}

char **response_expand(char **words, size_t count, size_t *expanded, struct motet_error *e)
{
    struct list l = {0};
    for (size_t i = 0; i < count; i++)
        if (!expand(&l, words[i], 0, e)) {
            response_free(l.words);
            return NULL;
        }
    *expanded = l.count;
    return l.words;
}

void response_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}
