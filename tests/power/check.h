/* For firmwares that check themselves: the run ends with status 0, or with the number of the line that failed. */
#ifndef CHECK_H
#define CHECK_H

#include <motet.h>

#define CHECK(condition)                           \
    do {                                           \
        if (!(condition))                          \
            motet_exit((uint8_t)(__LINE__ % 256)); \
    } while (0)

#endif
