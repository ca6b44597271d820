/* What `make demo` runs on a simulated Arduino Uno: a sensor that reports over its serial port, blinks its LED, and
 * adds up nested lists by recursion. The lists grow deeper with every report, until the stack no longer holds them. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdio.h>
#include <string.h>
#include <util/setbaud.h>

#define LED PB5

static volatile uint8_t ticks;         /* of 50 ms */
static volatile uint8_t history[1200]; /* temperatures kept for later: most of the 2 KB */
static char list[200];

ISR(TIMER1_COMPA_vect)
{
    if (++ticks % 5 == 0)
        PINB = 1 << LED; /* writing a one to PINB toggles the output */
}

static int serial_put(char c, FILE *stream)
{
    (void)stream;
    if (c == '\n')
        serial_put('\r', stream);
    loop_until_bit_is_set(UCSR0A, UDRE0);
    UDR0 = c;
    return 0;
}

static FILE serial = FDEV_SETUP_STREAM(serial_put, NULL, _FDEV_SETUP_WRITE);

/* "[1[2[3]]]": the sum of the digits, one call a bracket. */
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

static void report(uint8_t depth)
{
    memset(list, '[', depth);
    memset(list + depth, '1', 1);
    memset(list + depth + 1, ']', depth);
    list[2 * depth + 1] = 0;
    const char *at = list;
    uint16_t sum = add_list(&at);
    uint8_t coldest = 255, warmest = 0;
    for (uint16_t i = 0; i < sizeof history; i++) {
        coldest = history[i] < coldest ? history[i] : coldest;
        warmest = history[i] > warmest ? history[i] : warmest;
    }
    fprintf(&serial, "depth %u: sum %u; %u to %u degrees\n", depth, sum, coldest, warmest);
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
    for (uint16_t i = 0; i < sizeof history; i++)
        history[i] = 20 + i % 3;
    sei();
    fprintf(&serial, "sensor ready\n");
    for (uint8_t depth = 5; depth < 100; depth += 5) {
        report(depth);
        for (uint8_t start = ticks; (uint8_t)(ticks - start) < 10;)
            sleep_mode();
    }
    return 0;
}
