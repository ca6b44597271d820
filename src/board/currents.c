/* What the components of the boards draw, in milliamperes, by their states: texts in the form of docs/monitors.md, each
 * figure with its source. */
#include "board/boards.h"

/* The Micas' CPU and LEDs as measured on boards: V. Shnayder and others, "Simulating the power consumption of
 * large-scale sensor network applications" (SenSys 2004), table 1. */
#define MICA                                                                               \
    "volts 3\n"                                                                            \
    "battery 2500  # two AA cells in series\n"                                             \
    "# ATmega128L at 7.37 MHz and LEDs, measured: Shnayder et al., SenSys 2004, table 1\n" \
    "cpu active 8.0\ncpu idle 3.2\ncpu ADC noise reduction 1.0\ncpu power-down 0.103\n"    \
    "cpu power-save 0.110\ncpu standby 0.216\ncpu extended standby 0.223\nled * 2.2\n"     \
    "# AT45DB041B datasheet, DC characteristics, typical: ISB, ICC1, ICC2\n"               \
    "flash standby 0.002\nflash read 4\nflash write 15\n"

#define CC2420                                                                                       \
    "# CC2420 datasheet (SWRS041), section 6: regulator off, idle, receive, and transmit by power\n" \
    "radio off 0.00002\nradio idle 0.426\nradio listening 18.8\nradio sending -25 8.5\n"             \
    "radio sending -15 9.9\nradio sending -10 11\nradio sending -5 14\nradio sending 0 17.4\n"

const char currents_mica2[] = MICA "# CC1000 datasheet (SWRS048), electrical specifications at 868 MHz\n"
                                   "radio off 0.0002\nradio idle 0.105\nradio listening 9.6\nradio sending -20 8.6\n"
                                   "radio sending -5 13.8\nradio sending 0 16.5\nradio sending 5 25.4\n";

const char currents_micaz[] = MICA CC2420;

const char currents_iris[] = MICA "# AT86RF230 datasheet (5131), current consumption: SLEEP, TRX_OFF, RX_ON, BUSY_TX\n"
                                  "radio off 0.00002\nradio idle 1.5\nradio listening 15.5\nradio sending -17 9.5\n"
                                  "radio sending -3 12.5\nradio sending 1 14.5\nradio sending 3 16.5\n";

const char currents_telosb[] =
    "volts 3\nbattery 2500  # two AA cells in series\n"
    "# MSP430F1611 datasheet (SLAS368), supply current at 3 V, typical; active: 500 uA at 1 MHz\n"
    "cpu active 0.5/MHz\ncpu LPM0 0.075\ncpu LPM1 0.075\ncpu LPM2 0.017\ncpu LPM3 0.0026\n"
    "cpu LPM4 0.0002\n" CC2420 "# M25P80 datasheet, DC characteristics: ICC1, ICC2, ICC3 at 20 MHz, ICC4\n"
    "flash standby 0.05\nflash power-down 0.01\nflash read 4\nflash write 15\n"
    "# by the resistors: about (3 V - 1.8 V) / 470 ohms\nled * 2.5\n";

const char currents_uno[] =
    "volts 5\nbattery 2000\n"
    "# ATmega328P datasheet, DC characteristics at 8 MHz and 5 V, typical, by frequency; without the board's\n"
    "# regulator and USB chip\n"
    "cpu active 0.65/MHz\ncpu idle 0.15/MHz\ncpu ADC noise reduction 0.15/MHz\ncpu power-down 0.0042\n"
    "cpu power-save 0.0042\ncpu standby 0.15\ncpu extended standby 0.15\n"
    "# by the resistor: about (5 V - 2 V) / 1000 ohms\nled * 3\n";

const char currents_mega[] =
    "volts 5\nbattery 2000\n"
    "# ATmega2560 datasheet, DC characteristics at 8 MHz and 5 V, typical, by frequency; without the board's\n"
    "# regulator and USB chip\n"
    "cpu active 1.25/MHz\ncpu idle 0.34/MHz\ncpu ADC noise reduction 0.34/MHz\ncpu power-down 0.005\n"
    "cpu power-save 0.005\ncpu standby 0.15\ncpu extended standby 0.15\n"
    "# by the resistor: about (5 V - 2 V) / 1000 ohms\nled * 3\n";
