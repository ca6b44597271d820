/* TelosB (MSP430F1611): a DCO set to 4 MHz (2^22 Hz) at the start, a watch crystal at ACLK, three LEDs from the supply
 * to port 5. The sensors are the two photodiodes and the connector's first two channels, measured against the supply.
 */
#ifndef KIT_BOARD_TELOSB_H
#define KIT_BOARD_TELOSB_H

#include <msp430.h>
#include <stdbool.h>
#include <stdint.h>

#define TICKS_PER_SECOND 32768UL
#define TICKS_PER_MS     32
#define MS_PER_SECOND    1024
#define UART_BAUD        115200UL
#define DCO_HZ           4194304UL

typedef uint16_t counter_t;
#define COUNTER_STEP   30000
#define COUNTER_MARGIN 2
#define COUNTER_LATE   0

#define LED_COUNT      3 /* red, green, blue: port 5, pins 4, 5, 6 */

static inline void board_led(uint8_t led, bool on)
{
    uint8_t bit = 0x10 << led;
    if (on)
        P5OUT &= ~bit;
    else
        P5OUT |= bit;
}

/* The CC2420's pins. */
static inline void cc2420_select(bool on)
{
    if (on)
        P4OUT &= ~0x04;
    else
        P4OUT |= 0x04;
}

static inline void cc2420_regulator(bool on)
{
    if (on)
        P4OUT |= 0x20;
    else
        P4OUT &= ~0x20;
}

static inline void cc2420_reset(bool on)
{
    if (on)
        P4OUT &= ~0x40;
    else
        P4OUT |= 0x40;
}

static inline bool cc2420_frame_there(void)
{
    return P1IN & 0x01; /* FIFOP */
}

static inline bool cc2420_fifo(void)
{
    return P1IN & 0x08;
}

static inline bool cc2420_clear(void)
{
    return P1IN & 0x10; /* CCA */
}

static inline bool cc2420_sfd(void)
{
    return P4IN & 0x02;
}

#define SENSOR_LIGHT   4
#define SENSOR_SOUND   5
#define SENSOR_X       0
#define SENSOR_Y       1
#define SENSOR_VOLTAGE 11 /* half the supply, measured against the 2.5 V reference */
#define SENSOR_BITS    12

#endif
