/* Owned objects: what of memory only the code inside a component changes, as far as its source shows that.
 *
 * Addresses are followed from variables to pointers, parameters and results of functions of the source. An object is
 * *shared* if code outside can reach it: it is defined elsewhere, or its address gets out. What a
 * pointer leads to is shared if that is not known, or if one of its objects is. Invariant: what is not called shared is
 * changed by code inside alone, short of writes astray.
 */
#ifndef REWRITE_OWNED_H
#define REWRITE_OWNED_H

#include "rewrite/pass.h"

/* Which side a function is on, by its declaration. */
enum owned_side { OWNED_OUTSIDE, OWNED_INSIDE, OWNED_LIBRARY };

struct owned {
    struct pass *p;
    const uint8_t *sides; /* enum owned_side of each function, by the node of its first declaration */
    const bool *entered;  /* functions that code outside may call, likewise */
    const bool *foreign;  /* variables that are defined outside, by the node of their declaration */
    struct owned_edge {
        int from, to; /* nodes: variables, parameters, functions for their results */
    } * edges;
    size_t edge_count, edge_room;
    bool *leaks;  /* by node: the address or value gets out */
    bool *shared; /* what it is, or leads to, may be changed outside */
};

void owned_find(struct owned *o);
void owned_free(struct owned *o);

/* Whether an lvalue that is read, or what a pointer expression leads to, may have been changed outside. */
bool owned_is_shared(const struct owned *o, int lvalue);
bool owned_leads_to_shared(const struct owned *o, int pointer);

/* Whether the result of a function is the address of an object that is not shared otherwise: if code outside calls it,
 * the object is. By the function's declaration. */
bool owned_gives(const struct owned *o, int function);

/* Copying functions of libraries: the parameters that they read through, as bits; 0: it is none. And how many bytes
 * they read; 0: a parameter or the end of a text says that. */
unsigned owned_copies(const char *name);
unsigned owned_copied(const char *name);

#endif
