/* The CC2538's own flash, through the functions of its ROM (SWRU319C, chapter 8): no instruction may come from flash
 * meanwhile. A word takes 20 us, a page of 2 KB is erased in 20 ms, and the CPU waits. */
#include "recorder.h"

typedef int32_t rom_erase(uint32_t address, uint32_t size);
typedef int32_t rom_write(const uint32_t *from, uint32_t address, uint32_t size);
enum { ROM_ERASE = 0x54, ROM_WRITE = 0x58 }; /* where their addresses are */

void flash_write_word(uint32_t address, uint32_t word)
{
    (*(rom_write *const *)ROM_WRITE)(&word, address, sizeof word);
}

uint8_t flash_erase_step(uint32_t address, uint8_t step)
{
    (void)step;
    (*(rom_erase *const *)ROM_ERASE)(address, CHIP_LOG_ERASE);
    return 1;
}

/* In PM2 and PM3 half of the RAM has no power. */
uint8_t flash_memory_is_lost(void)
{
    uint32_t control = *(volatile uint32_t *)0xe000ed10u, mode = *(volatile uint32_t *)0x400d2058u;
    return (control & 4) && mode >= 2;
}
