/* Timer A interrupts a loop of work every 5000 cycles of the CPU's clock; the handler calls tick(). */
#include <msp430.h>
#include <stdint.h>

volatile uint16_t ticks, rounds;

__attribute__((noinline)) void tick(void)
{
    ticks++;
}

INTERRUPT(TIMERA0_VECTOR, expired)
{
    tick();
}

/* Always the same number of cycles. */
__attribute__((noinline)) void work(void)
{
    __asm__ volatile("mov #1000, r12\n1: dec r12\n jnz 1b" ::: "r12");
}

int main(void)
{
    TACCR0 = 4999;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    __eint();
    for (;;) {
        work();
        rounds++;
    }
}
