/* The boards Motet knows. */
#ifndef BOARD_BOARDS_H
#define BOARD_BOARDS_H

#include "board/board.h"

extern const struct board board_uno, board_mega, board_mica2, board_micaz, board_iris, board_telosb;

#endif
