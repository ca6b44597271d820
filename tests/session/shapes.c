/* Something for every kind of variable: structures, pointers, arrays, bit-fields, locals in memory and in registers. */
#include <stdint.h>

enum colour { RED, GREEN, BLUE };

struct entry {
    uint8_t id;
    int16_t weight;
    enum colour colour;
    unsigned flag : 1, level : 3;
    struct entry *next;
};

struct entry table[3];
struct entry *head;
volatile uint16_t sum;
const char *volatile name = "motet";

__attribute__((noinline)) static int16_t weigh(const struct entry *e, uint8_t factor)
{
    int16_t local[2] = {e->weight, 0};
    volatile int16_t *pointer = local;
    pointer[1] = (int16_t)(local[0] * factor);
    return pointer[1];
}

__attribute__((noinline)) static void chain(void)
{
    for (uint8_t i = 0; i < 3; i++) {
        table[i] = (struct entry){.id = (uint8_t)(10 + i), .weight = (int16_t)(-5 * i), .colour = (enum colour)i};
        table[i].level = (unsigned)(i + 3) & 7;
        table[i].next = i ? &table[i - 1] : 0;
    }
    head = &table[2];
}

__attribute__((noinline)) static uint16_t depth(uint16_t n)
{
    if (n == 0)
        return 0;
    uint16_t below = depth(n - 1);
    return below + 1;
}

int main(void)
{
    chain();
    for (const struct entry *e = head; e; e = e->next)
        sum = (uint16_t)(sum + weigh(e, e->id));
    sum = depth(4);
    sum = (uint16_t)name[0];
    return 0;
}
