/* Arduino Uno (ATmega328P): 16 MHz, no watch crystal, so timer 1 counts the main clock divided by 64 and sleep is never
 * deeper than idle. LED 0 is the one on the board (pin 13); LEDs 1 and 2 are for the user to fit at pins 12 and 11. */
#ifndef KIT_BOARD_UNO_H
#define KIT_BOARD_UNO_H

#include <avr/io.h>
#include <stdbool.h>
#include <stdint.h>

#define TICKS_PER_SECOND 250000UL
#define TICKS_PER_MS     250
#define MS_PER_SECOND    1000
#define UART_BAUD        57600UL

typedef uint16_t counter_t;
#define COUNTER_STEP     60000
#define COUNTER_MARGIN   4
#define COUNTER_LATE     1

#define RESET_FLAGS      MCUSR
#define UART_RX_VECTOR   USART_RX_vect
#define UART_UDRE_VECTOR USART_UDRE_vect

#define LED_COUNT        3 /* port B, pins 5, 4, 3 */

static inline void board_led(uint8_t led, bool on)
{
    uint8_t bit = 0x20 >> led;
    if (on)
        PORTB |= bit;
    else
        PORTB &= ~bit;
}

static inline void board_leds_start(void)
{
    PORTB &= ~0x38;
    DDRB |= 0x38;
}

#define SENSOR_LIGHT   0
#define SENSOR_SOUND   1
#define SENSOR_X       2
#define SENSOR_Y       3
#define SENSOR_VOLTAGE 0xe /* the 1.1 V reference, measured against the supply */
#define SENSOR_BITS    10

#endif
