/* What megax0.h and the ATmega32U4 have in common: devices with the same pins of ports B and D.
 *
 * Defined before this, and the header of the chip's registers included:
 *   MEGAX_OC0B        the pin of timer 0's channel B
 *   MEGAX_USART1_SPI  the SPI bus of USART1
 */
#ifndef CHIP_AVR_MEGAX_PINS_H
#define CHIP_AVR_MEGAX_PINS_H

#include "chip/avr/megax.h"

/* Of struct avr_extint. */
#define MEGAX_ASYNCHRONOUS_LINES                                                                      \
    LINE(0, PIN(D, 0), EICRA, .asynchronous = true), LINE(1, PIN(D, 1), EICRA, .asynchronous = true), \
        LINE(2, PIN(D, 2), EICRA, .asynchronous = true), LINE(3, PIN(D, 3), EICRA, .asynchronous = true)

static const struct avr_pcint pcint0 = {.pins = {PORT_PINS(B)}, GROUP(0)};

/* OC0A and OC1C share PB7. */
static const struct timer_config timer0, timer1;
static const struct timer_config timer0 = {
    TIMER_8(0, PIN(B, 7), MEGAX_OC0B),
    TIMER_SYNCHRONOUS(PIN(D, 7)),
    .channel[0].modulator = {&timer1, 2, BIT(PORTB, 7), BIT(PINB, 7)},
    .power_reduction = BIT(PRR0, PRTIM0),
    .adc = {ADCSRA, ADCSRB},
};
static const struct timer_config timer1 = {
    TIMER_16(1, PIN(D, 4)),
    TIMER_16_ABC(1, PIN(B, 5), PIN(B, 6), PIN(B, 7)),
    TIMER_16_CAPTURE(1),
    TIMER_SYNCHRONOUS(PIN(D, 6)),
    .channel[2].modulator = {&timer0, 0, BIT(PORTB, 7), BIT(PINB, 7)},
    .capture_comparator = BIT(ACSR, ACIC),
    .comparator = BIT(ACSR, ACO),
    .power_reduction = BIT(PRR0, PRTIM1),
    .adc = {ADCSRA, ADCSRB},
};

static const struct usart_config usart1 = {
    USART_REGISTERS(1),
    USART_INTERRUPTS(1, USART1_RX_vect_num, USART1_UDRE_vect_num, USART1_TX_vect_num),
    .rxd = PIN(D, 2),
    .txd = PIN(D, 3),
    .xck = PIN(D, 5),
    .line = 1,
    .master_spi = true,
    .spi_bus = MEGAX_USART1_SPI,
    .power_reduction = BIT(PRR1, PRUSART1),
};

static const struct spi_config spi = {
    SPI_REGISTERS(SPI_STC_vect_num),
    .ss = PIN(B, 0),
    .sck = PIN(B, 1),
    .mosi = PIN(B, 2),
    .miso = PIN(B, 3),
    .bus = 0,
    .power_reduction = BIT(PRR0, PRSPI),
};

static const struct twi_config twi = {
    TWI_REGISTERS(TWI_vect_num),         .twamr = TWAMR, .scl = PIN(D, 0), .sda = PIN(D, 1), .bus = 0,
    .power_reduction = BIT(PRR0, PRTWI),
};

#endif
