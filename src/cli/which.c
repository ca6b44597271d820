#include "which.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motet/amount.h"
#include "memory.h"
#include "sentence.h"

bool which_read(struct which_names *names, const char *option, const char **text, struct which *w,
                struct motet_error *e)
{
    char name[16] = "";
    uint64_t id = 0;
    size_t length = strspn(*text, "0123456789abcdefABCDEFxX");
    *w = (struct which){.one = false};
    if (strncmp(*text, "*:", 2) == 0) {
        *text += 2;
        return true;
    }
    if (!isdigit((unsigned char)**text) || (*text)[length] != ':')
        return true;
    if (length >= sizeof name)
        return sentence(e, "'%.20s...' is not the id of a node", *text);
    memcpy(name, *text, length);
    if (!motet_read_number(name, UINT32_MAX, &id, e))
        return false;
    *text += length + 1;
    *w = (struct which){.one = true, .id = (uint32_t)id};
    names->list = cli_one_more(names->list, names->count, sizeof *names->list);
    names->list[names->count++] = (struct which_name){option, w->id};
    return true;
}

bool which_is(struct which w, uint32_t id)
{
    return !w.one || w.id == id;
}

bool which_same(struct which a, struct which b)
{
    return a.one == b.one && (!a.one || a.id == b.id);
}

bool which_exist(const struct which_names *names, const motet_network *n, struct motet_error *e)
{
    for (size_t i = 0; i < names->count; i++)
        if (!motet_network_node(n, names->list[i].id))
            return motet_network_count(n) == 1
                       ? sentence(e, "--%s: there is no node %" PRIu32 "; the only node is %" PRIu32,
                                  names->list[i].option, names->list[i].id, motet_node_id(motet_network_at(n, 0)))
                       : sentence(e, "--%s: there is no node %" PRIu32, names->list[i].option, names->list[i].id);
    return true;
}

void which_free(struct which_names *names)
{
    free(names->list);
    *names = (struct which_names){.list = NULL};
}

char *which_text(const char *text, uint32_t id)
{
    char number[16];
    size_t digits = (size_t)snprintf(number, sizeof number, "%" PRIu32, id), used = 0;
    char *made = cli_array(strlen(text) + 1, 4); /* three characters become ten at most */
    while (*text)
        if (strncmp(text, "%id", 3) == 0) {
            memcpy(made + used, number, digits);
            used += digits;
            text += 3;
        } else {
            made[used++] = *text++;
        }
    made[used] = 0;
    return made;
}

bool which_apart(struct which w, const char *text, const motet_network *n)
{
    return w.one || motet_network_count(n) == 1 || strstr(text, "%id");
}
