/* AVR data memory, the slow way: everything that is not plain RAM.
 *
 * Registers of devices, the CPU's own registers in the data space, addresses without memory, and the stack where it
 * leaves its bounds. Invariant: on entry and exit the CPU's registers are in the arena (avr_run saves them before and
 * reloads them after), and node->time is the tick of the access.
 */
#ifndef ISA_AVR_MEMORY_H
#define ISA_AVR_MEMORY_H

#include <stdint.h>

#include "node/machine.h"
#include "node/node.h"
#include "node/taps.h"

/* `pc` is the word address of the instruction, for fault reports. */
uint8_t avr_load(struct node *n, uint32_t pc, uint16_t address);

/* Whether a load of an I/O register is just the byte, so that nothing need look. */
static inline bool avr_loads_byte(const struct node *n, const uint8_t *data, uint32_t address)
{
    const struct machine_register *r = &n->machine->registers[address];
    return r->matters && !(data[address] & r->matters) && n->page[address >> PAGE_BITS] == PAGE_REGISTERS &&
           !(n->hooked & MOTET_ON(REGISTER));
}

/* The same of a store. */
static inline bool avr_stores_byte(const struct node *n, const uint8_t *data, uint32_t address, uint8_t value)
{
    const struct machine_register *r = &n->machine->registers[address];
    return r->mode & WIRE_SELDOM && !((data[address] | value) & r->matters) &&
           n->page[address >> PAGE_BITS] == PAGE_REGISTERS && !(n->hooked & MOTET_ON(REGISTER));
}

static inline uint8_t avr_stored(const struct node *n, const uint8_t *data, uint32_t address, uint8_t value)
{
    uint32_t writable = n->machine->registers[address].writable;
    return (uint8_t)((data[address] & ~writable) | (value & writable));
}
void avr_store(struct node *n, uint32_t pc, uint16_t address, uint8_t value);

/* As isa->write. */
void avr_write(struct node *n, uint32_t address, uint32_t value, unsigned size);

/* SBI and CBI: one bit (a mask) of an I/O register. */
void avr_write_bit(struct node *n, uint32_t pc, uint16_t address, uint8_t mask, bool on);

/* An instruction of the firmware wrote the stack pointer; with a value made from its old one if it is `by_frame`. */
void avr_stack_moved(struct node *n, bool by_frame);

/* A function has made room for its locals by moving the stack pointer to where they are no longer stack: decides
 * whether it is a fault. Nothing has been overwritten yet, but a function without calls would never push. */
void avr_frame_made(struct node *n, uint32_t pc);

/* The variable that holds the heap's end was written. */
void avr_heap_moved(struct node *n);

/* A push to an address outside [stack_low, end of RAM): decides whether it is a fault, then stores. */
void avr_push_slow(struct node *n, uint32_t pc, uint16_t address, uint8_t value);

/* The lowest data address the stack may use now. */
uint32_t avr_stack_low(const struct node *n);

/* SP is SPL alone, and there is no SPH, where RAM ends below 0x100 (ATtiny25). */
bool avr_short_stack_pointer(const struct machine *m);

uint32_t avr_sp(const struct node *n);
void avr_set_sp(struct node *n, uint32_t sp); /* as many bits of it as the chip has */

#endif
