/* Positions by cycles on an MSP430 (motet cc --stamp timera): stretches longer than the timer is wide, with
 * interrupts on and off; interrupts right after the recorder and after each other, in loops that poll, also in
 * handlers that let others in; in library code and recursion; asleep with SMCLK on for long, and off; and where SMCLK
 * is not the CPU's clock, which only the run knows: that is lost, and said to be. */
#include <msp430.h>
#include <stdint.h>
#include <string.h>

void motet_flush(void);

static volatile uint16_t ticks, received, nested, seed = 1, quick;
static uint8_t from[40], to[40];
static volatile unsigned char *clocks = &BCSCTL1;

static uint16_t any(void)
{
    seed = (uint16_t)(seed * 25173u + 13849u);
    return seed >> 2;
}

INTERRUPT_WAKING(TIMERB0_VECTOR, tick)
{
    ticks++;
    TBCCR0 = TBR + 12 + (any() & 63);
}

/* Does not wake, lets others in while it polls. */
INTERRUPT(TIMERB1_VECTOR, turn)
{
    (void)TBIV;
    TBCCTL1 = 0;
    __eint();
    nested++;
    ADC12CTL0 |= ENC | ADC12SC;
    while (ADC12CTL1 & ADC12BUSY)
        ;
    to[nested % sizeof to] ^= (uint8_t)ADC12MEM0;
    __dint();
    TBCCR1 = TBR + 50 + (any() & 127);
    TBCCTL1 = CCIE;
}

INTERRUPT_WAKING(USART1RX_VECTOR, receive)
{
    received += U1RXBUF;
}

/* Its vector has a number that the CPU makes by itself, where others have a word. */
INTERRUPT_WAKING(PORT1_VECTOR, poke)
{
    P1IFG = 0;
    quick++;
}

static uint16_t deep(uint8_t n)
{
    return n ? (uint16_t)(deep(n - 1) * 3 + ticks) : (uint16_t)(seed / 7u);
}

/* Nothing that the recorder sees, some 20 cycles a round. */
static void busy(uint16_t rounds)
{
    volatile uint8_t left = 0;
    for (uint16_t i = 0; i < rounds; i++)
        left += (uint8_t)i;
    P5OUT = left;
}

static void copy_and_calculate(void)
{
    memcpy(to, from, sizeof to);
    for (uint8_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(any() / 13u % 251u);
    P1IFG |= 1; /* comes at once, also after what the recorder does next */
    P5OUT = (uint8_t)(TBR + quick);
    P5OUT = (uint8_t)((uint32_t)any() * any() % 251u) ^ to[ticks % sizeof to];
}

/* Through a pointer, of which motet cc knows nothing: SMCLK with half the CPU's cycles. */
static void other_clock(void)
{
    enum { DIVIDED = 0x02, RESET = 0 };
    clocks[1] = DIVIDED;
    busy(600);
    clocks[1] = RESET;
}

static void again(void)
{
    TBCCTL0 = TBCCTL1 = 0;
    TBCCR0 = TBR + 20;
    TBCCR1 = TBR + 90;
    TBCCTL0 = TBCCTL1 = CCIE;
}

static void set_up(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87;
    DCOCTL = 0xa0;
    P5DIR = 0x70;
    P1IE = 1;
    P3SEL |= 0xc0;
    U1CTL = CHAR | SWRST;
    U1TCTL = SSEL1;
    U1BR0 = 36;
    U1BR1 = 0;
    U1MCTL = 0x4a;
    ME2 |= UTXE1 | URXE1;
    U1CTL = CHAR;
    IE2 |= URXIE1;
    ADC12CTL0 = SHT0_4 | ADC12ON;
    ADC12CTL1 = SHP;
    TBCTL = TBSSEL_1 | MC_2 | TBCLR;
    again();
}

int main(void)
{
    set_up();
    __eint();
    for (uint8_t round = 0;; round++) {
        copy_and_calculate();
        P5OUT = (uint8_t)deep(12);
        if (round % 16 == 3)
            busy(9000);
        if (round % 16 == 5) { /* others have to wait, longer than the timer takes to come round */
            __dint();
            busy(4000);
            __eint();
        }
        if (round % 16 == 8) { /* only the timer itself interrupts */
            TBCCTL0 = TBCCTL1 = IE2 = 0;
            busy(20000);
            again();
            IE2 = URXIE1;
        }
        if (round % 16 == 11) { /* asleep for longer than the timer takes, its clock on */
            TBCCTL1 = 0;
            TBCCR0 = TBR + 1500;
            __bis_status_register(GIE | CPUOFF);
            again();
        }
        if (round % 64 == 63)
            motet_flush();
        if (round == 100)
            other_clock();
        for (uint8_t i = 0; i < 4; i++)
            __bis_status_register(i & 1 ? GIE | CPUOFF : GIE | CPUOFF | SCG1 | SCG0);
    }
}
