#include "device/nrf52/facts.h"

#include "base/pages.h"
#include "device/cortex/register32.h"
#include "node/machine.h"
#include "node/wiring.h"

#define FICR           0x10000000u
#define UICR           0x10001000u
#define REVISION       0xf0000fe0u
#define NVMC_CONFIG    0x4001e504u
#define NVMC_ERASEUICR 0x4001e514u
enum { FICR_SIZE = 0x460, UICR_SIZE = 0x310, MAY_WRITE = 1, MAY_ERASE = 2 };
enum { ROLE_ERASE = UICR_SIZE / 4 /* before it words of UICR */ };

/* As for the rest of flash (nvmc.c). */
#define WRITE_SECONDS 41e-6
#define ERASE_SECONDS 85e-3

static void nrf52_facts_connect(const struct device *d, struct wiring *w)
{
    for (uint32_t offset = 0; offset < FICR_SIZE; offset += 4)
        wire_register(w, d, FICR + offset, 0, WIRE_LONG | WIRE_PLAIN, 0);
    for (uint32_t offset = 0; offset < UICR_SIZE; offset += 4)
        wire_register(w, d, UICR + offset, offset / 4, WIRE_LONG | WIRE_WRITE, 0);
    for (uint32_t offset = 0; offset < 0x20; offset += 4)
        wire_register(w, d, REVISION + offset, 0, WIRE_LONG | WIRE_PLAIN, 0);
    wire_register(w, d, NVMC_ERASEUICR, ROLE_ERASE, WIRE_LONG | WIRE_WRITE, 0);
    wire_pages(w, d, UICR_SIZE, 0xff);
}

static void nrf52_facts_show(struct node *n, const struct device *d)
{
    uint8_t bytes[UICR_SIZE];
    pages_read(device_pages(n, d), 0, bytes, sizeof bytes);
    for (uint32_t i = 0; i < UICR_SIZE; i += 4)
        register32_set(n, UICR + i,
                       bytes[i] | (uint32_t)bytes[i + 1] << 8 | (uint32_t)bytes[i + 2] << 16 |
                           (uint32_t)bytes[i + 3] << 24);
}

static void nrf52_facts_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    static const struct {
        uint16_t offset;
        uint32_t value;
    } facts[] = {{0x010, 4096},       {0x014, 256},    {0x0a0, 1},   {0x100, 0x52840},
                 {0x104, 0x41414330}, {0x108, 0x2004}, {0x10c, 256}, {0x110, 1024}};
    (void)cause;
    nrf52_facts_show(n, d);
    for (uint32_t offset = 0; offset < FICR_SIZE; offset += 4)
        register32_set(n, FICR + offset, 0xffffffff);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        register32_set(n, FICR + facts[i].offset, facts[i].value);
    /* Each node has numbers of its own, which follow from its id alone. */
    uint32_t id = n->id;
    register32_set(n, FICR + 0x060, 0x4d6f7465u ^ id * 2654435761u);
    register32_set(n, FICR + 0x064, 0x74210000u + id);
    register32_set(n, FICR + 0x0a4, 0x00100000u + id);
    register32_set(n, FICR + 0x0a8, 0x0000c0deu);
    register32_set(n, REVISION, 0x08);
    register32_set(n, REVISION + 4, 0x00);
    register32_set(n, REVISION + 8, 0x30);
}

static void nrf52_facts_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct pages *uicr = device_pages(n, d);
    uint32_t config = register32_get(n, NVMC_CONFIG);
    (void)old;
    if (role == ROLE_ERASE && !(value & 1))
        return;
    if (config != (role == ROLE_ERASE ? MAY_ERASE : MAY_WRITE)) {
        node_unspecified(n, d, 0);
        return;
    }
    if (role == ROLE_ERASE)
        pages_fill(uicr, 0, 0xff, UICR_SIZE);
    for (unsigned i = 0; role != ROLE_ERASE && i < 4; i++)
        pages_set(uicr, 4 * role + i, pages_get(uicr, 4 * role + i) & (uint8_t)(value >> 8 * i));
    nrf52_facts_show(n, d);
    node_stall(n, node_ticks(n, role == ROLE_ERASE ? ERASE_SECONDS : WRITE_SECONDS));
}

static const char *const nrf52_facts_unspecified[] = {
    "a store to UICR or an erase of it, which changes nothing: CONFIG of the NVMC must allow it",
};

const struct device_type nrf52_facts = {
    .name = "facts",
    .connect = nrf52_facts_connect,
    .reset = nrf52_facts_reset,
    .write = nrf52_facts_write,
    .unspecified = nrf52_facts_unspecified,
};
