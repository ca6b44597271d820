/* A little of everything that the Python package shows: serial port, button, LED, converter, variables of all kinds. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdbool.h>
#include <string.h>

#include "../cli/serial.h"

enum mood { CALM, BUSY = 5 };

struct route {
    uint8_t parent;
    int16_t etx;
    bool used;
};

struct route routes[3] = {{1, -20, true}, {2, 300, false}, {7, 0, true}};
char greeting[8] = "hello";
volatile enum mood mood = BUSY;
volatile float ratio = 1.5f;
volatile uint16_t presses, sample, node_id;
volatile uint32_t ticks;
const uint16_t *pointer = (const uint16_t *)&presses;

ISR(INT0_vect)
{
    presses++;
}

ISR(TIMER1_COMPA_vect)
{
    ticks++;
    PORTB ^= 1 << PB5;
}

__attribute__((noinline)) void converted(uint16_t value)
{
    sample = value;
}

static volatile char line[40];
static volatile uint8_t length, complete;

ISR(USART_RX_vect)
{
    char c = UDR0;
    if (complete)
        return;
    line[length++] = c;
    if (c == '\n' || length == sizeof line - 1) {
        line[length] = 0;
        complete = 1;
    }
}

static void answer(void)
{
    serial_print("got ");
    serial_print((const char *)line);
    if (strcmp((const char *)line, "crash\n") == 0)
        ((void (*)(void))0x3ffe)();
    length = 0;
    complete = 0;
}

int main(void)
{
    UBRR0 = 103; /* 9600 baud */
    UCSR0B = 1 << RXEN0 | 1 << TXEN0 | 1 << RXCIE0;
    DDRB |= 1 << PB5;
    PORTD |= 1 << PD2;
    EICRA = 1 << ISC01;
    EIMSK = 1 << INT0;
    OCR1A = 19999; /* 10 ms */
    TCCR1B = 1 << WGM12 | 1 << CS11;
    TIMSK1 = 1 << OCIE1A;
    ADMUX = 1 << REFS0;
    ADCSRA = 1 << ADEN | 7;
    sei();
    serial_print("ready\n");
    for (;;) {
        ADCSRA |= 1 << ADSC;
        while (ADCSRA & 1 << ADSC)
            ;
        converted(ADC);
        if (complete)
            answer();
    }
}
