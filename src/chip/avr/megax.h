/* What megax0.h, megax8.h and the ATmega32U4 have in common: the newer watchdog, with an interrupt, EEPROM with split
 * writes, and most of power and self-programming. Included by these alone.
 */
#ifndef CHIP_AVR_MEGAX_H
#define CHIP_AVR_MEGAX_H

#include "chip/avr/family.h"

static const struct avr_watchdog watchdog = {AVR_WATCHDOG(WDTCSR)};
static const struct avr_eeprom eeprom = {AVR_EEPROM(EE_READY_vect_num)};

/* Of struct avr_power; `boot_` is its struct avr_boot. */
#define MEGAX_POWER(boot_)                                                                                            \
    .sleep_enable = BIT(SMCR, SE), .sleep_mode = BITS(SMCR, SM0, 3), .prescaler = CLKPR,                              \
    .divide_by_8 = {FUSE_LOW, 0x80}, .vectors_move = BIT(MCUCR, IVSEL), .vectors_enable = BIT(MCUCR, IVCE),           \
    .reset_flags = MCUSR, .adc = ADCSRA, .shallow_lines = AVR_LINE(EE_READY_vect_num) | AVR_LINE(SPM_READY_vect_num), \
    .boot = boot_, .reset_ck = 14, .watchdog_hz_3v = 128000, .watchdog_hz = 128000, AVR_PLAIN(plain)

#define MEGAX_SELFPROGRAM(boot_) AVR_SELFPROGRAM, .boot = boot_, .vector = SPM_READY_vect_num

/* Of struct avr_adc: its triggers, in the order of ADTS. */
#define MEGAX_ADC_TRIGGERS                                                                               \
    {.flag = BIT(ADCSRA, ADIF)}, {.vector = ANALOG_COMP_vect_num, .flag = BIT(ACSR, ACI)},               \
        {.vector = INT0_vect_num, .flag = BIT(EIFR, INTF0)}, {TIMER0_COMPA_vect_num, BIT(TIFR0, OCF0A)}, \
        {TIMER0_OVF_vect_num, BIT(TIFR0, TOV0)}, {TIMER1_COMPB_vect_num, BIT(TIFR1, OCF1B)},             \
        {TIMER1_OVF_vect_num, BIT(TIFR1, TOV1)},                                                         \
    {                                                                                                    \
        TIMER1_CAPT_vect_num, BIT(TIFR1, ICF1)                                                           \
    }

/* clang-format off */
#define MEGAX_CORE_DEVICES                                                       \
    {"power", &avr_power, &power}, {"watchdog", &avr_watchdog, &watchdog},       \
    {"motet", &simulation_port, NULL}, {"eeprom", &avr_eeprom, &eeprom},         \
    {"flash", &avr_selfprogram, &selfprogram}
/* clang-format on */

#endif
