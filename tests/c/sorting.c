/* qsort and bsearch with comparison functions, on numbers, strings and structures. */
#include <string.h>

#include "check.h"

struct record {
    char name[6];
    int32_t value;
};

static int by_value(const void *a, const void *b)
{
    int32_t x = ((const struct record *)a)->value, y = ((const struct record *)b)->value;
    return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_number(const void *a, const void *b)
{
    return *(const int16_t *)a < *(const int16_t *)b ? -1 : *(const int16_t *)a > *(const int16_t *)b;
}

int main(void)
{
    static int16_t numbers[150];
    for (uint8_t i = 0; i < 150; i++)
        numbers[i] = (int16_t)check_random();
    qsort(numbers, 150, sizeof *numbers, by_number);
    for (uint8_t i = 1; i < 150; i++)
        check(numbers[i - 1] <= numbers[i]);
    check(bsearch(&numbers[77], numbers, 150, sizeof *numbers, by_number));

    static struct record records[30];
    for (uint8_t i = 0; i < 30; i++) {
        records[i].value = (int32_t)check_random();
        itoa(i, records[i].name, 10);
    }
    qsort(records, 30, sizeof *records, by_value);
    uint32_t names = 0;
    for (uint8_t i = 0; i < 30; i++) {
        check(i == 0 || records[i - 1].value <= records[i].value);
        names |= 1UL << atoi(records[i].name);
    }
    check(names == 0x3fffffff);

    const char *words[] = {"tenor", "alto", "bass", "soprano", "quintus"};
    qsort(words, 5, sizeof *words, by_text);
    check(strcmp(words[0], "alto") == 0 && strcmp(words[1], "bass") == 0 && strcmp(words[4], "tenor") == 0);
    exit(0);
}
