/* Instruction sets: what a CPU core is to the node, so that no layer above asks which one it is looking at.
 *
 * Invariant: run() and step() leave the node at an instruction boundary with everything (registers, flags, time,
 * instruction count) in the arena; in between, the core may hold it in host registers.
 */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/image.h"
#include "isa/unknown.h"
#include "motet/base/happening.h"

struct node;
struct machine;
struct isa_abstract;
struct heat_code;

/* Where firmware files of an instruction set put what does not go to program memory, in the one list of addresses they
 * have. 0: it has no such place (data: data addresses stand as they are). */
struct isa_spaces {
    uint32_t data, eeprom, fuses, lock;
};

/* What an instruction set says of its interrupts (node/interrupts.h). */
struct interrupt_plan {
    unsigned lines;            /* no more than MACHINE_LINES */
    bool highest_first;        /* of lines with the same priority, the highest number is the most urgent */
    const uint8_t *priorities; /* of each line after a reset; NULL: all have 0 */
    bool programmable;         /* firmware can change them: each node has its own */
};

enum { ISA_MOMENT = 64, ISA_RESULT = 8 /* bytes, the largest of a function */ };

/* A loop of two instructions that waits for a bit of a register: in memory, where no device is. */
struct isa_wait {
    uint32_t address;
    uint8_t bit;    /* as a mask */
    bool while_set; /* or while it is not */
};

/* For recorders that leave everything but their cores to be executed again (target/recorder, record/replay_cores.h). */
struct isa_cores {
    unsigned constant;                           /* cycles of a stamp that are not the application's */
    unsigned chained;                            /* cycles less where an exception follows another at once */
    unsigned (*exception)(const struct node *n); /* that is handled now; 0: none */
    uint32_t (*frame)(const struct node *n);     /* where the frame of an exception would lie that came now */
    bool (*returned)(const struct node *n);      /* the last thing was the return of an exception, perhaps */
    uint32_t (*vectors)(const struct node *n);
    void (*leave)(struct node *n, uint32_t end, uint32_t result); /* all that a core leaves in registers */
};

struct isa {
    const char *name;
    enum image_machine machine; /* what its firmware files say they are for */
    struct isa_spaces spaces;
    const char *architecture; /* as debuggers name it */
    const char *feature;      /* what gdb calls this set of registers, where the firmware does not tell it; or NULL */
    const char *debugger;     /* a program that speaks gdb's remote protocol and knows it, or NULL */
    const char *debugger_package; /* Debian's, that has it */
    unsigned stack_register;      /* the stack pointer's number in debug information */
    unsigned stack_gap;           /* bytes from where it points to what was pushed last */
    uint32_t flat;                /* data addresses below it find their marks (node->page) without a search; 0: none */
    struct interrupt_plan interrupts;
    size_t state_size;
    unsigned first_line;     /* the lowest interrupt line a device can have */
    unsigned first_register; /* the lowest data address a device's register can have */

    /* Decodes the firmware once for all nodes of the machine; the result is immutable. NULL if the chip's core table
     * forgets something or contradicts itself. */
    const void *(*decode)(const struct machine *m, struct motet_error *e);
    void (*free_code)(const void *code);

    /* Where the stack begins, if the firmware's vectors say so; 0: they do not. NULL: code moves it there. */
    uint32_t (*first_sp)(const struct machine *m);

    /* The CPU's part of a reset: program counter, stack pointer, status. */
    void (*reset)(struct node *n);

    /* Executes instructions until the CPU's clock reaches node->horizon, or node->cut is set from within. */
    void (*run)(struct node *n);

    /* Takes the most urgent pending interrupt if the CPU accepts one now (waking it if it sleeps). False if not. */
    bool (*interrupt)(struct node *n);

    /* A device raises or lowers its line, where an interrupt controller of the CPU stands between them and keeps what
     * is pending. NULL: lines go straight to the CPU. */
    void (*line)(struct node *n, unsigned line, bool level);

    /* The code memory in the byte range was reprogrammed: decode it again for this node alone. */
    void (*reprogrammed)(struct node *n, uint32_t address, uint32_t size);

    /* Stores 1, 2 or 4 bytes at a data address of a register or RAM as an instruction does, devices included, but
     * without fault, watch or cycle: for what comes from outside. `size` is no more than the region carries at once. */
    void (*write)(struct node *n, uint32_t address, uint32_t value, unsigned size);

    /* A snapshot was restored: drop what was derived from code that is no longer there. */
    void (*restored)(struct node *n);

    /* As device_type.canonical (node/device.h), for the CPU; NULL: there is nothing to do. The count of instructions is
     * cleared afterwards. */
    void (*canonical)(struct node *n);

    /* For translation to host code (isa/heat.h): describes the shared code; marks an instruction of it as the beginning
     * of translated code, or lifts that mark, while nodes run. NULL: there is no translation. */
    void (*hot)(const struct machine *m, struct heat_code *code);
    void (*mark_hot)(const struct machine *m, uint32_t at, bool on);

    /* Sets or lifts a mark (node/taps.h) at a byte address of this node's own code, which it may not execute yet. */
    void (*mark)(struct node *n, uint32_t address, bool on);

    /* Between two slices: from now on the node executes code of its own if that is wanted, or if it has programmed
     * itself; else the machine's. */
    void (*choose_code)(struct node *n, bool own);

    /* Puts what node->glance holds into the arena, and the time into node->time. */
    void (*show)(struct node *n);

    /* Whether accesses to registers of devices must all be seen (taps->watches_registers) has changed: decodes anew
     * what reaches them directly. NULL: there is nothing of the kind. */
    void (*watch_registers)(struct node *n);

    /* Whether the instruction there calls or returns. The node may be nothing but a machine and its code. */
    enum motet_flow (*flow)(const struct node *n, uint32_t address);

    /* Whether interrupts are on again at this instruction because the compiler made or left a frame: no source says so.
     * NULL: frames need no such thing. */
    bool (*frames)(const struct node *n, uint32_t address);

    const struct isa_abstract *abstract; /* instructions on abstract values (isa/abstract.h); NULL: not there */

    const uint8_t *(*program)(const struct node *n); /* program memory as it is now, by byte address */

    uint32_t (*pc)(const struct node *n); /* byte address of the next instruction */
    void (*set_pc)(struct node *n, uint32_t pc);
    uint32_t (*sp)(const struct node *n);
    void (*set_sp)(struct node *n, uint32_t sp);

    /* Registers in the order the debugger's remote protocol and DWARF number them; width in bytes. */
    unsigned registers;
    const char *(*register_name)(unsigned number);
    unsigned (*register_size)(unsigned number);
    uint32_t (*get_register)(const struct node *n, unsigned number);
    void (*set_register)(struct node *n, unsigned number, uint32_t value);

    /* One instruction as text; returns its length in bytes. `at` is its byte address. */
    unsigned (*disassemble)(const uint8_t *code, size_t size, uint32_t at, char *text, size_t text_size);

    /* A return address found on the stack of the node at data address `at`, as the byte address of the call's return,
     * or UINT32_MAX if what is there cannot be one (no call instruction ends before it). */
    uint32_t (*return_address)(const struct node *n, uint32_t at);
    unsigned (*return_size)(const struct machine *m); /* bytes of a return address */

    /* At the first instruction of a C function, for a caller that replaces its execution: an argument of up to two
     * bytes, and the way back to the caller with a result of so many bytes. */
    unsigned (*argument)(const struct node *n, unsigned number);
    void (*leave)(struct node *n, unsigned result, unsigned size);

    /* The same with a result of any type, and all other registers that a function need not keep zero. NULL: such
     * routines are not recorded. */
    void (*leave_routine)(struct node *n, const uint8_t result[ISA_RESULT]);

    /* Whether the CPU accepts interrupts; and lets it accept them, or not. */
    bool (*accepts)(const struct node *n);
    void (*accept)(struct node *n, bool on);

    /* After the return from an interrupt the next may be taken before an instruction is executed. */
    bool interrupts_at_once;

    /* A call leaves its return address in a register, not on the stack. */
    bool links; /* see isa_call_bytes */
    unsigned link_register;

    /* Clears the flags that arithmetic leaves, and nothing else of their register. */
    void (*forget_flags)(struct node *n);

    /* Instructions were executed that are left out here: none before them holds off an interrupt any more. */
    void (*left_out)(struct node *n);

    /* Whether a constant of the firmware is a function that it has as numbers; NULL: none is. */
    bool (*is_function)(const uint8_t *bytes, uint32_t size);

    /* For recordings (target/recorder): code addresses count in units of so many bytes; and what the recorder takes a
     * hash of to tell moments apart: registers in its order, and the data addresses of two words on top of the stack,
     * or 0 where there are none. Returns how many bytes registers are. */
    unsigned address_unit;
    size_t (*moment)(const struct node *n, unsigned vector, uint8_t bytes[ISA_MOMENT], uint32_t *word);

    /* Carries unknown bits (isa/unknown.h) through the instruction that is next, before it is executed. Says whether
     * what that does depends on one. */
    enum unknown_use (*spread)(const struct node *n, struct unknown *u, const struct unknown_memory *memory);
    unsigned result_register; /* the number of the register that holds, or begins, the first argument and the result */

    const struct isa_cores *cores; /* NULL: its recorder is left out as a whole */

    /* Whether such a loop begins at byte `at` of the code. NULL: there are none. */
    bool (*waits)(const uint8_t *code, size_t size, size_t at, struct isa_wait *w);
};

/* Bytes that a call puts on the stack. */
static inline unsigned isa_call_bytes(const struct isa *isa, const struct machine *m)
{
    return isa->links ? 0 : isa->return_size(m);
}

#endif
