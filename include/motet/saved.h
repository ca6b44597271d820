/* Saved runs. A run is saved in a file (docs/saved-runs.md) with everything needed to execute it again on another
 * machine: firmware, seed, what was done to the nodes and when, and snapshots to start from. */
#ifndef MOTET_SAVED_H
#define MOTET_SAVED_H

#include "motet/error.h"
#include "motet/network.h"
#include "motet/node.h"

#include "motet/base/begin.h"

/* ---- saving ---- */

/* Saves the run of a network in a file. It has not run yet; what was done to it before is saved as well. The file
 * appears when it is finished; until then there is a temporary one beside it. */
typedef struct motet_save motet_save;
motet_save *motet_save_network(motet_network *n, const char *path, struct motet_error *e);

/* A named text for the reader: the command that made the run, how it ended, a scenario. */
void motet_save_about(motet_save *k, const char *name, const char *text);

/* Completes the file as the nodes stand now. False, and no file, if it could not be written. Call one of these
 * before the nodes are freed. */
bool motet_save_finish(motet_save *k, struct motet_error *e);
void motet_save_abandon(motet_save *k);

/* ---- opening ---- */

typedef struct motet_saved_run motet_saved_run;

struct motet_saved_run_options {
    unsigned threads; /* of a network; 0: one for each processor */
    bool anew;        /* ignores the snapshots and executes everything again */

    const char *const *parts; /* paths of parts from outside that are not where they were (motet/part.h) */
    size_t part_count;
};

/* Refuses a damaged, foreign or newer file, or one with a part from outside that is not there or has changed, with the
 * reason. The nodes stand at the beginning. */
motet_saved_run *motet_saved_run_open(const char *path, const struct motet_saved_run_options *o, struct motet_error *e);
void motet_saved_run_free(motet_saved_run *r);

struct motet_saved_run_info {
    size_t file_size;
    size_t nodes;
    uint64_t seed;
    uint64_t end;                   /* when the run ended, in nanoseconds */
    uint64_t hz;                    /* how many of these there are in a second */
    size_t inputs;                  /* inputs from outside while the nodes ran */
    size_t snapshots;               /* in the file */
    bool usable;                    /* the snapshots are of this build of Motet */
    const char *reason;             /* why they are not, a sentence without its end; NULL if they are */
    char digest[MOTET_DIGEST_TEXT]; /* at the end */
};
void motet_saved_run_info(const motet_saved_run *r, struct motet_saved_run_info *info);
bool motet_saved_run_about(const motet_saved_run *r, size_t number, const char **name, const char **text);

/* Whether a firmware file is one that the run was made with, byte for byte; false with a sentence. */
bool motet_saved_run_is_of(motet_saved_run *r, const char *firmware, struct motet_error *e);

/* The network. It is for looking at: what is done to it is not saved. */
motet_network *motet_saved_run_network(const motet_saved_run *r);

/* Goes to a time, forward or backward, from the nearest snapshot; not beyond the end. What was done to the nodes at
 * that very time is done already. */
bool motet_saved_run_seek(motet_saved_run *r, uint64_t time, struct motet_error *e);
uint64_t motet_saved_run_now(const motet_saved_run *r);

/* Executes everything again from the beginning and compares all digests. False with the first that differs. */
struct motet_saved_run_check {
    size_t digests; /* compared, and equal */
    uint64_t until; /* the time of the last of them */
};
bool motet_saved_run_verify(motet_saved_run *r, struct motet_saved_run_check *c, struct motet_error *e);

#include "motet/base/end.h"

#endif
