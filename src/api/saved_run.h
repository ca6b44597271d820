/* An opened saved run. */
#ifndef API_SAVED_RUN_H
#define API_SAVED_RUN_H

#include "api/saved_nodes.h"
#include "motet/saved.h"
#include "timeline/saved_file.h"

struct motet_saved_run {
    struct saved_file *file;
    struct saved_nodes saved;
    char **parts; /* copies of the paths that the user gave */
    size_t part_count;
    struct {
        char *name, *text;
    } * about;
    size_t about_count;
    struct digest layout;
    struct saved_moment *moments;
    size_t moment_count;
    const char *reason;             /* why the snapshots cannot be used, or NULL */
    struct network_snapshot *first; /* the state at the beginning */
    size_t first_entries;
    uint8_t *states; /* the chunk of snapshots used last */
    size_t states_size, chunk;
    struct lender *lender; /* of snapshots to a timeline */
    uint8_t *firmware;     /* the last file returned */
    char *firmware_name;
};

uint64_t saved_run_until(const motet_saved_run *r); /* the end of the run, in nanoseconds */

/* Saves the run of these inputs, up to a time, in another file, by executing it again. */
bool saved_run_save_again(const struct saved_inputs *j, struct saved_parts parts, saved_firmware *file, void *context,
                          uint64_t until, const char *path, struct motet_error *e);
const uint8_t *saved_run_firmware(void *saved_run, size_t number, const char **name,
                                  size_t *size); /* a saved_firmware */

/* Whether the run was made with this firmware; false with a sentence. */
bool saved_run_is_of(motet_saved_run *r, const struct image *i, struct motet_error *e);

void saved_run_rewind(motet_saved_run *r); /* to the beginning */

/* The state of a moment, for the caller to free. NULL if it cannot be read. */
struct network_snapshot;
struct network_snapshot *saved_run_state(motet_saved_run *r, size_t moment);

#endif
