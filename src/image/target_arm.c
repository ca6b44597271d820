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

/* Mapping symbols: $t, $d and $a, perhaps with a dot and more (ELF for the Arm Architecture, 5.5.5). */
static enum image_mark target_arm_mark(const char *name)
{
    if (name[0] != '$' || !name[1] || !strchr("tda", name[1]) || (name[2] && name[2] != '.'))
        return IMAGE_MARK_NONE;
    return name[1] == 'd' ? IMAGE_MARK_DATA : IMAGE_MARK_CODE;
}

/* AAPCS32 (6.4 to 6.6) without floating-point registers: words from r0 to r3, then the stack. What is aligned to eight
 * bytes begins at an even register. A structure may lie in both. A result of a structure of more than a word is written
 * where the first argument, unsaid, points to. */
enum { CALL_REGISTERS = 4, WORD = 4 };

static bool target_arm_is_structure(const struct debug_type *t)
{
    return t->kind == DEBUG_STRUCT || t->kind == DEBUG_UNION || t->kind == DEBUG_ARRAY;
}

static bool target_arm_is_double(const struct debug_type *t)
{
    if (t->kind == DEBUG_ARRAY)
        return t->of && target_arm_is_double(t->of);
    for (uint32_t n = 0; target_arm_is_structure(t) && n < t->field_count; n++)
        if (target_arm_is_double(t->fields[n].type))
            return true;
    return !target_arm_is_structure(t) && t->size == 8;
}

static void target_arm_call_places(const struct debug_type *function, struct debug_call_place *parameters,
                                   struct debug_call_place *result)
{
    bool by_pointer = target_arm_is_structure(function->of) && function->of->size > WORD;
    uint32_t used = by_pointer, stack = 0;
    *result = (struct debug_call_place){.known = true, .by_pointer = by_pointer};
    result->in_registers = by_pointer ? WORD : function->of->size;
    for (uint32_t n = 0; n < function->field_count; n++) {
        const struct debug_type *t = function->fields[n].type;
        uint32_t words = (t->size + WORD - 1) / WORD;
        if (target_arm_is_double(t)) {
            used += used < CALL_REGISTERS ? used % 2 : 0;
            stack += used >= CALL_REGISTERS ? stack % 8 : 0;
        }
        uint32_t left = CALL_REGISTERS - used;
        struct debug_call_place p = {.first = used, .stack = stack, .known = true};
        bool split = target_arm_is_structure(t) && !stack && words > left;
        p.in_registers = words <= left ? t->size : split ? left * WORD : 0;
        used = words <= left ? used + words : CALL_REGISTERS;
        stack += words <= left ? 0 : (words - p.in_registers / WORD) * WORD;
        parameters[n] = p;
    }
}

/* Functions need not keep r0 to r3, r12 and LR (AAPCS32, 6.1.1). */
const struct image_target target_arm = {
    .machine = IMAGE_MACHINE_ARM,
    .name = "Arm",
    .elf_machine = ELF_MACHINE,
    .refusal = target_arm_refusal,
    .code_bits = 1,
    .mark = target_arm_mark,
    .address_mask = 0xfffffffe,
    .pointer_mask = 0xffffffff,
    .pointer_size = 4,
    .code_unit = 1,
    .call_places = target_arm_call_places,
    .stack_pointer = STACK_POINTER,
    .register_width = 4,
    .return_width = target_arm_return_width,
    .scratch = 1 << 14 | 1 << 12 | 0xf,
};
