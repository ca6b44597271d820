/* MICA2, MICAz (ATmega128) and IRIS (ATmega1281): 7.3728 MHz, a watch crystal at the asynchronous timer, three LEDs
 * from the supply to port A, the analog channels of an MTS310 sensor board. */
#ifndef KIT_BOARD_MICA_H
#define KIT_BOARD_MICA_H

#include <avr/io.h>
#include <stdbool.h>
#include <stdint.h>

#define TICKS_PER_SECOND 32768UL
#define TICKS_PER_MS     32
#define MS_PER_SECOND    1024
#define UART_BAUD        57600UL

typedef uint8_t counter_t;
#define COUNTER_STEP   224
#define COUNTER_MARGIN 4 /* a compare value takes up to two ticks to reach the counter's clock domain */
#define COUNTER_LATE   1 /* for as long as that takes the value before may still cause an interrupt */

#ifdef BOARD_IRIS
#define ASYNC_TIMER      2
#define ASYNC_COUNT      TCNT2
#define ASYNC_COMPARE    OCR2A
#define ASYNC_CONTROL    TCCR2B
#define ASYNC_NO_DIVIDER (1 << CS20)
#define ASYNC_ENABLE     (1 << AS2)
#define ASYNC_BUSY       (1 << TCN2UB | 1 << OCR2AUB | 1 << OCR2BUB | 1 << TCR2AUB | 1 << TCR2BUB)
#define ASYNC_MASK       TIMSK2
#define ASYNC_MASK_BIT   (1 << OCIE2A)
#define ASYNC_FLAGS      TIFR2
#define ASYNC_FLAG_BIT   (1 << OCF2A)
#define ASYNC_VECTOR     TIMER2_COMPA_vect
#define RESET_FLAGS      MCUSR
#else
#define ASYNC_COUNT      TCNT0
#define ASYNC_COMPARE    OCR0
#define ASYNC_CONTROL    TCCR0
#define ASYNC_NO_DIVIDER (1 << CS00)
#define ASYNC_ENABLE     (1 << AS0)
#define ASYNC_BUSY       (1 << TCN0UB | 1 << OCR0UB | 1 << TCR0UB)
#define ASYNC_MASK       TIMSK
#define ASYNC_MASK_BIT   (1 << OCIE0)
#define ASYNC_FLAGS      TIFR
#define ASYNC_FLAG_BIT   (1 << OCF0)
#define ASYNC_VECTOR     TIMER0_COMP_vect
#define RESET_FLAGS      MCUCSR
#endif

#define UART_RX_VECTOR   USART0_RX_vect
#define UART_UDRE_VECTOR USART0_UDRE_vect

#define LED_COUNT        3 /* red, green, yellow: port A, pins 2, 1, 0 */

static inline void board_led(uint8_t led, bool on)
{
    uint8_t bit = 4 >> led;
    if (on)
        PORTA &= ~bit;
    else
        PORTA |= bit;
}

static inline void board_leds_start(void)
{
    PORTA |= 7;
    DDRA |= 7;
}

#ifdef BOARD_MICAZ /* the CC2420's pins */
static inline void cc2420_select(bool on)
{
    if (on)
        PORTB &= ~(1 << PB0);
    else
        PORTB |= 1 << PB0;
}

static inline void cc2420_regulator(bool on)
{
    if (on)
        PORTA |= 1 << PA5;
    else
        PORTA &= ~(1 << PA5);
}

static inline void cc2420_reset(bool on)
{
    if (on)
        PORTA &= ~(1 << PA6);
    else
        PORTA |= 1 << PA6;
}

static inline bool cc2420_frame_there(void)
{
    return PINE & 1 << PE6; /* FIFOP */
}

static inline bool cc2420_fifo(void)
{
    return PINB & 1 << PB7;
}

static inline bool cc2420_clear(void)
{
    return PIND & 1 << PD6; /* CCA */
}

static inline bool cc2420_sfd(void)
{
    return PIND & 1 << PD4;
}
#endif

#ifdef BOARD_IRIS /* the AT86RF230's pins */
static inline void rf230_select(bool on)
{
    if (on)
        PORTB &= ~(1 << PB0);
    else
        PORTB |= 1 << PB0;
}

static inline void rf230_reset(bool on)
{
    if (on)
        PORTA &= ~(1 << PA6);
    else
        PORTA |= 1 << PA6;
}

static inline void rf230_slp_tr(bool on)
{
    if (on)
        PORTB |= 1 << PB7;
    else
        PORTB &= ~(1 << PB7);
}

static inline bool rf230_irq(void)
{
    return PIND & 1 << PD4;
}
#endif

#define CC1000_STRENGTH 0 /* an analog channel of MICA2 */
#define SENSOR_LIGHT    1
#define SENSOR_SOUND    2
#define SENSOR_X        3
#define SENSOR_Y        4
#define SENSOR_VOLTAGE  0x1e /* the 1.23 V reference (1.1 V on IRIS), measured against the supply */
#define SENSOR_BITS     10

#endif
