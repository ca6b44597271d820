/* Faults: what a firmware did that a real chip would hide, and how it came there. */
#ifndef MOTET_FAULT_H
#define MOTET_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/types.h"

#include "motet/base/begin.h"

enum motet_fault_kind {
    MOTET_FAULT_ILLEGAL_OPCODE,
    MOTET_FAULT_ERASED_FLASH,
    MOTET_FAULT_EXECUTES_DATA,
    MOTET_FAULT_OUTSIDE_FLASH,
    MOTET_FAULT_STACK_OVERFLOW,
    MOTET_FAULT_OUTSIDE_MEMORY,
    MOTET_FAULT_NULL_WRITE,
    MOTET_FAULT_MISALIGNED,
    MOTET_FAULT_TRAP,        /* the firmware gave itself up; see motet_trap_cause */
    MOTET_FAULT_UNSPECIFIED, /* a device was used in a way for which its datasheet promises nothing */
    MOTET_FAULT_KINDS,
};

/* The default is a warning for MOTET_FAULT_UNSPECIFIED, and a stop for all other kinds. */
enum motet_fault_action { MOTET_FAULT_DEFAULT, MOTET_FAULT_STOP, MOTET_FAULT_WARN, MOTET_FAULT_IGNORE };

/* Why a firmware trapped: what a check that its compiler put in (-fsanitize=...) has found, or its own doing. Found
 * from the comparison that led to the trap and from the options of the compiler in debug information. */
enum motet_trap_cause {
    MOTET_TRAP_UNKNOWN,
    MOTET_TRAP_ABORT, /* the firmware called abort() */
    MOTET_TRAP_ASSERTION,
    MOTET_TRAP_STACK_SMASHED,
    MOTET_TRAP_BOUNDS,
    MOTET_TRAP_NULL,
    MOTET_TRAP_DIVISION,
    MOTET_TRAP_SHIFT,
    MOTET_TRAP_OVERFLOW,
    MOTET_TRAP_ZERO,  /* one of NULL and DIVISION: the compiler checks for both, or its options are unknown */
    MOTET_TRAP_RANGE, /* likewise one of BOUNDS and SHIFT */
    MOTET_TRAP_CAUSES,
};

struct motet_fault {
    enum motet_fault_kind kind;
    uint32_t pc;      /* byte address of the instruction */
    uint32_t address; /* data address touched, where that applies */
    uint32_t sp;
    uint32_t value; /* opcode or value written */
    uint64_t tick;
    enum motet_trap_cause cause;
    int64_t index;  /* of MOTET_TRAP_BOUNDS and _RANGE: the index (or the number of bits), */
    uint32_t bound; /* and the first one too large; 0: neither is known */
};

const char *motet_fault_name(enum motet_fault_kind kind); /* "stack-overflow" */
const char *motet_trap_name(enum motet_trap_cause cause); /* "null-pointer" */
void motet_node_on_fault(motet_node *n, enum motet_fault_kind kind, enum motet_fault_action action);
const struct motet_fault *motet_node_fault(const motet_node *n); /* the last one, NULL if there was none */

/* What happened, where, and how it came there, in a few lines ending in a newline each. Returns the length. */
size_t motet_node_explain(const motet_node *n, const struct motet_fault *f, char *text, size_t size);

/* The call chain as it is now: code addresses, innermost first. Those found by searching the stack rather than by debug
 * information are marked. Returns how many. */
struct motet_frame {
    uint32_t pc;
    bool guessed;
};
size_t motet_node_frames(const motet_node *n, struct motet_frame *frames, size_t count);

#include "motet/base/end.h"

#endif
