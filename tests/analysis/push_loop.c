/* A loop that leaves a byte on the stack each time; a stack of its own. */
#include <stdint.h>

volatile uint8_t rounds;

int main(void)
{
#ifdef ELSEWHERE
    static uint8_t other[64];
    uint16_t top = (uint16_t)(uintptr_t)(other + 63);
    __asm__ volatile("out __SP_H__, %B0\n\tout __SP_L__, %A0" : : "r"(top));
#else
    while (rounds--)
        __asm__ volatile("push r24");
#endif
    for (;;)
        ;
}
