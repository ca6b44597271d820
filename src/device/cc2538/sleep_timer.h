/* Sleep timer and watchdog of the CC2538 (SWRU319C, chapters 13 and 14), both on the 32 kHz clock.
 *
 * The sleep timer counts from reset on, also in PM1 and PM2. Invariant: its event is due when it reaches the compare
 * value that was last written.
 */
#ifndef DEVICE_CC2538_SLEEP_TIMER_H
#define DEVICE_CC2538_SLEEP_TIMER_H

#include "device/cortex/block32.h"

extern const struct device_type cc2538_sleep_timer;

#endif
