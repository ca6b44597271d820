#include "device/cc2538/flash.h"

#include "base/pages.h"
#include "chip/chip.h"
#include "device/cc2538/rom.h"
#include "node/wiring.h"

enum { FCTL = 0x08, FADDR = 0x0c, FWDATA = 0x10, DIECFG0 = 0x14, DIECFG1 = 0x18, DIECFG2 = 0x1c };
enum { ROLE_FCTL, ROLE_FWDATA };
enum { ERASE = 1, WRITE = 2, FIRST = 0x200000, SIZE = 0x80000, PAGE = 2048 };

#define WRITE_SECONDS 20e-6
#define ERASE_SECONDS 20e-3

static void flash_connect(const struct device *d, struct wiring *w)
{
    struct machine *m = w->machine;
    block32_told(w, d, FCTL, ROLE_FCTL, WIRE_STORE);
    block32_plain(w, d, FADDR, 0x1ffff);
    block32_told(w, d, FWDATA, ROLE_FWDATA, WIRE_WRITE);
    for (uint32_t offset = DIECFG0; offset <= DIECFG2; offset += 4)
        block32_plain(w, d, offset, 0);
    for (uint32_t i = 0; i < CC2538_INFORMATION_SIZE; i += 4)
        wire_register(w, d, CC2538_INFORMATION + i, 0, WIRE_LONG | WIRE_PLAIN, 0);
    cc2538_rom_put(w);
    wire_instruction(w, d, INSTRUCTION_PROGRAM);
    wire_pages(w, d, m->code_size, 0xff);
    pages_write(m->pages[d->pages], 0, m->flash, m->code_size);
}

static void flash_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    block32_set(n, d, FCTL, 4);
    block32_set(n, d, DIECFG0, 0xb9640580); /* chip CC2538, 512 KB of flash, 32 KB of RAM */
    block32_set(n, d, DIECFG2, 0x2003);     /* revision 2.0, with AES and PKA */
    for (uint32_t i = 0; i < CC2538_INFORMATION_SIZE; i += 4)
        register32_set(n, CC2538_INFORMATION + i, 0xffffffff);
    /* 00:12:4b is Texas Instruments; the high word comes first. */
    register32_set(n, CC2538_INFORMATION + 0x28, 0x00124b00);
    register32_set(n, CC2538_INFORMATION + 0x2c, 0x06000000u + n->id);
}

/* FADDR counts words. */
static uint32_t flash_address(const struct node *n, const struct device *d)
{
    return FIRST + 4 * (block32_get(n, d, FADDR) & 0x1ffff);
}

static void flash_erase(struct node *n, const struct device *d)
{
    uint32_t address = flash_address(n, d) & ~(PAGE - 1u);
    pages_fill(device_pages(n, d), address, 0xff, PAGE);
    n->machine->chip->isa->reprogrammed(n, address, PAGE);
    node_stall(n, node_ticks(n, ERASE_SECONDS) * CLOCK_ONE / n->state->clocks[CLOCK_IO].period);
}

static void flash_program(struct node *n, const struct device *d, uint32_t value)
{
    struct pages *flash = device_pages(n, d);
    uint32_t address = flash_address(n, d);
    for (unsigned i = 0; i < 4; i++)
        pages_set(flash, address + i, pages_get(flash, address + i) & (uint8_t)(value >> 8 * i));
    n->machine->chip->isa->reprogrammed(n, address, 4);
    block32_set(n, d, FADDR, (block32_get(n, d, FADDR) + 1) & 0x1ffff);
    node_stall(n, node_ticks(n, WRITE_SECONDS) * CLOCK_ONE / n->state->clocks[CLOCK_IO].period);
}

static void flash_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (role == ROLE_FWDATA) {
        if (block32_get(n, d, FCTL) & WRITE)
            flash_program(n, d, value);
    } else if (value & ERASE) {
        flash_erase(n, d);
        block32_set(n, d, FCTL, value & 0xe);
    } else {
        block32_set(n, d, FCTL, value & 0xe);
    }
}

static void flash_store(struct node *n, const struct device *d, uint32_t address, unsigned value, unsigned size)
{
    (void)address, (void)value, (void)size;
    node_unspecified(n, d, 0);
}

static const char *const flash_unspecified[] = {
    "a store to ROM or flash, which changes nothing: flash is written through FADDR and FWDATA of its controller",
};

const struct device_type cc2538_flash = {
    .name = "flash",
    .connect = flash_connect,
    .reset = flash_reset,
    .write = flash_write,
    .code_write = flash_store,
    .unspecified = flash_unspecified,
};
