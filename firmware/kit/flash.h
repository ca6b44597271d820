/* The serial flash, split-phase: requests wait in their order, and each ends with done().
 *
 * The memory is FLASH_PAGES pages of FLASH_PAGE_SIZE bytes. Writing clears bits, erasing sets all bits of
 * FLASH_ERASE_PAGES pages. A request is about bytes of one page (erasing: about the pages that are erased with it).
 * Invariants: each accepted request leads to exactly one done(), in a task, later than the call that asked; while the
 * chip writes or erases, the bus it may share with the radio is free; the data belongs to the request until done().
 */
#ifndef KIT_FLASH_H
#define KIT_FLASH_H

#include <stdbool.h>
#include <stdint.h>

#include "flash_chip.h"
#include "resource.h"

struct flash_request {
    void (*done)(struct flash_request *r);
    uint16_t page, offset, length;
    uint8_t *data;
    uint8_t operation; /* by the functions below */
    struct resource_client client;
};

/* From app_start(). */
void flash_start(void);

/* False if this request is still under way or not within one page. From tasks. */
bool flash_read(struct flash_request *r);
bool flash_write(struct flash_request *r); /* only reads the data */
bool flash_erase(struct flash_request *r);

#endif
