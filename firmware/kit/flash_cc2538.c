/* The CC2538's own flash from FLASH_BASE to the page before the last, through the functions of its ROM (SWRU319C,
 * chapter 8), which can do it while no instruction comes from flash. So handlers wait, too. */
#include <string.h>

#include "board.h"
#include "flash_chip.h"

#define FLASH_BASE 0x240000u

/* Of the table in ROM, by target/cortex/cc2538.ld. */
extern int32_t (*const rom_erase)(uint32_t address, uint32_t size);
extern int32_t (*const rom_write)(const uint32_t *from, uint32_t address, uint32_t size);

static struct resource bus; /* nothing shares it */
struct resource *const flash_chip_bus = &bus;

static uint32_t address_of(uint16_t page, uint16_t offset)
{
    return FLASH_BASE + (uint32_t)page * FLASH_PAGE_SIZE + offset;
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
    while (at < end) {
        uint32_t word = 0xffffffff, aligned = at & ~3u;
        for (; at < end && at < aligned + 4; at++)
            word ^= (uint32_t)(uint8_t) ~*from++ << 8 * (at & 3);
        cpu_state saved = atomic_begin();
        rom_write(&word, aligned, sizeof word);
        atomic_end(saved);
    }
}

void flash_chip_erase(uint16_t page)
{
    cpu_state saved = atomic_begin();
    rom_erase(address_of(page & ~(FLASH_ERASE_PAGES - 1), 0), FLASH_ERASE_PAGES * FLASH_PAGE_SIZE);
    atomic_end(saved);
}
