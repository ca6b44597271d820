/* Software that finds a DCO setting by comparing with ACLK, in the manners of TinyOS and of Contiki. What each finds
 * must be right, and soon. */
#include <msp430.h>
#include <stdint.h>
#include <stdio.h>

/* SMCLK cycles in an eighth of the crystal's frequency, measured anew. */
static uint16_t measure(void)
{
    uint16_t first;
    BCSCTL1 |= DIVA1 | DIVA0;
    TACTL = TASSEL1 | MC1 | TACLR;
    TACCTL2 = CM0 | CCIS0 | CAP;
    for (uint8_t i = 0; i < 2; i++) {
        TACCTL2 &= ~CCIFG;
        while (!(TACCTL2 & CCIFG))
            ;
    }
    first = TACCR2;
    TACCTL2 &= ~(CCIFG | COV);
    while (!(TACCTL2 & CCIFG))
        ;
    first = TACCR2 - first;
    TACCTL2 = TACTL = 0;
    BCSCTL1 &= ~(DIVA1 | DIVA0);
    return first;
}

/* Twelve steps of a binary search over RSEL, DCO and MOD; each counts the DCO over eight cycles of the crystal, which
 * Timer_B compares. */
static void set(uint16_t setting)
{
    BCSCTL1 = (BCSCTL1 & ~7) | (setting >> 8 & 7);
    DCOCTL = (uint8_t)setting;
}

static uint16_t count_eight(uint16_t setting)
{
    uint16_t before = 0, after = 0;
    set(setting);
    for (uint8_t i = 0; i < 2; i++) {
        TBCCR0 = TBR + 8;
        TBCCTL0 &= ~CCIFG;
        while (!(TBCCTL0 & CCIFG))
            ;
        before = after;
        after = TAR;
    }
    return after - before;
}

/* The loop that waits for the flag makes a count some ten cycles uncertain. */
static void search(uint16_t target)
{
    uint16_t setting = 0;
    TACTL = TASSEL1 | MC1;
    TBCTL = TBSSEL0 | MC1;
    for (uint16_t step = 0x800; step; step >>= 1)
        if (count_eight(setting | step) <= target)
            setting |= step;
    set(setting);
    TACTL = TBCTL = 0;
}

/* Up and down until an eighth of the crystal's frequency captures exactly the wanted count. Returns the captures. */
static uint16_t hunt(uint16_t target)
{
    uint16_t last = 0, tries = 0;
    BCSCTL1 = XT2OFF | DIVA1 | DIVA0 | RSEL2;
    TACCTL2 = CCIS0 | CM0 | CAP;
    TACTL = TASSEL1 | MC1 | TACLR;
    for (;;) {
        while (!(TACCTL2 & CCIFG))
            ;
        TACCTL2 &= ~CCIFG;
        tries++;
        uint16_t now = TACCR2, count = now - last;
        last = now;
        if (count == target)
            break;
        if (count > target) {
            if (--DCOCTL == 0xff)
                BCSCTL1--;
        } else if (++DCOCTL == 0) {
            BCSCTL1++;
        }
    }
    TACTL = TACCTL2 = 0;
    BCSCTL1 &= ~(DIVA1 | DIVA0);
    return tries;
}

static int failures;

static void check(const char *what, uint16_t is, uint16_t from, uint16_t to)
{
    printf("%s %u (%u to %u)\n", what, is, from, to);
    failures += is < from || is > to;
}

int main(void)
{
    search(1024); /* 4 MHz */
    check("4 MHz, searched", measure(), 1018, 1028);
    search(256);
    check("1 MHz, searched", measure(), 250, 262);
    static const uint16_t targets[] = {952, 600, 900, 977, 300, 1000, 1024};
    for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++) {
        check("captures", hunt(targets[i]), 1, 1400);
        check("hunted", measure(), targets[i] - 1, targets[i] + 1);
    }
    return failures;
}
