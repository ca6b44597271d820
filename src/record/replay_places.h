/* Places of a firmware that records at which its replay has something to do, and what they are called.
 *
 * Invariant: places are in order of their addresses once replay_find_places is through. */
#ifndef RECORD_REPLAY_PLACES_H
#define RECORD_REPLAY_PLACES_H

#include "chip/chip.h"
#include "isa/isa.h"
#include "record/replay.h"

enum entry {
    ENTRY_NONE,
    ENTRY_READ8,
    ENTRY_READ16,
    ENTRY_BLOCK,
    ENTRY_POINTER8,
    ENTRY_POINTER16,
    ENTRY_WRAPPED,
    ENTRY_BREATHE, /* halfway round, with cycle stamps */
    ENTRY_BEGIN,
    ENTRY_IDLE,
    ENTRY_FLUSH,
    ENTRY_FREEZE,
    ENTRY_CLEAR,
    ENTRY_POLLED, /* after a loop that polls, with cycle stamps */
    ENTRY_VECTOR,
    ENTRY_ROUTINE, /* recorded as a whole: in assembly its call, in C itself */
    ENTRY_POLL,    /* not the recorder: a loop that waits for a register, of which nothing was recorded */
    ENTRIES
};

extern const char *const replay_entry_names[ENTRIES];

/* Whether the recorder's worker may go on in it: interrupts then come at its entry, and checkpoints are taken there. */
static inline bool replay_hosts_worker(enum entry entry)
{
    return entry == ENTRY_IDLE || (entry >= ENTRY_READ8 && entry <= ENTRY_BREATHE && entry != ENTRY_BLOCK);
}

struct place {
    uint32_t address, to; /* to: of a vector, its handler */
    enum entry entry;
    struct poll {
        uint8_t register_number, size; /* that holds what was read */
        uint16_t leave, stay;          /* values that end the loop, and that keep it going */
        bool puts;                     /* no loop: what it holds goes to data address `leave` */
        bool waits;                    /* precompiled: none of these, but */
        struct isa_wait wait;
    } poll;
    struct routine {
        uint32_t call_end, first, end; /* the call's code from `address` on, and the routine's own */
        unsigned site;                 /* of its result */
        bool whole;                    /* in C: its result is recorded after it */
        bool calls;                    /* others, perhaps, in which it can be interrupted, and which may count */
    } routine;
};

struct replay {
    const struct log_part *part;
    struct chip_device device;
    struct place *places;
    size_t place_count;
    uint32_t idle;        /* where motet_idle is entered */
    uint32_t count;       /* data address of motet_count */
    uint32_t uncounted;   /* and of motet_uncounted */
    bool stamped;         /* interrupts have cycle stamps (replay_stamps.h) */
    unsigned least;       /* the stamp if no cycle was executed since the exit from the recorder */
    unsigned count_first; /* what motet_count is after an event */
    unsigned count_wraps; /* the firmware counts in its low byte alone, and the recorder adds this when that wraps */
    bool by_bytes;        /* registers are of 8 bits */
    uint32_t first, last; /* data addresses of what start-up code initialises */
    struct replay_register *registers;
    size_t register_count;
    struct replay_hold *holds; /* the plan */
    size_t hold_count;
    const char **sites; /* by number: the register that is read there */
    char *site_names;
    size_t site_count;
    uint8_t changing[UNKNOWN_DEVICES]; /* by data address: bits that the log alone knows */
    uint8_t filled[UNKNOWN_SPACE / 8]; /* bits of memory that DMA writes to (section .motet.filled) */
    replay_listener *listener;         /* NULL: none */
    void *listener_context;
    uint16_t pairs[UNKNOWN_PAIRS]; /* data addresses of registers that are written through TEMP */
    unsigned pair_count;
};

/* All there are in the firmware. False, with a sentence, if it does not record. */
bool replay_find_places(struct replay *r, const struct image *image, const struct isa *isa, struct motet_error *e);

/* What is read at the sites of recorded reads, if the firmware says so (section .motet.sites). */
void replay_find_sites(struct replay *r, const struct image *image);
const char *replay_site_name(const struct replay *r, unsigned site); /* "" if not known */

/* Or NULL. */
const struct place *replay_place_at(const struct replay *r, uint32_t address);

#endif
