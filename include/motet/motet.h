/* Motet: run, observe and take apart networked microcontroller firmware.
 *
 * This is the public interface of the library; the command line uses nothing else. A *machine* is a firmware on a board
 * (or a bare chip): it never changes and can be shared. A *node* is one life of it. Nodes belong to a *network*, which
 * runs them; a node alone is a network of one. Everything nodes do is a function of their machines, the seed and what
 * is fed to them through this interface; observers see it and cannot change it. Nothing here keeps global state: any
 * number of machines and networks live side by side, also in different threads.
 *
 * A network's time is counted in nanoseconds. A node's own is counted in ticks, each one period of the board's main
 * oscillator (motet_machine_hz of them a second); motet_network_time converts exactly.
 *
 * Functions that can fail because of what they were given take a `struct motet_error *` and return NULL or false.
 */
#ifndef MOTET_MOTET_H
#define MOTET_MOTET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MOTET_API_VERSION 1

typedef struct motet_machine motet_machine;
typedef struct motet_node motet_node;
typedef struct motet_network motet_network;
typedef struct motet_network_snapshot motet_network_snapshot;

#define MOTET_NEVER UINT64_MAX

/* The candidate nearest to a mistyped word, NULL if none is near. Call it with each candidate in turn, starting with
 * `best` NULL. */
const char *motet_word_nearer(const char *word, const char *best, const char *candidate);

/* ---- what there is ---- */

struct motet_board_info {
    const char *name, *alias; /* alias may be NULL */
    const char *chip;
    const char *instruction_set;
    uint64_t hz;    /* of the CPU after reset */
    bool own_clock; /* made on the chip and set by the firmware, rather than an oscillator's */
    bool is_chip;   /* a bare chip rather than a board */
};

/* Boards, then bare chips, by number from 0; false past the last. */
bool motet_board(size_t number, struct motet_board_info *info);

/* ---- machines ---- */

struct motet_options {
    const char *board; /* board, alias or chip; NULL: the board or chip the firmware says it was built for */
    uint64_t hz;       /* main oscillator; 0: the board's */
    int fuses[3];      /* extended, high, low; -1: what the firmware file or the chip says */
    int lock;          /* likewise */
};
#define MOTET_OPTIONS_DEFAULT                                     \
    {                                                             \
        .board = NULL, .hz = 0, .fuses = {-1, -1, -1}, .lock = -1 \
    }

/* Loads an ELF or Intel HEX file, or S-records. */
motet_machine *motet_machine_load(const char *path, const struct motet_options *options, struct motet_error *e);
void motet_machine_free(motet_machine *m); /* after its nodes and snapshots */

uint64_t motet_machine_hz(const motet_machine *m);       /* ticks a second */
uint64_t motet_machine_cpu_hz(const motet_machine *m);   /* cycles of the CPU a second, after reset */
const char *motet_machine_board(const motet_machine *m); /* board, or chip where there is no board */
const char *motet_machine_chip(const motet_machine *m);

/* What the board's components draw in their states, a text in the form of docs/monitors.md (energy); NULL: not known.
 */
const char *motet_machine_currents(const motet_machine *m);

/* The debugger that knows the machine's instruction set, and Debian's package that has it; NULL if there is none. */
const char *motet_machine_debugger(const motet_machine *m, const char **package);

/* Pins, by number or name ("PB5"). A part that shows a pin, such as an LED, has a name of its own. */
unsigned motet_machine_pins(const motet_machine *m);                             /* numbers run below this */
bool motet_machine_pin_name(const motet_machine *m, unsigned pin, char name[8]); /* false: the chip has no such pin */
int motet_machine_pin_named(const motet_machine *m, const char *name);           /* -1: there is none */

struct motet_led {
    const char *name; /* "red" */
    unsigned pin;
    bool active_low;
};
bool motet_machine_led(const motet_machine *m, size_t number, struct motet_led *led); /* false past the last */

/* Whether the chip has that serial port. */
bool motet_machine_has_serial(const motet_machine *m, unsigned line);

/* The serial port that the board leads to a computer: 0 but where its table says otherwise (1 on the telosb). */
unsigned motet_machine_terminal(const motet_machine *m);

/* A code address for a person: "main+0x12 (blink.c:31)". Returns `text`. */
char *motet_machine_place(const motet_machine *m, uint32_t address, char *text, size_t size);

/* ---- the firmware, taken apart ---- */

enum motet_code { MOTET_CODE_ERASED, MOTET_CODE_INSTRUCTION, MOTET_CODE_DATA };

struct motet_instruction {
    enum motet_code kind; /* what the program memory holds there */
    unsigned size;        /* bytes, at least 1 */
    uint8_t bytes[8];
    char text[80];     /* in the assembler's notation; empty where it is erased */
    const char *label; /* the symbol that begins here, or NULL */
    const char *file;  /* the line of source this was made from, or NULL */
    unsigned line;
};

/* Whatever is at a byte address of program memory; false beyond its end. */
bool motet_machine_instruction(const motet_machine *m, uint32_t address, struct motet_instruction *i);

enum motet_symbol_kind { MOTET_SYMBOL_LABEL, MOTET_SYMBOL_FUNCTION, MOTET_SYMBOL_VARIABLE };

struct motet_symbol {
    const char *name;
    enum motet_symbol_kind kind;
    uint32_t address, size; /* as in the firmware's file */
};
bool motet_machine_symbol(const motet_machine *m, size_t number, struct motet_symbol *s); /* false past the last */
bool motet_machine_symbol_named(const motet_machine *m, const char *name, struct motet_symbol *s); /* false: none */

/* The firmware's file: its name as it was given, and its bytes as they were when it was loaded. */
const char *motet_machine_path(const motet_machine *m);
const uint8_t *motet_machine_file(const motet_machine *m, size_t *size);

struct motet_firmware {
    const char *built_for;           /* the chip its file names, or NULL */
    uint32_t flash_size, flash_used; /* bytes */
    uint32_t ram_start, ram_size;
    uint32_t ram_used; /* by variables; 0 if that is not known, and then a stack that overruns them is not noticed */
    const char *ram_used_by; /* what says so: "symbols", "section headers", "start-up code"; NULL: nothing does */
    bool has_fuses;
    uint8_t fuses[3], lock; /* extended, high, low, as they will be */
};
void motet_machine_firmware(const motet_machine *m, struct motet_firmware *f);

/* ---- nodes ---- */

const motet_machine *motet_node_machine(const motet_node *n);
motet_network *motet_node_network(const motet_node *n); /* it belongs to */

enum motet_exit {
    MOTET_RUNNING,       /* it has not exited */
    MOTET_EXIT_FAULT,    /* stopped at a fault; see motet_node_fault */
    MOTET_EXIT_FIRMWARE, /* the firmware ended the run; see motet_node_exit_status */
    MOTET_EXIT_HALT,     /* asleep or looping with nothing left that could wake it */
    MOTET_EXIT_LOG,      /* a replay has come to the end of its log, or to a difference (motet/log.h) */
};

enum motet_exit motet_node_exit(const motet_node *n); /* how it stands */
unsigned motet_node_exit_status(const motet_node *n);

/* When the CPU of a node that has exited ended, in ticks, and how many cycles it had run; false while it goes on. The
 * node's own time is later where devices went on sending for a moment. */
bool motet_node_ended(const motet_node *n, uint64_t *tick, uint64_t *cycles);

uint64_t motet_node_now(const motet_node *n);    /* ticks */
uint64_t motet_node_cycles(const motet_node *n); /* of the CPU's clock while it was awake */
uint64_t motet_node_instructions(const motet_node *n);
uint32_t motet_node_resets(const motet_node *n); /* since power-on */
uint32_t motet_node_pc(const motet_node *n);     /* byte address */
bool motet_node_sleeping(const motet_node *n);
/* The tick of the next thing that will happen by itself: now while the CPU runs, MOTET_NEVER if it sleeps for good. */
uint64_t motet_node_next(const motet_node *n);

/* ---- state as data ---- */

#define MOTET_DIGEST_TEXT 33
void motet_node_digest(const motet_node *n, char text[MOTET_DIGEST_TEXT]); /* of its part; 32 hexadecimal digits */

/* Data memory and registers without side effects, as they are now. False where there is no memory. */
bool motet_node_peek(const motet_node *n, uint32_t address, void *to, uint32_t size);

bool motet_node_led(const motet_node *n, size_t number); /* whether it is lit; numbers as for motet_machine_led */

/* ---- faults ---- */

enum motet_fault_kind {
    MOTET_FAULT_ILLEGAL_OPCODE,
    MOTET_FAULT_ERASED_FLASH,
    MOTET_FAULT_EXECUTES_DATA,
    MOTET_FAULT_OUTSIDE_FLASH,
    MOTET_FAULT_STACK_OVERFLOW,
    MOTET_FAULT_OUTSIDE_MEMORY,
    MOTET_FAULT_NULL_WRITE,
    MOTET_FAULT_MISALIGNED,
    MOTET_FAULT_TRAP,        /* the firmware gave itself up; see motet_trap_cause */
    MOTET_FAULT_UNSPECIFIED, /* a device was used in a way for which its datasheet promises nothing */
    MOTET_FAULT_KINDS,
};

/* The default is a warning for MOTET_FAULT_UNSPECIFIED, and a stop for all other kinds. */
enum motet_fault_action { MOTET_FAULT_DEFAULT, MOTET_FAULT_STOP, MOTET_FAULT_WARN, MOTET_FAULT_IGNORE };

/* Why a firmware trapped: what a check that its compiler put in (-fsanitize=...) has found, or its own doing. Made out
 * from the comparison that led to the trap and from what the compiler was told, as debug information has it. */
enum motet_trap_cause {
    MOTET_TRAP_UNKNOWN,
    MOTET_TRAP_ABORT, /* the firmware called abort() */
    MOTET_TRAP_ASSERTION,
    MOTET_TRAP_STACK_SMASHED,
    MOTET_TRAP_BOUNDS,
    MOTET_TRAP_NULL,
    MOTET_TRAP_DIVISION,
    MOTET_TRAP_SHIFT,
    MOTET_TRAP_OVERFLOW,
    MOTET_TRAP_ZERO,  /* one of NULL and DIVISION: the compiler was told to check for both, or does not say */
    MOTET_TRAP_RANGE, /* likewise one of BOUNDS and SHIFT */
    MOTET_TRAP_CAUSES,
};

struct motet_fault {
    enum motet_fault_kind kind;
    uint32_t pc;      /* byte address of the instruction */
    uint32_t address; /* data address touched, where that applies */
    uint32_t sp;
    uint32_t value; /* opcode or value written */
    uint64_t tick;
    enum motet_trap_cause cause;
    int64_t index;  /* of MOTET_TRAP_BOUNDS and _RANGE: the index (or the number of bits), */
    uint32_t bound; /* and the first one too large; 0: neither is known */
};

const char *motet_fault_name(enum motet_fault_kind kind); /* "stack-overflow" */
const char *motet_trap_name(enum motet_trap_cause cause); /* "null-pointer" */
void motet_node_on_fault(motet_node *n, enum motet_fault_kind kind, enum motet_fault_action action);
const struct motet_fault *motet_node_fault(const motet_node *n); /* the last one, NULL if there was none */

/* What happened, where, and how it came there, in a few lines ending in a newline each. Returns the length. */
size_t motet_node_explain(const motet_node *n, const struct motet_fault *f, char *text, size_t size);

/* The call chain as it is now: code addresses, innermost first. Those found by searching the stack rather than by debug
 * information are marked. Returns how many. */
struct motet_frame {
    uint32_t pc;
    bool guessed;
};
size_t motet_node_frames(const motet_node *n, struct motet_frame *frames, size_t count);

/* ---- looking on ---- */

/* A frame on a serial line: up to nine data bits, and what is wrong with it. */
enum {
    MOTET_FRAME_DATA = 0x1ff,
    MOTET_FRAME_FRAMING_ERROR = 0x200,
    MOTET_FRAME_PARITY_ERROR = 0x400,
    MOTET_FRAME_BREAK = 0x800
};

struct motet_observer {
    void *context;
    void (*pin)(void *context, const motet_node *n, uint64_t tick, unsigned pin, bool level);
    void (*serial)(void *context, const motet_node *n, uint64_t tick, unsigned line, unsigned frame);
    void (*fault)(void *context, const motet_node *n, const struct motet_fault *f);
    void (*reset)(void *context, const motet_node *n, uint64_t tick, const char *cause);
};
void motet_node_observe(motet_node *n, const struct motet_observer *o);

/* ---- inputs ---- */

/* Lines are numbered as the chip's serial ports are; MOTET_CONSOLE is the one for firmware that knows it is simulated.
 */
#define MOTET_CONSOLE 7
/* A port takes nothing while its receiver is off. Where there is no port, everything is lost. */
size_t motet_node_send(motet_node *n, unsigned line, const uint8_t *bytes, size_t count); /* how many it took */

enum motet_drive { MOTET_FLOATING, MOTET_PULLED_UP, MOTET_PULLED_DOWN, MOTET_LOW, MOTET_HIGH };
void motet_node_drive(motet_node *n, unsigned pin, enum motet_drive drive);

/* Microvolts on an analog channel at a tick, INT32_MIN for "nothing connected". Must depend on its arguments alone. */
typedef int32_t motet_analog(void *context, unsigned channel, uint64_t tick);
void motet_node_analog(motet_node *n, motet_analog *source, void *context);

/* A Lua file whose function volts(channel, seconds) says what is on an analog channel. It can reach nothing but its
 * arguments. motet_voltage_at is false, with file and line, where the script fails. */
typedef struct motet_voltage motet_voltage;
motet_voltage *motet_voltage_load(const char *path, struct motet_error *e);
bool motet_voltage_at(motet_voltage *v, unsigned channel, double seconds, int32_t *microvolts, struct motet_error *e);
void motet_voltage_free(motet_voltage *v);

void motet_node_reset(motet_node *n); /* as by the reset pin */

/* Gives a variable in RAM (1, 2, 4 or 8 bytes) a value of this node's own: when the firmware reaches main, after every
 * reset, just after start-up code has initialised memory. For a node that has not run yet. */
bool motet_node_set(motet_node *n, const char *symbol, uint64_t value, struct motet_error *e);

/* Where a variable lies, for motet_node_peek; false if there is none of that name in RAM. */
bool motet_machine_variable(const motet_machine *m, const char *symbol, uint32_t *address, uint32_t *size);

/* ---- networks ---- */

/* Nodes under one clock, in nanoseconds, with a radio medium between them. A network's nodes belong to it: they run and
 * end with it, and are not run, restored or freed by themselves. Observers of different nodes are called in different
 * threads, but never two of one node at once, and only while motet_network_run runs. Everything else here is for one
 * thread at a time, between runs. */

#define MOTET_SECOND UINT64_C(1000000000)

enum motet_model {
    MOTET_MODEL_LINKS,        /* only motet_network_link says who hears whom */
    MOTET_MODEL_DISK,         /* everybody within a range, with the same gain */
    MOTET_MODEL_LOG_DISTANCE, /* gain at a metre, falling by 10 n dB a decade, with shadowing of each link */
};

struct motet_medium {
    enum motet_model model;
    double range, gain;     /* disk: metres, dB */
    double exponent, metre; /* log-distance: n, and the gain at one metre in dB */
    double shadowing;       /* its standard deviation in dB */
    double cut_off;         /* dBm: what arrives weaker is not carried at all */
    double noise;           /* dBm */
    double loss;            /* probability that a link loses a transmission, where it has none of its own */
};
void motet_medium_default(struct motet_medium *m);

struct motet_place {
    uint32_t id;    /* unique in the network */
    double x, y, z; /* metres */
    uint64_t boot;  /* when it is switched on */
    double drift;   /* of its clock, ppm; positive is fast */
    bool own_id;    /* the firmware keeps the id that it was built with */
};

/* `threads` of 0 is one for each processor; results do not depend on it. */
motet_network *motet_network_new(uint64_t seed, unsigned threads, const struct motet_medium *m, struct motet_error *e);
void motet_network_free(motet_network *n); /* before its machines */

/* Adds a node. Where the firmware has TinyOS's TOS_NODE_ID, its active-message address and the like, they are set to
 * the id as by motet_node_set, unless own_id says otherwise. */
motet_node *motet_network_add(motet_network *n, const motet_machine *m, const struct motet_place *p,
                              struct motet_error *e);

/* A network of one node whose firmware keeps the id that it was built with, with the default medium around it. */
motet_network *motet_network_of_one(const motet_machine *m, uint32_t id, uint64_t seed);

size_t motet_network_count(const motet_network *n);
motet_node *motet_network_at(const motet_network *n, size_t number); /* in the order of adding */
motet_node *motet_network_node(const motet_network *n, uint32_t id); /* NULL if there is none */
uint32_t motet_node_id(const motet_node *n);

enum motet_network_end {
    MOTET_NETWORK_TIME,    /* reached the time asked for */
    MOTET_NETWORK_ENDED,   /* a node has exited, see motet_network_ended; the others can go on */
    MOTET_NETWORK_IDLE,    /* nothing will ever happen again */
    MOTET_NETWORK_STOPPED, /* a callback asked for it (motet_node_stop); run again to go on */
};
enum motet_network_end motet_network_run(motet_network *n, uint64_t until);
uint64_t motet_network_now(const motet_network *n);
uint64_t motet_network_next(const motet_network *n); /* before which nothing will happen; MOTET_NEVER if nothing will */
motet_node *motet_network_ended(const motet_network *n);
uint64_t motet_network_time(const motet_network *n, const motet_node *node, uint64_t tick); /* of a node's tick */

/* Changes while running, from now on; a transmission under way is heard as it began. */
void motet_network_kill(motet_network *n, motet_node *node); /* power off */
void motet_network_boot(motet_network *n, motet_node *node); /* power on, or off and on */
bool motet_network_alive(const motet_network *n, const motet_node *node);
bool motet_network_move(motet_network *n, motet_node *node, double x, double y, double z, struct motet_error *e);
void motet_network_position(const motet_network *n, const motet_node *node, double position[3]);
bool motet_network_medium(motet_network *n, const struct motet_medium *m, struct motet_error *e);
void motet_network_get_medium(const motet_network *n, struct motet_medium *m);

/* Directed links. `dbm` is the power at which a transmission of 0 dBm arrives, and comes before the model's. */
bool motet_network_link(motet_network *n, uint32_t from, uint32_t to, double dbm, struct motet_error *e);
bool motet_network_link_down(motet_network *n, uint32_t from, uint32_t to, bool down, struct motet_error *e);
bool motet_network_link_loss(motet_network *n, uint32_t from, uint32_t to, double probability, struct motet_error *e);

/* Readings of noise in dBm, so many nanoseconds apart, over and over, each node from a place of its own in them. */
bool motet_network_noise(motet_network *n, const float *dbm, size_t count, uint64_t spacing, struct motet_error *e);

/* Every transmission as it ends. */
struct motet_transmission {
    uint32_t sender;
    uint64_t begun, ended;
    double hertz, dbm;    /* as sent */
    const uint8_t *bytes; /* from the preamble on */
    size_t count;
};
typedef void motet_radio(void *context, const struct motet_transmission *t);
void motet_network_listen(motet_network *n, motet_radio *told, void *context);
uint64_t motet_network_transmissions(const motet_network *n); /* how many have ended since the network was made */

/* Frames of IEEE 802.15.4 to a pcap file, from now on; the end of it says whether all could be written. */
bool motet_network_capture(motet_network *n, const char *path, struct motet_error *e);
bool motet_network_capture_end(motet_network *n, struct motet_error *e);

void motet_network_digest(const motet_network *n, char text[MOTET_DIGEST_TEXT]);
motet_network_snapshot *motet_network_snapshot_take(motet_network *n);
void motet_network_snapshot_restore(motet_network *n, const motet_network_snapshot *s);
void motet_network_snapshot_free(motet_network_snapshot *s);

/* ---- scenarios ---- */

/* A network as a Lua file says it, with things that happen at their times and checks at the end (docs/scenarios.md).
 * Whoever runs it runs the network to motet_scenario_next and lets it act, until motet_scenario_until. */
typedef struct motet_scenario motet_scenario;

/* `seed` and `threads` are what the file gets if it does not say. */
motet_scenario *motet_scenario_load(const char *path, uint64_t seed, unsigned threads, struct motet_error *e);
void motet_scenario_free(motet_scenario *s); /* with its network and machines */
motet_network *motet_scenario_network(const motet_scenario *s);
uint64_t motet_scenario_until(const motet_scenario *s); /* MOTET_NEVER if the file does not say */
uint64_t motet_scenario_next(const motet_scenario *s);  /* when it wants to act next, MOTET_NEVER if it does not */
bool motet_scenario_act(motet_scenario *s, struct motet_error *e); /* does everything that is due now */
bool motet_scenario_over(const motet_scenario *s);                 /* an action has ended the run */

/* What the nodes say on their serial ports, for its checks; numbered in the order of adding, from the thread of the
 * node. */
void motet_scenario_heard(motet_scenario *s, size_t number, unsigned line, uint8_t byte);

/* Runs the checks at the end; false with a sentence for each that failed, a line each. `failed` says how many. */
bool motet_scenario_check(motet_scenario *s, size_t *failed, struct motet_error *e);

/* ---- debugging ---- */

/* The calls that led to where the node is, a line each; returns the length. */
size_t motet_node_where(const motet_node *n, char *text, size_t size);

/* A server of gdb's remote protocol for a network, forward and backward. What it is given, as it is, is the
 * beginning of history; from then on it is the debugger's until motet_debugger_free. Observers see again what is
 * executed again. */
typedef struct motet_debugger motet_debugger;
enum motet_debug_end { MOTET_DEBUG_DETACHED, MOTET_DEBUG_KILLED, MOTET_DEBUG_CLOSED };

/* An actor changes what is debugged at times it chooses: `next` says when (in nanoseconds; MOTET_NEVER for no more),
 * `act` does all that is due. Each time is asked for once; what was done then is repeated by itself. */
struct motet_actor {
    void *context;
    uint64_t (*next)(void *context);
    void (*act)(void *context);
};

struct motet_debug_options {
    size_t memory;            /* bytes for snapshots to go back to; 0: 256 MB */
    uint64_t until;           /* where running ends by itself, in nanoseconds; MOTET_NEVER */
    struct motet_actor actor; /* without `act`: nobody */
};

motet_debugger *motet_debugger_of_network(motet_network *n, const struct motet_debug_options *o);
void motet_debugger_free(motet_debugger *d);

/* Serves one debugger on a connected socket until it leaves. */
enum motet_debug_end motet_debugger_serve(motet_debugger *d, int socket);

#ifdef __cplusplus
}
#endif

#include "motet/watch.h"

#endif
