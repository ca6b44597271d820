/* Arm: one space, Thumb code alone, as GNU's and clang's tools lay it out for Cortex-M. */
#include "image/internal.h"

#include <string.h>

enum { ELF_MACHINE = 40, STACK_POINTER = 13 };

/* e_flags (ELF for the Arm Architecture, 5.2). */
#define FLAGS_BE8 0x00800000u

static const char *target_arm_refusal(unsigned elf_flags)
{
    if (elf_flags & FLAGS_BE8)
        return "this ELF file is for an Arm processor with the highest byte first, which Motet does not have; build it "
               "for a Cortex-M (-mcpu=cortex-m4 -mthumb, little endian)";
    return NULL;
}

static unsigned target_arm_return_width(unsigned elf_flags)
{
    (void)elf_flags;
    return 4;
}

/* Mapping symbols: $t, $d and $a, perhaps with a dot and more. */
static bool target_arm_is_mark(const char *name)
{
    return name[0] == '$' && strchr("tda", name[1]) && name[1] && (!name[2] || name[2] == '.');
}

/* Functions need not keep r0 to r3, r12 and LR (AAPCS32, 6.1.1). */
const struct image_target target_arm = {
    .machine = IMAGE_MACHINE_ARM,
    .name = "Arm",
    .elf_machine = ELF_MACHINE,
    .refusal = target_arm_refusal,
    .code_bits = 1,
    .is_mark = target_arm_is_mark,
    .address_mask = 0xfffffffe,
    .pointer_mask = 0xffffffff,
    .pointer_size = 4,
    .code_unit = 1,
    .stack_pointer = STACK_POINTER,
    .register_width = 4,
    .return_width = target_arm_return_width,
    .scratch = 1 << 14 | 1 << 12 | 0xf,
};
