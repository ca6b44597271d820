/* The AVR instruction set: the cores the compiler calls avr25, avr35, avr4, avr5, avr51 and avr6, cycle-exact.
 *
 * Invariant: outside avr_run the CPU is wholly in the arena: the program counter in struct avr_cpu, registers r0-r31,
 * the stack pointer and SREG in the data space at their addresses.
 */
#ifndef ISA_AVR_AVR_H
#define ISA_AVR_AVR_H

#include "isa/isa.h"

/* Instructions that not every core has; the others fault there as illegal opcodes. */
enum {
    AVR_HAS_MOVW = 0x01,
    AVR_HAS_LPM = 0x02, /* LPM with a register; LPM to r0 is everywhere */
    AVR_HAS_SPM = 0x04,
    AVR_HAS_JMP = 0x08, /* JMP and CALL */
    AVR_HAS_MUL = 0x10, /* MUL, MULS, MULSU, FMUL, FMULS, FMULSU */
    AVR_HAS_ELPM = 0x20,
    AVR_HAS_EIJMP = 0x40, /* EIJMP and EICALL */
};

/* What the core wants to know of its chip (struct chip's `core`); isa_avr.check refuses a table that forgets something
 * or contradicts itself. AVR_CORE_* below give the first three as the compiler's architecture of that name has them. */
struct avr_core {
    uint8_t instructions;       /* AVR_HAS_... */
    uint8_t pc_bytes;           /* on the stack: 2, or 3 where flash exceeds 128 KB */
    uint8_t vector_words;       /* between two vectors: 1 for an RJMP, 2 for a JMP */
    uint16_t vectors;           /* bytes of the vector table, reset included: avr-libc's _VECTORS_SIZE */
    bool stack_starts_at_zero;  /* SP is 0 after reset (ATmega128), not the end of RAM */
    bool bit_writes_whole_byte; /* SBI and CBI write back the whole register (ATmega128), clearing flags read as one */
};

#define AVR_CORE_25 .instructions = AVR_HAS_MOVW | AVR_HAS_LPM | AVR_HAS_SPM, .pc_bytes = 2, .vector_words = 1
#define AVR_CORE_35 \
    .instructions = AVR_HAS_MOVW | AVR_HAS_LPM | AVR_HAS_SPM | AVR_HAS_JMP, .pc_bytes = 2, .vector_words = 2
#define AVR_CORE_4 \
    .instructions = AVR_HAS_MOVW | AVR_HAS_LPM | AVR_HAS_SPM | AVR_HAS_MUL, .pc_bytes = 2, .vector_words = 1
#define AVR_CORE_5                                                                                       \
    .instructions = AVR_HAS_MOVW | AVR_HAS_LPM | AVR_HAS_SPM | AVR_HAS_MUL | AVR_HAS_JMP, .pc_bytes = 2, \
    .vector_words = 2
#define AVR_CORE_51                                                                                      \
    .instructions = AVR_HAS_MOVW | AVR_HAS_LPM | AVR_HAS_SPM | AVR_HAS_MUL | AVR_HAS_JMP | AVR_HAS_ELPM, \
    .pc_bytes = 2, .vector_words = 2
#define AVR_CORE_6                                                                                           \
    .instructions =                                                                                          \
        AVR_HAS_MOVW | AVR_HAS_LPM | AVR_HAS_SPM | AVR_HAS_MUL | AVR_HAS_JMP | AVR_HAS_ELPM | AVR_HAS_EIJMP, \
    .pc_bytes = 3, .vector_words = 2

struct avr_cpu {
    uint32_t pc;          /* word address */
    uint32_t vector_base; /* word address of the vector table: 0 or the boot section (IVSEL) */
    uint32_t reset_pc;    /* word address execution starts at (BOOTRST) */
    uint32_t stack_low;   /* data address at which a stack of its own ends, or an enum avr_stack */
    uint32_t heap_end;    /* data address; 0 as long as nothing was allocated */
    uint32_t check;       /* word address of the branch whose trap the CPU is on its way to, else 0 */
    uint64_t quiet_until; /* no interrupt is taken before this many instructions are done (SEI, RETI, OUT SREG, IVCE) */
};

/* Values of avr_cpu.stack_low that are no addresses; see memory.c. */
enum avr_stack { AVR_STACK_MAIN, AVR_STACK_ELSEWHERE };

enum { AVR_SPL = 0x5d, AVR_SPH = 0x5e, AVR_SREG = 0x5f, AVR_RAMPZ = 0x5b, AVR_EIND = 0x5c };

/* Where avr-libc's linker scripts put what does not go to flash. */
enum { AVR_SPACE_DATA = 0x800000, AVR_SPACE_EEPROM = 0x810000, AVR_SPACE_FUSES = 0x820000, AVR_SPACE_LOCK = 0x830000 };

/* Numbers for isa->get_register, as avr-gdb has them: r0-r31, SREG, SP, PC (a byte address). */
enum { AVR_REGISTER_SREG = 32, AVR_REGISTER_SP = 33, AVR_REGISTER_PC = 34, AVR_REGISTERS = 35 };

extern const struct isa isa_avr;

#endif
