/* What each board brings: its constants in board/NAME.h and these functions.
 *
 * A board's header defines TICKS_PER_SECOND, TICKS_PER_MS and MS_PER_SECOND; counter_t, the width of the hardware
 * counter; COUNTER_STEP, less than one turn of it; COUNTER_MARGIN, how many ticks ahead a compare value must lie to be
 * met for sure; LED_COUNT and board_led(); the sensors' channels.
 */
#ifndef KIT_BOARD_H
#define KIT_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu.h"

#if defined BOARD_MICA2 || defined BOARD_MICAZ || defined BOARD_IRIS
#include "board/mica.h"
#elif defined BOARD_UNO
#include "board/uno.h"
#elif defined BOARD_TELOSB
#include "board/telosb.h"
#elif defined BOARD_NRF52840DK
#include "board/nrf52840dk.h"
#elif defined BOARD_CC2538DK || defined BOARD_OPENMOTE
#include "board/cc2538.h"
#else
#error "define the board: BOARD_MICA2, _MICAZ, _IRIS, _UNO, _TELOSB, _NRF52840DK, _CC2538DK or _OPENMOTE"
#endif

/* This node's address; a simulator changes it by its name before the start. */
extern uint16_t node_id;

/* Watchdog off, clocks and pins as the kit wants them. */
void board_start(void);

/* Called with interrupts off and returns so; sleeps with interrupts on, as deep as what is running allows. */
void board_sleep(void);

/* Sleep is shallow while a device needs the I/O clock: between these two, which nest. From anywhere. */
void board_clock_hold(void);
void board_clock_release(void);

/* The counter and its compare interrupt, whose handler calls timer_interrupt(). Interrupts off. */
void board_counter_start(void);
counter_t board_counter(void);
void board_compare(counter_t at);

/* The serial port, at UART_BAUD. Both functions are called by interrupt handlers: `received` with each byte, `next` for
 * the next byte to send, or a negative number if there is none; then uart_send() makes it ask again. */
void uart_start(void (*received)(uint8_t byte), int16_t (*next)(void));
void uart_send(void);

/* One conversion; its handler calls `done`. Use adc.h, which shares the converter. */
void board_adc_start(uint8_t channel, void (*done)(uint16_t value));

/* On boards with a CC2420, beside the functions for its pins in the board's header: makes them outputs where they are,
 * and has the handlers call cc2420_frame_end() when FIFOP rises and cc2420_delimiter() when SFD does. */
void cc2420_pins_start(void);
void cc2420_listens(bool on); /* interrupts of these pins are wanted */

/* On boards with an AT86RF230, likewise: has the handler call rf230_interrupt() when IRQ rises. */
void rf230_pins_start(void);

/* On boards with a CC1000: its registers; the SPI as a slave of its clock, whose handler calls cc1000_exchange();
 * whether the SPI drives the data line; the first byte to be shifted out. */
void cc1000_pins_start(void);
void cc1000_set(uint8_t which, uint8_t value);
uint8_t cc1000_get(uint8_t which);
void cc1000_spi_start(void);
void cc1000_data_out(bool out);
void cc1000_first(uint8_t byte);

#endif
