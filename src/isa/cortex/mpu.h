/* The memory protection unit of ARMv7-M (ARM DDI 0403E, B3.5): eight regions with permissions, and subregions.
 *
 * Loads and stores of instructions are checked, and execution from RAM. Code in flash, the entry of exceptions and DMA
 * are not. Invariant: a page of RAM is marked PAGE_GUARDED exactly while an access to it may be denied, and
 * node.code_guarded is set while one to flash may be, so that the loop does all others itself.
 */
#ifndef ISA_CORTEX_MPU_H
#define ISA_CORTEX_MPU_H

#include "isa/cortex/cortex.h"
#include "node/node.h"

enum cortex_mpu_access { CORTEX_MPU_READ, CORTEX_MPU_WRITE, CORTEX_MPU_EXECUTE };

/* Whether the code under way may. */
bool cortex_mpu_allows(const struct node *n, uint32_t address, unsigned size, enum cortex_mpu_access access);

/* A register of the unit, or CONTROL, has changed, or a snapshot was restored: marks pages anew. */
void cortex_mpu_changed(struct node *n);

#endif
