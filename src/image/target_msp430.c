/* MSP430: one space, as TI's and clang's tools lay it out. */
#include "image/internal.h"

#include <string.h>

enum { ELF_MACHINE = 105, STACK_POINTER = 1, STATUS = 2 };

/* e_flags as GNU's binutils set them (include/elf/msp430.h): the machine in the low byte. */
enum { FLAGS_MACHINE = 0xff, MACHINE_X = 45 };

static const char *target_msp430_refusal(unsigned elf_flags)
{
    if ((elf_flags & FLAGS_MACHINE) != MACHINE_X)
        return NULL;
    return "this ELF file is for an MSP430X, whose 20-bit instructions Motet does not have; build it for a chip of the "
           "MSP430 family, such as the MSP430F1611 (with -mcpu=msp430)";
}

static unsigned target_msp430_return_width(unsigned elf_flags)
{
    (void)elf_flags;
    return 2;
}

/* A word of the image as it is loaded; 0 where there is none. */
static uint16_t target_msp430_word(const struct image *i, uint32_t address)
{
    for (size_t n = 0; n < i->segment_count; n++) {
        const struct image_segment *s = &i->segments[n];
        if (address >= s->address && address - s->address + 2 <= s->size)
            return (uint16_t)(s->bytes[address - s->address] | s->bytes[address - s->address + 1] << 8);
    }
    return 0;
}

/* A function that a vector points to, other than that of reset, or that ends in RETI. */
static bool target_msp430_is_handler(const struct image *i, const struct image_symbol *f)
{
    enum { VECTORS = 0xffe0, RESET = 0xfffe, RETI = 0x1300 };
    if (f->kind != IMAGE_SYMBOL_FUNCTION)
        return false;
    for (uint32_t vector = VECTORS; vector < RESET; vector += 2)
        if (target_msp430_word(i, vector) == f->address)
            return true;
    return f->size >= 2 && target_msp430_word(i, f->address + f->size - 2) == RETI;
}

/* libgcc's epilogues, which gcc -Os shares among functions. */
static bool target_msp430_is_passage(const char *name)
{
    return strncmp(name, "__mspabi_func_epilog", 20) == 0;
}

/* MSP430 EABI (SLAA534, 3.3) as clang has it: words from R12 to R15. A value of two words may have its first in R15;
 * otherwise one that does not fit is on the stack, as are structures. A structure as a result is written where the
 * first argument, unsaid, points to. */
enum { CALL_FIRST = 12, CALL_REGISTERS = 4 };

static bool target_msp430_is_structure(const struct debug_type *t)
{
    return t->kind == DEBUG_STRUCT || t->kind == DEBUG_UNION;
}

static void target_msp430_call_places(const struct debug_type *function, struct debug_call_place *parameters,
                                      struct debug_call_place *result)
{
    uint32_t used = 0, stack = 0;
    bool on_stack = false;
    bool by_pointer = target_msp430_is_structure(function->of);
    *result = (struct debug_call_place){.first = CALL_FIRST, .known = true, .by_pointer = by_pointer};
    result->in_registers = by_pointer ? 2 : function->of->size;
    used = by_pointer;
    for (uint32_t n = 0; n < function->field_count; n++) {
        const struct debug_type *t = function->fields[n].type;
        uint32_t words = (t->size + 1) / 2, left = CALL_REGISTERS - used;
        struct debug_call_place p = {.first = CALL_FIRST + used, .stack = stack, .known = true};
        bool structure = target_msp430_is_structure(t), split = !structure && !on_stack && words == 2 && left == 1;
        p.in_registers = structure ? 0 : split ? 2 : words <= left ? t->size : 0;
        on_stack |= !structure && p.in_registers < t->size;
        used += (p.in_registers + 1) / 2;
        stack += p.in_registers < t->size ? 2 * (words - p.in_registers / 2) : 0;
        parameters[n] = p;
    }
}

/* Functions need not keep R11 to R15 (MSP430 EABI, SLAA534, 3.1), nor flags. clang describes a handler as if it had
 * been called, though the CPU has pushed SR after PC. */
const struct image_target target_msp430 = {
    .machine = IMAGE_MACHINE_MSP430,
    .name = "MSP430",
    .elf_machine = ELF_MACHINE,
    .refusal = target_msp430_refusal,
    .address_mask = 0xffff,
    .pointer_mask = 0xfffff,
    .pointer_size = 2,
    .code_unit = 1,
    .call_places = target_msp430_call_places,
    .stack_pointer = STACK_POINTER,
    .register_width = 2,
    .return_width = target_msp430_return_width,
    .scratch = 1 << STATUS | 0xf800,
    .is_handler = target_msp430_is_handler,
    .is_passage = target_msp430_is_passage,
    .handler_saves = STATUS,
};
