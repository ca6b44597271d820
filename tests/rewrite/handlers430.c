/* Handlers on MSP430 that are naked: assembly alone, trampolines that save what they need and call, that let the CPU go
 * on after sleep by the SR on the stack, and that let others in. */
#include <msp430.h>
#include <stdint.h>

static volatile uint16_t ticks, laps;

__attribute__((naked, interrupt(TIMERA0_VECTOR), used)) void wakes(void);
void wakes(void)
{
    __asm__ volatile("bic #0xf0, 0(r1)\n\treti");
}

static void __attribute__((used)) worked(void)
{
    static uint16_t last;
    uint16_t now = TAR;
    laps += now - last;
    last = now;
    TBCCR0 = TBR + 300 + (now & 63);
}

__attribute__((naked, interrupt(TIMERB0_VECTOR), used)) void trampoline(void);
void trampoline(void)
{
    __asm__ volatile("push r15\n\tpush r14\n\tpush r13\n\tpush r12\n\tpush r11\n\tcall #worked\n\t"
                     "pop r11\n\tpop r12\n\tpop r13\n\tpop r14\n\tpop r15\n\t"
                     "bic #0xf0, 0(r1)\n\treti");
}

/* Lets others in while it is at work. */
static void __attribute__((used)) taken(void)
{
    TBCCTL1 = CCIE;
}

static void __attribute__((used)) nested(void)
{
    for (uint8_t i = 0; i < 20; i++)
        ticks += TAR & 3;
}

__attribute__((naked, interrupt(TIMERB1_VECTOR), used)) void nesting(void);
void nesting(void)
{
    __asm__ volatile("push r15\n\tpush r14\n\tpush r13\n\tpush r12\n\tpush r11\n\tcall #taken\n\teint\n\t"
                     "call #nested\n\tdint\n\tnop\n\tpop r11\n\tpop r12\n\tpop r13\n\tpop r14\n\tpop r15\n\treti");
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    TACCR0 = 1777;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1 | TACLR;
    TBCCR0 = 300;
    TBCCTL0 = CCIE;
    TBCCR1 = 2000;
    TBCCTL1 = CCIE;
    TBCTL = TBSSEL_1 | MC_2 | TBCLR;
    __eint();
    for (uint16_t n = 0;; n++) {
        laps ^= n;
        if (n % 64 == 0) {
            __dint();
            __bis_status_register(GIE | CPUOFF);
        }
    }
}
