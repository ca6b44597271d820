#include "board/board.h"

#include <strings.h>

#include "board/boards.h"

const struct board *const boards[] = {
#define X(name) &board_##name,
    BOARDS(X)
#undef X
        NULL,
};

const struct board *board_named(const char *name)
{
    for (size_t i = 0; boards[i]; i++) {
        const struct board *b = boards[i];
        if (strcasecmp(b->name, name) == 0 || (b->alias && strcasecmp(b->alias, name) == 0))
            return b;
    }
    return NULL;
}
