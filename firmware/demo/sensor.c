/* What the tour of README.md runs on a simulated Arduino Uno: a sensor that reports over its serial port, blinks its
 * LED, and adds up nested lists by recursion. The lists grow deeper with every report, until the stack no longer holds
 * them. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdio.h>
#include <util/setbaud.h>

#define LED PB5

static volatile uint8_t ticks;         /* of 50 ms */
static volatile uint16_t history[600]; /* sums kept for later: most of the 2 KB */
static char list[200];

ISR(TIMER1_COMPA_vect)
{
    if (++ticks % 5 == 0)
        PINB = 1 << LED; /* writing a one to PINB toggles the output */
}

static int serial_put(char c, FILE *stream)
{
    (void)stream;
    loop_until_bit_is_set(UCSR0A, UDRE0);
    UDR0 = c;
    return 0;
}

static FILE serial = FDEV_SETUP_STREAM(serial_put, NULL, _FDEV_SETUP_WRITE);

/* "[1[1[1]]]" */
static void write_list(uint8_t depth)
{
    char *at = list;
    for (uint8_t i = 0; i < depth; i++) {
        *at++ = '[';
        *at++ = '1';
    }
    for (uint8_t i = 0; i < depth; i++)
        *at++ = ']';
    *at = 0;
}

/* The sum of the digits, one call a bracket. */
static uint16_t add_list(const char **at)
{
    uint16_t sum = 0;
    char digits[8];
    uint8_t count = 0;
    while (**at) {
        char c = *(*at)++;
        if (c == '[')
            sum += add_list(at);
        else if (c == ']')
            break;
        else
            digits[count++ % sizeof digits] = c;
    }
    while (count > 0)
        sum += digits[--count % sizeof digits] - '0';
    return sum;
}

static __attribute__((noinline)) void report(uint8_t depth)
{
    const char *at = list;
    write_list(depth);
    history[depth] = add_list(&at);
    fprintf(&serial, "a list %u deep: sum %u\n", depth, history[depth]);
}

int main(void)
{
    DDRB = 1 << LED;
    UBRR0 = UBRR_VALUE;
    UCSR0B = 1 << TXEN0;
    OCR1A = F_CPU / 64 / 20 - 1;
    TCCR1B = 1 << WGM12 | 1 << CS11 | 1 << CS10;
    TIMSK1 = 1 << OCIE1A;
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    fprintf(&serial, "sensor ready\n");
    for (uint8_t depth = 5; depth <= 60; depth += 5) {
        report(depth);
        for (uint8_t start = ticks; (uint8_t)(ticks - start) < 10;)
            sleep_mode();
    }
    return 0;
}
