#include "radio_phase.h"

#include <stddef.h>

#include "radio.h"
#include "radio_power.h"
#include "timer.h"

#define KNOWN_MAX 6
#define EARLIER   TICKS_OF_MS(1)
#define AGE_MAX   (300 * TICKS_PER_SECOND) /* crystals of 20 ppm each are 12 ms apart by then */

static struct known {
    uint16_t neighbour;
    bool valid;
    uint32_t look;
} known[KNOWN_MAX];
static uint8_t next;

static struct known *find(uint16_t neighbour)
{
    for (uint8_t i = 0; i < KNOWN_MAX; i++)
        if (known[i].valid && known[i].neighbour == neighbour)
            return &known[i];
    return NULL;
}

void radio_phase_learn(uint16_t neighbour, uint32_t look)
{
    struct known *k = find(neighbour);
    if (!k) {
        k = &known[next];
        next = (next + 1) % KNOWN_MAX;
    }
    *k = (struct known){.neighbour = neighbour, .valid = true, .look = look};
}

void radio_phase_met(uint16_t neighbour)
{
    struct known *k = find(neighbour);
    if (k)
        k->look -= EARLIER;
}

void radio_phase_forget(uint16_t neighbour)
{
    struct known *k = find(neighbour);
    if (k)
        k->valid = false;
}

bool radio_phase_next(uint16_t neighbour, uint32_t after, uint32_t *look)
{
    struct known *k = find(neighbour);
    if (!k || after - k->look > AGE_MAX)
        return false;
    uint32_t past = (after - k->look + radio_power_interval - 1) / radio_power_interval;
    *look = k->look + past * radio_power_interval;
    return true;
}
