/* The map: what lies at a data address, by the table that a machine makes from its chip's regions.
 *
 * A data address is what an instruction that loads or stores uses. The node keeps registers and RAM in one block, its
 * data memory; a place is an offset in it. Invariant: looking asks no device and changes nothing. map_read() and
 * map_write() do as an instruction would, devices included: they are for debuggers.
 */
#ifndef NODE_MAP_H
#define NODE_MAP_H

#include "chip/region.h"
#include "node/machine.h"
#include "node/node.h"

#define MAP_NOWHERE UINT32_MAX

/* Works out the map from the chip's table, which it checks. */
void map_make(struct machine *m);

/* The region at a data address; NULL: a hole. With map_shown, what an alias shows takes its place, and the address
 * becomes the one that is shown. */
const struct region *map_region(const struct machine *m, uint32_t address);
const struct region *map_shown(const struct machine *m, uint32_t *address);

/* Where a data address is kept in data memory; MAP_NOWHERE: it is neither a register nor RAM. */
uint32_t map_find(const struct machine *m, uint32_t address);
static inline uint32_t map_place(const struct machine *m, uint32_t address)
{
    return address < m->identical ? address : map_find(m, address);
}

/* Whether an address is a register's, of the CPU or of a device; whether one of [first, last] is. */
bool map_is_register(const struct machine *m, uint32_t address);
bool map_has_register(const struct machine *m, uint32_t first, uint32_t last);

/* Whether all the bytes from a data address on are registers and RAM. */
bool map_holds(const struct machine *m, uint32_t address, size_t size);

/* Copies what registers and RAM hold; false, and nothing is copied, unless all of it is there. */
bool map_peek(const struct node *n, uint32_t address, void *to, size_t size);

/* As the instruction set stores it, in accesses as wide as each region carries them. Bytes in holes and in memories
 * that are only read are lost. */
void map_write(struct node *n, uint32_t address, const uint8_t *bytes, size_t size);

/* As instructions would load it, what devices do about that included, in accesses as wide as each region carries them.
 * Bytes in holes are zero. */
void map_read(struct node *n, uint32_t address, uint8_t *bytes, size_t size);

/* The data address of an address in the firmware's file. */
uint32_t map_of_image(const struct machine *m, uint32_t address);

/* Slots: each data address that can be watched has one, so that marks are found without a search where the instruction
 * set's addresses are few (isa->flat). All addresses in holes share the last one, which is never marked. */
uint32_t map_find_slot(const struct machine *m, uint32_t address);
static inline uint32_t map_slot(const struct machine *m, uint32_t address)
{
    return address < m->flat ? address : map_find_slot(m, address);
}

/* Calls with each run of slots, first and last, at which something in [first, last] can be reached: also through an
 * alias. */
void map_slots(const struct machine *m, uint32_t first, uint32_t last, void (*f)(void *, uint32_t, uint32_t),
               void *context);

/* The part of [first, last] in `size` bytes from `from` on, as it lies from `to` on; false if there is none. */
bool map_moved(uint32_t *first, uint32_t *last, uint32_t from, uint32_t size, uint32_t to);

/* Whether an access reaches something in [first, last], by its own address or through an alias. */
bool map_aliases(const struct machine *m, uint32_t address, unsigned size, uint32_t first, uint32_t last);
static inline bool map_reaches(const struct machine *m, uint32_t address, unsigned size, uint32_t first, uint32_t last)
{
    if (address <= last && address + (size - 1) >= first)
        return true;
    return m->aliased && map_aliases(m, address, size, first, last);
}

#endif
