/* The nRF52840's own flash from FLASH_BASE on, through its controller (Product Specification v1.7, 4.3). It is written
 * in words, and the CPU waits for it. */
#include <string.h>

#include "board.h"
#include "flash_chip.h"

#define FLASH_BASE     0xc0000u
#define NVMC_READY     NRF_REGISTER(NRF_NVMC, 0x400)
#define NVMC_CONFIG    NRF_REGISTER(NRF_NVMC, 0x504)
#define NVMC_ERASEPAGE NRF_REGISTER(NRF_NVMC, 0x508)
enum { READ_ONLY, WRITE, ERASE };

static struct resource bus; /* nothing shares it */
struct resource *const flash_chip_bus = &bus;

static uint32_t address_of(uint16_t page, uint16_t offset)
{
    return FLASH_BASE + (uint32_t)page * FLASH_PAGE_SIZE + offset;
}

static void wait(void)
{
    while (!(NVMC_READY & 1))
        ;
}

void flash_chip_start(void) {}

bool flash_chip_busy(void)
{
    return false;
}

void flash_chip_read(uint16_t page, uint16_t offset, uint8_t *to, uint16_t count)
{
    memcpy(to, (const uint8_t *)(uintptr_t)address_of(page, offset), count);
}

/* Bytes of a word that are not to be written are written as ones, which changes nothing. */
void flash_chip_write(uint16_t page, uint16_t offset, const uint8_t *from, uint16_t count)
{
    uint32_t at = address_of(page, offset), end = at + count;
    NVMC_CONFIG = WRITE;
    while (at < end) {
        uint32_t word = 0xffffffff;
        uint32_t aligned = at & ~3u;
        for (; at < end && at < aligned + 4; at++)
            word ^= (uint32_t)(uint8_t) ~*from++ << 8 * (at & 3);
        *(volatile uint32_t *)(uintptr_t)aligned = word;
        wait();
    }
    NVMC_CONFIG = READ_ONLY;
}

void flash_chip_erase(uint16_t page)
{
    NVMC_CONFIG = ERASE;
    NVMC_ERASEPAGE = address_of(page & ~(FLASH_ERASE_PAGES - 1), 0);
    wait();
    NVMC_CONFIG = READ_ONLY;
}
