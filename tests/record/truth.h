/* The truth about a run: what the simulated nodes that recorded it did, instruction by instruction.
 *
 * Invariant: the truth holds exactly what a replay must do again: the instructions outside the recorder in their order,
 * what they wrote to registers of devices, and digests of memory. Rounds of polling loops of which nothing is recorded
 * are left out but for the last, and only if going round has changed nothing in memory. What the recorder alone has
 * written (the stack below its callers) is known byte by byte and takes part in no comparison.
 */
#ifndef RECORD_TRUTH_H
#define RECORD_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"

struct chip;
struct chip_device;
struct machine;
struct node;

enum { TRUTH_NODES = 16, DATA_SPACE = 0x10000 };

/* A look at memory, but for a variable `other_stack` and what DMA fills (section .motet.filled). Of bytes that start-up
 * code does not initialise (stack, heap) only those are looked at that the application wrote last: `changes` says how
 * many of truth.owners are to be taken up before. */
struct moment {
    uint64_t index;     /* instructions before it */
    bool whole;         /* registers too: not while a value just read is on its way to the recorder */
    uint16_t stack_low; /* the stack from here up */
    uint16_t sp;
    size_t changes, registers; /* registers: the first of truth.registers, where whole */
    struct digest digest;
};

/* From here on the byte's last writer is the application, or is not. */
struct owner {
    uint16_t address;
    bool application;
};

struct output {
    uint64_t index;
    uint16_t address, value;
    uint16_t old; /* what was there before */
};

struct truth {
    uint16_t *pcs; /* halved */
    struct moment *moments;
    struct owner *owners;
    uint32_t *registers;    /* of the CPU */
    struct output *outputs; /* writes to registers */
    uint64_t *idles;        /* at which instruction motet_idle was called, or a handler in it ended */
    uint64_t *starts;       /* at which instruction the node was after a reset, but for power-on */
    size_t count, pc_room, moment_count, moment_room, owner_count, owner_room, output_count, output_room, idle_count,
        idle_room, start_count, start_room, register_count, register_room;
    uint64_t left_out; /* instructions in rounds of polling loops */
    uint8_t *flash;    /* in the end */
    size_t flash_size;
};

/* Where the firmware polls. */
struct polls {
    uint32_t at[256];
    unsigned count, waits; /* the first are loops of two instructions in what comes compiled */
};

struct run {
    const char *path, *board;
    double seconds;
    unsigned nodes, seed;
    int line;          /* serial line that gets random bytes, or -1 */
    char variable[32]; /* that gets `value` before main; "": none */
    uint32_t value;
    uint32_t shown_id;        /* a run made again to show a difference: of that node, */
    const struct node *shown; /* from this one, */
    uint64_t show_at;         /* at this instruction */
};

int fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void *grown(void *p, size_t count, size_t *room, size_t size);

void set_variables(struct node *n, const struct run *r, uint32_t id);
void find_polls(struct polls *p, const struct machine *m);

/* Whether a write there goes to a device. An AVR's flags lie among the registers: what a handler puts back there is
 * what the code it interrupted had left, perhaps a loop of which nothing is recorded. */
bool is_output(const struct node *n, uint32_t address);

/* What can be compared of a register of the CPU. */
uint32_t look_at_register(const struct node *n, unsigned number);

/* Memory as a moment wants it; `application` says whether the application wrote a byte last. */
struct digest look(const struct node *n, const struct moment *m, const bool application[DATA_SPACE]);

/* All of a run; truths[id] of each node. */
void record_truth(const struct run *r, struct truth truths[TRUTH_NODES + 1]);
void free_truth(struct truth *t);

#endif
