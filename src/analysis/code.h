/* Code: the functions of a firmware, and which of them a pointer may lead to.
 *
 * A function's address is taken if it stands as a pointer in data, or if instructions load it. Data is what no function
 * covers and no jump reaches. Invariant: a function that an indirect call can reach is in the list, as long as its
 * address is loaded or stored as a whole, and the file names its functions; the list may have others, too.
 */
#ifndef ANALYSIS_CODE_H
#define ANALYSIS_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct isa_abstract;

struct code {
    const struct machine *machine;
    const struct isa_abstract *isa;
    uint32_t reset;     /* byte address at which execution begins */
    uint32_t *entries;  /* of functions, ascending */
    size_t entry_count; /* 0: the file names no functions */
    uint32_t *taken;    /* of them, those whose address is taken */
    size_t taken_count;
    uint8_t *known;           /* of each byte: enum code_known */
    struct code_calls *calls; /* what the user knows of calls through pointers */
    size_t call_count, call_room;
};

/* Calls through pointers in the function that begins at `caller` lead to these functions and no others. */
struct code_calls {
    uint32_t caller;
    uint32_t *callees;
    size_t count, room;
};

enum code_known {
    CODE_REACHED = 1,  /* a jump or a fall leads there, or a function covers it */
    CODE_BOUNDARY = 2, /* an instruction of a function begins there */
};

void code_find(struct code *c, const struct machine *m);
void code_free(struct code *c);

/* Where the function that covers an address begins and ends; false if none does. */
bool code_function(const struct code *c, uint32_t address, uint32_t *first, uint32_t *end);

/* The calls through pointers in a function lead to this one, and to others that are given so, only. */
void code_allow(struct code *c, uint32_t caller, uint32_t callee);

/* The functions that a call through a pointer may lead to. */
const uint32_t *code_callees(const struct code *c, uint32_t at, size_t *count);

/* The address that a table in program memory holds there. */
uint32_t code_pointer(const struct code *c, uint32_t at);

#endif
