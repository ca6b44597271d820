/* What the components of the boards draw, in milliamperes, by their states: texts in the form of docs/monitors.md, each
 * figure with its source. Where a line says `unseen`, the figure is as commonly given for the part, but the page of the
 * document it stands in has not been looked at again. */
#include "board/boards.h"

/* The Micas' CPU asleep, their LEDs and their radios as Avrora has them (its classes ATMega128, LED, RadioEnergy by
 * O. Landsiedel, CC2420Energy by R. de Paz); the 8 mA awake and the flash memory's three figures are those of the
 * board's manual (Crossbow MPR/MIB 7430-0021-06, table 6-3). */
#define MICA                                                                               \
    "volts 3\n"                                                                            \
    "battery 2500  # two AA cells in series\n"                                             \
    "# ATmega128L at 7.37 MHz: active, MPR/MIB manual (7430-0021-06), table 6-3; the\n"    \
    "# others and LEDs, Avrora's ATMega128 and LED (which has 7.57 for active)\n"          \
    "cpu active 8.0\ncpu idle 3.34\ncpu ADC noise reduction 0.988\ncpu power-down 0.116\n" \
    "cpu power-save 0.124\ncpu standby 0.236\ncpu extended standby 0.243\nled * 2.2\n"     \
    "# AT45DB041B datasheet, Features: 2 uA CMOS standby, 4 mA active read, typical;\n"    \
    "# with 15 mA to write in the MPR/MIB manual, table 6-3\n"                             \
    "flash standby 0.002\nflash read 4\nflash write 15\n"

#define CC2420                                                                                                  \
    "# CC2420 datasheet (SWRS041), Key Features: 18.8 and 17.4 mA; section 6: 8.5 mA at -25 dBm;\n"             \
    "# regulator off, power-down, idle and the powers between as Avrora's CC2420Energy has them\n"              \
    "radio off 0.00002\nradio power-down 0.02\nradio idle 0.426\nradio listening 18.8\nradio sending -25 8.5\n" \
    "radio sending -15 9.9\nradio sending -10 11.2\nradio sending -7 12.5\nradio sending -5 13.9\n"             \
    "radio sending -3 15.2\nradio sending -1 16.5\nradio sending 0 17.4\n"

/* By the PA_POW of cc1000_data.c's table: 01, 02, 03, 05, 07, 09, 0c, 0f, 50, 60, 80, ff. */
const char currents_mica2[] =
    MICA "# CC1000 as Avrora's RadioEnergy has it: power down, crystal running, receive, transmit by PA_POW\n"
         "radio off 0.0002\nradio idle 0.06\nradio listening 9.6\nradio sending -26 8.82\n"
         "radio sending -20 9.03\nradio sending -15 9.15\nradio sending -11 9.56\nradio sending -8 9.92\n"
         "radio sending -6 10.22\nradio sending -4 10.79\nradio sending -3 11.34\nradio sending -1 14.87\n"
         "radio sending 0 15.55\nradio sending 1 17.02\nradio sending 5 26.92\n";

const char currents_micaz[] = MICA CC2420;

/* Its CPU is an ATmega1281. We know no measurement of a board with it; the values of the Micas are used. */
const char currents_iris[] =
    MICA "# AT86RF230 datasheet (5131E), Features: SLEEP 20 nA, receive 15.5 mA, transmit\n"
         "# 16.5 mA at 3 dBm; 9.5 mA at -17 dBm by suppliers; TRX_OFF and those between unseen\n"
         "radio off 0.00002\nradio idle 1.5\nradio listening 15.5\nradio sending -17 9.5\n"
         "radio sending -3 12.5\nradio sending 1 14.5\nradio sending 3 16.5\n";

const char currents_telosb[] =
    "volts 3\nbattery 2500  # two AA cells in series\n"
    "# MSP430F161x datasheet (SLAS368G), page 27, supply current at 3 V and 25 C, typical; active: 500 uA at\n"
    "# 1 MHz; LPM1 is not listed and taken as LPM0\n"
    "cpu active 0.5/MHz\ncpu LPM0 0.075\ncpu LPM1 0.075\ncpu LPM2 0.017\ncpu LPM3 0.0026\n"
    "cpu LPM4 0.0002\n" CC2420 "# M25P80 datasheet, DC characteristics, most: ICC1, ICC2, ICC3 at 20 MHz, ICC4; unseen "
    "(typical power-down: 1 uA)\n"
    "flash standby 0.05\nflash power-down 0.01\nflash read 4\nflash write 15\n"
    "# by the resistors: about (3 V - 1.8 V) / 470 ohms\nled * 2.5\n";

const char currents_uno[] =
    "volts 5\nbattery 2000\n"
    "# ATmega328P datasheet (8271), 29.2.8, typical, without the board's regulator and USB chip: 5.2 and 1.2 mA at\n"
    "# 8 MHz and 5 V, by frequency; at 3 V power-down without the watchdog (with it 4.2 uA) and power-save with 32 "
    "kHz;\n"
    "# the other modes are not listed: the ADC's taken as idle, standby from the curves of chapter 30, unseen\n"
    "cpu active 0.65/MHz\ncpu idle 0.15/MHz\ncpu ADC noise reduction 0.15/MHz\ncpu power-down 0.0001\n"
    "cpu power-save 0.0009\ncpu standby 0.15\ncpu extended standby 0.15\n"
    "# by the resistor: about (5 V - 2 V) / 1000 ohms\nled * 3\n";

const char currents_mega[] =
    "volts 5\nbattery 2000\n"
    "# ATmega2560 datasheet (2549), DC characteristics, typical, without the board's regulator and USB chip: 10 and\n"
    "# 2.7 mA at 8 MHz and 5 V, by frequency; power-down at 3 V without the watchdog under 1 uA (with it 5); the "
    "other\n"
    "# modes are not listed: the ADC's taken as idle, power-save as power-down, standby unseen\n"
    "cpu active 1.25/MHz\ncpu idle 0.34/MHz\ncpu ADC noise reduction 0.34/MHz\ncpu power-down 0.001\n"
    "cpu power-save 0.001\ncpu standby 0.15\ncpu extended standby 0.15\n"
    "# by the resistor: about (5 V - 2 V) / 1000 ohms\nled * 3\n";

const char currents_leonardo[] =
    "volts 5\nbattery 2000\n"
    "# ATmega16U4/32U4 datasheet (7766), DC characteristics at 8 MHz and 5 V, without regulator and USB: 10 mA active\n"
    "# and 6 mA idle at most, by frequency; the others as those of the ATmega2560, unseen\n"
    "cpu active 1.25/MHz\ncpu idle 0.75/MHz\ncpu ADC noise reduction 0.75/MHz\ncpu power-down 0.001\n"
    "cpu power-save 0.001\ncpu standby 0.15\ncpu extended standby 0.15\n"
    "# by the resistor: about (5 V - 2 V) / 1000 ohms\nled * 3\n";

const char currents_digispark[] =
    "volts 5\nbattery 2000\n"
    "# ATtiny25/45/85 datasheet (2586), 21.2, typical at 8 MHz and 5 V, by frequency, without the board's regulator "
    "and\n"
    "# power LED: 5 mA active, 1.2 mA idle; power-down without the watchdog at 3 V; the ADC's mode taken as idle\n"
    "cpu active 0.625/MHz\ncpu idle 0.15/MHz\ncpu ADC noise reduction 0.15/MHz\ncpu power-down 0.0002\n"
    "# by the resistor: about (5 V - 2 V) / 1000 ohms\nled * 3\n";
