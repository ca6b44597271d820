/* Replay: a node that lives through a log again.
 *
 * The same firmware runs on the same CPU with all devices off but the CPU's own. Where it would enter the recorder, the
 * logged value is put in place and the recorder left at once; interrupts come where the log says. The log stands in the
 * machine as a device whose state is the position in the log, so that snapshots, timelines and debuggers work on such a
 * node as on any other. Invariant: everything that is executed was executed by the recording node, up to the last event
 * of the log; at the first difference the run ends and both sides are known. A log that was changed after it was
 * written is noticed at its next check, which is no more than about a page of log away; `verified` says from where on.
 */
#ifndef RECORD_REPLAY_H
#define RECORD_REPLAY_H

#include "node/device.h"
#include "record/decoder.h"
#include "record/replay_unknown.h"

struct image;
struct isa;
struct machine;
struct node;
struct chip_device;

enum replay_end {
    REPLAY_GOES_ON,
    REPLAY_LOG_ENDED, /* all that is known has been executed */
    REPLAY_FROZEN,    /* and the firmware froze the log there */
    REPLAY_GAP,       /* the recorder says that it lost what comes next */
    REPLAY_RESET,     /* the node was reset, and the log written from what was left in its memory */
    REPLAY_CONTINUES, /* a checkpoint was taken there, but the part that begins with it is lost */
    REPLAY_DIFFERS,   /* from what is executed */
};

enum replay_difference {
    REPLAY_SAME,
    REPLAY_OTHER_EVENT,      /* execution asks for something the log does not have next */
    REPLAY_NOT_ACCEPTED,     /* an interrupt comes where the CPU takes none */
    REPLAY_OTHER_MEMORY,     /* variables differ at the beginning */
    REPLAY_NEVER_COMES,      /* execution does not get to the next event */
    REPLAY_UNCERTAIN,        /* an interrupt came in one of several rounds of a loop; which is unknown */
    REPLAY_BAD_LOG,          /* the log holds no event there */
    REPLAY_CHANGED,          /* a check of the log does not fit the events before it */
    REPLAY_NOT_BEGUN,        /* the recorder was entered before it was started */
    REPLAY_NO_CHECKPOINT,    /* that of the part's beginning is not whole, or its digest does not fit */
    REPLAY_UNRECORDED,       /* execution depends on what was not recorded (replay_unknown.h) */
    REPLAY_OTHER_CHECKPOINT, /* what was executed does not lead to the checkpoint that was taken */
};

enum { REPLAY_INSIDE = 8, REPLAY_ROUTINES = 4 };

/* Where in an entry of the recorder an interrupt came: where the entry begins; after it has pushed the status, and
 * interrupts are not off yet; in the window of motet_idle, from where that is entered once more. */
enum replay_entered { REPLAY_AT_BEGIN, REPLAY_DEEPER, REPLAY_IN_WINDOW };

struct replay_state {
    struct decoder decoder;
    uint64_t before; /* bytes of the parts gone through */
    uint16_t parts;  /* how many they are */
    uint8_t begun;   /* the recorder has been started */
    /* Interrupts in the recorder, nested: the stack pointer from which the handler runs, and that of the entry. */
    struct {
        uint16_t sp, entry;
        uint8_t entered; /* enum replay_entered */
    } inside[REPLAY_INSIDE];
    uint8_t inside_count;
    uint8_t resumed; /* where the entry goes on to which the last of them returned */
    /* Routines in assembly in which an interrupt came, nested: the stack pointer of their call, and that of the moment.
     */
    struct {
        uint16_t sp, interrupted;
    } routines[REPLAY_ROUTINES];
    uint8_t routine_count;
    uint8_t let_in;                      /* motet_idle was called with interrupts off, and one came in it */
    uint16_t silent_count, silent_times; /* the count when execution was looked at last, and how often since an event */
    uint8_t polled;       /* with cycle stamps: a loop that polls was come to since the recorder was left last */
    uint32_t hold;        /* the next one of the plan */
    uint8_t held;         /* it was held before this event, and interrupts were looked for already */
    uint64_t left;        /* from which cycle stamps count then; NEVER: it is entered now */
    uint64_t verified;    /* events that a check of the log has confirmed; the others may be wrong */
    uint64_t verified_at; /* tick of the last of them */
    uint8_t end, difference;
    uint8_t restarted;   /* the firmware was started again after what the log has, and not all was written before */
    uint8_t asked;       /* enum replay_entry that execution was at */
    uint32_t asked_site; /* and which; or an address in memory that differs */
    struct replay_unknown unknown;
};

/* What the firmware has, found by its symbols, and the part of the log: the device's config. */
struct replay;

/* A replay with a plan lets time pass: before it takes the event of that number from the log, it waits until a tick. So
 * it can be put beside replays of other nodes. Without a plan all events come as soon as execution gets there. */
struct replay_hold {
    uint64_t event, tick;
};
void replay_plan(struct replay *r, const struct replay_hold *holds, size_t count); /* rising; before nodes are made */

/* For a firmware that records and a part of a log; goes on with those that begin where one ends. False if it does not
 * record, or did not make this log. */
struct replay *replay_new(const struct image *image, const struct isa *isa, const struct log_part *part,
                          struct motet_error *e);
void replay_free(struct replay *r); /* after its machine */

/* What a replay tells of each event that it has taken. With cores (replay_cores.h) `site` is an address. */
struct replay_heard {
    enum { REPLAY_HEARD_READ, REPLAY_HEARD_BLOCK, REPLAY_HEARD_IDLE, REPLAY_HEARD_INTERRUPT, REPLAY_HEARD_BEGIN } kind;
    unsigned site, value, size;
    const uint8_t *bytes; /* of a block */
    unsigned vector;
    bool asleep, inside, let_in;
    bool read_inside; /* the recorder's entry is one that rewritten sources call */
};
typedef void replay_listener(void *context, struct node *n, const struct replay_heard *h);
void replay_listen(struct replay *r, replay_listener *f, void *context);

/* For machine_options.log. */
const struct chip_device *replay_device(const struct replay *r);

/* For replay_unknown.c: ends the replay, since an instruction depends on what the log does not know. */
void replay_unrecorded(struct node *n, const struct device *d);

/* Whether a node replays a log. */
bool replay_is(const struct node *n);

const struct replay_state *replay_state_of(const struct node *n);

/* A sentence on how it ended, both sides of a difference included. Returns `text`. */
char *replay_explain(const struct node *n, char *text, size_t size);

#endif
