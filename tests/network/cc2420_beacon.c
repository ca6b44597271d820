/* A MICAz that broadcasts a frame of IEEE 802.15.4 every now and then, counts those it hears, and sleeps in between;
 * its radio listens all the time. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <util/delay.h>

#ifndef HAPPENED /* for others that are built on this one (tests/check/system.c) */
#define HAPPENED(what)
#endif

#ifndef PERIOD
#define PERIOD 14400 /* of timer 1 at 28.8 kHz: half a second */
#endif

enum { SXOSCON = 0x01, SRXON = 0x03, STXON = 0x04, SFLUSHRX = 0x08, SFLUSHTX = 0x09 };
enum { MDMCTRL0 = 0x11, IOCFG0 = 0x1c, TXFIFO = 0x3e, RXFIFO = 0x3f, READ = 0x40 };
enum { XOSC_STABLE = 0x40, CRC_OK = 0x80 };
enum { HEADER = 9, PAYLOAD = 12, LENGTH = HEADER + PAYLOAD + 2 };

uint16_t TOS_NODE_ID = 1;
uint16_t said, heard, damaged;
uint16_t heard_from[16];
int8_t strength_from[16];
volatile uint16_t work;

static uint8_t exchange(uint8_t byte)
{
    SPDR = byte;
    while (!(SPSR & 1 << SPIF))
        ;
    return SPDR;
}

static void select(void)
{
    PORTB &= (uint8_t)~1;
}

static void deselect(void)
{
    PORTB |= 1;
}

static uint8_t strobe(uint8_t command)
{
    select();
    uint8_t status = exchange(command);
    deselect();
    return status;
}

static void set_register(uint8_t number, uint16_t value)
{
    select();
    exchange(number);
    exchange((uint8_t)(value >> 8));
    exchange((uint8_t)value);
    deselect();
}

static void start_radio(void)
{
    DDRB |= 0x07;
    PORTB |= 0x01;
    SPCR = 1 << SPE | 1 << MSTR;
    SPSR = 1 << SPI2X;
    DDRA |= 0x60;
    PORTA |= 0x20; /* voltage regulator */
    _delay_ms(1);
    PORTA |= 0x40; /* out of reset */
    strobe(SXOSCON);
    while (!(strobe(0) & XOSC_STABLE))
        ;
    set_register(MDMCTRL0, 0x02e2); /* no address recognition, no acknowledgements, CRC */
    set_register(IOCFG0, 0x007f);   /* FIFOP when a frame is complete */
    strobe(SRXON);
}

#ifndef OWN_HANDLERS /* for others that are built on this one (tests/check/small.c) */
ISR(TIMER1_COMPA_vect)
{
    static const uint8_t header[HEADER - 2] = {0x41, 0x88, 0, 0x22, 0x00, 0xff, 0xff};
    strobe(SFLUSHTX);
    select();
    exchange(TXFIFO);
    exchange(LENGTH);
    for (uint8_t i = 0; i < sizeof header; i++)
        exchange(i == 2 ? (uint8_t)said : header[i]);
    exchange((uint8_t)TOS_NODE_ID);
    exchange((uint8_t)(TOS_NODE_ID >> 8));
    for (uint8_t i = 0; i < PAYLOAD; i++)
        exchange(i == 0 ? 0x3f : i == 1 ? 0x06 : (uint8_t)(said + i)); /* as TinyOS begins its active messages */
    deselect();
    strobe(STXON);
    said++;
    HAPPENED(SENT);
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
        heard++;
        HAPPENED(HEARD);
        heard_from[frame[7] & 15]++;
        strength_from[frame[7] & 15] = (int8_t)(frame[length - 2] - 45); /* the offset of the datasheet */
    } else {
        damaged++;
        HAPPENED(DAMAGED);
        strobe(SFLUSHRX);
        strobe(SFLUSHRX);
    }
}
#endif

int main(void)
{
    start_radio();
    HAPPENED(BOOTED);
    OCR1A = PERIOD + TOS_NODE_ID % 61 * 13;
    TCCR1B = 1 << WGM12 | 1 << CS12;
    TIMSK = 1 << OCIE1A;
    EICRB = 1 << ISC61 | 1 << ISC60;
    EIMSK = 1 << INT6;
    sei();
#ifdef AWAKE
    for (uint16_t i = 0;; i++)
        work = (uint16_t)((work << 1 | work >> 15) ^ i);
#else
    for (;;)
        sleep_mode();
#endif
}
