/* A family of small systems, one for each value of `seed`: nodes that exchange what they remember, and remember little.
 * A table that the seed makes says what follows from what; some of it is an error. Where a node remembers is another
 * part of the seed: in RAM, in registers of devices, in EEPROM, in a register of the CPU, in the radio. */
#include <avr/eeprom.h>
#include <stdint.h>
#include <stdlib.h>

register uint8_t in_cpu asm("r2");

#define OWN_HANDLERS
#include "../network/cc2420_beacon.c"

enum { SENT, HEARD, DAMAGED };
enum { IN_RAM, IN_COMPARE, IN_EEPROM, IN_PORT, IN_CPU, IN_HIGH_RAM, IN_USART, IN_RADIO, PLACES };
enum { STATES = 8, RARE = 48, AT = HEADER + 2 /* in a frame, where the state is */ };

uint32_t seed = 1;
static volatile uint8_t in_ram;
volatile uint8_t shown; /* is never read here: for properties */
#define HIGH_RAM (*(volatile uint8_t *)0x0a05)

static uint8_t place(void)
{
    return (uint8_t)(seed % PLACES);
}

static uint8_t recall(void)
{
    switch (place()) {
    case IN_COMPARE: return OCR1BL;
    case IN_EEPROM: return eeprom_read_byte((uint8_t *)3) % STATES;
    case IN_PORT: return PORTC;
    case IN_CPU: return in_cpu;
    case IN_HIGH_RAM: return HIGH_RAM;
    case IN_USART: return UBRR0L;
    default: return in_ram;
    }
}

static void remember(uint8_t state)
{
    switch (place()) {
    case IN_COMPARE: OCR1B = state; break;
    case IN_EEPROM: eeprom_write_byte((uint8_t *)3, state); break;
    case IN_PORT: PORTC = state; break;
    case IN_CPU: in_cpu = state; break;
    case IN_HIGH_RAM: HIGH_RAM = state; break;
    case IN_USART: UBRR0L = state; break;
    default: in_ram = state;
    }
}

static void happened(uint8_t what, uint8_t value)
{
    uint32_t z = seed * 2654435761u + (uint32_t)(recall() * 3 + what) * 40503u + value * 977u + 1;
    z = (z ^ z >> 15) * 2246822519u;
    z = (z ^ z >> 13) * 3266489917u;
    z ^= z >> 16;
    remember((uint8_t)(z % STATES));
    if (z >> 20 & 1)
        shown = (uint8_t)(z >> 24) % STATES;
    if (what != SENT && z / STATES % RARE == 0)
        abort();
}

/* In the radio: what is remembered goes into its FIFO, and every other frame is that once more. */
ISR(TIMER1_COMPA_vect)
{
    if (place() != IN_RADIO || said % 2 == 0) {
        strobe(SFLUSHTX);
        select();
        exchange(TXFIFO);
        exchange(LENGTH);
        for (uint8_t i = 0; i < LENGTH - 2; i++)
            exchange(i == 0 ? 0x41 : i == 1 ? 0x88 : i == AT ? recall() : 0xff);
        deselect();
    }
    strobe(STXON);
    said++;
    happened(SENT, 0);
}

ISR(INT6_vect)
{
    uint8_t frame[128];
    select();
    exchange(RXFIFO | READ);
    uint8_t length = exchange(0) & 0x7f;
    for (uint8_t i = 0; i < length; i++)
        frame[i] = exchange(0);
    deselect();
    if (length == LENGTH && frame[length - 1] & CRC_OK) {
        happened(HEARD, frame[AT]);
    } else {
        happened(DAMAGED, 0);
        strobe(SFLUSHRX);
        strobe(SFLUSHRX);
    }
}
