/* The error type. All layers share it, so this header is at the bottom: it includes nothing of Motet. */
#ifndef MOTET_BASE_ERROR_H
#define MOTET_BASE_ERROR_H

struct motet_error {
    char text[1024]; /* one sentence: what failed, where, and what to do */
};

#endif
