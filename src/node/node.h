/* Nodes: one running board, its state as plain data, and the loop that runs it.
 *
 * A `struct machine` is everything that does not change: chip, board, devices, wiring, decoded code. A `struct node` is
 * one life of it. Invariant: all that changes while a node runs lies in its arena (one block without pointers) and its
 * paged memories, so that a snapshot is a copy, a digest is a hash, and a run is a pure function of machine, seed and
 * inputs. What else is in struct node (views into the arena, observers, page marks) can be made anew from the machine
 * and never influences the run.
 */
#ifndef NODE_NODE_H
#define NODE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "node/air.h"
#include "node/clock.h"
#include "node/device.h"
#include "node/trap.h"

struct machine;
struct snapshot;
struct pack;
struct unpack;
struct stops;
struct taps;
struct pages;
struct motet_node;
struct chooser;
struct uses;

/* Clock domains. Every chip has the first two; the others are the chip's. Devices are given theirs in their config. */
enum {
    CLOCK_CPU,  /* instructions; stopped in every sleep mode, so it counts active cycles */
    CLOCK_IO,   /* peripherals on the system clock */
    CLOCK_TICK, /* the time base itself, never stopped: for times given in seconds by a datasheet */
    CLOCK_CHIP, /* first of the chip's own */
    CLOCK_LIMIT = 12,
};

enum node_exit {
    NODE_RUNNING,
    NODE_EXIT_FAULT,    /* see node->fault */
    NODE_EXIT_FIRMWARE, /* the firmware ended the run; state->exit_status is its status */
    NODE_EXIT_HALT,     /* asleep or in an endless loop with nothing left that could wake it */
    NODE_EXIT_LOG,      /* the log that stands in for the devices has ended, or does not fit what is executed */
};

/* The head of the arena. The CPU's state, the event table, data memory and the devices' states follow it. */
struct node_state {
    uint64_t now;          /* ticks; at an instruction boundary whenever the CPU is not inside isa->run */
    uint64_t instructions; /* executed in all its lives */
    uint64_t asking;       /* how many lines ask for an interrupt (node/interrupts.h) */
    uint64_t random;       /* the node's generator */
    uint64_t stall;        /* CPU cycles owed before the next instruction (EEPROM and flash writes, wake-up) */
    uint64_t halt_at;      /* the CPU has ended; the devices go on until this tick so that output gets out; 0: no */
    uint64_t ended_tick;   /* of one that has exited: when the CPU ended; NEVER: devices had no time of their own */
    uint64_t ended_cycle;  /* of the CPU then */
    struct clock clocks[CLOCK_LIMIT];
    uint16_t pending[CLOCK_LIMIT]; /* how many events wait in cycles of each clock (node/events.h) */
    uint8_t sleeping;
    uint8_t exit;          /* enum node_exit */
    uint8_t reset_pending; /* 1 + enum reset_cause, handled at the next instruction boundary */
    uint8_t exit_status;
    uint8_t halt_reason; /* enum node_exit that halt_at will bring */
    uint8_t starting;    /* the firmware has not come to main since the reset; only kept where settings wait for it */
    uint32_t resets;     /* since power-on */
};

enum fault_kind {
    FAULT_ILLEGAL_OPCODE,
    FAULT_ERASED_FLASH,
    FAULT_EXECUTES_DATA,
    FAULT_OUTSIDE_FLASH,
    FAULT_STACK_OVERFLOW,
    FAULT_OUTSIDE_MEMORY,
    FAULT_NULL_WRITE,
    FAULT_MISALIGNED,
    FAULT_TRAP,
    FAULT_UNSPECIFIED, /* a device was used in a way for which its datasheet promises nothing (node_unspecified) */
    FAULT_KINDS,
};

/* FAULT_DEFAULT: a warning for FAULT_UNSPECIFIED, a stop for all other kinds. */
enum fault_action { FAULT_DEFAULT, FAULT_STOP, FAULT_WARN, FAULT_IGNORE };

struct fault {
    enum fault_kind kind;
    uint32_t pc;      /* byte address of the instruction */
    uint32_t address; /* what it touched, where that applies: as in the data space of the chip */
    uint32_t sp;
    uint32_t value; /* opcode, or value written */
    uint64_t tick;
    struct trap trap; /* of FAULT_TRAP */
};

/* A callback that keeps the last fault; it cannot change the node. */
typedef void fault_keeper(struct motet_node *handle, const struct node *n, const struct fault *f);

/* Analog inputs from outside the board: microvolts on a channel at a tick, INT32_MIN to leave it to the board. Must be
 * a pure function of its arguments. */
typedef int32_t analog_source(void *context, unsigned channel, uint64_t tick);

/* node->cut, beside true: an event comes before the horizon was, which has moved there. Nothing else has happened, so
 * the slice need not end now. */
enum { NODE_SOONER = 2 };

/* Marks on small pages of the data space, by slot (node/map.h): 0 is plain RAM, anything else sends an access the
 * slow way. They are small so that what lies beside something watched is seldom on the same page. */
enum {
    PAGE_PLAIN = 0,
    PAGE_REGISTERS = 1,
    PAGE_ABSENT = 2,
    PAGE_WATCHED = 4,
    PAGE_PROGRAM = 8, /* flash and ROM that data addresses reach */
    PAGE_ALIAS = 16,
    PAGE_UNKNOWN = 32,  /* some byte there is unknown to the log that is replayed */
    PAGE_FRESH = 64,    /* some byte there was not accessed since uses are noted (node/uses.h) */
    PAGE_GUARDED = 128, /* a memory protection unit may deny an access */
};
enum { PAGE_BITS = 4, PAGE_MASK = (1 << PAGE_BITS) - 1 };

/* A variable that gets its value from outside, each time start-up code has initialised memory. */
struct node_setting {
    uint32_t address, size;
    uint64_t value;
};

/* What a core holds in host registers while a probe looks on, for isa->show to put into the arena on request. */
struct slice;
struct glance {
    const struct slice *slice; /* NULL: everything is where it belongs */
    int64_t left;
    uint32_t flags[6];
};

/* How far the node's code is from being translated (isa/heat.h). */
struct node_heat {
    int64_t left;    /* instructions until something is due */
    uint64_t passed; /* in the slice under way: instructions that the loop did not have to execute */
    uint32_t *burst; /* instructions noted: one at a time is executed; NULL: it goes on as ever */
    uint32_t noted;
    bool begun;
    int useless; /* times that a watch kept translated code from being worth entering, less those it was */
    bool cold;   /* so this node does not enter it */
};

/* What the event slots come to (node/events.h). */
enum { AGENDA_WORDS = 4, AGENDA_NONE = 64 * AGENDA_WORDS };
struct agenda {
    uint64_t when;                  /* the first is due; 0 while an event runs */
    unsigned first;                 /* its slot; any, or AGENDA_NONE, where `when` is no time */
    uint64_t pending[AGENDA_WORDS]; /* a bit for each slot that is pending, in a clock that may be stopped */
    uint64_t stale[AGENDA_WORDS];   /* slots whose matches in the arena were not played again since they changed */
};

struct node {
    /* What a window of a network touches of a node that only executes, in three lines of the host's cache. */
    const struct machine *machine;
    uint8_t *arena;
    struct node_state *state;
    void *cpu;            /* the ISA's struct */
    uint8_t *data;        /* data memory: registers and RAM, by place (node/map.h) */
    const void *code;     /* decoded instructions: the machine's, or its own (node/taps.h: code_choose) */
    struct taps *taps;    /* NULL: there never were any */
    uint64_t time;        /* the tick of what is happening; see node_now */
    uint64_t horizon;     /* tick up to which the CPU may run before looking at anything */
    uint64_t until;       /* tick up to which the node is to run */
    uint64_t past;        /* ticks that translated code may go past `until`, where nothing can happen so soon */
    uint64_t waits_until; /* in the last slice the CPU came to a loop that only waits up to this tick; 0: it did not */
    uint64_t alarm;       /* tick of the next alarm, NEVER if there is none */
    struct uses *uses;    /* NULL: they are not noted (node/uses.h) */
    uint8_t cut;          /* the slice under way must end: an interrupt, a reset, an exit (1, true); or sooner (2) */
    bool code_reads_differ; /* instructions that read program memory must ask the device (derived from its state) */
    bool watching;          /* some page is marked PAGE_WATCHED */
    bool guarded;           /* some page may be marked PAGE_GUARDED */
    bool code_guarded;      /* loads from program memory may be denied */
    bool ending;            /* it is being freed */
    bool pausing;           /* a tap waits for the end of the current instruction (node/taps.h) */
    bool unsure;            /* the CPU holds what the log that is replayed does not know: one instruction at a time */
    bool executing;         /* inside isa->run */
    bool changed;           /* by more than the time a sleeping node has waited; cleared by network/snapshot.c alone */
    bool asked;             /* `stopped` was requested by a callback; cleared by the caller that runs the node */
    bool stopped_before;    /* the marked instruction is not to be executed now */
    bool stopped_between;   /* a stop was asked for by what comes before an instruction: an event, an alarm */
    bool
        stopped; /* a stop was met or requested (node/stops.h, node/taps.h); cleared by the caller that runs the node */
    struct node_heat heat;
    uint32_t id;
    uint32_t hooked; /* events with a hook */
    struct agenda agenda;

    struct pages **pages; /* one for each wire_pages */
    void *code_own;       /* its own; NULL: there never was any. Not in use, it is the same program */
    struct glance glance;
    struct stops *stops; /* NULL: there never were any */
    enum fault_action fault_action[FAULT_KINDS];
    struct fault fault;        /* the last one */
    struct motet_node *handle; /* what callbacks are given */
    fault_keeper *fault_keeper;
    struct air air;
    struct air_memo *air_memo, air_remembered; /* the first is where the second is: also of a const node */
    uint64_t disturbed;                        /* tick at which an interrupt was held last; 0: never */
    const struct chooser *chooser;             /* of what the environment may do (node/choice.h); NULL: all as ever */
    analog_source *analog;
    void *analog_context;
    struct node_setting *settings;
    size_t setting_count;
    uint8_t page[]; /* marks, by slot >> PAGE_BITS */
};

/* ---- life ---- */

struct node *node_new(const struct machine *m, uint32_t id, uint64_t seed);
void node_free(struct node *n);

/* Power off and on again: a new life from tick 0. EEPROM, flash and the like keep what they hold, and the node's
 * generator and its count of instructions go on where they were. */
void node_power_cycle(struct node *n);

/* Gives a variable of the firmware (1, 2, 4 or 8 bytes, in RAM) a value of this node's own, now and after every reset:
 * when the firmware reaches main, just after start-up code has initialised memory. Code and initial values stay shared
 * with the other nodes of the machine. For a node that has not run yet. */
bool node_set_variable(struct node *n, const char *symbol, uint64_t value, struct motet_error *e);

/* The tick before which nothing will happen by itself: now while the CPU runs, NEVER if it sleeps for good or has
 * exited. */
uint64_t node_next(const struct node *n);

/* The same, but for a CPU that runs in a loop that only waits (isa/wait.h): when that may end. Such a node may lag
 * behind others as one that sleeps. */
uint64_t node_resumes(const struct node *n);

/* Fetches what is touched when it does (node/fetch.h): of the node itself; then of the arena, where it only executes
 * instructions, or where its radio hears something, too. Each needs what the one before has fetched. */
void node_fetch(const struct node *n);
void node_fetch_cpu(const struct node *n);
void node_fetch_radio(const struct node *n);

/* Runs until the tick is reached (the last instruction may end past it) or the node exits. */
enum node_exit node_run(struct node *n, uint64_t until);

/* The same, but translated code may go on for up to so many ticks, if no event comes so soon. So it need not be left
 * to the loop to come to an end just there, and from there to where translated code begins again. Nothing happens in
 * that time but in registers and plain memory. */
enum node_exit node_run_past(struct node *n, uint64_t until, uint64_t past);

/* Does all that comes before the next instruction (events, a reset, an interrupt's entry, waiting asleep), so that it
 * is the next thing to happen. False if the node ended, or if the tick was reached while the CPU had to wait. */
bool node_settle(struct node *n, uint64_t until);

/* The same, but nothing is done at the tick or later: false also if an interrupt's entry lasted until then. So
 * node_run(n, until) after it leads where it would have led without it. */
bool node_ready(struct node *n, uint64_t until);

/* Runs one instruction, or, asleep, to the next event. */
enum node_exit node_step(struct node *n);

/* ---- state as data ---- */

/* A snapshot does not change, but for snapshot_again. So it may have several holders, which free it each. */
struct snapshot *snapshot_take(const struct node *n);
struct snapshot *snapshot_share(struct snapshot *s);             /* the same, for one more holder */
void snapshot_restore(struct node *n, const struct snapshot *s); /* onto a node of the same machine */
void snapshot_again(struct snapshot *s, const struct node *n);   /* takes anew into one of a sole holder, in place */
void snapshot_free(struct snapshot *s);
const struct node_state *snapshot_state(const struct snapshot *s);

/* A node that has only slept since is the same but for its time. So the time can be given apart. */
void snapshot_pack(const struct snapshot *s, uint64_t now, struct pack *p);  /* for this build of Motet */
struct digest snapshot_digest(struct snapshot *s, uint64_t now);             /* node_digest then; worked out once */
struct snapshot *snapshot_unpack(const struct machine *m, struct unpack *u); /* NULL if they are none of the machine */
struct digest node_digest(const struct node *n);

/* For instruction sets, at the end of a slice, with everything in the arena: does what is due then. True if nothing but
 * instructions follows, up to the new horizon, so that isa->run may go on as if it had been called again. */
bool node_goes_on(struct node *n);

/* Brings time and registers up to this moment, for a look from inside a callback. */
void node_show(const struct node *n);

/* ---- for devices and instruction sets ---- */

static inline uint64_t node_now(const struct node *n)
{
    return n->time;
}

static inline void *device_state(const struct node *n, const struct device *d)
{
    return n->arena + d->state_offset;
}

struct pages *device_pages(const struct node *n, const struct device *d);

/* The memories a firmware can change for good; NULL where the chip has none. */
struct pages *node_program_memory(const struct node *n);
struct pages *node_eeprom(const struct node *n);

/* The cycle a clock is in now; a running clock's cycle in a number of seconds' worth of ticks. */
static inline uint64_t node_cycle(const struct node *n, unsigned clock)
{
    return clock_cycle_at(&n->state->clocks[clock], n->time);
}
uint64_t node_ticks(const struct node *n, double seconds);

/* Schedules event number `event` of the device at the beginning of a cycle of a clock. An event pending in that slot is
 * replaced. When the clock changes its pace or stops the event moves with it. A cycle already past is due at once. */
void event_at(struct node *n, const struct device *d, unsigned event, unsigned clock, uint64_t cycle);
void event_in(struct node *n, const struct device *d, unsigned event, unsigned clock, uint64_t cycles);
void event_cancel(struct node *n, const struct device *d, unsigned event);
bool event_pending(const struct node *n, const struct device *d, unsigned event);
uint64_t event_cycle(const struct node *n, const struct device *d, unsigned event); /* NEVER if none is pending */

/* Changes a clock's period in ticks (32.32 fixed point; 0 stops it), moving the events that count in it. */
void node_change_clock(struct node *n, unsigned clock, uint64_t period);
static inline void node_set_clock(struct node *n, unsigned clock, uint64_t period)
{
    if (n->state->clocks[clock].period != period)
        node_change_clock(n, clock, period);
}
/* Starts a stopped clock in step with one that runs, and has the same source. */
void node_join_clock(struct node *n, unsigned clock, unsigned with);

/* The CPU's clock stops, or goes on. */
void node_sleeping(struct node *n, bool asleep);

/* Raises or lowers an interrupt line. */
void node_irq(struct node *n, unsigned line, bool level);

/* Asks for a reset at the next instruction boundary. */
void node_request_reset(struct node *n, enum reset_cause cause);

/* The CPU is done for good (the firmware ended, or can never wake): lets devices finish what they are sending, a few
 * milliseconds, then ends the run. */
void node_halt(struct node *n, enum node_exit why, uint8_t status);

/* Ends the run at once, from inside. */
void node_exit(struct node *n, enum node_exit why, uint8_t status);

/* CPU cycles the CPU has to wait before its next instruction. */
void node_stall(struct node *n, uint64_t cycles);

/* Reports a fault by the rules for its kind. Returns true if the node is to stop at it. */
bool node_fault(struct node *n, enum fault_kind kind, uint32_t pc, uint32_t address, uint32_t value);
bool node_report(struct node *n,
                 const struct fault *f); /* the same for one described by the caller; it gets its tick */

/* Reports FAULT_UNSPECIFIED: sentence number `which` of the device's type. */
void node_unspecified(struct node *n, const struct device *d, unsigned which);

/* A byte of the data space as the firmware sees it at node_now(), device side effects included. */
uint8_t node_read(struct node *n, uint32_t address);
void node_write(struct node *n, uint32_t address, uint8_t value);

/* The same of a register whose place is known (node/map.h). */
uint8_t node_read_register(struct node *n, uint32_t place);
void node_write_register(struct node *n, uint32_t place, uint8_t value);

/* The same for 16 bits at an even register address: one access to a register wired with WIRE_WORD, else two of bytes.
 * For 32 bits at a register wired with WIRE_LONG likewise, else two of 16. */
uint16_t node_read_word(struct node *n, uint32_t address);
void node_write_word(struct node *n, uint32_t address, uint16_t value);
uint32_t node_read_long(struct node *n, uint32_t address);
void node_write_long(struct node *n, uint32_t address, uint32_t value);

/* Whether a watchdog counts: then even a CPU that has ended may come back. */
bool node_watchdog_runs(const struct node *n);

/* A number of the node's own generator. */
uint32_t node_random(struct node *n);

/* ---- buses ---- */
uint8_t spi_exchange(struct node *n, unsigned bus, uint8_t byte);

/* The same where one line carries both directions and the master only clocks: what slaves send, they receive. */
uint8_t spi_exchange_same(struct node *n, unsigned bus);
unsigned twi_signal(struct node *n, unsigned bus, enum twi_event event, uint8_t byte);
int32_t analog_read(struct node *n, unsigned channel); /* microvolts */

/* What a converter sees of a voltage: another one where the environment chooses so (CHOICE_SENSOR). */
int32_t analog_choose(struct node *n, unsigned channel, int32_t microvolts);

/* Serial lines. A frame sent goes to observers and to the parts on the line; one received goes to the UART. Frames
 * pass a UART that does not listen and are lost, unless their sender asks for patience with SERIAL_WAIT. */
enum {
    SERIAL_DATA = 0x1ff,
    SERIAL_FRAMING_ERROR = 0x200,
    SERIAL_PARITY_ERROR = 0x400,
    SERIAL_BREAK = 0x800,
    SERIAL_WAIT = 0x1000, /* not taken (false) while the receiver is off */
};
void serial_send(struct node *n, unsigned line, unsigned frame);
bool serial_receive(struct node *n, unsigned line, unsigned frame); /* false: no room yet, offer it again later */

#endif
