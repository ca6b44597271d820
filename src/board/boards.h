/* The boards Motet knows. */
#ifndef BOARD_BOARDS_H
#define BOARD_BOARDS_H

#include "board/board.h"

extern const struct board board_uno, board_uno_flash, board_mega, board_mega_flash, board_mica2, board_micaz,
    board_iris, board_telosb;

/* currents.c */
extern const char currents_mica2[], currents_micaz[], currents_iris[], currents_telosb[], currents_uno[],
    currents_mega[];

#endif
