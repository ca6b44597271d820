/* Motet: timelines, and nodes as debuggers address them: what a server for gdb (src/gdb is one), a bridge to an IDE or
 * a test tool is written on.
 *
 * A timeline is a life that can be gone through forward and backward: of a
 * network (of one node that replays a log, for example), of a saved run. Going forward it keeps snapshots; going back
 * is restoring one of them and running forward again.
 *
 * Invariant: every position is reached with the same state, the same digest, however it is reached: by running,
 * stepping, seeking or searching, with stops or without, for the first time or again. What is done to the nodes from
 * outside is given through the timeline or done by its actor, and belongs to its position: undone by going back before
 * it, done again by going forward. Given in the past it makes another future, and what was known of the old one is
 * forgotten. Looking changes nothing.
 *
 * From its making to its end the nodes are run by their timeline alone. A timeline is for one thread at a time. Taps
 * and observers see again what is executed again.
 *
 * Times are nanoseconds; motet_timeline_time gives that of a node's tick. Nodes are numbered as they were added.
 */
#ifndef MOTET_TIMELINE_H
#define MOTET_TIMELINE_H

#include "motet/debugger.h"
#include "motet/network.h"
#include "motet/node.h"
#include "motet/saved.h"
#include "motet/watch.h"

#include "motet/base/begin.h"

typedef struct motet_timeline motet_timeline;

struct motet_timeline_options {
    size_t memory;                      /* bytes for snapshots, the rest is on disk; 0: 256 MB */
    struct motet_actor actor;           /* changes the run at times it chooses; without `act`: none */
    bool (*interrupted)(void *context); /* asked now and then while something long is under way; may be NULL */
    void *context;
};

/* What they are given, as it is, is the beginning of history; a saved run goes to its beginning. */
motet_timeline *motet_timeline_of_network(motet_network *n, const struct motet_timeline_options *o);
motet_timeline *motet_timeline_of_saved_run(motet_saved_run *r, const struct motet_timeline_options *o);
void motet_timeline_free(motet_timeline *t); /* before the nodes, which stay where they are; NULL is allowed */

uint32_t motet_timeline_count(const motet_timeline *t);
const motet_node *motet_timeline_node(const motet_timeline *t, uint32_t number); /* NULL past the last */

/* ---- where it is ---- */

/* A cut through the order of all instructions, which is by the time they begin at and then by node. */
enum motet_phase { MOTET_PHASE_WAITING, MOTET_PHASE_READY, MOTET_PHASE_ENDED };
struct motet_position {
    uint64_t now;
    enum motet_phase phase;
    uint32_t node;         /* READY: whose instruction is the next thing to happen */
    uint64_t instructions; /* done by that node */
    size_t inputs;         /* given so far */
};
struct motet_position motet_timeline_position(const motet_timeline *t);
int motet_position_compare(struct motet_position a,
                           struct motet_position b); /* below 0: a comes before b; 0: the same */

uint64_t motet_timeline_now(const motet_timeline *t);
uint64_t motet_timeline_until(const motet_timeline *t); /* where a saved run ends; MOTET_NEVER for all others */
uint64_t motet_timeline_time(const motet_timeline *t, uint32_t node, uint64_t tick); /* of a tick of the node's */
void motet_timeline_digest(const motet_timeline *t, char text[MOTET_DIGEST_TEXT]);

/* The node has been switched on, and not off since. */
bool motet_timeline_powered(const motet_timeline *t, uint32_t node);

/* ---- going ---- */

enum motet_timeline_why {
    MOTET_TIMELINE_REACHED,     /* what was asked for */
    MOTET_TIMELINE_STOP,        /* an address stop, before its instruction */
    MOTET_TIMELINE_WATCH,       /* a watch: after the instruction going forward, before it going backward */
    MOTET_TIMELINE_BEGIN,       /* the beginning of history */
    MOTET_TIMELINE_END,         /* everything has ended; of a step: the node */
    MOTET_TIMELINE_INTERRUPTED, /* see motet_timeline_options */
    MOTET_TIMELINE_EXIT,        /* a node has ended, the others can go on */
    MOTET_TIMELINE_LIMIT,       /* of a step: its time is over before the instruction is done */
};

struct motet_timeline_event {
    enum motet_timeline_why why;
    uint32_t node;    /* STOP, WATCH, EXIT: which */
    uint32_t address; /* WATCH: the data address that was touched, */
    unsigned kind;    /* and how: MOTET_READ or MOTET_WRITE */
};

/* One instruction of a node, or the rest of its wait, while the others keep up with it; not beyond a time. */
struct motet_timeline_event motet_timeline_step(motet_timeline *t, uint32_t node, uint64_t until);
struct motet_timeline_event motet_timeline_run(motet_timeline *t, uint64_t until); /* or to a stop before */

/* To a time or to where it has been, forward or backward, past all stops. Time 0 is the beginning. */
struct motet_timeline_event motet_timeline_seek(motet_timeline *t, uint64_t time);
struct motet_timeline_event motet_timeline_go(motet_timeline *t, struct motet_position to);

struct motet_timeline_event motet_timeline_step_back(motet_timeline *t, uint32_t node);
struct motet_timeline_event motet_timeline_run_back(motet_timeline *t); /* to the last stop or watch before */

/* ---- stops ---- */

#define MOTET_TIMELINE_WATCHES 64 /* on a node, at most */

struct motet_timeline_watch {
    uint32_t first, last; /* data addresses */
    unsigned kinds;       /* MOTET_READ, MOTET_WRITE or both */
};

/* Replaces all stops of a node: byte addresses of instructions, and watches. False, and nothing is changed, if there
 * are too many. */
bool motet_timeline_stops(motet_timeline *t, uint32_t node, const uint32_t *addresses, size_t address_count,
                          const struct motet_timeline_watch *watches, size_t watch_count);

/* Address stops count only where `counts` says so, which is asked with the node standing there (a condition): from the
 * node's thread, and in any order of time. NULL: always. */
typedef bool motet_timeline_counts(void *context, uint32_t node);
void motet_timeline_filter(motet_timeline *t, motet_timeline_counts *counts, void *context);

/* The stop at the next instruction is met by the next run, though it was met or passed already. */
void motet_timeline_heed(motet_timeline *t);

/* ---- giving ---- */

enum motet_input_kind {
    MOTET_INPUT_SERIAL,   /* bytes for port `where` */
    MOTET_INPUT_PIN,      /* pin `where` is driven as `value` says (enum motet_drive) */
    MOTET_INPUT_REGISTER, /* register `where`, as debuggers number them, becomes `value` */
    MOTET_INPUT_DATA,     /* bytes to data address `where`, */
    MOTET_INPUT_EEPROM,   /* to an address of EEPROM, which begins at 0, */
    MOTET_INPUT_CODE,     /* to a byte address of program memory */
    MOTET_INPUT_RESET,    /* as by the reset pin */
};

struct motet_input {
    enum motet_input_kind kind;
    uint32_t where, value;
    const void *bytes;
    size_t size;
};

/* Does something to a node, here and now. False if there is no such place, or if the node has ended or has no power. */
bool motet_timeline_give(motet_timeline *t, uint32_t node, const struct motet_input *i);

/* ---- what was on the air, and what is kept ---- */

/* Transmissions are known from what was executed: all that began and ended between motet_timeline_air_since() and now.
 * After a jump that may be nothing. motet_timeline_find_air executes again what lies before now, farther and farther
 * back, until so many are known or the beginning is reached, and ends where it began; false if it was interrupted. */
bool motet_timeline_find_air(motet_timeline *t, size_t most);
uint64_t motet_timeline_air_since(const motet_timeline *t);

/* The last of them but `number`; false where there is none. The bytes are valid until the timeline moves. */
bool motet_timeline_transmission(const motet_timeline *t, size_t number, struct motet_transmission *is);

/* One as a line: "0.057000 s, node 3, 0.704 ms: data 3 to ffff from 0003, 12 bytes: 3f 06". Returns `text`. */
char *motet_transmission_text(const struct motet_transmission *is, char *text, size_t size);

/* The run up to here, as a saved run for motet_saved_run_open; false if that cannot be: where something was given to
 * nodes before, other than by the actor. */
bool motet_timeline_save(motet_timeline *t, const char *path, struct motet_error *e);

struct motet_timeline_kept {
    size_t snapshots, memory; /* bytes */
    uint64_t disk;            /* likewise */
};
void motet_timeline_kept(const motet_timeline *t, struct motet_timeline_kept *k);

/* ---- machines and nodes as debuggers address them ---- */

const char *motet_machine_architecture(const motet_machine *m); /* as debuggers name it */
const char *motet_machine_feature(const motet_machine *m);      /* its set of registers, as gdb names it; or NULL */

/* Numbers of the registers that all have, as in motet_machine_register. */
struct motet_registers {
    unsigned count, pc, sp, status;
};
void motet_machine_registers(const motet_machine *m, struct motet_registers *r);

/* The memory map, at the addresses of the firmware's file, in their order. */
enum motet_region_kind {
    MOTET_REGION_CORE,      /* registers of the CPU that have data addresses, too */
    MOTET_REGION_REGISTERS, /* of devices */
    MOTET_REGION_RAM,
    MOTET_REGION_FLASH,
    MOTET_REGION_INFORMATION, /* flash beside the program, for data */
    MOTET_REGION_ROM,
    MOTET_REGION_EEPROM,
    MOTET_REGION_ALIAS, /* shows a part of another region again */
};
struct motet_region {
    uint32_t first, size;
    enum motet_region_kind kind;
    unsigned width; /* bits that one access carries at most */
};
bool motet_machine_region(const motet_machine *m, size_t number, struct motet_region *r); /* false: no more */

/* A debugger has one list of addresses, those of the firmware's file: each memory lies somewhere in it, and where two
 * overlap data comes first. */
enum motet_memory { MOTET_MEMORY_DATA, MOTET_MEMORY_EEPROM, MOTET_MEMORY_CODE, MOTET_MEMORIES };
struct motet_memory_info {
    uint32_t start, size; /* in that list, from the first to the last; the regions say what lies between */
    bool writable;        /* it can be given to */
};
bool motet_node_memory(const motet_node *n, enum motet_memory which, struct motet_memory_info *info); /* false: none */

/* Which memory holds all the `count` bytes from a debugger's address on, and at which address of its own; false if none
 * does. */
bool motet_node_locate(const motet_node *n, uint32_t address, size_t count, enum motet_memory *which, uint32_t *at);

/* Reads as many of the bytes from a debugger's address on as there are and returns how many. Registers of devices say
 * what they would if the firmware read them, and do not notice. */
size_t motet_node_look(const motet_node *n, uint32_t address, void *to, size_t count);

/* What an expression names in a frame of the call chain, of which 0 is the innermost: a debugger's address and how many
 * bytes lie there. A number is an address. Expressions are C's, without assignments, casts and calls. */
bool motet_node_named(const motet_node *n, size_t level, const char *expression, uint32_t *address, uint32_t *size,
                      struct motet_error *e);

/* A frame as a line, "add (n=4) at counter.c:26", without its end; returns the length, 0 if there is no such frame. */
size_t motet_node_frame(const motet_node *n, size_t level, char *text, size_t size);

/* The line of source that an address belongs to, "26\t    total += n;" with its end of line; where its file cannot be
 * read, "26\tin counter.c". Returns the length, 0 where no line is known. */
size_t motet_machine_source(const motet_machine *m, uint32_t address, char *text, size_t size);

#include "motet/base/end.h"

#endif
