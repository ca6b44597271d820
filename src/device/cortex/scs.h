/* The system control space of a Cortex-M (ARM DDI 0403E, B3): interrupt controller, system timer, fault status, control
 * of the floating-point unit, and the cycle counter of the DWT.
 *
 * What is pending, enabled and active lies in the CPU's state (isa/cortex/exceptions.h), as what the memory protection
 * unit allows (isa/cortex/mpu.h); these are its registers. Invariant: while the system timer counts, its event is due
 * when it reaches zero.
 */
#ifndef DEVICE_CORTEX_SCS_H
#define DEVICE_CORTEX_SCS_H

#include "chip/region.h"
#include "node/device.h"

extern const struct device_type cortex_scs, cortex_priorities;

/* Their places in a chip's table, and the bytes of data memory that they take, from `place` on. */
#define SCS_REGIONS(place)                                       \
    {0xe0001000, 0x20, REGION_REGISTERS, 32, (place)},           \
    {                                                            \
        0xe000e000, 0x1000, REGION_REGISTERS, 32, (place) + 0x20 \
    }
enum { SCS_PLACES = 0x1020 };

#define SCS_DEVICES                            \
    {"system control", &cortex_scs, NULL},     \
    {                                          \
        "priorities", &cortex_priorities, NULL \
    }

#endif
