#include "board/board.h"

#include <strings.h>

const struct board *const boards[] = {NULL};

const struct board *board_named(const char *name)
{
    (void)name;
    return NULL;
}
