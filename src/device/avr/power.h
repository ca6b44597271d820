/* Power: the chip's clocks, sleep modes, reset causes and the control registers that go with them.
 *
 * Datasheet sections "System Clock and Clock Options", "Power Management and Sleep Modes", "System Control and Reset",
 * "Interrupts" (moving vectors). Owns all clock domains (device/avr/clocks.h). Invariant: each domain runs exactly when
 * the sleep mode the chip is in lets it run, at the main oscillator divided by CLKPR or XDIV.
 *
 * A tick is one period of the main oscillator at any frequency, so OSCCAL is kept but changes nothing. A reset other
 * than power-on holds the CPU for the start-up time and delay the SUT and CKSEL fuses give; at power-on time begins
 * after them.
 */
#ifndef DEVICE_AVR_POWER_H
#define DEVICE_AVR_POWER_H

#include "device/avr/fuses.h"
#include "device/avr/pll.h"
#include "device/bits.h"

/* Start-up of the clock sources named by the bits of `cksel`, by SUT: CK from power-down, and watchdog oscillator
 * cycles added after a reset. */
struct avr_source {
    uint16_t cksel;
    uint16_t start[4];
    uint32_t delay[4];
};

/* A register of plain memory that no device but its readers cares about. `initial` after each reset. */
struct avr_plain {
    uint16_t address;
    uint8_t mask, initial;
};

struct avr_power {
    struct bits sleep_enable, sleep_mode, sleep_mode_high; /* SE; SM2..0, or SM1..0 and SM2 apart */
    uint8_t sleep_modes;                                   /* bit per mode number that is not reserved */
    uint16_t prescaler, divider;                           /* CLKPR, XDIV; 0: none */
    struct avr_fuse divide_by_8;                           /* CKDIV8 */
    struct bits vectors_move, vectors_enable;              /* IVSEL, IVCE */
    struct bits jtag_off;                                  /* JTD */
    struct bits bod_off, bod_off_enable;                   /* BODS, BODSE */
    uint16_t reset_flags;                                  /* MCUSR, MCUCSR: PORF, EXTRF, BORF, WDRF, JTRF from bit 0 */
    bool jtag;
    uint16_t adc; /* ADCSRA: sleep starts a conversion */
    struct avr_boot boot;
    uint64_t shallow_lines; /* interrupt lines that end idle and ADC noise reduction only */
    const struct avr_source *sources;
    size_t source_count;
    uint8_t reset_ck;                     /* CK added after a reset */
    uint32_t watchdog_hz_3v, watchdog_hz; /* its oscillator, typical, at 3 V and at 5 V */
    uint32_t delay_hz_3v, delay_hz;       /* the same as it shows in the delay after a reset; 0: no other */
    const struct avr_plain *plain;
    size_t plain_count;
    const struct avr_pll *pll; /* NULL: there is none */
};

#define AVR_SOURCES(list) .sources = (list), .source_count = sizeof(list) / sizeof *(list)
#define AVR_LINE(vector)  (UINT64_C(1) << (vector))
#define AVR_PLAIN(list)   .plain = (list), .plain_count = sizeof(list) / sizeof *(list)

/* The clock sources of the ATmega128, of the ATmega48 and later, and of the ATtiny25, 45 and 85. */
extern const struct avr_source avr_sources_old[6], avr_sources[5], avr_sources_tiny[6];

extern const struct device_type avr_power;

/* The PLL runs at another frequency, or stands. */
void avr_power_clocks_changed(struct node *n);

#endif
