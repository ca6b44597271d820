/* Notes of what is done to a network through the public interface, so that the run can be saved.
 *
 * Notes start with the first call, because saving can be requested only later. If no save has been requested when the
 * nodes first run, and nothing else wants them, the notes are freed. Invariant: the notes contain every input from
 * outside.
 */
#ifndef API_SAVE_INPUTS_H
#define API_SAVE_INPUTS_H

#include "motet/motet.h"
#include "motet/saved.h"
#include "timeline/saved_inputs.h"

struct save_inputs {
    struct saved_inputs inputs;
    const motet_machine **machines; /* by their number in the inputs */
    size_t machine_count;
    uint32_t *lives;  /* by node: how often it was booted again */
    motet_save *save; /* or NULL: no save is requested */
    bool wanted;      /* for something else (api/check.c) */
};

struct save_inputs *save_inputs_new(void);
void save_inputs_free(struct save_inputs *c);

/* Adds a note; `c` may be NULL. */
void save_inputs_note(struct save_inputs *c, struct saved_input e);
uint32_t save_inputs_machine(struct save_inputs *c, const motet_machine *m); /* its number */
void save_inputs_node(struct save_inputs *c, uint32_t number);               /* a node was added */

/* The file of a firmware, of the machines whose nodes are noted (a saved_firmware). */
const uint8_t *save_inputs_firmware(void *save_inputs, size_t number, const char **name, size_t *size);

/* An analog source that notes each reading of another one. Each node handle has one. */
struct save_inputs_analog {
    struct save_inputs *save_inputs;
    uint32_t node;
    motet_analog *source;
    void *context;
};
int32_t save_inputs_read_analog(void *analog, unsigned channel, uint64_t tick);

/* save.c: the time when the next snapshot is due, and taking it. */
uint64_t save_next(const motet_save *k);
void save_moment(motet_save *k, uint64_t time);
void save_tear(motet_save *k); /* the nodes were put into another state: the run cannot be saved */

#endif
