/* Decoded MSP430 code: one entry an even address, immutable and shared by every node with the same firmware.
 *
 * The common forms are decoded to an operation of their own for each instruction, size, source and destination mode, so
 * that nothing about the operands is decided while running. What is rare (PC or SR as an operand, DADD, code in RAM)
 * becomes GENERIC, which takes the opcode apart when it runs. Invariant: code->insn[a / 2] is valid for every address
 * a, for any contents of memory. Translation to host code starts from the same entries (isa/heat.h), and marks those
 * that begin translated code. That, and marks of loops that turn out not to wait (isa/wait.h), is all that ever changes
 * in shared code.
 */
#ifndef ISA_MSP430_CODE_H
#define ISA_MSP430_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Source modes: Register, Constant generator, immediate Number, indexed (X), Absolute or symbolic, inDirect,
 * Post-increment. Destination modes: Register, indexed (X), Absolute or symbolic. MOV has a fast form for each pair;
 * the others have none from memory to memory, which compilers hardly use. */
#define MSP430_TO_ALL(F, name, size, source) F(name, size, source, R) F(name, size, source, X) F(name, size, source, A)
#define MSP430_FROM_CPU(F, name, size) \
    MSP430_TO_ALL(F, name, size, R) MSP430_TO_ALL(F, name, size, C) MSP430_TO_ALL(F, name, size, N)
#define MSP430_SOME(F, name, size) \
    MSP430_FROM_CPU(F, name, size) \
    F(name, size, X, R) F(name, size, A, R) F(name, size, D, R) F(name, size, P, R)
#define MSP430_ALL(F, name, size)   \
    MSP430_FROM_CPU(F, name, size)  \
    MSP430_TO_ALL(F, name, size, X) \
    MSP430_TO_ALL(F, name, size, A) MSP430_TO_ALL(F, name, size, D) MSP430_TO_ALL(F, name, size, P)
#define MSP430_SOME_FORMS(F, name) MSP430_SOME(F, name, W) MSP430_SOME(F, name, B)

/* clang-format off */

/* Every fast form of the two-operand instructions, opcodes 4 to 15 but 10 (DADD): F(name, size, source, destination).
 */
#define MSP430_DOUBLES(F)                                                                                       \
    MSP430_ALL(F, MOV, W)                                                                                       \
    MSP430_ALL(F, MOV, B)                                                                                       \
    MSP430_SOME_FORMS(F, ADD)                                                                                   \
    MSP430_SOME_FORMS(F, ADDC) MSP430_SOME_FORMS(F, SUBC) MSP430_SOME_FORMS(F, SUB) MSP430_SOME_FORMS(F, CMP)   \
        MSP430_SOME_FORMS(F, BIT) MSP430_SOME_FORMS(F, BIC) MSP430_SOME_FORMS(F, BIS) MSP430_SOME_FORMS(F, XOR) \
            MSP430_SOME_FORMS(F, AND)

/* Of the one-operand instructions, those on a register, and those with a fast form for other reasons. STATUS and
 * STATUS_CLEARS are `mov sr, rd` and `bic sr, rd`, which compilers make comparisons of; FRAME is `sub #N, sp`, which
 * makes room on the stack. */
#define MSP430_OTHERS(F)                                                                                              \
    F(RRC_W)                                                                                                          \
    F(RRC_B)                                                                                                          \
    F(RRA_W)                                                                                                          \
    F(RRA_B) F(SWPB) F(SXT) F(PUSH_R) F(PUSH_N) F(CALL_N) F(RETURN) F(BRANCH) F(JNE) F(JEQ) F(JNC) F(JC) F(JN) F(JGE) \
        F(JL) F(JMP) F(JMP_SELF) F(NOP) F(FRAME_C) F(FRAME_N) F(CLRC) F(SETC) F(STATUS) F(STATUS_CLEARS) F(GENERIC) F(ERASED) F(DATA) F(OUTSIDE)

enum msp430_operation {
#define FORM(name, size, source, destination) MSP430_##name##_##size##_##source##_##destination,
    MSP430_DOUBLES(FORM)
#undef FORM
#define OTHER(name) MSP430_##name,
        MSP430_OTHERS(OTHER)
#undef OTHER
            MSP430_OPERATION_COUNT
};

/* Forms of one size: all of them, and those without memory to memory. */
enum { MSP430_ALL_FORMS = 21, MSP430_SOME_FORMS_EACH = 13, MSP430_CPU_FORMS = 9 };

/* Added to an operation: where a mark lies (node/taps.h), in a node's own code only; to a jump that leads to a trap
 * (node/trap.h) one way but not the other; to the first instruction of a function that is called to trap; where
 * translated code begins (isa/heat.h), in shared code only and beside no other mark; to a jump that may close a loop
 * that only waits (isa/wait.h), which has none of the three before. */
enum {
    MSP430_MARK = 0x200,
    MSP430_CHECK = 0x400,
    MSP430_TRAP = 0x800,
    MSP430_HOT = 0x1000,
    MSP430_WAIT = 0x2000,
    MSP430_MARKS = MSP430_MARK | MSP430_CHECK | MSP430_TRAP | MSP430_HOT | MSP430_WAIT
};

struct msp430_insn {
    uint16_t op;
    uint8_t s, d; /* registers; s of what goes to a trap: how many checks lead here; d with MSP430_WAIT: traces in vain */
    uint16_t sx;  /* immediate, offset or address of the source; jump target */
    uint16_t dx;  /* the same of the destination; opcode of what is GENERIC or cannot run */
};

struct msp430_code {
    const uint8_t *memory; /* flash as bytes, by address */
    struct msp430_insn insn[0x8000 + 4];
};

/* Addressing modes, in the order of MSP430_DOUBLES. */
enum msp430_source {
    MSP430_SOURCE_R,
    MSP430_SOURCE_C,
    MSP430_SOURCE_N,
    MSP430_SOURCE_X,
    MSP430_SOURCE_A,
    MSP430_SOURCE_D,
    MSP430_SOURCE_P
};
enum msp430_destination { MSP430_TO_R, MSP430_TO_X, MSP430_TO_A };

/* An instruction of one or two operands, taken apart. */
struct msp430_parts {
    uint16_t opcode;
    bool byte;
    unsigned length;         /* bytes */
    enum msp430_source from; /* of the only operand, too */
    enum msp430_destination to;
    uint8_t s, d;    /* registers */
    uint16_t sx, dx; /* as in struct msp430_insn */
};
struct msp430_parts msp430_take_apart(const struct msp430_code *code, uint32_t at);

struct machine;

/* Decodes the even addresses in [first, last). `known` says what each byte is (machine_flash_kind). */
void msp430_decode_range(const struct machine *m, struct msp430_code *code, const uint8_t *known, uint32_t first,
                         uint32_t last);

/* The length in bytes of the instruction with this first word: 2, 4 or 6. */
unsigned msp430_length(uint16_t opcode);

#endif
