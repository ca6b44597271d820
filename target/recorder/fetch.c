#include "fetch.h"

#include "flash.h"
#include "port.h"
#include "recorder.h"

#ifndef MOTET_WITHOUT_PAGE

/* Interrupts are off, and the flash is borrowed. */
static uint8_t fetch_bytes(uint16_t page, uint16_t at, uint8_t *to, uint8_t count)
{
    if (!flash_ready())
        return MOTET_PAGE_BUSY;
    flash_read(MOTET_FLASH_FIRST + page);
    uint8_t byte = flash_exchange(0), there = byte == PAGE_MAGIC ? MOTET_PAGE_WRITTEN : MOTET_PAGE_BLANK;
    for (; at; at--)
        byte = flash_exchange(0);
    for (; count; count--) {
        *to++ = byte;
        byte = flash_exchange(0);
    }
    flash_end();
    return there;
}

uint8_t motet_page(uint16_t page, uint16_t at, uint8_t *to, uint8_t count)
{
    uint8_t there = MOTET_PAGE_BUSY;
    if (page >= MOTET_FLASH_PAGES)
        return MOTET_PAGE_BEYOND;
    port_state was = port_lock();
    if ((R.state == OFF || R.state == FROZEN) && !flash_taken()) {
        flash_borrow();
        there = fetch_bytes(page, at, to, count);
        flash_return();
    }
    port_unlock_application(was);
    return there;
}

uint16_t motet_page_size(void)
{
    return PAGE_BYTES;
}

uint16_t motet_page_count(void)
{
    return MOTET_FLASH_PAGES;
}

#endif
