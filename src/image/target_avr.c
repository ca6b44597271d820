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
