/* The names of what the library hands out, and times. All layers share them: nothing of Motet is included here. */
#ifndef MOTET_BASE_TYPES_H
#define MOTET_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct motet_machine motet_machine;
typedef struct motet_node motet_node;
typedef struct motet_tap motet_tap;
typedef struct motet_network motet_network;
typedef struct motet_network_snapshot motet_network_snapshot;

/* What drives a pin from outside. */
enum motet_drive { MOTET_FLOATING, MOTET_PULLED_UP, MOTET_PULLED_DOWN, MOTET_LOW, MOTET_HIGH };

#define MOTET_NEVER  UINT64_MAX
#define MOTET_SECOND UINT64_C(1000000000) /* in nanoseconds, as networks count */

#endif
