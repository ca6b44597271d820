/* Decoded AVR code: one entry a word of flash, immutable and shared by every node with the same firmware.
 *
 * Everything that can be known before running is worked out here: operands, branch targets, how far a skip goes,
 * whether an I/O register is plain memory, whether a word is code at all. Invariant: code->insn[pc] is valid for every
 * pc in 0..words, for any contents of the flash; the entries past the end fault. Translation to host code starts from
 * the same entries (isa/heat.h), and marks those that begin translated code. That, and marks of loops that turn out not
 * to wait (isa/wait.h), is all that ever changes in shared code.
 */
#ifndef ISA_AVR_CODE_H
#define ISA_AVR_CODE_H

#include <stdint.h>

/* Operations. Where a name carries a suffix the decoder has chosen among ways to do the same instruction. The groups
 * and their order matter to decode.c: flags follow the bits of SREG, and what computes a register stands together. */
/* clang-format off */
#define AVR_BRANCHES(X) \
    X(BRCS) X(BREQ) X(BRMI) X(BRVS) X(BRLT) X(BRHS) X(BRTS) X(BRIE) \
    X(BRCC) X(BRNE) X(BRPL) X(BRVC) X(BRGE) X(BRHC) X(BRTC) X(BRID)
#define AVR_OPERATIONS(X) \
    X(NOP) \
    X(ADD) X(ADC) X(LSL) X(ROL) X(SUB) X(SUBI) X(SBC) X(SBCI) X(AND) X(ANDI) X(OR) X(ORI) X(EOR) X(CLR) X(COM) X(NEG) \
    X(INC) X(DEC) X(SWAP) X(ASR) X(LSR) X(ROR) X(BLD) \
    X(IN) X(IN_PLAIN) X(IN_SREG) X(IN_SPL) X(IN_SPH) \
    X(ADIW) X(SBIW) \
    X(MUL) X(MULS) X(MULSU) X(FMUL) X(FMULS) X(FMULSU) \
    X(CP) X(CPC) X(CPI) X(TST) X(BST) \
    X(MOV) X(MOVW) \
    X(LDI) X(LDS) X(LD_X) X(LD_X_INC) X(LD_X_DEC) X(LDD_Y) X(LD_Y_INC) X(LD_Y_DEC) X(LDD_Z) X(LD_Z_INC) X(LD_Z_DEC) \
    X(POP) X(LPM) X(LPM_INC) X(ELPM) X(ELPM_INC) \
    X(STS) X(STS_HEAP) X(ST_X) X(ST_X_INC) X(ST_X_DEC) X(STD_Y) X(ST_Y_INC) X(ST_Y_DEC) X(STD_Z) X(ST_Z_INC) \
    X(ST_Z_DEC) X(PUSH) X(SPM) \
    X(OUT) X(OUT_PLAIN) X(OUT_SREG) X(OUT_SPL) X(OUT_SPH) X(SBI) X(CBI) X(SBI_PLAIN) X(CBI_PLAIN) \
    X(RJMP) X(RJMP_SELF) X(JMP) X(JMP_OUTSIDE) X(IJMP) X(EIJMP) X(RCALL) X(CALL) X(CALL_OUTSIDE) X(ICALL) X(EICALL) \
    X(RET) X(RETI) \
    AVR_BRANCHES(X) \
    X(CPSE) X(SBRC) X(SBRS) X(SBIC) X(SBIS) X(SBIC_PLAIN) X(SBIS_PLAIN) \
    X(SEC) X(SEZ) X(SEN) X(SEV) X(SES) X(SEH) X(SET) X(SEI) X(CLC) X(CLZ) X(CLN) X(CLV) X(CLS) X(CLH) X(CLT) X(CLI) \
    X(SLEEP) X(WDR) X(BREAK) \
    X(ILLEGAL) X(ERASED) X(DATA) X(OUTSIDE)
/* clang-format on */

enum avr_operation {
#define X(name) AVR_##name,
    AVR_OPERATIONS(X)
#undef X
        AVR_OPERATION_COUNT
};

/* Added to an operation: where a mark lies (node/taps.h), in a node's own code only; to a branch or skip that leads to
 * a trap (node/trap.h) one way but not the other; to the first instruction of a function that is called to trap; where
 * translated code begins (isa/heat.h), in shared code only and beside no other mark; to a branch that may close a loop
 * that only waits (isa/wait.h), which has none of the three before. */
enum {
    AVR_MARK = 0x100,
    AVR_CHECK = 0x200,
    AVR_TRAP = 0x400,
    AVR_HOT = 0x800,
    AVR_WAIT = 0x1000,
    AVR_MARKS = AVR_MARK | AVR_CHECK | AVR_TRAP | AVR_HOT | AVR_WAIT
};

struct avr_insn {
    uint16_t op;
    uint8_t d;  /* destination register, or bit mask */
    uint8_t r;  /* source register, immediate, displacement, bit number; for OUT_SPL and OUT_SPH: SP moves by a frame;
                 * of what goes to a trap: how many checks lead here; with AVR_WAIT: traces in vain, or how it polls
                 * (wait.h) */
    uint32_t k; /* jump target (word address), data address, or opcode of what cannot run */
};

/* How many words before an instruction can matter to its entry. */
enum { AVR_CODE_LOOK_BACK = 16 };

/* Entries past the end, since a skip over a two-word instruction in the last word goes that far. */
enum { AVR_CODE_PAST = 3 };

struct avr_code {
    uint32_t words;       /* flash size in words; a power of two */
    const uint8_t *flash; /* bytes, for LPM */
    struct avr_insn insn[];
};

struct machine;

/* Decodes the words in [first, last) of `flash` into code->insn, given what is known of each byte (machine_flash_kind).
 */
void avr_decode_range(const struct machine *m, struct avr_code *code, const uint8_t *known, uint32_t first,
                      uint32_t last);

/* Words the instruction at `opcode` takes: 1 or 2. */
unsigned avr_words(uint16_t opcode);

#endif
