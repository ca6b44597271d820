/* Says who it is every few milliseconds, remembers what it hears, and sleeps in between. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#include "test_radio.h"

#define REGISTER(address) (*(volatile uint8_t *)(address))

#ifndef PERIOD
#define PERIOD 9216 /* of timer 1 at 921.6 kHz: 10 ms */
#endif

uint16_t TOS_NODE_ID = 1;
uint16_t said, heard, damaged;
uint16_t heard_from[16];
uint8_t strength_from[16];
uint32_t history;
uint16_t shift; /* set from outside: in .bss, cleared by start-up code */

ISR(TIMER1_COMPA_vect)
{
    if (REGISTER(TEST_RADIO_STATUS) & TEST_RADIO_SENDING)
        return;
    REGISTER(TEST_RADIO_DATA) = (uint8_t)TOS_NODE_ID;
    REGISTER(TEST_RADIO_DATA) = (uint8_t)said;
    REGISTER(TEST_RADIO_DATA) = (uint8_t)(said >> 8);
    for (uint8_t i = 0; i < 5 + (TOS_NODE_ID & 3); i++)
        REGISTER(TEST_RADIO_DATA) = (uint8_t)(history >> (i & 3) * 8);
    REGISTER(TEST_RADIO_COMMAND) = TEST_RADIO_SEND;
    said++;
}

ISR(INT0_vect)
{
    uint8_t count = REGISTER(TEST_RADIO_DATA), from = REGISTER(TEST_RADIO_DATA);
    heard++;
    heard_from[from & 15]++;
    strength_from[from & 15] = REGISTER(TEST_RADIO_STRENGTH);
    history = history * 31 + from + TCNT1;
    while (--count)
        history = history * 31 + REGISTER(TEST_RADIO_DATA);
    REGISTER(TEST_RADIO_COMMAND) = TEST_RADIO_TAKE;
}

int main(void)
{
    OCR1A = PERIOD + TOS_NODE_ID * 37 + shift;
    TCCR1B = 1 << WGM12 | 1 << CS11;
    TIMSK = 1 << OCIE1A;
    EICRA = 1 << ISC01 | 1 << ISC00;
    EIMSK = 1 << INT0;
    sei();
    for (;;)
        sleep_mode();
}
