/* A family of small systems, one for each value of `seed`: nodes that exchange frames and go from state to state with
 * each event, and give up in some state that they come to only when something was lost, damaged or started again. */
#include <stdint.h>
#include <stdlib.h>

enum { SENT, HEARD, DAMAGED, BOOTED };
static void happened(uint8_t what);
#define HAPPENED(what) happened(what)

#include "../network/cc2420_beacon.c"

uint32_t seed = 1;
static uint8_t state, missed;

static uint8_t mix(uint8_t what)
{
    uint32_t z = seed * 2654435761u + state * 40503u + what * 97u + 1;
    z = (z ^ z >> 15) * 2246822519u;
    z = (z ^ z >> 13) * 3266489917u;
    return (uint8_t)(z >> 24);
}

static void happened(uint8_t what)
{
    missed = what == HEARD ? 0 : (uint8_t)(missed + (what == SENT));
    state = mix((uint8_t)(what | (missed > 2) << 4));
    if ((missed > 2 || what == DAMAGED) && (state & 7) == 0)
        abort();
}
