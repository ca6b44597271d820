/* What all operations share: how flags are kept, and how data memory and the stack are reached.
 *
 * The operations are in the execute_*.h files by group. They are described once and compiled twice: into the loop
 * (execute_loop.h), so that registers of the host hold the registers of the loop, and as functions of their own, from
 * which hot code is put together (translate/operations_avr.c). Invariant: what they are written in (LOOK, GO, REG and
 * so on) is all that differs between the two; an operation changes nothing that its reader cannot undo before the
 * first LOOK.
 */
#ifndef ISA_AVR_EXECUTE_SHARED_H
#define ISA_AVR_EXECUTE_SHARED_H

#include <string.h>

#include "isa/avr/avr.h"
#include "isa/avr/memory.h"
#include "node/machine.h"
#include "node/taps.h"

/* Flags are kept apart, each in the form that is cheapest to produce: carry as 0 or 1, Z as a value that is zero when
 * the flag is set, N, V and H as a value whose bit 7, 7 and 4 is the flag. S is N xor V, except after an instruction
 * that set one of the three alone: then bit 15 of V's value, which arithmetic leaves zero, says that S is the opposite.
 * They become SREG only when it is read.
 */
enum { SREG_N = 0x04, SREG_V = 0x08, SREG_S = 0x10, SREG_H = 0x20, SREG_T = 0x40, SREG_I = 0x80 };
enum { X = 26, Y = 28, Z = 30 };

static inline uint32_t pair(const uint8_t *r, unsigned at)
{
    uint16_t v;
    memcpy(&v, r + at, 2);
    return v;
}

static inline void set_pair(uint8_t *r, unsigned at, uint32_t value)
{
    uint16_t v = (uint16_t)value;
    memcpy(r + at, &v, 2);
}

static void instruction(struct node *n, enum instruction what)
{
    const struct device *d = n->machine->instructions[what].device;
    if (d)
        d->type->instruction(n, d, what);
}

/* ---- flags ---- */

#define FLAG_N (fn & 0x80)
#define FLAG_V (fv & 0x80)
#define FLAG_S ((fn ^ fv ^ fv >> 8) & 0x80)
#define FLAG_H (fh & 0x10)
#define SREG_GET() \
    ((uint8_t)(it | (FLAG_H << 1) | (FLAG_S >> 3) | (FLAG_V >> 4) | (FLAG_N >> 5) | ((fz == 0) << 1) | fc))
#define SREG_SET(value)                                                      \
    do {                                                                     \
        unsigned s_ = (value);                                               \
        it = s_ & 0xc0;                                                      \
        fh = s_ >> 1 & 0x10;                                                 \
        fv = (s_ << 4 & 0x80) | ((s_ << 11 ^ s_ << 12 ^ s_ << 13) & 0x8000); \
        fn = s_ << 5 & 0x80;                                                 \
        fz = ~s_ & 2;                                                        \
        fc = s_ & 1;                                                         \
    } while (0)

/* ---- data memory ---- */

/* Memory without side effects and watches. */
#define PLAIN(a) (__builtin_expect(!n->page[(a) >> PAGE_BITS], 1) || taps_miss(n, n->page[(a) >> PAGE_BITS], (a), 1))
#define LOAD(address, to, offset)                         \
    do {                                                  \
        uint32_t a_ = (uint16_t)(address);                \
        if (PLAIN(a_)) {                                  \
            (to) = r[a_];                                 \
        } else {                                          \
            LOOK(offset);                                 \
            uint8_t v_ = avr_load(n, HERE, (uint16_t)a_); \
            LOOKED();                                     \
            (to) = v_;                                    \
        }                                                 \
    } while (0)
#define STORE(address, value, offset)             \
    do {                                          \
        uint32_t a_ = (uint16_t)(address);        \
        uint8_t v_ = (value);                     \
        if (PLAIN(a_)) {                          \
            r[a_] = v_;                           \
        } else {                                  \
            bool was_off_ = !(it & SREG_I);       \
            LOOK(offset);                         \
            avr_store(n, HERE, (uint16_t)a_, v_); \
            LOOKED_STACK();                       \
            if (was_off_ && (it & SREG_I))        \
                INTERRUPTS_ALLOWED(2);            \
        }                                         \
    } while (0)

/* Pushes to [stack_low, stack_low + stack_span) are plain stores. */
#define PUSH(value, offset)                                     \
    do {                                                        \
        uint8_t v_ = (uint8_t)(value);                          \
        if (__builtin_expect(sp - stack_low < stack_span, 1)) { \
            r[sp] = v_;                                         \
        } else {                                                \
            bool was_off_ = !(it & SREG_I);                     \
            LOOK(offset);                                       \
            avr_push_slow(n, HERE, (uint16_t)sp, v_);           \
            LOOKED_STACK();                                     \
            if (was_off_ && (it & SREG_I))                      \
                INTERRUPTS_ALLOWED((offset) + 1);               \
        }                                                       \
        sp = (uint16_t)(sp - 1);                                \
    } while (0)
/* SP changes last, so that a log that is replayed finds everything as it was before the instruction. */
#define POP(to, offset)           \
    do {                          \
        LOAD(sp + 1, to, offset); \
        sp = (uint16_t)(sp + 1);  \
    } while (0)

#endif
