#include "debug/mention.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mention_word[] = "node[";

/* The length of names, members and elements from here on. */
static size_t mention_length(const char *text)
{
    size_t at = 0;
    for (unsigned brackets = 0; text[at]; at++) {
        brackets += text[at] == '[';
        if (text[at] == ']' && brackets)
            brackets--;
        else if (text[at] == '-' && text[at + 1] == '>')
            at++;
        else if (!brackets && !isalnum((unsigned char)text[at]) && !strchr("_.[", text[at]))
            break;
    }
    return at;
}

bool mention_find(const char *text, struct mention *m)
{
    for (const char *at = text; (at = strstr(at, mention_word)); at++) {
        const char *id = at + strlen(mention_word);
        size_t digits = strspn(id, "0123456789");
        bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.');
        if (!begins || !digits || digits > 9 || strncmp(id + digits, "].", 2) != 0)
            continue;
        const char *object = id + digits + 2;
        size_t length = mention_length(object);
        *m = (struct mention){.begin = at, .end = object + length, .id = (uint32_t)strtoul(id, NULL, 10)};
        snprintf(m->object, sizeof m->object, "%.*s", (int)length, object);
        return true;
    }
    return false;
}
