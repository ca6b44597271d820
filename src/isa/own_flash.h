/* A node's own flash, which it has programmed or whose code has marks, and what is known of it.
 *
 * Invariant: `changed` is how many of its words are not those of the firmware, so that nobody has to compare them all.
 */
#ifndef ISA_OWN_FLASH_H
#define ISA_OWN_FLASH_H

#include <stdint.h>

struct machine;
struct pages;

struct own_flash {
    uint8_t *bytes, *known; /* `known` is of machine_flash_kind */
    uint32_t changed;       /* words */
};

/* As the firmware has it, in room for twice `size` bytes. */
void own_flash_begin(struct own_flash *o, const struct machine *m, uint8_t *room, uint32_t size);

/* Takes up what lies from `first` to before `last` now: whole words. */
void own_flash_read(struct own_flash *o, const struct machine *m, struct pages *now, uint32_t first, uint32_t last);

#endif
