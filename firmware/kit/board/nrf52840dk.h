/* nRF52840 DK (PCA10056): 64 MHz, a watch crystal at the real-time counters, LEDs 1 to 3 from the supply to port 0. The
 * board has no sensors: the channels are the first analog pins, AIN0 to AIN3, measured against the supply. */
#ifndef KIT_BOARD_NRF52840DK_H
#define KIT_BOARD_NRF52840DK_H

#include <stdbool.h>
#include <stdint.h>

#include "cortex/nrf52.h"

#define TICKS_PER_SECOND 32768UL
#define TICKS_PER_MS     32
#define MS_PER_SECOND    1024
#define UART_BAUD        115200UL

typedef uint16_t counter_t; /* the low bits of 24 */
#define COUNTER_STEP   30000
#define COUNTER_MARGIN 4 /* a compare value must be two ticks ahead (Product Specification, 6.22.7), */
#define COUNTER_LATE   1 /* and the one before may still cause an interrupt within these */

#define LED_COUNT      3 /* port 0, pins 13, 14, 15 */

static inline void board_led(uint8_t led, bool on)
{
    if (on)
        NRF_P0_OUTCLR = 0x2000u << led;
    else
        NRF_P0_OUTSET = 0x2000u << led;
}

#define SENSOR_LIGHT   0
#define SENSOR_SOUND   1
#define SENSOR_X       2
#define SENSOR_Y       3
#define SENSOR_VOLTAGE 8 /* the supply, measured against the 0.6 V reference, a sixth of it */
#define SENSOR_BITS    12

#endif
