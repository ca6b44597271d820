/* Call chains of the MSP430: a leaf without call frame information, an interrupt in a loop, locals in registers. */
#include <msp430.h>
#include <stdint.h>

volatile uint16_t ticks, sink;

/* No call frame information, and nothing on the stack but the return address. */
uint16_t bare(uint16_t a);
__asm__(".text\n"
        ".global bare\n"
        ".type bare, @function\n"
        "bare:\n"
        "    add #1, r12\n"
        "    mov #0x1234, r14\n"
        "    ret\n"
        ".size bare, . - bare\n");

__attribute__((noinline)) static uint16_t caller(uint16_t first, uint16_t second)
{
    return (uint16_t)(bare(first) + second);
}

__attribute__((noinline)) static void beat(void)
{
    ticks++;
}

__attribute__((interrupt(TIMERA0_VECTOR), used)) void timer_a0(void);
void timer_a0(void)
{
    beat();
}

__attribute__((noinline)) static void wait_for(uint16_t count)
{
    while (ticks < count)
        sink++;
}

int main(void)
{
    sink = caller(7, 9);
    TACCR0 = 100;
    TACCTL0 = CCIE;
    TACTL = TASSEL1 | MC0;
    __eint();
    wait_for(3);
    return 0;
}
