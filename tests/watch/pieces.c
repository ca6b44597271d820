/* Local variables that are in no one place: in several registers, or in a register here and on the stack there. */
#include <stdint.h>

#include <motet.h>

volatile uint32_t shown;
volatile uint16_t turns;

struct pair {
    uint16_t low, high;
};

__attribute__((noinline)) uint32_t mix(uint32_t sum, uint8_t rounds)
{
    for (uint8_t i = 0; i < rounds; i++) {
        sum += sum >> 16 ^ 0x12345;
        shown = sum;
    }
    return sum;
}

/* By value, in registers. */
__attribute__((noinline)) uint16_t widen(struct pair p)
{
    while (p.low < 40) {
        p.low += 10;
        p.high++;
        turns = p.low;
    }
    return p.high;
}

int main(void)
{
    shown = mix(0x100fff0 + turns, 5);
    turns = widen((struct pair){turns + 7, turns + 1});
    motet_exit(0);
    for (;;)
        ;
}
