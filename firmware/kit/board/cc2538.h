/* Boards with the CC2538 at 32 MHz, a watch crystal at its sleep timer: the SmartRF06 with the CC2538EM, and the
 * OpenMote. The light sensor of the SmartRF06 is at pin 6 of port A; the other channels are analog pins beside it, and
 * all are measured against the supply. */
#ifndef KIT_BOARD_CC2538_H
#define KIT_BOARD_CC2538_H

#include <stdbool.h>
#include <stdint.h>

#include "cortex/cc2538.h"

#define TICKS_PER_SECOND 32768UL
#define TICKS_PER_MS     32
#define MS_PER_SECOND    1024
#define UART_BAUD        115200UL

typedef uint16_t counter_t; /* the low bits of 32 */
#define COUNTER_STEP   30000
#define COUNTER_MARGIN 10 /* a compare value must be five ticks ahead (SWRU319C, "Sleep Timer"), */
#define COUNTER_LATE   1  /* and the one before may still cause an interrupt within these */

#define LED_COUNT      3
#ifdef BOARD_OPENMOTE
#define LED_FIRST 0x10u /* port C, pins 4, 5, 6 */
#else
#define LED_FIRST 0x01u /* port C, pins 0, 1, 2 */
#endif

static inline void board_led(uint8_t led, bool on)
{
    CC2538_GPIO_DATA(CC2538_PORT_C, LED_FIRST << led) = on ? 0xff : 0;
}

#define SENSOR_LIGHT   6
#define SENSOR_SOUND   7
#define SENSOR_X       4
#define SENSOR_Y       5
#define SENSOR_VOLTAGE 15 /* a third of the supply, measured against the internal reference of 1.19 V */
#define SENSOR_BITS    11 /* of twelve with the sign */

#endif
