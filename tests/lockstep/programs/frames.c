/* Stack frames of every kind: large, of variable length, with alloca, and with variable arguments. */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) uint16_t large(uint8_t seed)
{
    volatile uint8_t room[300];
    uint16_t sum = 0;
    for (uint16_t i = 0; i < sizeof room; i++)
        room[i] = (uint8_t)(i * seed);
    for (uint16_t i = 0; i < sizeof room; i++)
        sum += room[i];
    return sum;
}

static __attribute__((noinline)) uint8_t variable(uint8_t n)
{
    char room[n + 1];
    memset(room, 'x', n);
    room[n] = 0;
    return n > 1 ? (uint8_t)(strlen(room) + variable(n / 2)) : n;
}

static __attribute__((noinline)) uint8_t taken(uint8_t n)
{
    uint8_t *room = __builtin_alloca(n);
    for (uint8_t i = 0; i < n; i++)
        room[i] = i;
    return room[n - 1];
}

static __attribute__((noinline)) int32_t sum(uint8_t count, ...)
{
    va_list list;
    va_start(list, count);
    int32_t total = 0;
    for (uint8_t i = 0; i < count; i++)
        total += i & 1 ? va_arg(list, int32_t) : va_arg(list, int);
    va_end(list);
    return total;
}

struct block {
    uint8_t bytes[40];
};

static __attribute__((noinline)) struct block by_value(struct block b)
{
    for (uint8_t i = 0; i < 20; i++) {
        uint8_t t = b.bytes[i];
        b.bytes[i] = b.bytes[39 - i];
        b.bytes[39 - i] = t;
    }
    return b;
}

int main(void)
{
    if (large(1) != 33586 || variable(60) != 60 + 30 + 15 + 7 + 3 + 1 || taken(77) != 76)
        return 1;
    if (sum(5, 1, (int32_t)200000, -3, (int32_t)-70000, 5) != 130003)
        return 2;
    struct block b;
    for (uint8_t i = 0; i < 40; i++)
        b.bytes[i] = i;
    b = by_value(by_value(by_value(b)));
    return b.bytes[0] == 39 && b.bytes[39] == 0 ? 0 : 3;
}
