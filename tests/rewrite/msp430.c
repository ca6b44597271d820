/* What motet cc makes of each way to read a register of an MSP430; as avr.c. */
#include <msp430.h>
#include <stdint.h>

extern void use(uint16_t v);
volatile uint8_t flag;

int direct(void)
{
    return IFG2 & URXIFG1; //= IFG2 0x10
}

uint16_t array(uint8_t i)
{
    return ADC12MEM[i]; //= ADC12MEM0 0xffff
}

uint16_t array_element(void)
{
    return ADC12MEM[3]; //= ADC12MEM3 0x0fff
}

int16_t negative(void)
{
    int16_t v = TAR; //= TAR 0xffff
    return v >> 12 & 0x0f;
}

int vector(void)
{
    switch (TAIV) { //= TAIV 0x000e
    case 2: return 1;
    default: return 0;
    }
}

void none(void)
{
    TACCR0 += 100;
    P1IFG &= ~1;
    TACTL = TASSEL_2 | MC_2 | TACLR;
    use(P1OUT);
    use(RESLO);
}

void polls(void)
{
    while (!(IFG1 & UTXIFG0)) //= poll
        ;
    while (ADC12CTL1 & ADC12BUSY) //= poll
        ;
}

uint16_t steady(void)
{
    uint16_t a, b;
    do {
        a = TBR; //= TBR 0xffff
        b = TBR; //= TBR 0xffff
    } while (a != b);
    return a;
}

uint8_t received(void)
{
    return U1RXBUF; //= U1RXBUF 0xff
}

INTERRUPT_WAKING(TIMERB0_VECTOR, handler)
{
    flag = 1;
}

int main(void)
{
    for (;;)
        __bis_status_register(GIE | CPUOFF);
}
