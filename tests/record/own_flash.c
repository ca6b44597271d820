/* Writes to the flash by itself, in steps as drivers do: asks whether it is ready, allows a write, writes. Between them
 * it reads so much that the recorder has to write too. What it wrote must be there. SECTOR is its part of the flash:
 * far from where the log is, or out of the log's part (MOTET_FLASH_FIRST). */
#include <msp430.h>
#include <stdint.h>
#include <stdlib.h>

enum { FLASH_CS = 0x10, FLASH_HOLD = 0x80, RADIO_CS = 0x04 };
enum { WRITE_ENABLE = 0x06, READ_STATUS = 0x05, READ = 0x03, PROGRAM = 0x02 };
#ifndef SECTOR
#define SECTOR 12
#endif
enum { ROUNDS = 200 };

static volatile uint8_t ticks;
uint16_t sum, wrong;

INTERRUPT_WAKING(TIMERB0_VECTOR, tick)
{
    TBCCR0 += 1311;
    ticks++;
}

static uint8_t exchange(uint8_t out)
{
    U0TXBUF = out;
    while (!(IFG1 & URXIFG0))
        ;
    return U0RXBUF;
}

static void command(uint8_t code)
{
    P4OUT &= (uint8_t)~FLASH_CS;
    exchange(code);
}

static void end(void)
{
    P4OUT |= FLASH_CS;
}

static void wait_ready(void)
{
    uint8_t status;
    do {
        command(READ_STATUS);
        status = exchange(0);
        end();
    } while (status & 1);
}

static void at(uint8_t code, uint8_t place)
{
    command(code);
    exchange(SECTOR);
    exchange(0);
    exchange(place);
}

/* Each time for another while, so that it ends at all moments of the recorder. */
static void look_around(void)
{
    static uint8_t times;
    times += 37;
    for (uint8_t i = 0; i < 100 + times % 128; i++)
        sum += TAR ^ P1IN;
}

/* As TinyOS does: while nobody uses the bus it is disabled, and not in reset. */
static void take_bus(uint8_t enabled)
{
    U0CTL |= SWRST;
    if (enabled)
        ME1 |= USPIE0;
    else
        ME1 &= (uint8_t)~USPIE0;
    U0CTL &= (uint8_t)~SWRST;
}

static void write_and_read(uint8_t place)
{
    take_bus(1);
    wait_ready();
    look_around();
    command(WRITE_ENABLE);
    end();
    look_around();
    at(PROGRAM, place);
    exchange((uint8_t)~place);
    end();
    wait_ready();
    look_around();
    at(READ, place);
    if (exchange(0) != (uint8_t)~place)
        wrong++;
    end();
    take_bus(0);
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 |= RSEL2 | RSEL1 | RSEL0;
    DCOCTL = 0xe0;
    P4OUT |= FLASH_CS | FLASH_HOLD | RADIO_CS;
    P4DIR |= FLASH_CS | FLASH_HOLD | RADIO_CS;
    U0CTL = CHAR | SYNC | MM | SWRST;
    U0TCTL = CKPH | SSEL1 | STC;
    U0BR0 = 2;
    U0BR1 = 0;
    U0MCTL = 0;
    P3SEL |= 0x0e;
    ME1 |= USPIE0;
    U0CTL &= (uint8_t)~SWRST;
    TACTL = TASSEL_2 | MC_2;
    TBCCR0 = 1311;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_1 | MC_2;
    for (uint8_t round = 0; round < ROUNDS; round++) {
        while (ticks <= round)
            __bis_SR_register(LPM3_bits | GIE);
        write_and_read(round);
    }
    exit(wrong != 0);
}
