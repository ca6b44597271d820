/* Watching a node from inside: probes on code, watches on data, alarms in simulated time, hooks on what happens.
 *
 * All of them are *taps*: put on a node at any time, also from inside the callback of another tap, and taken off in the
 * same way, also by themselves. A tap put on or taken off in a callback takes effect from the next instruction on; a
 * tap taken off is not called again. Invariant: looking changes nothing. A callback gets a const node, and all that can
 * be asked of one (motet_node_now, _cycles, _pc, _register, _peek, _frames...) is exact for that very moment; digest
 * and cycle counts of a run are the same with any taps as without. Where there are none nothing is slower.
 *
 * Callbacks of a node are called in the thread that runs it, never two of one node at once, and those put on first are
 * called first. What a device does during an instruction is reported after the instruction, with the tick at which it
 * happened. A callback runs no node and changes none, but may ask the run to end (motet_node_stop).
 *
 * Snapshots do not hold taps: they stay as they are when a node is restored, and see again what is executed again.
 */
#ifndef MOTET_WATCH_H
#define MOTET_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/happening.h"
#include "motet/base/types.h"
#include "motet/error.h"
#include "motet/node.h"

#include "motet/base/begin.h"

void motet_tap_remove(motet_tap *t); /* NULL is allowed. A node's taps end with it */

/* ---- probes: at code addresses, before or after the instruction ---- */

/* On the instructions that begin at [first, last]; `when` has MOTET_BEFORE, MOTET_AFTER or both. */
motet_tap *motet_probe(motet_node *n, uint32_t first, uint32_t last, unsigned when, motet_probed *f, void *context);
#define MOTET_EVERYWHERE 0, UINT32_MAX

/* ---- watches: on data, before or after it is read or written ---- */

/* On accesses that touch [first, last], data addresses; `when` has MOTET_READ or MOTET_WRITE and MOTET_BEFORE or
 * MOTET_AFTER, or any of them. */
motet_tap *motet_watch(motet_node *n, uint32_t first, uint32_t last, unsigned when, motet_watched *f, void *context);

/* ---- alarms: at a time ---- */

/* At a time, and again each `period` after it unless that is 0. One that has passed is due at once. Times that pass
 * within one instruction are reported once, with the last of them. */
motet_tap *motet_alarm(motet_node *n, enum motet_clock clock, uint64_t at, uint64_t period, motet_alarmed *f,
                       void *context);

/* An alarm at a cycle, and each `period` after it unless that is 0, without a callback, that counts where the CPU
 * is: counts[pc / 2] goes up by one, where there are so many. `counts` must stay until the tap is removed. */
motet_tap *motet_sample(motet_node *n, uint64_t at, uint64_t period, uint64_t *counts, size_t count);

/* ---- hooks: on what happens ---- */

const char *motet_happening_name(enum motet_happening what); /* "interrupt-entry" */
const char *motet_loss_name(enum motet_loss why);            /* "damaged" */

/* `what` is made of MOTET_ON(PIN) | MOTET_ON(SERIAL)... */
motet_tap *motet_hook(motet_node *n, uint32_t what, motet_hooked *f, void *context);

/* ---- asking a node, also in callbacks ---- */

/* Registers as debuggers number them: name and size in bytes; false past the last. */
bool motet_machine_register(const motet_machine *m, unsigned number, const char **name, unsigned *size);
uint32_t motet_node_register(const motet_node *n, unsigned number);
uint32_t motet_node_sp(const motet_node *n);

/* What the CPU does: "active", or the mode it sleeps in as its manual names it ("power-save", "LPM3"). Of a part of the
 * board that has such states of its own: the flash memory "flash" is in "standby", "power-down", "read" (selected) or
 * "write" (programming or erasing). NULL if there is no such part. `part` of NULL is the CPU. */
const char *motet_node_doing(const motet_node *n, const char *part);

/* Program memory as it is now, by byte address. False beyond its end. */
bool motet_node_code(const motet_node *n, uint32_t address, void *to, uint32_t size);

/* Whether an instruction calls or returns. */
enum motet_flow motet_node_flow(const motet_node *n, uint32_t pc);

/* From a callback: the run is to end. In a probe before an instruction it ends there, before it, and when the run goes
 * on the probes before it are not called again; in any other callback it ends when the instruction under way is done.
 * motet_network_run then returns MOTET_NETWORK_STOPPED. In a network of several the node goes on to the end of the
 * window that all nodes are in, at most 124 microseconds later, and the run ends there. */
void motet_node_stop(const motet_node *n);

/* ---- by the names of the source ---- */

/* Where something is in the code: "main" (after its prologue it is "main:body"), "main+0x12", "0x1234", "blink.c:31"
 * (each place the line was compiled to), "send:returns" (each instruction that returns from it). Gives up to `room`
 * byte addresses in rising order and returns how many there are; 0 with a sentence and the nearest names if there are
 * none.
 */
size_t motet_machine_find(const motet_machine *m, const char *where, uint32_t *addresses, size_t room,
                          struct motet_error *e);

/* A probe on all of them. */
motet_tap *motet_probe_named(motet_node *n, const char *where, unsigned when, motet_probed *f, void *context,
                             struct motet_error *e);

enum motet_value_kind {
    MOTET_VALUE_INTEGER, /* numbers, characters, truth values: `number` */
    MOTET_VALUE_ENUM,    /* `number`, and `name` if it has one */
    MOTET_VALUE_REAL,    /* `real` */
    MOTET_VALUE_POINTER, /* `number` */
    MOTET_VALUE_ARRAY,   /* of `count` elements */
    MOTET_VALUE_STRUCT,  /* and unions: with `count` members */
};

struct motet_value {
    enum motet_value_kind kind;
    const char *type; /* as C spells it, "" if it has no name */
    bool in_memory;   /* at `address`; else in registers */
    uint32_t address; /* data address */
    uint32_t size;    /* bytes */
    unsigned bits;    /* of a bit-field, else 0 */
    unsigned shift;   /* of a bit-field: its lowest bit, from that of the byte at `address` */
    int64_t number;
    double real;
    const char *name;
    uint32_t count;
};

/* A C expression: `routing_table[2].etx`, `*p`, `p->next->x`, `grid[i][1]`; with the names that are in scope where the
 * node is, locals and parameters of the innermost function before statics and globals. `function::name` and
 * `file.c::name` tell statics apart. */
bool motet_node_value(const motet_node *n, const char *expression, struct motet_value *v, struct motet_error *e);

/* The same as text for a person: `{parent = 3, etx = 12}`. Returns its length. */
size_t motet_node_value_text(const motet_node *n, const char *expression, char *text, size_t size,
                             struct motet_error *e);

/* Names of the members of a struct or union, by number; NULL past the last. */
const char *motet_node_member(const motet_node *n, const char *expression, uint32_t number);

/* A watch on what an expression names now. With `function::name` where that is a local variable or parameter, or a
 * part of one: on it in each frame of the function, those under way included, from after its prologue to its return.
 * Where it has no place in memory of its own all that time, but is in registers, in pieces or in one place after the
 * other, each change of its value is reported as a write (in parts of two bytes) before the next instruction of the
 * function; where debug information does not know it, it is as it was last seen. The first value of a variable is
 * reported as well, with `old` the same. */
motet_tap *motet_watch_named(motet_node *n, const char *expression, unsigned when, motet_watched *f, void *context,
                             struct motet_error *e);

/* An assertion on a variable: `holds` is called after each change of it, that is after the last of the consecutive
 * instructions that write to it; `failed` is called if it does not hold. */
typedef bool motet_holds(void *context, const motet_node *n);
typedef void motet_failed(void *context, const motet_node *n, uint32_t pc);
motet_tap *motet_assert(motet_node *n, const char *expression, motet_holds *holds, motet_failed *failed, void *context,
                        struct motet_error *e);

/* Called when the node is about to end; removing it before is allowed. */
typedef void motet_ended(void *context, const motet_node *n);
motet_tap *motet_at_end(motet_node *n, motet_ended *f, void *context);

#include "motet/base/end.h"

#endif
