/* A firmware and its board: what verbs share that look into a firmware without running it. */
#ifndef CLI_FIRMWARE_H
#define CLI_FIRMWARE_H

#include "option.h"

/* --board, for options that begin with struct motet_options. */
bool firmware_set_board(void *into, const char *text, struct motet_error *e);
#define FIRMWARE_BOARD                                                                                            \
    {                                                                                                             \
        "board", "BOARD", "the board or chip; by default the chip the firmware was built for", firmware_set_board \
    }

/* The code symbol of that name: a function, or with `labels` any. If there is none it says so, with the nearest name.
 */
bool firmware_find(const motet_machine *m, const char *name, bool labels, struct motet_symbol *s);

#endif
