#include "image/target.h"

const struct image_target *const image_targets[] = {&target_avr, &target_msp430, &target_arm, NULL};

static unsigned target_return_width(unsigned elf_flags)
{
    (void)elf_flags;
    return 2;
}

/* Of a file that does not say what it is for, such as Intel HEX; it has no debug information either. */
const struct image_target target_unknown = {
    .machine = IMAGE_MACHINE_UNKNOWN,
    .name = "unknown",
    .address_mask = UINT32_MAX,
    .pointer_mask = UINT32_MAX,
    .pointer_size = 4,
    .code_unit = 1,
    .register_width = 4,
    .return_width = target_return_width,
};
