/* The converter and the DMA controller as firmware uses them, with 1 V on A0 and 2 V on A1 of a chip at 3 V. A
 * conversion takes its sample time and 13 clocks (SLAU049, 17.2.5), a transfer two MCLK cycles (8.2.6); SMCLK, by which
 * both are timed here, is MCLK. */
#include <msp430.h>
#include <stdint.h>
#include <stdio.h>

enum { CONTINUOUS = MC1, WORDS = 64, ROUNDS = 4 };

static int failures;

static void check(const char *what, uint16_t is, uint16_t from, uint16_t to)
{
    if (is < from || is > to) {
        printf("%s: %u, not %u to %u\n", what, is, from, to);
        failures++;
    }
}

static void restart_clock(void)
{
    TACTL = TASSEL1 | CONTINUOUS | TACLR;
}

/* ---- a sequence of two channels, clocked by SMCLK ---- */

static void sequence(void)
{
    ADC12CTL0 = SHT0_2 | MSC | ADC12ON; /* 16 clocks of sampling */
    ADC12CTL1 = SHP | CONSEQ_1 | ADC12SSEL_3;
    ADC12MCTL0 = INCH_0;
    ADC12MCTL1 = INCH_1 | EOS;
    restart_clock();
    ADC12CTL0 |= ENC | ADC12SC;
    while (!(ADC12IFG & 2))
        ;
    uint16_t took = TAR;
    check("two conversions of 16 + 13 clocks", took, 58, 58 + 24);
    check("1 V of 3 V", ADC12MEM0, 1364, 1366);
    check("2 V of 3 V", ADC12MEM1, 2729, 2731);
    check("flags once the results are read", ADC12IFG & 3, 0, 0);
    ADC12CTL0 &= ~ENC;
}

/* ---- a block moved by DMA while the CPU stands still ---- */

static uint16_t from[WORDS], to[WORDS];

static void block(void)
{
    for (uint16_t i = 0; i < WORDS; i++) {
        from[i] = i * 257 + 1;
        to[i] = 0;
    }
    DMACTL0 = 0; /* triggered by DMAREQ */
    DMA0SA = (uint16_t)from;
    DMA0DA = (uint16_t)to;
    DMA0SZ = WORDS;
    DMA0CTL = DMADT_1 | DMASRCINCR_3 | DMADSTINCR_3 | DMAEN;
    restart_clock();
    DMA0CTL |= DMAREQ;
    uint16_t took = TAR;
    check("64 words at two cycles each", took, 2 * WORDS, 2 * WORDS + 24);
    check("DMAIFG", (DMA0CTL & DMAIFG) != 0, 1, 1);
    check("DMAEN after a single block", (DMA0CTL & DMAEN) != 0, 0, 0);
    uint16_t wrong = 0;
    for (uint16_t i = 0; i < WORDS; i++)
        wrong += from[i] != to[i];
    check("words that differ", wrong, 0, 0);
}

/* ---- each result of a repeated conversion fetched by DMA ---- */

static uint16_t samples[ROUNDS];

static void fetched(void)
{
    DMACTL0 = DMA0TSEL_6; /* ADC12IFG */
    DMA0SA = ADC12MEM0_;
    DMA0DA = (uint16_t)samples;
    DMA0SZ = ROUNDS;
    DMA0CTL = DMADT_0 | DMADSTINCR_3 | DMAEN;
    ADC12CTL1 = SHP | CONSEQ_2;
    ADC12MCTL0 = INCH_1;
    ADC12CTL0 |= ENC | ADC12SC;
    while (!(DMA0CTL & DMAIFG))
        ;
    ADC12CTL0 &= ~ENC;
    for (uint16_t i = 0; i < ROUNDS; i++)
        check("a sample fetched by DMA", samples[i], 2729, 2731);
}

int main(void)
{
    sequence();
    block();
    fetched();
    return failures;
}
