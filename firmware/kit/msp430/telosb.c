#include "board.h"
#include "timer.h"

extern volatile uint8_t board_clock_users;

/* TBR runs from another clock than the CPU: a reading is sure if it comes twice (SLAU049, 12.2.1). */
counter_t board_counter(void)
{
    counter_t count, again = TBR;
    do {
        count = again;
        again = TBR;
    } while (again != count);
    return count;
}

/* Cycles of the DCO so far at the next edge of ACLK, which block 6 captures. */
static uint16_t cycles_at_edge(void)
{
    TBCCTL6 = CM_1 | CCIS_1 | CAP;
    while (!(TBCCTL6 & CCIFG))
        ;
    return TBCCR6;
}

/* How many of them there are from an edge to the one after the next: not the next, which may come too soon. */
static uint16_t measure_dco(void)
{
    uint16_t start = cycles_at_edge();
    cycles_at_edge();
    return cycles_at_edge() - start;
}

/* The fastest DCO, brought down to DCO_HZ by a search for the largest DCOCTL that is not above it. Timer_A is left for
 * other uses. */
static void calibrate(void)
{
    enum { WINDOW = 16 /* ticks of the crystal, of which ACLK has one in eight meanwhile */ };
    BCSCTL1 = XT2OFF | DIVA_3 | RSEL2 | RSEL1 | RSEL0;
    BCSCTL2 = 0;
    TBCTL = TBSSEL_2 | MC_2 | TBCLR; /* SMCLK */
    uint8_t found = 0;
    for (uint8_t bit = 0x80; bit; bit >>= 1) {
        DCOCTL = found | bit;
        if (measure_dco() <= DCO_HZ / TICKS_PER_SECOND * WINDOW)
            found |= bit;
    }
    DCOCTL = found;
    TBCCTL6 = 0;
    BCSCTL1 = XT2OFF | RSEL2 | RSEL1 | RSEL0;
    TBCTL = TBSSEL_1 | MC_2 | TBCLR; /* ACLK, and it goes on so */
}

void board_start(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    P5OUT |= 0x70;
    P5DIR |= 0x70;
    calibrate();
}

/* Setting GIE and the sleep bits is one instruction: nothing can come between. Every handler wakes the CPU for good. */
void board_sleep(void)
{
    if (board_clock_users)
        __bis_status_register(GIE | CPUOFF);
    else
        __bis_status_register(GIE | CPUOFF | SCG0 | SCG1);
    __dint();
}

INTERRUPT_WAKING(TIMERB0_VECTOR, compare_handler)
{
    timer_interrupt();
}

/* An interrupt that the value before has caused is taken back. */
void board_compare(counter_t at)
{
    TBCCR0 = at;
    TBCCTL0 = CCIE;
}

void board_counter_start(void) {}

static void (*receive)(uint8_t byte);
static int16_t (*take)(void);

INTERRUPT_WAKING(USART1RX_VECTOR, receive_handler)
{
    receive(U1RXBUF);
}

/* The flag is cleared as the handler begins; where nothing follows it is set again for the next uart_send(). */
INTERRUPT_WAKING(USART1TX_VECTOR, transmit_handler)
{
    int16_t byte = take();
    if (byte < 0) {
        IE2 &= ~UTXIE1;
        IFG2 |= UTXIFG1;
    } else {
        U1TXBUF = byte;
    }
}

void uart_start(void (*received)(uint8_t byte), int16_t (*next)(void))
{
    receive = received;
    take = next;
    board_clock_hold();
    P3SEL |= 0xc0;
    P3DIR |= 0x40;
    U1CTL = CHAR | SWRST;
    U1TCTL = SSEL1;
    U1BR0 = DCO_HZ / UART_BAUD;
    U1BR1 = 0;
    U1MCTL = 0x4a; /* 36.41: three of eight bits are one cycle longer */
    ME2 |= UTXE1 | URXE1;
    U1CTL = CHAR;
    IE2 |= URXIE1;
}

void uart_send(void)
{
    cpu_state saved = atomic_begin();
    IE2 |= UTXIE1;
    atomic_end(saved);
}

static void (*converted)(uint16_t value);

INTERRUPT_WAKING(ADC12_VECTOR, adc_handler)
{
    uint16_t value = ADC12MEM0;
    ADC12IE = 0;
    ADC12CTL0 &= ~ENC;
    ADC12CTL0 = 0;
    board_clock_release();
    converted(value);
}

static void convert(struct timer *t)
{
    (void)t;
    ADC12IE = 1;
    ADC12CTL0 |= ENC | ADC12SC;
}

static struct timer reference_timer = {.fired = convert};

/* The reference takes 17 ms to settle (datasheet, "12-bit ADC, built-in reference"). */
void board_adc_start(uint8_t channel, void (*done)(uint16_t value))
{
    converted = done;
    board_clock_hold();
    if (channel < 8)
        P6SEL |= 1 << channel;
    ADC12CTL0 = SHT0_4 | ADC12ON | (channel == SENSOR_VOLTAGE ? REFON | REF2_5V : 0);
    ADC12CTL1 = SHP;
    ADC12MCTL0 = channel | (channel == SENSOR_VOLTAGE ? SREF_1 : SREF_0);
    if (channel == SENSOR_VOLTAGE)
        timer_once(&reference_timer, TICKS_OF_MS(18));
    else
        convert(&reference_timer);
}
