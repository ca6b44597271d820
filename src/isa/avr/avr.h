/* The AVR instruction set: cores avr5, avr51 and avr6, cycle-exact.
 *
 * Invariant: outside avr_run the CPU is wholly in the arena: the program counter in struct avr_cpu, registers r0-r31,
 * the stack pointer and SREG in the data space at their addresses.
 */
#ifndef ISA_AVR_AVR_H
#define ISA_AVR_AVR_H

#include "isa/isa.h"

/* What the core wants to know of its chip (struct chip's `core`). */
struct avr_core {
    uint8_t pc_bytes;           /* on the stack: 2, or 3 where flash exceeds 128 KB */
    uint8_t vectors;            /* including reset */
    bool stack_starts_at_zero;  /* SP is 0 after reset (ATmega128), not the end of RAM */
    bool bit_writes_whole_byte; /* SBI and CBI write back the whole register (ATmega128), clearing flags read as one */
};

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
