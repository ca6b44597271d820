/* What all operations share: how flags are kept, what operands are, and how memory is reached.
 *
 * The operations are described once (here and in execute_operations.h) and compiled twice, as those of the other
 * instruction set: into the loop (execute_loop.h), and as functions of their own, from which hot code is put together
 * (translate/operations_msp430.c). Invariant: what they are written in (LOOK, GO, LOAD_SLOWLY and so on) is all that
 * differs between the two.
 */
#ifndef ISA_MSP430_EXECUTE_SHARED_H
#define ISA_MSP430_EXECUTE_SHARED_H

#include <string.h>

#include "isa/msp430/code.h"
#include "isa/msp430/msp430.h"
#include "node/node.h"

/* Flags are kept apart, each in the form that is cheapest to produce: carry as 0 or 1; Z and N, which are always set
 * together, as the result (bytes moved up by 8: the low 16 bits are zero when Z is set, bit 15 is N; where software has
 * set both, bit 16 is N); V as a value whose bit 15 is the flag. They join the other bits of SR only when it is read.
 * Accesses other than to plain RAM are separate functions, so that the many forms of an instruction stay small.
 */

static inline uint16_t word_at(const uint8_t *at)
{
    uint16_t v;
    memcpy(&v, at, 2);
    return v;
}

static inline void set_word_at(uint8_t *at, uint32_t value)
{
    uint16_t v = (uint16_t)value;
    memcpy(at, &v, 2);
}

/* What the loop has in host registers, packed to go into a slow access. */
typedef uint64_t flags_t; /* the result in the high half, V's value and C in the low */

enum { FLAGS = MSP430_C | MSP430_Z | MSP430_N | MSP430_V };

/* Bit 15 is N. */
#define SIGN_OF(result) ((result) | (result) >> 1)

static inline unsigned flags_in_sr(flags_t f)
{
    uint32_t result = (uint32_t)(f >> 32);
    return (f & MSP430_C) | ((uint16_t)result == 0 ? MSP430_Z : 0u) | (SIGN_OF(result) >> 13 & MSP430_N) |
           (f >> 7 & MSP430_V);
}

/* Whether a load that is not one of plain RAM is one of program memory as it stands in the code. */
static inline bool reads_program(const struct node *n, unsigned mark)
{
    return (mark & (PAGE_PROGRAM | PAGE_WATCHED)) == PAGE_PROGRAM && !n->code_reads_differ;
}

#define FLAGS_NOW ((flags_t)fr << 32 | (fv & 0x8000) | fc)

/* ---- memory ---- */

#define LOAD(to, address, size, plain, fetch, offset) \
    do {                                              \
        uint32_t a_ = (uint16_t)(address);            \
        if (__builtin_expect(plain, 1)) {             \
            (to) = fetch;                             \
        } else {                                      \
            LOAD_SLOWLY(to, a_, size, offset);        \
        }                                             \
    } while (0)
#define PLAIN_W                     (!(n->page[a_ >> PAGE_BITS] | (a_ & 1)))
#define PLAIN_B                     (!n->page[a_ >> PAGE_BITS])
#define LOAD_W(to, address, offset) LOAD(to, address, 2, PLAIN_W, word_at(data + a_), offset)
#define LOAD_B(to, address, offset) LOAD(to, address, 1, PLAIN_B, data[a_], offset)
#define STORE(address, value, size, plain, put, offset) \
    do {                                                \
        uint32_t a_ = (uint16_t)(address);              \
        uint16_t v_ = (uint16_t)(value);                \
        if (__builtin_expect(plain, 1))                 \
            put;                                        \
        else                                            \
            STORE_SLOWLY(a_, size, offset, v_);         \
    } while (0)
#define STORE_W(address, value, offset) STORE(address, value, 2, PLAIN_W, set_word_at(data + a_, v_), offset)
#define STORE_B(address, value, offset) STORE(address, value, 1, PLAIN_B, data[a_] = (uint8_t)v_, offset)
#define PUSH(value, offset)                                         \
    do {                                                            \
        uint32_t sp_ = R[MSP430_SP] = (uint16_t)(R[MSP430_SP] - 2); \
        uint16_t p_ = (uint16_t)(value);                            \
        if (__builtin_expect(sp_ - stack_low < stack_span, 1)) {    \
            set_word_at(data + sp_, p_);                            \
        } else {                                                    \
            PUSH_SLOWLY(sp_, offset, p_);                           \
        }                                                           \
    } while (0)

/* ---- operands: words taken, cycles and access, by mode (SLAU049, table 3-16) ---- */

#define STEP_W          2
#define STEP_B          1
#define LOW_W(v)        (v)
#define LOW_B(v)        ((v)&0xff)

#define SOURCE_WORDS_R  0
#define SOURCE_WORDS_C  0
#define SOURCE_WORDS_N  1
#define SOURCE_WORDS_X  1
#define SOURCE_WORDS_A  1
#define SOURCE_WORDS_D  0
#define SOURCE_WORDS_P  0
#define SOURCE_CYCLES_R 0
#define SOURCE_CYCLES_C 0
#define SOURCE_CYCLES_N 1
#define SOURCE_CYCLES_X 2
#define SOURCE_CYCLES_A 2
#define SOURCE_CYCLES_D 1
#define SOURCE_CYCLES_P 1
#define TARGET_WORDS_R  0
#define TARGET_WORDS_X  1
#define TARGET_WORDS_A  1
#define TARGET_CYCLES_R 0
#define TARGET_CYCLES_X 3
#define TARGET_CYCLES_A 3

#define SOURCE_R(size)  s = LOW_##size(R[ip->s])
#define SOURCE_C(size)  s = LOW_##size(ip->sx)
#define SOURCE_N(size)  s = LOW_##size(ip->sx)
#define SOURCE_X(size)  LOAD_##size(s, R[ip->s] + ip->sx, 2)
#define SOURCE_A(size)  LOAD_##size(s, ip->sx, 2)
#define SOURCE_D(size)  LOAD_##size(s, R[ip->s], 1)
#define SOURCE_P(size)                                 \
    do {                                               \
        LOAD_##size(s, R[ip->s], 1);                   \
        R[ip->s] = (uint16_t)(R[ip->s] + STEP_##size); \
    } while (0)

#define PLACE_R                  0
#define PLACE_X                  R[ip->d] + ip->dx
#define PLACE_A                  ip->dx
#define READ_R(size, offset)     d = LOW_##size(R[ip->d])
#define READ_X(size, offset)     LOAD_##size(d, place, offset)
#define READ_A(size, offset)     LOAD_##size(d, place, offset)
#define WRITE_R(size, v, offset) R[ip->d] = (uint16_t)LOW_##size(v)
#define WRITE_X(size, v, offset) STORE_##size(place, v, offset)
#define WRITE_A(size, v, offset) STORE_##size(place, v, offset)

/* ---- what the instructions do; `size` decides where the sign and the carry are ---- */

#define UP_W(v)    (v)
#define UP_B(v)    ((v) << 8)
#define CARRY_W(v) ((v) >> 16 & 1)
#define CARRY_B(v) ((v) >> 8 & 1)
#define FULL_W     0xffffu
#define FULL_B     0xffu

#define SUM(size, a, b, carry)                               \
    do {                                                     \
        uint32_t x_ = (a), y_ = (b), r_ = x_ + y_ + (carry); \
        fc = CARRY_##size(r_);                               \
        fv = UP_##size((x_ ^ r_) & (y_ ^ r_));               \
        result = r_ & FULL_##size;                           \
        fr = UP_##size(result);                              \
    } while (0)
#define LOGIC(size, value, overflow) \
    do {                             \
        result = (value);            \
        fc = result != 0;            \
        fr = UP_##size(result);      \
        fv = UP_##size(overflow);    \
    } while (0)

#define DO_MOV(size)  result = s
#define DO_ADD(size)  SUM(size, s, d, 0)
#define DO_ADDC(size) SUM(size, s, d, fc)
#define DO_SUBC(size) SUM(size, s ^ FULL_##size, d, fc)
#define DO_SUB(size)  SUM(size, s ^ FULL_##size, d, 1)
#define DO_CMP(size)  SUM(size, s ^ FULL_##size, d, 1)
#define DO_BIT(size)  LOGIC(size, s &d, 0)
#define DO_BIC(size)  result = d & ~s
#define DO_BIS(size)  result = d | s
#define DO_XOR(size)  LOGIC(size, s ^ d, s & d)
#define DO_AND(size)  LOGIC(size, s &d, 0)

/* MOV does not read its destination; CMP and BIT do not write it. */
#define READS_MOV(read)
#define READS_ADD(read)    read
#define READS_ADDC(read)   read
#define READS_SUBC(read)   read
#define READS_SUB(read)    read
#define READS_CMP(read)    read
#define READS_BIT(read)    read
#define READS_BIC(read)    read
#define READS_BIS(read)    read
#define READS_XOR(read)    read
#define READS_AND(read)    read
#define WRITES_MOV(write)  write
#define WRITES_ADD(write)  write
#define WRITES_ADDC(write) write
#define WRITES_SUBC(write) write
#define WRITES_SUB(write)  write
#define WRITES_CMP(write)
#define WRITES_BIT(write)
#define WRITES_BIC(write) write
#define WRITES_BIS(write) write
#define WRITES_XOR(write) write
#define WRITES_AND(write) write

#define FORM(name, size, source, target)                                 \
    OP(name##_##size##_##source##_##target)                              \
    {                                                                    \
        enum {                                                           \
            words = 1 + SOURCE_WORDS_##source + TARGET_WORDS_##target,   \
            cycles = 1 + SOURCE_CYCLES_##source + TARGET_CYCLES_##target \
        };                                                               \
        uint32_t s, d = 0, result, place = 0;                            \
        SOURCE_##source(size);                                           \
        place = PLACE_##target;                                          \
        READS_##name(READ_##target(size, cycles - 2));                   \
        DO_##name(size);                                                 \
        WRITES_##name(WRITE_##target(size, result, cycles - 1));         \
        (void)d, (void)result, (void)place;                              \
        NEXT(words, cycles);                                             \
    }

#define JUMP_IF(condition)   \
    do {                     \
        if (condition)       \
            JUMP(ip->sx, 2); \
        NEXT(1, 2);          \
    } while (0)

#endif
