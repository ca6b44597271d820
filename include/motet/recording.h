/* Motet: recordings. A run is kept in a file (docs/recordings.md) with everything that is needed to have it again on
 * another machine: firmware, seed, what was done to the nodes and when, and snapshots to go from. */
#ifndef MOTET_RECORDING_H
#define MOTET_RECORDING_H

#include "motet/motet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- keeping ---- */

/* Keeps all that happens to a node alone, or to a network, in a file from now on. Neither has run yet; what was done to
 * them before is kept as well. The file appears when it is finished; until then there is a temporary one beside it. */
typedef struct motet_keep motet_keep;
motet_keep *motet_keep_node(motet_node *n, const char *path, struct motet_error *e);
motet_keep *motet_keep_network(motet_network *n, const char *path, struct motet_error *e);

/* Something to be read by who opens it: the command that made it, how it ended, a scenario's text. */
void motet_keep_about(motet_keep *k, const char *name, const char *text);

/* Completes the file as the nodes stand now. False, and no file, if it could not be written. Either ends the keeping,
 * before the nodes are freed. */
bool motet_keep_finish(motet_keep *k, struct motet_error *e);
void motet_keep_abandon(motet_keep *k);

/* ---- opening ---- */

typedef struct motet_recording motet_recording;

struct motet_recording_options {
    unsigned threads; /* of a network; 0: one for each processor */
    bool anew;        /* leaves the snapshots aside and executes everything again */
};

/* Refuses what is damaged, foreign or newer, with the reason. The nodes stand at the beginning. */
motet_recording *motet_recording_open(const char *path, const struct motet_recording_options *o, struct motet_error *e);
void motet_recording_free(motet_recording *r);

struct motet_recording_info {
    size_t file_size;
    size_t nodes;
    uint64_t seed;
    uint64_t end;                   /* when the run ended: nanoseconds of a network, ticks of a node alone */
    uint64_t hz;                    /* how many of these there are in a second */
    size_t inputs;                  /* things done to the nodes while they ran */
    size_t snapshots;               /* in the file */
    bool usable;                    /* the snapshots are of this build of Motet */
    const char *reason;             /* why they are not, a sentence without its end; NULL if they are */
    char digest[MOTET_DIGEST_TEXT]; /* at the end */
};
void motet_recording_info(const motet_recording *r, struct motet_recording_info *info);
bool motet_recording_about(const motet_recording *r, size_t number, const char **name, const char **text);

/* The node alone, or the network; the other is NULL. They are for looking at: what is done to them is not kept. */
motet_node *motet_recording_node(const motet_recording *r);
motet_network *motet_recording_network(const motet_recording *r);

/* Goes to a time, forward or backward, from the nearest snapshot; not beyond the end. What was done to the nodes at
 * that very time is done already. */
bool motet_recording_seek(motet_recording *r, uint64_t time, struct motet_error *e);
uint64_t motet_recording_now(const motet_recording *r);

/* Executes everything again from the beginning and compares all digests. False with the first that differs. */
struct motet_recording_check {
    size_t digests; /* compared, and equal */
    uint64_t until; /* the time of the last of them */
};
bool motet_recording_verify(motet_recording *r, struct motet_recording_check *c, struct motet_error *e);

#ifdef __cplusplus
}
#endif

#endif
