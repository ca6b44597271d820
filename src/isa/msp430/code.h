/* Decoded MSP430 code: one entry an even address, immutable and shared by every node with the same firmware.
 *
 * The common forms are decoded to an operation of their own for each instruction, size, source and destination mode, so
 * that nothing about the operands is decided while running. What is rare (PC or SR as an operand, DADD, code in RAM)
 * becomes GENERIC, which takes the opcode apart when it runs. Invariant: code->insn[a / 2] is valid for every address
 * a, whatever memory holds. A translator to host code would start from the same entries.
 */
#ifndef ISA_MSP430_CODE_H
#define ISA_MSP430_CODE_H

#include <stdint.h>

/* Source modes: Register, Constant generator, immediate Number, indexed (X), Absolute or symbolic, inDirect,
 * Post-increment. Destination modes: Register, indexed (X), Absolute or symbolic. */
#define MSP430_SOURCES(F, name, size) \
    F(name, size, R)                  \
    F(name, size, C) F(name, size, N) F(name, size, X) F(name, size, A) F(name, size, D) F(name, size, P)
#define MSP430_PAIRS(F, name, size, source) F(name, size, source, R) F(name, size, source, X) F(name, size, source, A)

/* Two-operand instructions with fast forms: opcodes 4 to 15 but 10 (DADD). */
#define MSP430_DOUBLES(F) F(MOV) F(ADD) F(ADDC) F(SUBC) F(SUB) F(CMP) F(BIT) F(BIC) F(BIS) F(XOR) F(AND)

/* Of the one-operand instructions, those on a register, and those with a fast form for other reasons. */
#define MSP430_OTHERS(F)                                                                                             \
    F(RRC_W)                                                                                                         \
    F(RRC_B) F(RRA_W) F(RRA_B) F(SWPB) F(SXT) F(PUSH_R) F(PUSH_N) F(CALL_N) F(RETURN) F(BRANCH) F(JNE) F(JEQ) F(JNC) \
        F(JC) F(JN) F(JGE) F(JL) F(JMP) F(JMP_SELF) F(GENERIC) F(ERASED) F(DATA) F(OUTSIDE)

/* Applies F(name, size, source, destination) to every fast form of one instruction. */
#define MSP430_FORMS_SOURCE(name, size, source) MSP430_PAIRS(MSP430_FORM, name, size, source)
#define MSP430_FORMS(name)                      MSP430_SOURCES(MSP430_FORMS_SOURCE, name, W) MSP430_SOURCES(MSP430_FORMS_SOURCE, name, B)

enum msp430_operation {
#define MSP430_FORM(name, size, source, destination) MSP430_##name##_##size##_##source##_##destination,
    MSP430_DOUBLES(MSP430_FORMS)
#undef MSP430_FORM
#define OTHER(name) MSP430_##name,
        MSP430_OTHERS(OTHER)
#undef OTHER
            MSP430_OPERATION_COUNT
};

enum { MSP430_FORMS_EACH = 42, MSP430_FORMS_SIZE = 21, MSP430_FORMS_PAIR = 3 };

struct msp430_insn {
    uint16_t op;
    uint8_t s, d; /* registers */
    uint16_t sx;  /* immediate, offset or address of the source; jump target */
    uint16_t dx;  /* the same of the destination; opcode of what is GENERIC or cannot run */
};

struct msp430_code {
    const uint8_t *memory; /* flash as bytes, by address */
    struct msp430_insn insn[0x8000 + 4];
};

struct machine;

/* Decodes the even addresses in [first, last). `known` says what each byte is (machine_flash_kind). */
void msp430_decode_range(const struct machine *m, struct msp430_code *code, const uint8_t *known, uint32_t first,
                         uint32_t last);

/* The length in bytes of the instruction with this first word: 2, 4 or 6. */
unsigned msp430_length(uint16_t opcode);

#endif
