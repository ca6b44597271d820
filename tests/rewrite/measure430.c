/* The oscillator is tuned by the crystal, in the two ways that systems for the TelosB have, and recorded: the clock
 * must come out as fast as it does where nothing is recorded. measure.lua looks at that. */
#include <msp430.h>
#include <stdint.h>

enum { COUNTS_OF_8 = 1024 /* 2^22 Hz over 8 periods of 32768 Hz */, COUNTS_OF_1 = 128 };

uint16_t tuned, cycles[2], syncs, mixed;
static volatile uint16_t turns;
static volatile uint16_t TACTLnr __asm__("0x0160");

static void set_speed(int speed)
{
    BCSCTL1 = (BCSCTL1 & ~7) | (speed >> 8 & 7);
    DCOCTL = speed & 0xff;
}

/* Cycles of the slowest clock between the read of TBR and what is written are 30 us: none may be added. */
static inline uint16_t counts_at(int speed)
{
    int8_t rounds = 2;
    uint16_t before = 0, now = 0;
    set_speed(speed);
    while (rounds-- > 0) {
        TBCCR0 = TBR + 8;
        TBCCTL0 &= ~CCIFG;
        while ((TBCCTL0 & CCIFG) == 0)
            ;
        before = now;
        now = TAR;
    }
    return now - before;
}

static void tune(void)
{
    int speed = 0;
    TACTLnr = TASSEL_2 | MC_2;
    TBCTL = TBSSEL_1 | MC_2;
    BCSCTL2 = 0;
    for (int step = 0x800; step != 0; step >>= 1)
        if (counts_at(speed | step) <= COUNTS_OF_8)
            speed |= step;
    set_speed(speed);
    tuned = (uint16_t)speed;
}

/* Called by what is recorded as a whole, and by others: interrupts come in it, and in the library's division. */
__attribute__((noinline)) static void settle(uint16_t rounds)
{
    for (; rounds; rounds -= 1 + rounds / 5000)
        __asm__ volatile("nop");
}

/* From one capture of the crystal's edge to the next there are some 128 cycles. */
void sync(void)
{
    uint16_t last, counts;
    TACTLnr = TASSEL_2 | TACLR | MC_2;
    TACCTL2 = CCIS_1 | CM_1 | CAP;
    TACCTL2 &= ~CCIFG;
    while (!(TACCTL2 & CCIFG))
        ;
    last = TACCR2;
    TACCTL2 &= ~CCIFG;
    while (!(TACCTL2 & CCIFG))
        ;
    counts = TACCR2 - last;
    TACCTL2 = 0;
    settle(counts);
    if (counts > COUNTS_OF_1)
        DCOCTL--;
    else if (counts < COUNTS_OF_1)
        DCOCTL++;
}

/* Over 16 periods. What is recorded can take longer than a period, and an edge of the crystal would be missed
 * meanwhile: so the timer is cleared at the first edge and read at the last, and there is no loop whose rounds are
 * counted. */
#define EDGE()                     \
    do {                           \
        TBCCTL6 &= ~CCIFG;         \
        while (!(TBCCTL6 & CCIFG)) \
            ;                      \
    } while (0)
static uint16_t cycles_of_16(void)
{
    uint16_t cycles;
    TBCCTL6 = CCIS_1 | CM_1 | CAP;
    EDGE();
    TBCTL = TBSSEL_2 | TBCLR | MC_2;
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    EDGE();
    cycles = TBCCR6;
    TBCCTL6 = 0;
    return cycles;
}

__attribute__((interrupt(TIMERB0_VECTOR))) void alarm(void)
{
    TBCCR0 += 64;
    if (++turns % 4 == 0)
        LPM3_EXIT;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    tune();
    cycles[0] = cycles_of_16();
    TBCTL = TBSSEL_1 | TBCLR | MC_2;
    TBCCR0 = 64;
    TBCCTL0 = CCIE;
    P5DIR = 0x70;
    for (;;) {
        __bis_SR_register(LPM3_bits | GIE);
        mixed = mixed * 31 + turns + DCOCTL + BCSCTL1 + TBR + TAR;
        P5OUT ^= 0x10;
        if (mixed % 8 == 0) {
            settle(mixed % 32);
            sync();
            syncs++;
        }
        if (turns >= 512 && !cycles[1]) { /* whatever the recorder has taken meanwhile */
            __disable_interrupt();
            cycles[1] = cycles_of_16();
            TBCTL = TBSSEL_1 | TBCLR | MC_2;
            TBCCR0 = 64;
            __enable_interrupt();
        }
    }
}
