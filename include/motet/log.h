/* Logs that recording nodes wrote in their flash, and replays of them (docs/node-logs.md). */
#ifndef MOTET_LOG_H
#define MOTET_LOG_H

#include "motet/error.h"
#include "motet/machine.h"
#include "motet/node.h"

#include "motet/base/begin.h"

typedef struct motet_log motet_log;

enum { MOTET_NO_PART = -1 };

/* A part of a log: from one start of the firmware on, or from a checkpoint, as far as no page is missing. */
struct motet_log_part {
    unsigned number;     /* as the node counts them: higher is later */
    uint64_t build;      /* of the firmware; 0: unknown, its first page is lost, or the link gave it none */
    const char *codec;   /* how it is coded: "plain", ... */
    unsigned pages;      /* of events that can be used */
    unsigned beyond;     /* whole pages after a lost one: not usable */
    size_t bytes;        /* of events, coded */
    unsigned checkpoint; /* pages of the checkpoint it begins with; 0 if it begins with a start of the firmware */
    bool usable;         /* a replay can begin with it */
    bool gap;            /* it ends because the recorder had no room for what came next */
    bool reset;          /* its end was written after a reset of the node, from what was left in memory */
    bool frozen;         /* it ends because the firmware froze the log */
    long next;           /* the part that begins where it ends, which a replay goes on with; or MOTET_NO_PART */
};

struct motet_log_info {
    unsigned page_size;
    unsigned pages, damaged, blank; /* in the file */
    unsigned former;                /* pages in the format of an earlier Motet, which are left out */
    unsigned missing;               /* between the first and the last page there is */
    uint32_t before;                /* pages that the node had written before the first, and then overwritten */
    size_t parts;
};

/* Reads a log, or the contents of a flash memory that holds one. A page size of 0 is found out. */
motet_log *motet_log_load(const char *path, unsigned page_size, struct motet_error *e);

/* The same of bytes in memory, which remain the caller's; `name` is for sentences. */
motet_log *motet_log_read(const char *name, const void *bytes, size_t size, unsigned page_size, struct motet_error *e);

/* Asks a recording node for its log over its serial port, a terminal or connection that is open already. `patience`
 * is how many milliseconds to wait for the first answer and then for each page; `progress` may be NULL. */
motet_log *motet_log_receive(const char *name, int descriptor, unsigned patience,
                             void (*progress)(void *context, unsigned pages), void *context, struct motet_error *e);
void motet_log_free(motet_log *l); /* after the machines that replay it */
void motet_log_info(const motet_log *l, struct motet_log_info *info);
bool motet_log_part(const motet_log *l, size_t number, struct motet_log_part *part); /* false past the last */
bool motet_log_save(const motet_log *l, const char *path, struct motet_error *e);

/* The part from which a replay comes to the end of the log through as much of it as hangs together. */
size_t motet_log_begin(const motet_log *l);

/* A machine whose nodes live through a part of a log again, and those that go on where it ends. */
motet_machine *motet_replay_load(const char *path, const struct motet_options *options, const motet_log *l, size_t part,
                                 struct motet_error *e);

/* Whether a file is an interface log (motet/interface.h). */
bool motet_interface_is_log(const char *path);

/* The id of the node that an interface log is of. */
bool motet_interface_node(const char *path, uint32_t *id, struct motet_error *e);

/* Whether this firmware was logged: its build is the log's, and it has the log's functions. */
bool motet_interface_is_of(const char *path, const char *firmware, struct motet_error *e);

/* A machine whose nodes execute the component of an interface log again, fed from it. What the component sends out is
 * compared with the log. */
motet_machine *motet_component_load(const char *path, const struct motet_options *options, const char *log,
                                    struct motet_error *e);

struct motet_replay {
    uint64_t events, interrupts; /* executed */
    uint64_t verified;           /* events that checks of the log have confirmed; what came after them may be wrong */
    size_t part;                 /* of the log, which it has come to */
    bool ended;                  /* no event is left */
    bool differs;                /* execution did not fit the log: what was `verified` is as it was */
    char how[1024];              /* it ended, in a sentence */
};

/* How far a node of such a machine is. */
void motet_node_replay(const motet_node *n, struct motet_replay *r);

/* The firmware's own clock, for replays, in which no time passes while a node sleeps: "EXPRESSION/HZ", a C expression
 * and how often it counts a second. Time never goes back. It is what the firmware's variable says since its last
 * change, and from there on the cycles executed; so it is as late as the firmware was in reading its timer. */
typedef struct motet_replay_clock motet_replay_clock;
motet_replay_clock *motet_replay_clock_new(motet_node *n, const char *text, struct motet_error *e);
uint64_t motet_replay_clock_time(motet_replay_clock *c, uint64_t tick); /* nanoseconds */
void motet_replay_clock_free(motet_replay_clock *c);                    /* NULL is allowed */

/* How much of its log a node has gone through, bytes of the parts before its own included. False if it is no replay. */
bool motet_node_logged(const motet_node *n, uint64_t *events, uint64_t *bytes);

#include "motet/base/end.h"

#endif
