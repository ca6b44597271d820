/* Firmware for a TelosB with the display and the thermometer of examples/: both on USART0, which changes between SPI
 * and I2C as the boards' software does. The display's select is on P2.0, data on P2.1, busy on P2.3. */
#include <motet.h>
#include <msp430.h>
#include <stdint.h>

enum { SELECT = 1 << 0, DATA = 1 << 1, DISPLAY_BUSY = 1 << 3, FLASH_CS = 1 << 4, RADIO_CS = 1 << 2, HOLD = 1 << 7 };

volatile int16_t temperature; /* in 1/256 degrees */
volatile uint16_t rounds;

/* ---- the thermometer ---- */

static void be_i2c(void)
{
    P3SEL = 0x0a;
    U0CTL = SWRST;
    U0CTL = SYNC | I2C | SWRST;
    U0CTL = SYNC | I2C;
    I2CTCTL = I2CSSEL1;
    I2CPSC = 0;
    I2CSCLH = 3;
    I2CSCLL = 3;
    I2CSA = 0x48;
    U0CTL |= I2CEN;
}

static int16_t measure(void)
{
    be_i2c();
    I2CNDAT = 1;
    U0CTL |= MST;
    I2CTCTL = I2CSSEL1 | I2CTRX | I2CSTT | I2CSTP;
    while (!(I2CIFG & TXRDYIFG))
        ;
    I2CDRB = 0;
    while (U0CTL & MST)
        ;
    I2CNDAT = 2;
    U0CTL |= MST;
    I2CTCTL = I2CSSEL1 | I2CSTT | I2CSTP;
    uint16_t value = 0;
    for (uint8_t i = 0; i < 2; i++) {
        while (!(I2CIFG & RXRDYIFG))
            ;
        value = (uint16_t)(value << 8 | I2CDRB);
    }
    while (U0CTL & MST)
        ;
    return (int16_t)value;
}

/* ---- the display ---- */

static void be_spi(void)
{
    U0CTL = SWRST;
    U0CTL = CHAR | SYNC | MM | SWRST;
    U0TCTL = CKPH | SSEL1 | STC;
    U0BR0 = 2;
    U0BR1 = 0;
    U0MCTL = 0;
    P3SEL = 0x0e;
    ME1 |= USPIE0;
    U0CTL &= (uint8_t)~SWRST;
}

static void exchange(uint8_t byte)
{
    U0TXBUF = byte;
    while (!(IFG1 & URXIFG0))
        ;
    (void)U0RXBUF;
}

static void show(uint8_t place, const char *text)
{
    be_spi();
    P2OUT &= (uint8_t) ~(SELECT | DATA);
    exchange(0x80 | place);
    P2OUT |= DATA;
    while (*text)
        exchange((uint8_t)*text++);
    P2OUT |= SELECT;
}

static void clear(void)
{
    be_spi();
    P2OUT &= (uint8_t) ~(SELECT | DATA);
    exchange(0x01);
    P2OUT |= SELECT;
    while (P2IN & DISPLAY_BUSY)
        ;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    P4OUT = FLASH_CS | RADIO_CS | HOLD;
    P4DIR = FLASH_CS | RADIO_CS | HOLD;
    P2OUT = SELECT;
    P2DIR = SELECT | DATA;
    clear();
    for (;; rounds++) {
        char text[] = "00 C";
        temperature = measure();
        uint8_t degrees = (uint8_t)(temperature >> 8);
        text[0] = (char)('0' + degrees / 10);
        text[1] = (char)('0' + degrees % 10);
        show(0, text);
        for (volatile uint16_t i = 0; i < 5000; i++)
            ;
    }
}
