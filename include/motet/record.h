/* Recordings: logs that nodes kept in their flash, and replays of them (docs/recording.md). */
#ifndef MOTET_RECORD_H
#define MOTET_RECORD_H

#include "motet/motet.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct motet_log motet_log;

/* A part of a log: from one start of the firmware on, as far as no page is missing. */
struct motet_log_part {
    unsigned number;   /* as the node counts its starts */
    unsigned build;    /* of the firmware */
    const char *codec; /* how it is coded: "plain", ... */
    unsigned pages;    /* that can be used */
    unsigned beyond;   /* whole pages behind a lost one: no use */
    size_t bytes;      /* of events, coded */
};

struct motet_log_info {
    unsigned page_size;
    unsigned pages, damaged, blank; /* in the file */
    size_t parts;
};

/* Reads a log, or the contents of a flash memory that holds one. A page size of 0 is found out. */
motet_log *motet_log_load(const char *path, unsigned page_size, struct motet_error *e);

/* Asks a recording node for its log over its serial port, a terminal or connection that is open already. `patience`
 * is how many milliseconds to wait for the first answer and then for each page; `progress` may be NULL. */
motet_log *motet_log_receive(const char *name, int descriptor, unsigned patience,
                             void (*progress)(void *context, unsigned pages), void *context, struct motet_error *e);
void motet_log_free(motet_log *l); /* after the machines that replay it */
void motet_log_info(const motet_log *l, struct motet_log_info *info);
bool motet_log_part(const motet_log *l, size_t number, struct motet_log_part *part); /* false past the last */
bool motet_log_save(const motet_log *l, const char *path, struct motet_error *e);

/* What the board's serial flash memory holds: copies up to `size` bytes and returns how large it is, 0 if the board has
 * none. */
size_t motet_node_flash(const motet_node *n, void *bytes, size_t size);

/* A machine whose nodes live through a part of a log again, from the start of the firmware that made it. */
motet_machine *motet_replay_load(const char *path, const struct motet_options *options, const motet_log *l, size_t part,
                                 struct motet_error *e);

struct motet_replay {
    uint64_t events, interrupts; /* executed */
    bool ended;                  /* no event is left */
    bool differs;                /* execution did not fit the log: what came before is as it was */
    char how[1024];              /* it ended, in a sentence */
};

/* How far a node of such a machine is. */
void motet_node_replay(const motet_node *n, struct motet_replay *r);

/* How much of its log a node has gone through. False if it is no replay. */
bool motet_node_logged(const motet_node *n, uint64_t *events, uint64_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
