/* PWM of the nRF52840 (Product Specification, 6.17): four outputs that share a counter and its period, each with a
 * value and a polarity of its own, which sequences in RAM give period by period.
 *
 * Where the specification leaves the moment open: a value is read when the period begins to which it applies, SEQEND
 * comes with the last one, a sequence that is started while another plays begins with the next period, and LOOPSDONE
 * comes when the last value's periods are over. Outputs keep their level after STOP and are the port's again when the
 * PWM is switched off.
 *
 * Invariant: prescaler, mode and top of a period are those of its beginning.
 */
#ifndef DEVICE_NRF52_PWM_H
#define DEVICE_NRF52_PWM_H

#include "device/nrf52/block.h"

extern const struct device_type nrf52_pwm;

#endif
