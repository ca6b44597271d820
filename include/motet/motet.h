/* Motet: run, observe and take apart networked microcontroller firmware.
 *
 * This is the public interface of the library; the command line uses nothing else. A *machine* is a firmware on a board
 * (or a bare chip): it never changes and can be shared. A *node* is one life of it. Everything a node does is a
 * function of its machine, its seed and what is fed to it through this interface; observers see it and cannot change
 * it. Nothing here keeps global state: any number of machines and nodes live side by side, nodes of one machine also in
 * different threads.
 *
 * Time is counted in ticks, one period of the board's main oscillator (motet_machine_hz of them a second).
 *
 * Functions that can fail because of what they were given take a `struct motet_error *` and return NULL or false.
 */
#ifndef MOTET_MOTET_H
#define MOTET_MOTET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MOTET_API_VERSION 1

struct motet_error {
    char text[1024]; /* one sentence: what failed, where, what to do */
};

typedef struct motet_machine motet_machine;
typedef struct motet_node motet_node;
typedef struct motet_snapshot motet_snapshot;

#define MOTET_NEVER UINT64_MAX

/* ---- what there is ---- */

struct motet_board_info {
    const char *name, *alias; /* alias may be NULL */
    const char *chip;
    const char *instruction_set;
    uint64_t hz;
    bool is_chip; /* a bare chip rather than a board */
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

/* Loads an ELF or Intel HEX file. */
motet_machine *motet_machine_load(const char *path, const struct motet_options *options, struct motet_error *e);
void motet_machine_free(motet_machine *m); /* after its nodes and snapshots */

uint64_t motet_machine_hz(const motet_machine *m);
const char *motet_machine_board(const motet_machine *m); /* board, or chip where there is no board */
const char *motet_machine_chip(const motet_machine *m);

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

struct motet_firmware {
    const char *built_for;           /* the chip its file names, or NULL */
    uint32_t flash_size, flash_used; /* bytes */
    uint32_t ram_start, ram_size;
    uint32_t ram_used;      /* by variables; 0 if the file does not say */
    uint8_t fuses[3], lock; /* extended, high, low, as they will be */
};
void motet_machine_firmware(const motet_machine *m, struct motet_firmware *f);

/* ---- nodes ---- */

motet_node *motet_node_new(const motet_machine *m, uint32_t id, uint64_t seed);
void motet_node_free(motet_node *n);
const motet_machine *motet_node_machine(const motet_node *n);

enum motet_exit {
    MOTET_RUNNING,       /* reached the time asked for */
    MOTET_EXIT_FAULT,    /* stopped at a fault; see motet_node_fault */
    MOTET_EXIT_FIRMWARE, /* the firmware ended the run; see motet_node_exit_status */
    MOTET_EXIT_HALT,     /* asleep or looping with nothing left that could wake it */
};

/* Runs until the tick (the last instruction may end past it), or until the node exits. */
enum motet_exit motet_node_run(motet_node *n, uint64_t until);
enum motet_exit motet_node_step(motet_node *n);       /* one instruction, or, asleep, to the next event */
enum motet_exit motet_node_exit(const motet_node *n); /* how it stands */
unsigned motet_node_exit_status(const motet_node *n);

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
void motet_node_digest(const motet_node *n, char text[MOTET_DIGEST_TEXT]); /* 32 hexadecimal digits */
motet_snapshot *motet_snapshot_take(const motet_node *n);
void motet_snapshot_again(motet_snapshot *s, const motet_node *n); /* overwrites it; allocates nothing */
void motet_snapshot_restore(motet_node *n, const motet_snapshot *s);
void motet_snapshot_free(motet_snapshot *s);

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
    MOTET_FAULT_KINDS,
};
enum motet_fault_action { MOTET_FAULT_STOP, MOTET_FAULT_WARN, MOTET_FAULT_IGNORE };

struct motet_fault {
    enum motet_fault_kind kind;
    uint32_t pc;      /* byte address of the instruction */
    uint32_t address; /* data address touched, where that applies */
    uint32_t sp;
    uint32_t value; /* opcode or value written */
    uint64_t tick;
};

const char *motet_fault_name(enum motet_fault_kind kind); /* "stack-overflow" */
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

/* ---- debugging ---- */

/* A server of gdb's remote protocol for a node, forward and backward. The node as it is is the beginning of history;
 * from then on it is the debugger's until motet_debugger_free. Observers see again what is executed again. */
typedef struct motet_debugger motet_debugger;
enum motet_debug_end { MOTET_DEBUG_DETACHED, MOTET_DEBUG_KILLED, MOTET_DEBUG_CLOSED };

/* `memory` bytes are for snapshots to go back to; 0: 256 MB. */
motet_debugger *motet_debugger_new(motet_node *n, size_t memory);
void motet_debugger_free(motet_debugger *d);

/* Serves one debugger on a connected socket until it leaves. */
enum motet_debug_end motet_debugger_serve(motet_debugger *d, int socket);

#ifdef __cplusplus
}
#endif

#endif
