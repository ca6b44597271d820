/* Something to look at: a table that changes, with every kind of member. */
#include <stdint.h>

#include <motet.h>

enum link_state { LINK_DOWN, LINK_UP };

struct route {
    uint16_t etx;
    uint8_t parent;
    uint8_t hops : 3, valid : 1;
    enum link_state state;
    struct route *next;
};

struct route routing_table[4];
struct route *best = &routing_table[2];
volatile uint16_t rounds;
volatile float load = 0.5f;

__attribute__((noinline)) uint16_t update(uint8_t i, uint16_t etx)
{
    struct route *r = &routing_table[i & 3];
    if (etx > 100) {
        r->state = LINK_DOWN;
        return 0;
    }
    r->etx = etx;
    r->hops = i & 7;
    r->valid = 1;
    r->state = LINK_UP;
    return r->etx;
}

static __attribute__((noinline)) void fill(volatile uint8_t *to, uint8_t value)
{
    for (uint8_t i = 0; i < 4; i++)
        to[i] = value;
}

/* A buffer on the stack, filled once in each frame. */
__attribute__((noinline)) uint8_t depths(uint8_t depth)
{
    volatile uint8_t buffer[4];
    fill(buffer, depth);
    uint8_t below = depth ? depths(depth - 1) : 0;
    return below + buffer[0];
}

int main(void)
{
    uint16_t sum = load > 1;
    best->next = &routing_table[1];
    for (uint8_t i = 0; i < 40; i++) {
        sum += update(i, i * 3);
        rounds = sum;
    }
    rounds = sum + depths(5);
    rounds = sum;
    motet_exit(0);
    for (;;)
        ;
}
