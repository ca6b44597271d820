/* For the replay of traces: levels, a skipped function with a result, one that writes through a pointer into a traced
 * function's frame, an argument in a frame outside, an input from a register, a static variable of a function, pointers
 * to data and to functions, and a handler that changes what a traced function reads. The sum grows until it is too
 * large.
 */
#include <stdbool.h>
#include <stdint.h>

#include "levels_port.h"
#include "motet.h"

struct item {
    uint8_t weight;
    struct item *next;
    uint8_t (*scale)(uint8_t);
};

static uint16_t sum, calls, elsewhere;
static volatile uint8_t beats; /* by the handler */
static uint8_t seen;

/* The same as the invariant by its expression; nothing calls it. */
static uint16_t total(void)
{
    return sum;
}

MOTET_INVARIANT static bool sum_is_small(void)
{
    return total() < 3500;
}

static uint8_t once(uint8_t w)
{
    return w;
}

static uint8_t twice(uint8_t w)
{
    return 2 * w;
}

static struct item items[] = {{3, 0, once}, {5, &items[0], twice}, {7, &items[1], once}}, *first = &items[2];

HANDLER
{
    port_acknowledge();
    beats++;
}

/* Reads a register, so it is an input: far from the check, and skipped where it is called. */
__attribute__((noinline)) static uint8_t input(void)
{
    return port_read();
}

__attribute__((noinline)) static void fetch(uint8_t *to)
{
    elsewhere += input();
    to[0] = (uint8_t)(elsewhere * 7);
    to[1] = (uint8_t)(elsewhere >> 3);
}

static uint16_t mixed(void)
{
    uint8_t bytes[2];
    static uint16_t before;
    fetch(bytes);
    before = (uint16_t)(before * 3 + bytes[0]);
    return before ^ bytes[1];
}

static void rotate(void)
{
    struct item *t = first;
    first = t->next ? t->next : &items[2];
}

static void add(const uint8_t *weights, uint8_t count)
{
    for (uint8_t i = 0; i < count; i++)
        sum += first->scale(weights[i]);
    for (uint8_t i = 0; i < 20; i++)
        if (beats != seen) {
            seen = beats;
            sum += 1 + i % 2;
        }
    sum += mixed() & 1;
    rotate();
    calls++;
}

__attribute__((noinline)) static void round_of(uint8_t n)
{
    uint8_t weights[3] = {n, first->weight, (uint8_t)(n >> 1)}; /* in a frame outside, at level 1 */
    add(weights, sizeof weights);
}

static void put(unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    MOTET_CONSOLE = digits[byte >> 4];
    MOTET_CONSOLE = digits[byte & 15];
    MOTET_CONSOLE = '\n';
}

extern void motet_trace_send(void (*put)(unsigned char));

int main(void)
{
    port_start();
    for (uint8_t n = 0; n < 60; n++) {
        round_of(n);
        for (volatile uint16_t wait = 0; wait < 300; wait++)
            ;
    }
    motet_trace_send(put);
    motet_exit(0);
    for (;;)
        ;
}
