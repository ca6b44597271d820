/* What the files of component replay share: its state, and the steps that each of them gives to the others. */
#ifndef INTERFACE_REPLAY_INTERNAL_H
#define INTERFACE_REPLAY_INTERNAL_H

#include "chip/chip.h"
#include "interface/replay.h"
#include "node/node.h"

enum { COMPONENT_RESUME, COMPONENT_SILENCE, COMPONENT_EVENTS };
enum { COMPONENT_FRAMES = 16, COMPONENT_REGISTERS = 40 };

/* Ticks without an event after which none will come. */
#define COMPONENT_PATIENCE (UINT64_C(1) << 28)

struct component_replay {
    struct chip_device device;
    struct interface_reader log;
    struct boundary *boundary;
    uint32_t *numbers;  /* by a function's number in the log: that in the boundary; UINT32_MAX: there is none */
    uint32_t target_at; /* of firmware with several components: the variable that says which is logged; else 0 */
    uint8_t target;     /* and this one */
    uint32_t home;      /* where calls in return to: code that the component never calls */
    bool of_node;       /* the log was made by the node itself: what each byte was made last by it is kept */
    struct component_listener listener;
};

/* A place in the log, as plain data. */
struct component_place {
    uint64_t at, end, next_block, order, time;
    uint32_t epoch, depth;
};

enum component_end { COMPONENT_GOES_ON, COMPONENT_LOG_ENDED, COMPONENT_DEVIATES };

enum component_deviation {
    COMPONENT_OTHER_CALL,   /* the component calls what the log does not have next */
    COMPONENT_OTHER_RETURN, /* it returns where the log has something else next */
    COMPONENT_OTHER_VALUE,  /* a parameter or result is another */
    COMPONENT_OTHER_BYTES,  /* a buffer is another */
    COMPONENT_OTHER_STATE,  /* variables are others */
    COMPONENT_SILENT,       /* it does not get to the next event */
    COMPONENT_NO_ORDER,     /* the events of the log do not follow from each other */
};

/* A call that is under way. Of a call in that interrupted the component: all registers as they were. */
struct component_frame {
    uint32_t function; /* number in the log */
    uint8_t in, interrupts;
    uint32_t pc, sp;
    uint32_t registers[COMPONENT_REGISTERS];
};

struct component_state {
    struct component_place place, before; /* before: that of the event under way */
    uint64_t events, interrupts;
    uint64_t base; /* instructions executed at the last event */
    uint8_t end, deviation;
    uint8_t cut; /* the log ended while the component was executed: it goes on with what the node did not log */
    uint8_t frame_count;
    uint32_t others;         /* reads of own variables that others had changed */
    uint32_t other_variable; /* the first of them, */
    uint64_t other_event;    /* and where */
    uint32_t index;          /* of the value or buffer that differs */
    uint32_t at;             /* the byte of it; or the function that is called */
    uint64_t found, said;    /* here and in the log */
    struct component_frame frames[COMPONENT_FRAMES];
};

enum { COMPONENT_GIVEN = 16384 }; /* bytes of RAM at most */

static inline const struct component_replay *component_of(const struct device *d)
{
    return d->config;
}

static inline struct component_state *component_state_of(struct node *n, const struct device *d)
{
    return device_state(n, d);
}

/* ---- the log (replay_log.c) ---- */

struct component_place component_place_of(const struct interface_reader *r);

/* The event at a place, and the place after it; false past the last. */
bool component_read(const struct component_replay *r, const struct component_place *p, struct interface_event *e,
                    struct component_place *after);

/* The next event of a node, left where it is; taken. */
bool component_next(struct node *n, const struct device *d, struct interface_event *e);
void component_take(struct node *n, const struct device *d, struct interface_event *e);

/* Lets a listener see it. */
void component_tell(const struct component_replay *r, const struct interface_event *e);

void component_end(struct node *n, struct component_state *s, enum component_end why);
void component_deviate(struct node *n, struct component_state *s, enum component_deviation what);

/* ---- memory and registers (replay_memory.c) ---- */

void component_poke(struct node *n, uint32_t address, const uint8_t *bytes, uint32_t size);
void component_put_bytes(struct node *n, const struct interface_event *e);
void component_put_value(struct node *n, const struct debug_call_place *p, const struct interface_event *e, uint32_t i,
                         uint32_t size);
void component_save(const struct node *n, struct component_frame *f);
void component_restore(struct node *n, const struct component_frame *f);

/* What the component gives to others is as in the log; else the replay ends there. */
bool component_same_value(struct node *n, struct component_state *s, const struct debug_call_place *p,
                          const struct interface_type *t, const struct interface_event *e, uint32_t i);
bool component_same_bytes(struct node *n, struct component_state *s, const struct interface_event *e);
bool component_same_state(struct node *n, const struct device *d, const struct interface_event *e);

#endif
