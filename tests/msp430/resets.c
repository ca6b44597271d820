/* What resets an MSP430 and what lives through it: one stage for each. */
#include <msp430.h>
#include <stdint.h>
#include <stdio.h>

struct life {
    uint16_t magic, stage;
};
static struct life life __attribute__((section(".noinit")));

enum { MAGIC = 0x6c66 };

static int expect(const char *what, uint16_t is, uint16_t should)
{
    if (is != should)
        printf("stage %u: %s is 0x%x, not 0x%x\n", life.stage, what, is, should);
    return is != should;
}

int main(void)
{
    if (life.magic != MAGIC)
        life = (struct life){MAGIC, 0};
    int failures = expect("P1DIR", P1DIR, 0) + expect("FCTL2", FCTL2, 0x9642) + expect("DCOCTL", DCOCTL, 0x60);
    switch (life.stage++) {
    case 0:
        failures += expect("IFG1", IFG1 & WDTIFG, 0);
        if (failures)
            break;
        P1OUT = 0x5a;
        P1DIR = 0xff;
        DCOCTL = 0x80;
        TACCR1 = 0x1234;
        TACTL = TASSEL0 | MC1;
        WDTCTL = WDTPW | WDTCNTCL | WDTIS1 | WDTIS0; /* 64 cycles */
        for (;;)
            ;
    case 1:
        failures += expect("IFG1", IFG1 & WDTIFG, WDTIFG) + expect("P1OUT", P1OUT, 0x5a);
        failures += expect("TACCR1", TACCR1, 0x1234) + expect("TACTL", TACTL & ~TAIFG, TASSEL0 | MC1);
        if (failures)
            break;
        IFG1 = 0;
        WDTCTL = WDTHOLD; /* no password */
        for (;;)
            ;
    case 2:
        failures += expect("IFG1", IFG1 & WDTIFG, WDTIFG) + expect("FCTL3", FCTL3, 0x9618);
        if (failures)
            break;
        IFG1 = 0;
        FCTL1 = FRKEY | ERASE; /* the wrong key */
        for (;;)
            ;
    case 3: failures += expect("IFG1", IFG1 & WDTIFG, 0) + expect("FCTL3", FCTL3, 0x961a); break;
    default: failures++; break;
    }
    return failures;
}
