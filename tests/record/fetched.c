/* Fetches pages of its frozen log with interrupts on, as firmware that sends them does: its clock must go on. */
#include <msp430.h>
#include <stdint.h>
#include <stdlib.h>

void motet_freeze(void);
uint8_t motet_page(uint16_t page, uint16_t at, uint8_t *to, uint8_t count);

static volatile uint16_t ticks;
static uint16_t sum;

INTERRUPT_WAKING(TIMERB0_VECTOR, tick)
{
    TBCCR0 = TBR + 330;
    ticks++;
    sum += P1IN;
}

int main(void)
{
    uint8_t byte;
    TBCTL = TBSSEL_1 | MC_2;
    TBCCR0 = TBR + 330;
    TBCCTL0 = CCIE;
    __eint();
    while (ticks < 100)
        ;
    motet_freeze();
    for (uint16_t i = 0; i < 20; i++)
        motet_page(0, i, &byte, 1);
    TBCCR0 = TBR + 330;
    uint16_t before = ticks;
    for (volatile uint16_t i = 0; i < 20000; i++)
        ;
    exit(ticks == before);
}
