/* Quicksort with insertion sort below eight elements, of 16-bit numbers. */
#include "kernel.h"

#define COUNT 400
static int16_t numbers[COUNT];

static void insertion(int16_t *first, int16_t *last)
{
    for (int16_t *next = first + 1; next <= last; next++) {
        int16_t value = *next, *hole = next;
        while (hole > first && hole[-1] > value) {
            *hole = hole[-1];
            hole--;
        }
        *hole = value;
    }
}

static void quick(int16_t *first, int16_t *last)
{
    while (last - first > 8) {
        int16_t pivot = first[(last - first) / 2], *low = first, *high = last;
        while (low <= high) {
            while (*low < pivot)
                low++;
            while (*high > pivot)
                high--;
            if (low <= high) {
                int16_t swapped = *low;
                *low++ = *high;
                *high-- = swapped;
            }
        }
        if (high - first < last - low) {
            quick(first, high);
            first = low;
        } else {
            quick(low, last);
            last = high;
        }
    }
    insertion(first, last);
}

int main(void)
{
    uint16_t state = 1;
    for (;;) {
        for (uint16_t i = 0; i < COUNT; i++)
            numbers[i] = (int16_t)kernel_random(&state);
        quick(numbers, numbers + COUNT - 1);
        uint32_t sum = 0;
        for (uint16_t i = 0; i < COUNT; i++)
            sum = sum * 31 + (uint16_t)numbers[i];
        kernel_round_done(sum);
    }
}
