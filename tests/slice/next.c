/* For motet cc --trace-level auto and motet slice --next: level 1 reads three arrays that are written outside, level 2
 * one more, so that on an Uno all of level 1 fits beside a small ring, and level 2 does not. third() never runs. */
#include <avr/io.h>
#include <stdint.h>

#include "motet.h"

enum { SIZE = 200, MORE = 300 };

static uint8_t first_of[SIZE], second_of[SIZE], third_of[SIZE], more[MORE];
static volatile uint8_t is_third;
static uint16_t x, y, z, total, calls;

/* Reads a register, so it is an input, and the arrays are written outside. */
static void fill(void)
{
    uint8_t more_or_less = PINB & 1;
    for (uint16_t i = 0; i < SIZE; i++) {
        first_of[i] = (uint8_t)(i * 3 + 1 + more_or_less);
        second_of[i] = (uint8_t)(i * 5 + 1 + more_or_less);
        third_of[i] = (uint8_t)(i * 7 + more_or_less);
    }
    for (uint16_t i = 0; i < MORE; i++)
        more[i] = (uint8_t)(i * 11 + more_or_less);
}

static uint16_t next_of(uint16_t value)
{
    for (uint8_t i = 0; i < 3; i++)
        value = value & 1 ? (uint16_t)(value * 3 + 1) : value / 2;
    calls++;
    return value;
}

static uint8_t get_first(void)
{
    return (uint8_t)next_of(x);
}

static uint8_t get_second(void)
{
    return (uint8_t)next_of(y);
}

static uint8_t get_third(void)
{
    return (uint8_t)next_of(z);
}

static void first(void)
{
    x += first_of[get_first() % SIZE];
}

static void second(void)
{
    y += second_of[get_second() % SIZE];
}

static void third(void)
{
    z += third_of[get_third() % SIZE];
}

static void judge(void)
{
    first();
    second();
    if (is_third)
        third();
    total = x + y + z;
}

static void once(void)
{
    x += more[total % MORE] & 1;
    judge();
}

int main(void)
{
    fill();
    for (uint16_t i = 0; i < 400; i++)
        once();
    if (is_third) { /* so they have callers that are not traced, and note when they run */
        first();
        second();
        third();
    }
    motet_exit(0);
    for (;;)
        ;
}
