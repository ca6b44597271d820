/* AVR: code from 0, data from 0x800000 (avr-libc's linker scripts); what avr-gcc and avr-libc leave in files. */
#include "image/unwind.h"

#include <string.h>

enum { ELF_MACHINE = 83, ARCHITECTURE = 0x7f, STACK_POINTER = 32 };

/* A chip with more than 128 KB of flash pushes 3 bytes: avr6, and of the XMEGAs avrxmega6 and avrxmega7. */
static unsigned target_avr_return_width(unsigned elf_flags)
{
    unsigned architecture = elf_flags & ARCHITECTURE;
    return architecture == 6 || architecture == 106 || architecture == 107 ? 3 : 2;
}

static bool target_avr_is_handler(const struct image *i, const struct image_symbol *f)
{
    (void)i;
    return strncmp(f->name, "__vector_", 9) == 0;
}

/* libgcc's code for switches (gs() tables) and for functions that share prologue and epilogue (-mcall-prologues). */
static bool target_avr_is_passage(const char *name)
{
    return strncmp(name, "__tablejump", 11) == 0 || strcmp(name, "__prologue_saves__") == 0 ||
           strcmp(name, "__epilogue_restores__") == 0;
}

/* avr-gcc's ABI: values take an even number of registers from r25 down; the first that does not fit and all after it
 * are on the stack. A result of more than 8 bytes is written where the first argument, unsaid, points to. */
enum { CALL_END = 26, CALL_LOWEST = 8, CALL_RESULT_MAX = 8 };

static void target_avr_call_places(const struct debug_type *function, struct debug_call_place *parameters,
                                   struct debug_call_place *result)
{
    unsigned end = CALL_END;
    uint32_t stack = 0, size = function->of->size;
    bool in_memory = size > CALL_RESULT_MAX;
    if (!in_memory) {
        unsigned taken = size <= 2 ? 2 : size <= 4 ? 4 : 8;
        *result = (struct debug_call_place){.first = CALL_END - taken, .in_registers = size, .known = true};
    } else {
        end -= 2;
        *result = (struct debug_call_place){.first = end, .in_registers = 2, .known = true, .by_pointer = true};
    }
    for (uint32_t n = 0; n < function->field_count; n++) {
        size = function->fields[n].type->size;
        unsigned taken = (size + 1) & ~1u;
        if (end && taken <= end - CALL_LOWEST) {
            end -= taken;
            parameters[n] = (struct debug_call_place){.first = end, .in_registers = size, .known = true};
        } else {
            end = 0;
            parameters[n] = (struct debug_call_place){.stack = stack, .known = true};
            stack += size;
        }
    }
}

/* A function is pointed to by its word; CALL pushes the low byte of a word address first. */
const struct image_target target_avr = {
    .machine = IMAGE_MACHINE_AVR,
    .name = "AVR",
    .elf_machine = ELF_MACHINE,
    .data_space = AVR_DATA_SPACE,
    .address_mask = 0xffff,
    .pointer_mask = 0xffff,
    .pointer_size = 2,
    .code_unit = 2,
    .code_at_zero = true,
    .call_places = target_avr_call_places,
    .registers_as_variables = true,
    .device_note = ".note.gnu.avr.deviceinfo",
    .device_owner = "AVR",
    .stack_pointer = STACK_POINTER,
    .register_width = 1,
    .return_width = target_avr_return_width,
    .return_high_first = true,
    .is_handler = target_avr_is_handler,
    .is_passage = target_avr_is_passage,
    /* avr-gcc's ABI: r18 to r27, r30, r31; r0 is free for all */
    .scratch = 0xcffc0001,
    .unwinder = &unwinder_avr,
};
