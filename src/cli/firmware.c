#include "firmware.h"

#include <string.h>

#include "motet/amount.h"
#include "sentence.h"

bool firmware_set_board(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct motet_options *)into)->board = text;
    return true;
}

bool firmware_find(const motet_machine *m, const char *name, bool labels, struct motet_symbol *s)
{
    const char *near = NULL;
    for (size_t i = 0; motet_machine_symbol(m, i, s); i++) {
        bool function = s->kind == MOTET_SYMBOL_FUNCTION;
        if ((function || (labels && s->kind != MOTET_SYMBOL_VARIABLE)) && strcmp(s->name, name) == 0)
            return true;
        if (function)
            near = motet_word_nearer(name, near, s->name);
    }
    if (near)
        complain("the firmware has no function '%s'; did you mean %s?", name, near);
    else
        complain("the firmware has no function '%s'; see motet info --symbols", name);
    return false;
}
