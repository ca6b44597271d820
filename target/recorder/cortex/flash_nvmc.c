/* The nRF52840's own flash (Product Specification v1.7, 4.3). The CPU waits while a word is written (41 us at the most)
 * and while a page is erased (85 ms). Pages are erased in pieces of 1 ms each, so that interrupts wait no longer. */
#include "recorder.h"

#define NVMC(offset)        (*(volatile uint32_t *)(0x4001e000u + (offset)))
#define READY               NVMC(0x400)
#define CONFIG              NVMC(0x504)
#define ERASEPAGEPARTIAL    NVMC(0x518)
#define ERASEPAGEPARTIALCFG NVMC(0x51c)
enum { READ_ONLY, WRITE, ERASE_PARTIAL = 4, PIECES = 90 /* of 1 ms; erasing takes 85 in all (4.3.10) */ };

static void flash_wait(void)
{
    while (!(READY & 1))
        ;
}

void flash_write_word(uint32_t address, uint32_t word)
{
    CONFIG = WRITE;
    flash_wait();
    *(volatile uint32_t *)address = word;
    flash_wait();
    CONFIG = READ_ONLY;
}

uint8_t flash_erase_step(uint32_t address, uint8_t step)
{
    CONFIG = ERASE_PARTIAL;
    ERASEPAGEPARTIALCFG = 1;
    ERASEPAGEPARTIAL = address;
    flash_wait();
    CONFIG = READ_ONLY;
    return step + 1 == PIECES;
}

uint8_t flash_memory_is_lost(void)
{
    return 0;
}
