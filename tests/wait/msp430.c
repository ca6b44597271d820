/* Loops that only wait, in the shapes that clang makes of them for MSP430, one after the other for ever, at random
 * phases, while a handler comes and goes. */
#include <intrinsics.h>
#include <msp430.h>

#include "shapes.h"

INTERRUPT(TIMERA0_VECTOR, beat)
{
    beats++;
    flag = 1;
    wide[beats & 1]++;
    P5OUT ^= 1 << 4;
    CCR0 += 301 + (beats & 63);
}

/* A timer that counts with the CPU: Timer_B on SMCLK. */
static void follow_timer(void)
{
    uint16_t now = TBR;
    for (uint8_t wraps = 2; wraps;) {
        uint16_t next = TBR;
        if (next < now)
            wraps--;
        now = next;
    }
}

static void wait_for_flag(void)
{
    flag = 0;
    while (!flag)
        ;
}

static void wait_for_word(void)
{
    uint16_t before = beats;
    while (beats == before)
        ;
    uint16_t a = wide[0], b = wide[1];
    while (wide[0] == a && wide[1] == b)
        ;
}

static void wait_through_pointer(volatile uint16_t *at)
{
    uint16_t before = *at;
    while (*at == before)
        ;
}

static void poll_spi(void)
{
    UCTL0 = SWRST;
    UCTL0 = CHAR | SYNC | MM | SWRST;
    UTCTL0 = SSEL1 | STC;
    UBR00 = 40;
    UBR10 = 0;
    ME1 |= USPIE0;
    UCTL0 &= ~SWRST;
    TXBUF0 = (uint8_t)draw();
    while (!(IFG1 & URXIFG0))
        ;
    sum += RXBUF0;
    TXBUF0 = (uint8_t)draw();
    while (!(UTCTL0 & TXEPT))
        ;
    uint16_t limit = draw() & 63;
    TXBUF0 = (uint8_t)draw();
    while (!(IFG1 & UTXIFG0) && --limit)
        ;
    sum += limit + RXBUF0;
}

static void poll_timer_flag(void)
{
    TBCCR1 = TBR + (draw() & 0x3ff) + 50;
    TBCCTL1 = 0;
    while (!(TBCCTL1 & CCIFG))
        ;
    TBCTL &= ~TBIFG;
    while (!(TBCTL & TBIFG))
        ;
}

static void timer_changes(void)
{
    uint16_t now = TAR;
    while (TAR == now)
        ;
    now = TAR;
    while ((uint16_t)(TAR - now) < 30)
        ;
}

static void timer_passes(void)
{
    uint16_t from = TBR, length = draw() & 0x1fff;
    while ((uint16_t)(TBR - from) < length)
        ;
    while ((int16_t)(TBR - from) < (int16_t)(length + 500))
        ;
    while (TBR < 0x8000)
        ;
    while (TBR >= 0x8000)
        ;
}

static void count_down(void)
{
    for (uint16_t i = draw(); i; i--)
        __asm__ volatile("nop");
    for (uint32_t i = draw() & 0x3ff; i; i--)
        __asm__ volatile("nop");
    for (uint8_t i = (uint8_t)draw(); i; i--)
        __asm__ volatile("");
    for (int16_t i = (int16_t)(draw() & 0x7ff); i >= 0; i -= 3)
        __asm__ volatile("");
}

static void count_up(void)
{
    uint16_t to = draw() & 0x7ff;
    for (uint16_t i = 0; i != to; i++)
        __asm__ volatile("" : "+r"(i));
    for (int16_t i = -100; i < (int16_t)to; i++)
        __asm__ volatile("" : "+r"(i));
    for (uint32_t i = 0; i < to; i += 5)
        __asm__ volatile("" : "+r"(i));
    for (uint8_t i = 0; i < (uint8_t)to; i++)
        __asm__ volatile("" : "+r"(i));
}

static void poll_pin(void)
{
    while (P5IN & 1 << 4)
        ;
    while (!(P5IN & 1 << 4))
        ;
    uint16_t limit = draw() & 0xff;
    while (P5IN & 1 << 4 && limit)
        limit--;
    sum += limit;
}

static void by_hand(void)
{
    uint16_t a = draw(), b = draw();
    __asm__ volatile("1: inc %0\n jnz 1b\n"
                     "   mov #200, r14\n"
                     "2: sub #1, r14\n jc 2b\n"
                     "   mov #-300, r14\n"
                     "3: add #7, r14\n jn 3b\n"
                     "4: dec.b %1\n jnz 4b\n"
                     "   mov #0x7f00, r14\n"
                     "5: sub #3, r14\n cmp #-5, r14\n jge 5b\n"
                     "   mov #300, r14\n clr r15\n"
                     "6: add #-1, r14\n addc #-1, r15\n jc 6b\n"
                     "   mov.b #0, &flag\n"
                     "7: tst.b &flag\n jz 7b\n"
                     "   mov.b #0, &flag\n mov #flag, r15\n"
                     "8: bit.b #1, 0(r15)\n jnc 8b\n"
                     "   mov.b #0, &flag\n"
                     "9: mov.b @r15, r14\n and.b #1, r14\n xor.b #1, r14\n jne 9b\n"
                     : "+r"(a), "+r"(b)
                     :
                     : "r14", "r15", "memory");
    __asm__ volatile("   mov #900, r15\n"
                     "1: sub #3, r15\n cmp #100, r15\n mov sr, r14\n and #1, r14\n jnz 1b\n"
                     "2: add #2, r15\n cmp #1500, r15\n mov sr, r14\n and #4, r14\n jnz 2b\n"
                     "   mov #0x7f00, r15\n"
                     "3: add #3, r15\n mov sr, r14\n and #0x106, r14\n jz 3b\n"
                     :
                     :
                     : "r14", "r15");
    sum += a + b;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    P5DIR = 1 << 4;
    TACTL = TASSEL_1 | MC_2;
    TBCTL = TBSSEL_2 | MC_2;
    CCR0 = 40 + (seed & 0x3f);
    CCTL0 = CCIE;
    __enable_interrupt();
    for (;;) {
        switch (shape) {
        case 0: follow_timer(); break;
        case 1: wait_for_flag(); break;
        case 2: wait_for_word(); break;
        case 3: wait_through_pointer(&wide[draw() & 1]); break;
        case 4: poll_spi(); break;
        case 5: poll_timer_flag(); break;
        case 6: timer_changes(); break;
        case 7: timer_passes(); break;
        case 8: count_down(); break;
        case 9: count_up(); break;
        case 10: poll_pin(); break;
        case 11: timer_passes(), timer_changes(), count_up(); break;
        default: by_hand(); break;
        }
        sum = sum * 31 + TBR + beats;
        for (uint8_t phase = draw() & 7; phase; phase--)
            __asm__ volatile("nop");
    }
}
