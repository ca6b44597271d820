/* Loops that only wait, in the shapes that avr-gcc makes of them, one after the other for ever, at random phases, while
 * handlers come and go. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/delay.h>
#include <util/delay_basic.h>

#include "shapes.h"

ISR(TIMER3_COMPA_vect)
{
    beats++;
    flag = 1;
    wide[beats & 1]++;
    PORTB ^= 1 << 5;
    OCR3A += 3001 + (beats & 63);
}

/* A second on a timer that counts with the CPU: as TinyOS measures its clock. */
static void follow_timer(void)
{
    uint16_t now = TCNT1;
    for (uint8_t wraps = 2; wraps;) {
        uint16_t next = TCNT1;
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
}

static void wait_for_either(void)
{
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
    SPCR = 1 << SPE | 1 << MSTR | 1 << SPR1 | 1 << SPR0;
    SPDR = (uint8_t)draw();
    while (!(SPSR & 1 << SPIF))
        ;
    sum += SPDR;
}

static void poll_spi_with_limit(void)
{
    uint16_t limit = draw() & 63;
    SPDR = (uint8_t)draw();
    while (!(SPSR & 1 << SPIF) && --limit)
        ;
    sum += limit;
    while (!(SPSR & 1 << SPIF))
        ;
    sum += SPDR;
}

static void poll_uart(void)
{
    UBRR0L = 51;
    UCSR0B = 1 << TXEN0;
    while (!(UCSR0A & 1 << UDRE0))
        ;
    UDR0 = (uint8_t)draw();
    loop_until_bit_is_set(UCSR0A, TXC0);
    UCSR0A |= 1 << TXC0;
}

static void poll_adc(void)
{
    ADMUX = 0x1e;
    ADCSRA = 1 << ADEN | 1 << ADSC | 7;
    while (ADCSRA & 1 << ADSC)
        ;
    sum += ADC;
}

static void poll_timer_flag(void)
{
    TIFR = 1 << TOV2 | 1 << OCF2;
    OCR2 = (uint8_t)draw();
    while (!(TIFR & 1 << OCF2))
        ;
    while (!(TIFR & (1 << TOV2 | 1 << ICF1)))
        ;
}

static void timer_changes(void)
{
    uint8_t now = TCNT2;
    while (TCNT2 == now)
        ;
    now = TCNT2;
    while ((uint8_t)(TCNT2 - now) < 100)
        ;
}

static void timer_passes(void)
{
    uint16_t from = TCNT1, length = draw() & 0x1fff;
    while (TCNT1 - from < length)
        ;
    while ((int16_t)(TCNT1 - from) < (int16_t)(length + 500))
        ;
    while (TCNT1 < 0x8000)
        ;
    while (TCNT1 >= 0x8000)
        ;
    from = TCNT1 + (draw() & 0x3ff) * 4;
    while (TCNT1L != (uint8_t)from)
        ;
}

static void count_down(void)
{
    _delay_loop_1((uint8_t)draw());
    _delay_loop_2(draw());
    _delay_ms(1);
    _delay_us(17);
    for (uint32_t i = draw() & 0x3ff; i; i--)
        __asm__ volatile("nop");
    for (uint8_t i = (uint8_t)draw(); i; i -= 3) {
        __asm__ volatile("");
        if (i < 3)
            break;
    }
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
    while (PINB & 1 << 5)
        ;
    while (!(PINB & 1 << 5))
        ;
    loop_until_bit_is_clear(PINB, 5);
    uint8_t limit = (uint8_t)draw();
    while (bit_is_clear(PINB, 5) && limit)
        limit--;
    sum += limit;
}

static void poll_eeprom(void)
{
    uint8_t *at = (uint8_t *)(draw() & 0xff);
    eeprom_write_byte(at, (uint8_t)draw());
    eeprom_busy_wait();
    sum += eeprom_read_byte(at);
}

static void poll_asynchronous(void)
{
    ASSR = 1 << AS0;
    TCNT0 = (uint8_t)draw();
    TCCR0 = 1 << CS00;
    OCR0 = (uint8_t)draw();
    while (ASSR & (1 << TCN0UB | 1 << OCR0UB | 1 << TCR0UB))
        ;
    uint8_t now = TCNT0;
    while (TCNT0 == now)
        ;
    now = TCNT0;
    while ((uint8_t)(TCNT0 - now) < 20)
        ;
    TIFR = 1 << OCF0;
    while (!(TIFR & 1 << OCF0))
        ;
}

/* Shapes that no compiler makes of C, or seldom: other flags, skips over two words, jumps back, an inner loop. */
static void by_hand(void)
{
    uint8_t a = (uint8_t)draw(), b = (uint8_t)draw();
    __asm__ volatile("1: inc %0\n brne 1b\n"
                     "2: dec %1\n brpl 2b\n"
                     "3: dec %1\n brmi 3b\n"
                     "   ldi r24, 200\n"
                     "4: subi r24, 1\n brcc 4b\n"
                     "   ldi r24, 0x10\n ldi r25, 0x7f\n"
                     "5: adiw r24, 3\n brmi 6f\n rjmp 5b\n"
                     "6: ldi r24, 77\n mov r25, %0\n"
                     "7: subi r24, 0xfd\n cp r24, r25\n brlt 7b\n"
                     "   ldi r24, 9\n ldi r25, 0\n"
                     "8: dec r24\n cpse r24, r25\n rjmp 8b\n"
                     "   ldi r24, 3\n"
                     "9: ldi r25, 250\n"
                     "1: dec r25\n nop\n brne 1b\n"
                     "   dec r24\n brne 9b\n"
                     : "+d"(a), "+d"(b)
                     :
                     : "r24", "r25", "cc");
    __asm__ volatile("   in __tmp_reg__, __SREG__\n"
                     "   sts flag, __zero_reg__\n"
                     "1: lds r24, flag\n"
                     "   sbrs r24, 0\n"
                     "   rjmp 1b\n"
                     "   sts flag, __zero_reg__\n"
                     "2: lds r24, flag\n"
                     "   com r24\n"
                     "   andi r24, 1\n"
                     "   brne 2b\n"
                     "   sts flag, __zero_reg__\n"
                     "3: lds r25, flag\n"
                     "   lsr r25\n"
                     "   brcc 3b\n"
                     :
                     :
                     : "r24", "r25", "cc", "memory");
    sum += a + b;
}

int main(void)
{
    uint16_t stuff = seed;
    DDRB = 1 << 5 | 1 << 2 | 1 << 1;
    TCCR1B = 1 << CS10;
    TCCR2 = 1 << CS21 | 1 << CS20;
    OCR3A = 1000 + (stuff & 0xfff);
    TCCR3B = 1 << CS30;
    ETIMSK = 1 << OCIE3A;
    sei();
    for (;;) {
        switch (shape) {
        case 0: follow_timer(); break;
        case 1: wait_for_flag(); break;
        case 2: wait_for_word(); break;
        case 3: wait_for_either(); break;
        case 4: wait_through_pointer(&wide[draw() & 1]); break;
        case 5: poll_spi(); break;
        case 6: poll_spi(), poll_spi_with_limit(); break;
        case 7: poll_uart(); break;
        case 8: poll_adc(); break;
        case 9: poll_timer_flag(); break;
        case 10: timer_changes(); break;
        case 11: timer_passes(); break;
        case 12: count_down(); break;
        case 13: count_up(); break;
        case 14: poll_pin(); break;
        case 15: poll_eeprom(); break;
        case 16: poll_asynchronous(); break;
        default: by_hand(); break;
        }
        sum = sum * 31 + TCNT1 + beats;
        for (uint8_t phase = draw() & 7; phase; phase--)
            __asm__ volatile("nop");
    }
}
