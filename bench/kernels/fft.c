/* A 64-point Fourier transform in single-precision software floating point. */
#include <math.h>
#include <string.h>

#include "kernel.h"

#define POINTS 64
static float re[POINTS], im[POINTS], cosine[POINTS / 2], sine[POINTS / 2];

static void reorder(void)
{
    for (uint8_t i = 0, j = 0; i < POINTS; i++) {
        if (i < j) {
            float swapped = re[i];
            re[i] = re[j];
            re[j] = swapped;
        }
        uint8_t bit = POINTS / 2;
        while (bit && (j & bit)) {
            j ^= bit;
            bit >>= 1;
        }
        j |= bit;
    }
}

static void transform(void)
{
    reorder();
    for (uint8_t half = 1; half < POINTS; half *= 2)
        for (uint8_t start = 0; start < POINTS; start += half * 2)
            for (uint8_t k = 0; k < half; k++) {
                uint8_t a = start + k, b = a + half, turn = k * (POINTS / 2 / half);
                float r = re[b] * cosine[turn] + im[b] * sine[turn];
                float i = im[b] * cosine[turn] - re[b] * sine[turn];
                re[b] = re[a] - r, im[b] = im[a] - i;
                re[a] += r, im[a] += i;
            }
}

int main(void)
{
    for (uint8_t k = 0; k < POINTS / 2; k++) {
        cosine[k] = cosf(k * (float)(2 * M_PI / POINTS));
        sine[k] = sinf(k * (float)(2 * M_PI / POINTS));
    }
    uint16_t state = 1;
    for (;;) {
        for (uint8_t i = 0; i < POINTS; i++) {
            re[i] = (int16_t)kernel_random(&state) / 256.0f;
            im[i] = 0;
        }
        transform();
        uint32_t sum = 0;
        for (uint8_t i = 0; i < POINTS; i++) {
            uint32_t bits;
            memcpy(&bits, &re[i], sizeof bits);
            sum = (sum << 5 | sum >> 27) ^ bits;
        }
        kernel_round_done(sum);
    }
}
