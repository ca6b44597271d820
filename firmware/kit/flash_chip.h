/* The serial flash by itself: synchronous, polled, tiny. flash.h is built on it; what must not wait for tasks (a
 * recorder, a boot loader) uses it directly.
 *
 * All memories are seen alike: FLASH_PAGES pages of FLASH_PAGE_SIZE bytes; writing clears bits and nothing else, within
 * one page; erasing sets all bits of FLASH_ERASE_PAGES pages, aligned to that number. Invariant: the caller has the bus
 * (flash_chip_bus), and calls nothing but flash_chip_busy() while the chip is busy.
 */
#ifndef KIT_FLASH_CHIP_H
#define KIT_FLASH_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "resource.h"

#ifdef BOARD_TELOSB /* M25P80 */
#define FLASH_PAGES       4096
#define FLASH_PAGE_SIZE   256
#define FLASH_ERASE_PAGES 256
#elif defined BOARD_NRF52840DK /* the last quarter of the chip's own flash */
#define FLASH_PAGES       1024
#define FLASH_PAGE_SIZE   256
#define FLASH_ERASE_PAGES 16
#elif defined BOARD_CC2538DK || defined BOARD_OPENMOTE /* the second half of it without the last page */
#define FLASH_PAGES       1016
#define FLASH_PAGE_SIZE   256
#define FLASH_ERASE_PAGES 8
#else /* AT45DB041B */
#define FLASH_PAGES       2048
#define FLASH_PAGE_SIZE   264
#define FLASH_ERASE_PAGES 1
#endif

/* What must be owned while the chip is talked to: on telosb the SPI bus, which the radio shares. */
extern struct resource *const flash_chip_bus;

void flash_chip_start(void);
bool flash_chip_busy(void);

/* `offset` and `count` stay within the page. */
void flash_chip_read(uint16_t page, uint16_t offset, uint8_t *to, uint16_t count);

/* These begin, and the chip is busy until it is done: 7 ms and 6 ms (AT45DB041B), 1.5 ms and 1 s (M25P80) typically.
 * A chip's own flash holds the CPU instead, for 41 us a word and 85 ms (nRF52840), 20 us and 20 ms (CC2538). */
void flash_chip_write(uint16_t page, uint16_t offset, const uint8_t *from, uint16_t count);
void flash_chip_erase(uint16_t page);

#endif
