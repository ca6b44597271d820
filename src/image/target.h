/* Targets: what firmware files and their debug information depend on the instruction set for, one struct for each.
 *
 * Invariant: no other file of image/ asks which instruction set an image is for; it asks the struct. Adding one is a
 * struct in a file of its own and its line in target.c.
 */
#ifndef IMAGE_TARGET_H
#define IMAGE_TARGET_H

#include "image/debug.h"
#include "image/image.h"

/* What a function's prologue has done to the stack, up to some place. */
struct prologue {
    unsigned pushed;   /* bytes, without what is taken through the frame pointer */
    unsigned hidden;   /* those of `pushed` that CFI does not count */
    uint8_t saved[32]; /* for each register, the how-manieth byte pushed it is; 0: not pushed */
    unsigned y_loaded; /* bits 0 and 1: the frame pointer's halves hold the stack pointer as it was after `pushed`, */
    unsigned below_y;  /* less this */
    bool y_broken;     /* between the two instructions that take `below_y` from it; SP is still what it was */
};

/* Unwinding by instructions, where call frame information is not enough. */
struct unwinder {
    /* Follows the prologue from `start`; whether it reaches to `pc`. If not, `p` says what the whole of it does. */
    bool (*prologue)(const struct image *i, uint32_t start, uint32_t pc, unsigned return_width, struct prologue *p);

    /* Follows the epilogue from frame->pc; where it leads to a return without anything else, gives the registers there.
     */
    bool (*epilogue)(const struct image *i, const struct debug_frame *frame, debug_read *read, void *context,
                     struct debug_frame *at_return);

    /* Whether the instruction before this address is a call, as it must be at a return address. */
    bool (*follows_call)(const struct image *i, uint32_t address);

    uint32_t (*frame_pointer)(const struct debug_frame *frame);
};

/* Symbols that only say what kind of bytes follow. */
enum image_mark { IMAGE_MARK_NONE, IMAGE_MARK_CODE, IMAGE_MARK_DATA };

struct image_target {
    enum image_machine machine;
    const char *name;
    unsigned elf_machine; /* e_machine; 0: none */

    /* Why a file with these e_flags cannot be run, as a sentence; NULL: it can. The function may be NULL. */
    const char *(*refusal)(unsigned elf_flags);

    uint32_t code_bits; /* of a function's address that say how it is executed, not where it is */
    enum image_mark (*mark)(const char *name); /* what kind of bytes a symbol says that follow; NULL: there is none */
    uint32_t data_space;                       /* what the linker adds to data addresses; 0: nothing */
    uint32_t address_mask;                     /* bits of an address on the stack */
    uint32_t pointer_mask;                     /* bits of an address that debug information computes */
    unsigned pointer_size;                     /* bytes; independent of the size of addresses in its DWARF */
    unsigned code_unit;                        /* bytes that a pointer to a function counts in */
    bool code_at_zero;                         /* address 0 can be a function's */
    bool registers_as_variables; /* start-up code describes registers of the chip as variables without a line */
    const char *device_note;     /* section that names the device, and its owner; NULL: there is none */
    const char *device_owner;    /* with its zero as long as the note says: four bytes */

    /* debug_call_places; NULL: the convention is not known. */
    void (*call_places)(const struct debug_type *function, struct debug_call_place *parameters,
                        struct debug_call_place *result);

    /* Frames, in the numbers of DWARF. */
    unsigned stack_pointer, register_width;
    unsigned (*return_width)(unsigned elf_flags); /* bytes of a return address */
    bool return_high_first;                       /* as it lies in memory; it counts in code_unit */
    uint64_t scratch;                             /* bit N: functions need not keep register N */
    bool (*is_handler)(const struct image *i, const struct image_symbol *f); /* of an interrupt; NULL: not known */
    bool (*is_passage)(const char *name); /* image_symbol.passage; NULL: there is none */
    unsigned handler_saves; /* register that an interrupt's entry pushes after the return address, unsaid; 0: none */
    const struct unwinder *unwinder; /* NULL: call frame information says all */
};

extern const struct image_target target_avr, target_msp430, target_arm, target_unknown;

/* Those that ELF files can be for, NULL at the end. */
extern const struct image_target *const image_targets[];

#endif
