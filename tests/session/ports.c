/* Pointers to registers of devices, for a debugger to write through. */
#include <stdint.h>

volatile uint8_t *volatile p3in = (uint8_t *)0x18, *volatile p3out = (uint8_t *)0x19, *volatile p3dir = (uint8_t *)0x1a;
volatile uint16_t *volatile watchdog = (uint16_t *)0x120;
volatile uint16_t *volatile again = (uint16_t *)0x200; /* the first word of RAM, by its other address */
volatile uint16_t turns;

int main(void)
{
    *watchdog = 0x5a80;
    for (;;)
        turns += *p3in + (p3out == p3dir) + (again == watchdog);
}
