/* Nodes: one life of a machine. Everything a node does is a function of its machine, its seed and what is fed to it. */
#ifndef MOTET_NODE_H
#define MOTET_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/types.h"
#include "motet/error.h"
#include "motet/fault.h"
#include "motet/machine.h"

#include "motet/base/begin.h"

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

bool motet_node_level(const motet_node *n, unsigned pin); /* of a pin, as all that drive it make it */
bool motet_node_led(const motet_node *n, size_t number);  /* whether it is lit; numbers as for motet_machine_led */

/* Memories that keep their contents without power: the chip's EEPROM, the board's serial flash memory. */
enum motet_store { MOTET_STORE_EEPROM, MOTET_STORE_FLASH };

/* What it holds: copies up to `size` bytes and returns how large it is, 0 if there is none. */
size_t motet_node_store(const motet_node *n, enum motet_store which, void *bytes, size_t size);

/* Gives it the contents of a file: all its bytes, or some of them as Intel HEX or S-records; the others stay as they
 * are. For a node that has not run yet. */
bool motet_node_store_load(motet_node *n, enum motet_store which, const char *path, struct motet_error *e);

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

/* The same, also while the receiver is off: the bytes pass on the line and are lost, as on a wire. A port takes so many
 * bytes ahead; the others are to be sent again later. */
size_t motet_node_send_now(motet_node *n, unsigned line, const uint8_t *bytes, size_t count);

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

#include "motet/base/end.h"

#endif
