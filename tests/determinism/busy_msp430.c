/* What busy.c does, with an MSP430's devices: two timers, one on the crystal, the UART, the ADC, flash writes, the
 * watchdog's interval, sleep in two modes, waiting loops, the multiplier and long stretches of computing. */
#include <msp430.h>
#include <stdint.h>

volatile uint32_t mixed = 1;
volatile uint8_t ticks, conversions, sent, bites, wrote;
volatile uint16_t captured;

static inline void mix(uint8_t value)
{
    mixed = mixed * 1664525UL + 1013904223UL + value;
}

INTERRUPT_WAKING(TIMERA0_VECTOR, timer_a)
{
    ticks++;
    mix((uint8_t)TAR);
}

INTERRUPT(TIMERB1_VECTOR, timer_b)
{
    if (TBIV == 14) { /* overflow */
        mix((uint8_t)TBR);
        captured = TBR;
    }
}

INTERRUPT_WAKING(ADC12_VECTOR, adc)
{
    conversions++;
    mix((uint8_t)ADC12MEM0);
    ADC12CTL0 &= (uint16_t)~ADC12SC;
    ADC12CTL0 |= ADC12SC;
}

INTERRUPT(USART1TX_VECTOR, transmit)
{
    TXBUF1 = (uint8_t)mixed;
    if (++sent % 16 == 0)
        IE2 &= (uint8_t)~UTXIE1;
}

INTERRUPT(WDT_VECTOR, interval)
{
    bites++;
    mix(0x77);
}

static void set_up(void)
{
    WDTCTL = WDTPW | WDTTMSEL | WDTSSEL | WDTIS1; /* ACLK/512 */
    TACCR0 = 771;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    TBCTL = TBSSEL_2 | ID_0 | MC_2 | TBIE;
    ADC12CTL0 = SHT0_4 | ADC12ON;
    ADC12CTL1 = SHP | ADC12SSEL_3;
    ADC12IE = 1;
    ADC12CTL0 |= ENC | ADC12SC;
    P3SEL |= 0x40;
    ME2 |= UTXE1;
    UCTL1 = CHAR | SWRST;
    UTCTL1 = SSEL1;
    UBR01 = 7;
    UBR11 = 0;
    UCTL1 &= (uint8_t)~SWRST;
    IE2 |= UTXIE1;
    IE1 |= WDTIE;
}

/* To the information memory, interrupts off: their vectors cannot be read meanwhile. */
static void write_flash(uint8_t *to, uint8_t value)
{
    __dint();
    FCTL2 = FWKEY | FSSEL_2 | FN0;
    FCTL3 = FWKEY;
    FCTL1 = FWKEY | WRT;
    *(volatile uint8_t *)to = value;
    FCTL1 = FWKEY;
    FCTL3 = FWKEY | LOCK;
    __eint();
}

static void compute(void)
{
    for (uint8_t i = 0; i < 40; i++)
        mix((uint8_t)(mixed % (uint8_t)(i + 3)));
}

int main(void)
{
    set_up();
    __eint();
    for (uint8_t round = 0;; round++) {
        compute();
        IE2 |= UTXIE1;
        if (round % 4 == 0) {
            wrote++;
            write_flash((uint8_t *)(0x1000 + round / 4), (uint8_t)mixed);
        }
        uint8_t then = ticks;
        if (round % 3 == 0)
            __bis_SR_register(CPUOFF | GIE);
        else if (round % 3 == 1)
            __bis_SR_register(CPUOFF | SCG0 | GIE);
        else
            while (ticks == then)
                ;
    }
}
