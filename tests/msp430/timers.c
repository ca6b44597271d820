/* Timers, interrupts and low-power modes as firmware uses them. Expected counts are those of SLAU049: six cycles to
 * take an interrupt, and `mov &TAR, &x` reads in its third cycle. */
#include <msp430.h>
#include <stdint.h>
#include <stdio.h>

enum { CONTINUOUS = MC1, UP = MC0 };

static int failures;

static void check(const char *what, uint16_t is, uint16_t from, uint16_t to)
{
    if (is < from || is > to) {
        printf("%s: %u, not %u to %u\n", what, is, from, to);
        failures++;
    }
}

/* ---- latency ---- */

volatile uint16_t taken_at;

__attribute__((naked, interrupt(TIMERA0_VECTOR), used)) void timer_a0(void);
void timer_a0(void)
{
    __asm__ volatile("mov &0x0170, &taken_at\n\t"
                     "bic #0xf0, 0(r1)\n\t"
                     "reti");
}

static void latency(uint16_t sleep)
{
    TACTL = TACLR;
    TACCR0 = 200;
    TACCTL0 = CCIE;
    TACTL = TASSEL1 | CONTINUOUS;
    taken_at = 0;
    if (sleep) {
        __bis_status_register(GIE | sleep);
    } else {
        __eint();
        for (uint8_t i = 0; i < 200 && !taken_at; i++)
            __nop();
    }
    __dint();
    TACTL = 0;
    check("CCIFG of block 0 after its interrupt", TACCTL0 & CCIFG, 0, 0);
}

/* ---- the vector register ---- */

static void vectors(void)
{
    TACTL = TACLR | TAIE | TAIFG;
    TACCTL1 = CCIE | CCIFG;
    TACCTL2 = CCIE | CCIFG;
    check("first vector", TAIV, 2, 2);
    check("second vector", TAIV, 4, 4);
    check("overflow's vector", TAIV, 10, 10);
    check("no vector", TAIV, 0, 0);
    TBCTL = TBCLR | TBIE | TBIFG;
    TBCCTL6 = CCIE | CCIFG;
    TBCCTL3 = CCIFG;
    check("vector of an enabled flag only", TBIV, 12, 12);
    check("Timer_B's overflow", TBIV, 14, 14);
    check("the other flag", TBCCTL3 & CCIFG, CCIFG, CCIFG);
    TACCTL1 = TACCTL2 = TBCCTL6 = TBCCTL3 = TACTL = TBCTL = 0;
}

/* ---- sleep ---- */

static volatile uint16_t wakes;

INTERRUPT_WAKING(TIMERB1_VECTOR, timer_b1)
{
    if (TBIV == 2) {
        TBCCR1 += 100;
        wakes++;
    }
}

/* ACLK runs on in LPM3 while SMCLK, and Timer_A with it, stands still. */
static void sleep_on_the_crystal(void)
{
    uint16_t before, asleep;
    TACTL = TASSEL1 | CONTINUOUS | TACLR;
    TBCTL = TBSSEL0 | CONTINUOUS | TBCLR;
    TBCCR1 = 100;
    TBCCTL1 = CCIE;
    wakes = 0;
    before = TAR;
    while (wakes < 10)
        __bis_status_register(GIE | CPUOFF | SCG0 | SCG1);
    asleep = TAR - before;
    __dint();
    check("TBR after ten sleeps", TBR, 1000, 1004); /* a hundred cycles of the DCO later */
    check("cycles awake", asleep, 300, 1500); /* ten times some seventy instructions; a thousand 32768ths are 24000 */
    TACTL = TBCTL = TBCCTL1 = 0;
}

/* ---- the interval timer ---- */

INTERRUPT_WAKING(WDT_VECTOR, interval)
{
    wakes++;
}

static void intervals(void)
{
    TBCTL = TBSSEL0 | CONTINUOUS | TBCLR;
    wakes = 0;
    WDTCTL = WDTPW | WDTTMSEL | WDTCNTCL | WDTSSEL | WDTIS1; /* ACLK / 512 */
    IFG1 &= ~WDTIFG;
    IE1 |= WDTIE;
    while (wakes < 8)
        __bis_status_register(GIE | CPUOFF | SCG0 | SCG1);
    __dint();
    check("TBR after eight intervals", TBR, 4096, 4100);
    IE1 &= ~WDTIE;
    WDTCTL = WDTPW | WDTHOLD;
    TBCTL = 0;
}

int main(void)
{
    latency(CPUOFF);
    check("taken out of LPM0", taken_at, 208, 208);
    latency(0);
    check("taken while running", taken_at, 208, 213); /* an instruction has up to six cycles */
    vectors();
    sleep_on_the_crystal();
    intervals();
    return failures;
}
