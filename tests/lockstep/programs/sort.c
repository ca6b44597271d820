/* Three sorts of the same numbers agree. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 100 };

static int16_t numbers[COUNT], by_insertion[COUNT], by_quicksort[COUNT], by_heap[COUNT];

static int compare(const void *a, const void *b)
{
    int16_t x = *(const int16_t *)a, y = *(const int16_t *)b;
    return (x > y) - (x < y);
}

static void insertion_sort(int16_t *a, uint8_t n)
{
    for (uint8_t i = 1; i < n; i++) {
        int16_t x = a[i];
        int8_t j = (int8_t)(i - 1);
        for (; j >= 0 && a[j] > x; j--)
            a[j + 1] = a[j];
        a[j + 1] = x;
    }
}

static void sift(int16_t *a, uint8_t root, uint8_t n)
{
    for (;;) {
        uint16_t child = 2u * root + 1;
        if (child >= n)
            return;
        if (child + 1 < n && a[child] < a[child + 1])
            child++;
        if (a[root] >= a[child])
            return;
        int16_t t = a[root];
        a[root] = a[child];
        a[child] = t;
        root = (uint8_t)child;
    }
}

static void heap_sort(int16_t *a, uint8_t n)
{
    for (int8_t i = (int8_t)(n / 2 - 1); i >= 0; i--)
        sift(a, (uint8_t)i, n);
    for (uint8_t end = n; end > 1; end--) {
        int16_t t = a[0];
        a[0] = a[end - 1];
        a[end - 1] = t;
        sift(a, 0, (uint8_t)(end - 1));
    }
}

int main(void)
{
    for (uint8_t i = 0; i < COUNT; i++)
        numbers[i] = (int16_t)rand() * (i & 1 ? -1 : 1);
    memcpy(by_insertion, numbers, sizeof numbers);
    memcpy(by_quicksort, numbers, sizeof numbers);
    memcpy(by_heap, numbers, sizeof numbers);
    insertion_sort(by_insertion, COUNT);
    qsort(by_quicksort, COUNT, sizeof numbers[0], compare);
    heap_sort(by_heap, COUNT);
    for (uint8_t i = 1; i < COUNT; i++)
        if (by_heap[i - 1] > by_heap[i])
            return 1;
    return memcmp(by_insertion, by_quicksort, sizeof numbers) || memcmp(by_insertion, by_heap, sizeof numbers) ? 2 : 0;
}
