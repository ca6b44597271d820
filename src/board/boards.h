/* The boards Motet knows: a line each, its table in a file of this folder as `board_NAME`. */
#ifndef BOARD_BOARDS_H
#define BOARD_BOARDS_H

#include "board/board.h"

/* clang-format off */
#define BOARDS(X) \
    X(uno) \
    X(uno_flash) \
    X(mega) \
    X(mega_flash) \
    X(leonardo) \
    X(micro) \
    X(digispark) \
    X(mica2) \
    X(micaz) \
    X(iris) \
    X(telosb) \
    X(nrf52840dk) \
    X(cc2538dk) \
    X(openmote) \
    X(samr21xpro)
/* clang-format on */

#define X(name) extern const struct board board_##name;
BOARDS(X)
#undef X

/* currents.c */
extern const char currents_mica2[], currents_micaz[], currents_iris[], currents_telosb[], currents_uno[],
    currents_mega[], currents_leonardo[], currents_digispark[];

#endif
