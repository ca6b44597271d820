/* What peripherals of the nRF52 have in common (nRF52840 Product Specification v1.7, 6.1): tasks that are triggered by
 * a write, events that are registers, shortcuts between them, interrupts by bits of INTEN, and the programmable
 * peripheral interconnect, which joins events of any peripheral to tasks of any other.
 *
 * Invariant: a peripheral's interrupt line is high exactly while some event register is set whose bit of INTEN is.
 */
#ifndef DEVICE_NRF52_BLOCK_H
#define DEVICE_NRF52_BLOCK_H

#include "chip/region.h"
#include "node/device.h"
#include "node/node.h"

struct nrf52_block {
    uint32_t base;
    uint8_t line; /* exception; 0: none */
};

/* The offsets that all of them share. */
enum {
    NRF52_EVENTS = 0x100,
    NRF52_SHORTS = 0x200,
    NRF52_INTEN = 0x300,
    NRF52_INTENSET = 0x304,
    NRF52_INTENCLR = 0x308
};

/* Roles of registers: a task by its number, an event by its, and what comes after. */
enum {
    NRF52_TASK = 0,
    NRF52_EVENT = 32,
    NRF52_ROLE_INTEN = 64,
    NRF52_ROLE_INTENSET,
    NRF52_ROLE_INTENCLR,
    NRF52_OWN = 70
};

/* Claims tasks and events by the bits of the two masks, SHORTS by its bits, and INTEN. */
void nrf52_block_wire(struct wiring *w, const struct device *d, uint32_t tasks, uint32_t events, uint32_t shorts);

/* A register that is memory; one of which the device is told. */
void nrf52_plain(struct wiring *w, const struct device *d, uint32_t offset, uint32_t mask);
void nrf52_told(struct wiring *w, const struct device *d, uint32_t offset, unsigned role, unsigned mode);

uint32_t nrf52_get(const struct node *n, const struct device *d, uint32_t offset);
void nrf52_set(struct node *n, const struct device *d, uint32_t offset, uint32_t value);

/* A write that the block itself understands (events, INTEN); false: it is the device's own. */
bool nrf52_block_write(struct node *n, const struct device *d, unsigned role, uint32_t value);

/* Event number `event` happens: its register, its interrupt, the tasks that the interconnect joins to it. */
void nrf52_happens(struct node *n, const struct device *d, unsigned event);

/* A byte by EasyDMA, which reaches RAM alone: elsewhere 0 is read, and nothing is written. */
uint8_t nrf52_dma_fetch(const struct node *n, uint32_t address);
void nrf52_dma_store(struct node *n, uint32_t address, uint8_t byte);

bool nrf52_enabled(const struct node *n, const struct device *d, unsigned event); /* by INTEN */

/* The interconnect's registers. */
enum { NRF52_PPI_CHANNELS = 32 };
#define NRF52_PPI 0x4001f000u
extern const struct device_type nrf52_ppi;

#endif
