/* AT45DB041B (datasheet 3443) at pins of its own: select PA3, clock PD5, data to it PD3 and from it PD2. */
#include "board.h"
#include "flash_chip.h"

enum {
    STATUS = 0xd7,
    READ_PAGE = 0xd2,
    PAGE_TO_BUFFER = 0x53,
    WRITE_BUFFER = 0x84,
    PROGRAM_ERASED = 0x88, /* buffer to page, without erasing it first */
    ERASE_PAGE = 0x81,
    READY = 0x80,
};

static struct resource pins;
struct resource *const flash_chip_bus = &pins;

void flash_chip_start(void)
{
    PORTA |= 1 << PA3;
    DDRA |= 1 << PA3;
    PORTD &= ~(1 << PD5);
    DDRD = (DDRD | 1 << PD5 | 1 << PD3) & ~(1 << PD2);
}

/* SPI mode 0. */
static uint8_t exchange(uint8_t byte)
{
    for (uint8_t i = 0; i < 8; i++) {
        if (byte & 0x80)
            PORTD |= 1 << PD3;
        else
            PORTD &= ~(1 << PD3);
        byte <<= 1;
        PORTD |= 1 << PD5;
        if (PIND & 1 << PD2)
            byte |= 1;
        PORTD &= ~(1 << PD5);
    }
    return byte;
}

/* PORTA has the LEDs, which handlers may use: but on these chips setting one bit of it is one instruction. */
static void select(void)
{
    PORTA &= ~(1 << PA3);
}

static void release(void)
{
    PORTA |= 1 << PA3;
}

/* The address is 11 bits of page and 9 of the byte in it. */
static void command(uint8_t opcode, uint16_t page, uint16_t offset)
{
    select();
    exchange(opcode);
    exchange(page >> 7);
    exchange((uint8_t)(page << 1) | offset >> 8);
    exchange(offset & 0xff);
}

bool flash_chip_busy(void)
{
    select();
    exchange(STATUS);
    bool busy = !(exchange(0) & READY);
    release();
    return busy;
}

void flash_chip_read(uint16_t page, uint16_t offset, uint8_t *to, uint16_t count)
{
    command(READ_PAGE, page, offset);
    for (uint8_t i = 0; i < 4; i++)
        exchange(0);
    while (count--)
        *to++ = exchange(0);
    release();
}

/* By way of the buffer, which gets the page first (0.2 ms): so the rest of the page is programmed with what it has. */
void flash_chip_write(uint16_t page, uint16_t offset, const uint8_t *from, uint16_t count)
{
    command(PAGE_TO_BUFFER, page, 0);
    release();
    while (flash_chip_busy())
        ;
    command(WRITE_BUFFER, 0, offset);
    while (count--)
        exchange(*from++);
    release();
    command(PROGRAM_ERASED, page, 0);
    release();
}

void flash_chip_erase(uint16_t page)
{
    command(ERASE_PAGE, page, 0);
    release();
}
