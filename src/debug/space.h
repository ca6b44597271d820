/* Spaces: a node's memories at the addresses a debugger knows them by, which are those of its ELF file: program memory
 * at 0, data and EEPROM where the instruction set's spaces say, or all in one space.
 *
 * Invariant: reading changes nothing, not even a register that is cleared by being read: what a device would answer is
 * found out on a node that is put back afterwards.
 */
#ifndef DEBUG_SPACE_H
#define DEBUG_SPACE_H

#include "node/node.h"

/* How many of the bytes from that address on there are; reads them. */
size_t space_read(struct node *n, uint32_t address, uint8_t *to, size_t count);

/* The data address a debugger's address stands for; false if it is none that holds `count` bytes. */
bool space_data(const struct node *n, uint32_t address, size_t count, uint32_t *data);
/* The same for EEPROM; and whether an address is one of flash, which to a debugger are the same. */
bool space_eeprom(const struct node *n, uint32_t address, size_t count, uint32_t *at);
bool space_code(const struct node *n, uint32_t address, size_t count);
uint32_t space_of_data(const struct node *n, uint32_t data);

/* Sizes, 0 where there is none. */
uint32_t space_eeprom_size(const struct node *n);

/* Program memory: from where to where, byte addresses, which are the same to a debugger. */
void space_program(const struct node *n, uint32_t *first, uint32_t *end);

#endif
