/* Moves: an interface log in the order in which a program elsewhere executes the component (target/native/component.c,
 * a node on a serial line).
 *
 * The replay on the simulated chip goes first: it knows what the component has handed out and what code outside had
 * changed. Addresses become places (places.h). Invariant: whoever makes all moves in order, and finds everything equal
 * that a move compares, has executed the component as the simulated chip did.
 */
#ifndef INTERFACE_MOVES_H
#define INTERFACE_MOVES_H

#include "base/pack.h"
#include "interface/places.h"
#include "interface/replay.h"

/* A move has four words of 32 bits: the kind, and these. What follows it is in words of its own. */
enum move_kind {
    MOVE_END,          /* status: 1 if the simulated chip deviates there */
    MOVE_OBJECT,       /* an object that is new, its size there */
    MOVE_PUT,          /* object, offset, size; the bytes follow */
    MOVE_PUT_POINTER,  /* object, offset; a MOVE_POINTER follows */
    MOVE_READ,         /* as MOVE_PUT, when the component reads there */
    MOVE_READ_POINTER, /* likewise */
    MOVE_SAME,         /* as MOVE_PUT, to be compared */
    MOVE_SAME_POINTER, /* likewise */
    MOVE_CALL_IN,      /* number of the function, of values, of the event; values follow */
    MOVE_RETURN_IN,    /* likewise; the values and what follows are compared */
    MOVE_CALL_OUT,     /* likewise */
    MOVE_RETURN_OUT,   /* number of the function, of values, of the event; a value follows */
    MOVE_VALUE,        /* size, low and high half */
    MOVE_POINTER,      /* object, offset, value on the node */
    MOVE_RESTART,      /* calls that are under way end: logging begins anew */
};

struct move {
    uint32_t kind, a, b, c;
};

struct moves {
    struct places places;
    struct pack list; /* of struct move, and bytes, in the order of this computer */
    uint64_t events;
};

/* To be called before the replay begins; `growth` as in places.h. False with a sentence if the component cannot be
 * executed elsewhere. */
struct moves *moves_new(struct component_replay *r, const struct machine *m, uint32_t growth, struct motet_error *e);
void moves_free(struct moves *m); /* NULL is allowed */

/* After it: the last move. False with a sentence if something was met that cannot be executed elsewhere. */
bool moves_end(struct moves *m, bool deviates, struct motet_error *e);

/* The name of a function by its number; NULL if there is none. Numbers are those of the log on the node. */
const char *moves_function(const struct moves *m, uint32_t number);
enum { MOVES_FUNCTIONS = 0x70 };

#endif
