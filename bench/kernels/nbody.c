/* Five bodies under gravity in single-precision software floating point, with square roots. */
#include <math.h>
#include <string.h>

#include "kernel.h"

#define BODIES 5
struct body {
    float place[3], speed[3], mass;
};

static struct body bodies[BODIES] = {
    {{0, 0, 0}, {0, 0, 0}, 40.0f},
    {{4.84f, -1.16f, -0.10f}, {0.60f, 2.81f, -0.02f}, 0.0377f},
    {{8.34f, 4.12f, -0.40f}, {-1.01f, 1.82f, 0.008f}, 0.0113f},
    {{12.89f, -15.11f, -0.22f}, {1.08f, 0.86f, -0.01f}, 0.0017f},
    {{15.37f, -25.91f, 0.17f}, {0.97f, 0.59f, -0.03f}, 0.0020f},
};

static void pull(struct body *a, struct body *b, float step)
{
    float away[3], square = 0.01f;
    for (uint8_t i = 0; i < 3; i++) {
        away[i] = a->place[i] - b->place[i];
        square += away[i] * away[i];
    }
    float strength = step / (square * sqrtf(square));
    for (uint8_t i = 0; i < 3; i++) {
        a->speed[i] -= away[i] * b->mass * strength;
        b->speed[i] += away[i] * a->mass * strength;
    }
}

int main(void)
{
    for (;;) {
        for (uint8_t n = 0; n < 10; n++) {
            for (uint8_t i = 0; i < BODIES; i++)
                for (uint8_t j = i + 1; j < BODIES; j++)
                    pull(&bodies[i], &bodies[j], 0.01f);
            for (uint8_t i = 0; i < BODIES; i++)
                for (uint8_t k = 0; k < 3; k++)
                    bodies[i].place[k] += bodies[i].speed[k] * 0.01f;
        }
        uint32_t sum = 0;
        for (uint8_t i = 0; i < BODIES; i++) {
            uint32_t bits;
            memcpy(&bits, &bodies[i].place[1], sizeof bits);
            sum = (sum << 5 | sum >> 27) ^ bits;
        }
        kernel_round_done(sum);
    }
}
