/* The counter as the CPU reads it, at distances in cycles that are known from the instructions between. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <motet.h>

uint16_t results[16];

/* Reads of TCNT1L `nops` + 2 cycles apart (LDS takes two). */
#define DISTANCE(nops)                                                     \
    ({                                                                     \
        uint8_t a, b;                                                      \
        asm volatile("lds %0, %2\n.rept " #nops "\nnop\n.endr\nlds %1, %2" \
                     : "=&r"(a), "=r"(b)                                   \
                     : "n"(_SFR_MEM_ADDR(TCNT1L)));                        \
        (uint8_t)(b - a);                                                  \
    })

/* A written TCNT0 read back by the next instruction, and one later. */
static void write_and_read(uint8_t prescale)
{
    uint8_t a, b;
    TCCR0B = prescale;
    asm volatile("out %2, %3\nin %0, %2\nin %1, %2" : "=&r"(a), "=r"(b) : "I"(_SFR_IO_ADDR(TCNT0)), "r"((uint8_t)100));
    results[2] = a;
    results[3] = b;
    TCCR0B = 0;
}

/* Passes of a loop between the write that starts the timer and the flag of its overflow. */
static uint16_t overflow_after(uint8_t start)
{
    uint16_t passes = 0;
    TIFR0 = 1 << TOV0;
    TCNT0 = start;
    asm volatile("out %1, %2\n1: sbis %3, 0\nrjmp 2f\nrjmp 3f\n2: adiw %0, 1\nrjmp 1b\n3:"
                 : "+w"(passes)
                 : "I"(_SFR_IO_ADDR(TCCR0B)), "r"((uint8_t)1), "I"(_SFR_IO_ADDR(TIFR0)));
    TCCR0B = 0;
    return passes;
}

int main(void)
{
    TCCR1B = 1 << CS10;
    results[0] = DISTANCE(0);
    results[1] = DISTANCE(17);
    write_and_read(1 << CS00);

    /* A TCNT written equal to OCR: the match is missed. */
    TCCR1B = 0;
    OCR1A = 500;
    TIFR1 = 1 << OCF1A;
    TCNT1 = 500;
    TCCR1B = 1 << CS10;
    results[4] = TIFR1 & 1 << OCF1A;
    TCCR1B = 0;
    TCNT1 = 498;
    TCCR1B = 1 << CS10;
    asm volatile("nop\nnop\nnop\nnop");
    results[5] = TIFR1 & 1 << OCF1A;

    /* Seven cycles a pass. */
    results[6] = overflow_after(255 - 60);
    results[7] = overflow_after(255 - 120);

    /* A forced match clears and sets the pin, and leaves the flag. */
    DDRD = 1 << PD6;
    TIFR0 = 1 << OCF0A;
    TCCR0A = 1 << COM0A1 | 1 << COM0A0;
    TCCR0B = 1 << FOC0A;
    asm volatile("nop\nnop");
    results[8] = PIND & 1 << PD6;
    TCCR0A = 1 << COM0A1;
    TCCR0B = 1 << FOC0A;
    asm volatile("nop\nnop");
    results[9] = PIND & 1 << PD6;
    results[10] = TIFR0 & 1 << OCF0A;
    results[15] = 0x600d;
    motet_exit(0);
    return 0;
}
