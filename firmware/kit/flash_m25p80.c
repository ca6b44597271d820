/* M25P80 on the SPI bus of the radio: select P4.4, hold P4.7. */
#include "board.h"
#include "flash_chip.h"
#include "spi.h"

enum { WRITE_ENABLE = 0x06, STATUS = 0x05, READ = 0x03, PROGRAM = 0x02, ERASE_SECTOR = 0xd8, IN_PROGRESS = 0x01 };

struct resource *const flash_chip_bus = &spi_bus;

void flash_chip_start(void)
{
    spi_start();
    P4OUT |= 0x90;
    P4DIR |= 0x90;
}

static void select(void)
{
    P4OUT &= ~0x10;
}

static void release(void)
{
    P4OUT |= 0x10;
}

static void command(uint8_t opcode, uint16_t page, uint8_t offset)
{
    select();
    spi_send(opcode);
    spi_send(page >> 8);
    spi_send(page & 0xff);
    spi_send(offset);
}

static void enable_writing(void)
{
    select();
    spi_send(WRITE_ENABLE);
    release();
}

bool flash_chip_busy(void)
{
    select();
    spi_send(STATUS);
    bool busy = spi_exchange(0) & IN_PROGRESS;
    release();
    return busy;
}

void flash_chip_read(uint16_t page, uint16_t offset, uint8_t *to, uint16_t count)
{
    command(READ, page, offset);
    while (count--)
        *to++ = spi_exchange(0);
    release();
}

void flash_chip_write(uint16_t page, uint16_t offset, const uint8_t *from, uint16_t count)
{
    enable_writing();
    command(PROGRAM, page, offset);
    while (count--)
        spi_send(*from++);
    release();
}

void flash_chip_erase(uint16_t page)
{
    enable_writing();
    command(ERASE_SECTOR, page & ~(FLASH_ERASE_PAGES - 1), 0);
    release();
}
