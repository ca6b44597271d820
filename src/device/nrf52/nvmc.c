#include "device/nrf52/nvmc.h"

#include "base/pages.h"
#include "chip/chip.h"
#include "node/machine.h"
#include "node/wiring.h"

enum {
    READY = 0x400,
    READYNEXT = 0x408,
    CONFIG = 0x504,
    ERASEPAGE = 0x508,
    ERASEALL = 0x50c,
    ERASEPAGEPARTIAL = 0x518,
    ERASEPAGEPARTIALCFG = 0x51c,
    ICACHECNF = 0x540
};
enum { ROLE_ERASEPAGE = NRF52_OWN, ROLE_ERASEALL, ROLE_ERASEPAGEPARTIAL };
enum { MAY_WRITE = 1, MAY_ERASE = 2, MAY_ERASE_PARTS = 4, PAGE = 4096 };

/* Product Specification, 4.3.10: the largest times. */
#define WRITE_SECONDS 41e-6
#define ERASE_SECONDS 85e-3

/* A page that is erased in parts keeps its contents until these come to the time of an erasure. */
struct nrf52_nvmc {
    uint32_t page, milliseconds;
};

static void nrf52_nvmc_connect(const struct device *d, struct wiring *w)
{
    struct machine *m = w->machine;
    nrf52_plain(w, d, READY, 0);
    nrf52_plain(w, d, READYNEXT, 0);
    nrf52_plain(w, d, CONFIG, 7);
    nrf52_told(w, d, ERASEPAGE, ROLE_ERASEPAGE, WIRE_WRITE);
    nrf52_told(w, d, ERASEALL, ROLE_ERASEALL, WIRE_WRITE);
    nrf52_told(w, d, ERASEPAGEPARTIAL, ROLE_ERASEPAGEPARTIAL, WIRE_WRITE);
    nrf52_plain(w, d, ERASEPAGEPARTIALCFG, 0x7f);
    nrf52_plain(w, d, ICACHECNF, 0x101);
    nrf52_plain(w, d, 0x548, 0); /* IHIT, IMISS: there is no cache */
    nrf52_plain(w, d, 0x54c, 0);
    wire_instruction(w, d, INSTRUCTION_PROGRAM);
    wire_pages(w, d, m->code_size, 0xff);
    pages_write(m->pages[d->pages], 0, m->flash, m->code_size);
}

static void nrf52_nvmc_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    nrf52_set(n, d, READY, 1);
    nrf52_set(n, d, READYNEXT, 1);
    nrf52_set(n, d, ERASEPAGEPARTIALCFG, 10);
}

static void nrf52_nvmc_wait(struct node *n, double seconds)
{
    node_stall(n, node_ticks(n, seconds));
}

static void nrf52_nvmc_erase(struct node *n, const struct device *d, uint32_t address, uint32_t size)
{
    if (address >= n->machine->code_size || nrf52_get(n, d, CONFIG) != MAY_ERASE) {
        node_unspecified(n, d, 1);
        return;
    }
    pages_fill(device_pages(n, d), address, 0xff, size);
    n->machine->chip->isa->reprogrammed(n, address, size);
    nrf52_nvmc_wait(n, ERASE_SECONDS);
}

/* 4.3.6: parts of an erasure of one page. */
static void nrf52_nvmc_erase_part(struct node *n, const struct device *d, uint32_t page)
{
    struct nrf52_nvmc *s = device_state(n, d);
    uint32_t part = nrf52_get(n, d, ERASEPAGEPARTIALCFG);
    if (page >= n->machine->code_size || nrf52_get(n, d, CONFIG) != MAY_ERASE_PARTS) {
        node_unspecified(n, d, 1);
        return;
    }
    s->milliseconds = page == s->page ? s->milliseconds + part : part;
    s->page = page;
    nrf52_nvmc_wait(n, part * 1e-3);
    if (s->milliseconds * 1e-3 < ERASE_SECONDS)
        return;
    *s = (struct nrf52_nvmc){0};
    pages_fill(device_pages(n, d), page, 0xff, PAGE);
    n->machine->chip->isa->reprogrammed(n, page, PAGE);
}

static void nrf52_nvmc_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (role == ROLE_ERASEPAGEPARTIAL)
        nrf52_nvmc_erase_part(n, d, value & ~(PAGE - 1u));
    else if (role == ROLE_ERASEPAGE)
        nrf52_nvmc_erase(n, d, value & ~(PAGE - 1u), PAGE);
    else if (value & 1)
        nrf52_nvmc_erase(n, d, 0, n->machine->code_size);
}

static void nrf52_nvmc_code_write(struct node *n, const struct device *d, uint32_t address, unsigned value,
                                  unsigned size)
{
    struct pages *flash = device_pages(n, d);
    if (nrf52_get(n, d, CONFIG) != MAY_WRITE || size != 4) {
        node_unspecified(n, d, 0);
        return;
    }
    for (unsigned i = 0; i < size; i++)
        pages_set(flash, address + i, pages_get(flash, address + i) & (uint8_t)(value >> 8 * i));
    n->machine->chip->isa->reprogrammed(n, address, size);
    nrf52_nvmc_wait(n, WRITE_SECONDS);
}

static const char *const nrf52_nvmc_unspecified[] = {
    "a store to flash, which changes nothing: it must be a whole word, while CONFIG of the NVMC allows to write",
    "an erase of flash, which changes nothing: it must be of a page that there is, while CONFIG of the NVMC allows to "
    "erase",
};

const struct device_type nrf52_nvmc = {
    .name = "nvmc",
    .state_size = sizeof(struct nrf52_nvmc),
    .connect = nrf52_nvmc_connect,
    .reset = nrf52_nvmc_reset,
    .write = nrf52_nvmc_write,
    .code_write = nrf52_nvmc_code_write,
    .unspecified = nrf52_nvmc_unspecified,
};
