#include "dump.h"

#ifdef DUMP_PORT

#include "crc.h"
#include "flash.h"
#include "worker.h"
#ifdef __AVR__
#include "dump_port_avr.h"
#else
#include "dump_port_msp430.h"
#endif

#ifdef MOTET_DUMP
enum { OWN_PORT = 1 };
#else
enum { OWN_PORT = 0 };
#endif
#define DUMP_QUIET 0x100
#define DUMP_SOON  500

__attribute__((section(".noinit"))) struct dump motet_dump;
#define D motet_dump

static void dump_byte(uint8_t value)
{
    uint8_t matched = D.matched;
    if (value != (uint8_t)(DUMP_FIRST + matched))
        matched = 0;
    if (value == (uint8_t)(DUMP_FIRST + matched))
        matched += DUMP_STEP;
    if (matched == (uint8_t)(DUMP_STEP * DUMP_LENGTH)) {
        matched = 0;
        D.wanted = 1;
    }
    D.matched = matched;
}

/* Bytes from other ports come between those of the command, but not through its site. */
PRIVATE __attribute__((noinline)) void dump_look(motet_site site, uint8_t value)
{
    enum { CLASS = 0xe0, DATA = 0x40 };
    if ((site >> 8 & CLASS) != DATA)
        return;
    if (!D.matched)
        D.site = site;
    if (site == D.site)
        dump_byte(value);
}

static SMALL uint16_t dump_in(uint32_t looks)
{
    do {
        DUMP_STILL();
        if (dump_port_has_byte())
            return DUMP_PORT_IN;
    } while (--looks);
    return DUMP_QUIET;
}

static SMALL uint16_t dump_out(uint16_t crc, uint8_t byte)
{
    while (dump_port_full())
        ;
    DUMP_PORT_OUT = byte;
    return crc16_all(crc, &byte, 1);
}

static SMALL uint16_t dump_number(uint16_t crc, uint16_t number)
{
    return dump_out(dump_out(crc, (uint8_t)number), (uint8_t)(number >> 8));
}

/* The first page from this one on. */
static void dump_page(uint16_t page)
{
    uint16_t crc, left;
    uint8_t byte;
    for (;; page++) {
        flash_read(MOTET_FLASH_FIRST + page);
        byte = flash_exchange(0);
        if (page == MOTET_FLASH_PAGES || byte == PAGE_MAGIC)
            break;
        flash_end();
        DUMP_STILL();
    }
    dump_number(0, DUMP_SYNC_0 | DUMP_SYNC_1 << 8);
    crc = dump_number(dump_number(dump_number(0, PAGE_BYTES), MOTET_FLASH_PAGES), page);
    if (page != MOTET_FLASH_PAGES)
        for (left = PAGE_BYTES; left; left--) {
            crc = dump_out(crc, byte);
            byte = flash_exchange(0);
        }
    flash_end();
    dump_number(crc, crc);
}

/* Until the host has had enough or falls silent, or asks for more than it can want. */
static void dump_pages(void)
{
    uint16_t byte, page = 0;
    for (uint16_t most = 0xffff; most && page <= MOTET_FLASH_PAGES; most--) {
        dump_page(page);
        do {
            while ((byte = dump_in(DUMP_PATIENCE)) != DUMP_ASK)
                if (byte == DUMP_QUIET)
                    return;
            page = dump_in(DUMP_PATIENCE);
            byte = dump_in(DUMP_PATIENCE);
            page |= byte << 8;
            byte ^= DUMP_ASK ^ (uint8_t)page;
        } while (dump_in(DUMP_PATIENCE) != byte);
    }
}

/* Interrupts are off, nothing else uses the flash, and the flash is not open. */
static __attribute__((noinline)) void dump(void)
{
    struct dump_port port;
    worker_flush();
    dump_port_open(&port);
    flash_borrow();
    while (!flash_ready())
        ;
    dump_pages();
    flash_return();
    dump_port_close(&port);
    D.wanted = D.matched = 0;
}

/* ---- when ---- */

PRIVATE void dump_begin(void)
{
    memset(&D, 0, sizeof D);
}

/* With a port that is ours the host says its command over and over, so that one is seen whole. */
static void dump_listen(void)
{
    uint16_t byte;
    while (OWN_PORT && dump_port_waits() && !D.wanted)
        while (!D.wanted && (byte = dump_in(DUMP_SOON)) != DUMP_QUIET)
            dump_byte((uint8_t)byte);
}

PRIVATE uint8_t dump_is_wanted(void)
{
    return OWN_PORT || D.wanted;
}

PRIVATE void dump_if_wanted(void)
{
    dump_listen();
    if (D.wanted)
        dump();
}

PRIVATE void dump_pins(void)
{
    if (OWN_PORT)
        dump_port_start();
}
#endif
