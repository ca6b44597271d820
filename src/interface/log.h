/* Interface logs: what crossed the boundary of a component of one node, as a file on the host.
 *
 * docs/interface-log-format.md describes the file. Invariants: events are in the local order of the node, and
 * `order` counts them from 0 over everything the node met, also what was lost; so a jump of `order` is a gap of known
 * size. For any bytes, reading ends with events or an error, never with a crash: a block that is damaged becomes a gap
 * event, a file cut short gives the events of its whole blocks and says so (`cut`).
 *
 * Stable, and safe to build on: struct interface_header, interface_event, the kinds, the roles, and the functions of
 * the reader. The bytes of the file are known to log_read.c and log_write.c alone.
 */
#ifndef INTERFACE_LOG_H
#define INTERFACE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/pack.h"

/* ---- what is logged: the header and its tables ---- */

enum interface_value_kind {
    INTERFACE_VOID,
    INTERFACE_UNSIGNED,
    INTERFACE_SIGNED,
    INTERFACE_BOOL,
    INTERFACE_CHAR,
    INTERFACE_FLOAT,
    INTERFACE_POINTER, /* to data; the value is an address on the node */
    INTERFACE_CODE,    /* a pointer to a function, as the node holds it */
    INTERFACE_STRUCT,  /* struct, union or array, by value */
};

struct interface_type {
    enum interface_value_kind kind;
    uint32_t size;    /* bytes */
    const char *name; /* as C spells it: "const struct radio_message *" */
};

struct interface_parameter {
    const char *name; /* "" if the firmware does not say */
    struct interface_type type;
};

/* Bytes logged beside parameters and result: what a pointer leads to. */
struct interface_buffer {
    const char *expression; /* over the parameters, and `result`: "*p", "p->data[p->length]" */
    bool at_call, at_return;
    bool content; /* what the air carries: the bytes by which a send and its receives are matched */
};

/* What a function means for the network. */
enum interface_role {
    INTERFACE_ROLE_NONE,
    INTERFACE_ROLE_SEND,    /* hands a message to the radio: the call */
    INTERFACE_ROLE_SENT,    /* the message left, or was given up: the call */
    INTERFACE_ROLE_RECEIVE, /* a message has come: the call */
};

/* A number with a meaning that all firmwares share, and where it lies in an event: in a buffer, a parameter or the
 * result. Names in use: "to", "from" (node ids), "type" (of the message), "sequence" (of the frame), "arrived"
 * (acknowledged; of a sent), "accepted" (of a send: the result; without it every send counts), "time" (the radio's
 * stamp of the frame). */
enum interface_place { INTERFACE_IN_BUFFER, INTERFACE_IN_PARAMETER, INTERFACE_IN_RESULT };
struct interface_field {
    const char *name;
    enum interface_place place;
    uint32_t index;        /* of the buffer or parameter */
    uint32_t offset, size; /* bytes; little-endian unless `big_endian` */
    bool big_endian;
};

struct interface_function {
    const char *name;
    const char *file; /* "" if not known */
    uint32_t line;
    uint32_t address; /* in the firmware, in bytes */
    bool inside;      /* a function of the component; else one that the component calls */
    bool handler;     /* may be entered from an interrupt handler */
    enum interface_role role;
    struct interface_type result;
    struct interface_parameter *parameters;
    struct interface_buffer *buffers;
    struct interface_field *fields;
    uint32_t parameter_count, buffer_count, field_count;
};

enum interface_variable_kind {
    INTERFACE_OWN,      /* of the component: only code inside writes it */
    INTERFACE_JOINED,   /* foreign, and taken into the component */
    INTERFACE_CONSTANT, /* foreign, never written after the start: in the snapshot alone */
    INTERFACE_SHARED,   /* also code outside writes it: logged when it is read inside */
};

struct interface_variable {
    const char *name;
    const char *file;
    uint32_t line;
    uint32_t address, size;
    enum interface_variable_kind kind;
};

struct interface_header {
    uint64_t build;       /* of the firmware: section .motet.build, or a digest of its file where there is none */
    uint32_t node;        /* id */
    uint32_t epoch;       /* how many starts of the node came before the first event */
    uint64_t hertz;       /* ticks of local time a second; 0: events have no time */
    uint32_t time_bits;   /* that the node logged, 64 or 16. Events have them extended; below 64 an event more than a
                             turn after the one before it appears whole turns too early */
    uint64_t origin;      /* nanoseconds of the simulation at local time 0, where that is known; else UINT64_MAX */
    const char *firmware; /* path of the ELF file */
    const char *target;   /* what was asked for: "collection.c,route.c" */
    uint32_t pointer_size;
    struct interface_function *functions;
    struct interface_variable *variables;
    uint32_t function_count, variable_count;
};

enum { INTERFACE_NODE_BITS = 16 }; /* of time: the node made the log itself */

void interface_header_free(struct interface_header *h); /* tables and texts; not `h` itself */

/* ---- events ---- */

enum interface_kind {
    INTERFACE_CALL_IN = 1, /* a function inside is called from outside */
    INTERFACE_RETURN_IN,   /* and returns there */
    INTERFACE_CALL_OUT,    /* a function outside is called from inside */
    INTERFACE_RETURN_OUT,  /* and returns */
    INTERFACE_READ,        /* code inside reads a shared object: `address` and the bytes */
    INTERFACE_SNAPSHOT,    /* a variable as it is when logging begins; comes after BEGIN, before any other event */
    INTERFACE_BEGIN,       /* logging begins: `reason` */
    INTERFACE_GAP,         /* `lost` events are missing; UINT64_MAX: unknown how many */
    INTERFACE_OFF,         /* logging was switched off */
    INTERFACE_TARGET,      /* re-targeted: `value` has bit N set for component N of the target; a BEGIN follows */
    INTERFACE_RESET,       /* the node starts anew; the epoch rises by one. A BEGIN follows */
    INTERFACE_STATE, /* `value`: a digest of the component's variables as it knows them, after a call out or return */
};

enum interface_reason {
    INTERFACE_AT_START = 0,
    INTERFACE_SWITCHED_ON,
    INTERFACE_AFTER_OVERFLOW,
    INTERFACE_RETARGETED,
};

struct interface_bytes {
    uint32_t buffer;  /* number in the function's table */
    uint32_t address; /* on the node */
    uint32_t size;
    const uint8_t *bytes;
};

enum { INTERFACE_VALUES_MAX = 16, INTERFACE_BYTES_MAX = 32 };

/* Of a read that a node logged itself: the component calls motet_seen() or motet_look() there (target/interface). */
#define INTERFACE_NO_POSITION UINT64_MAX

struct interface_event {
    enum interface_kind kind;
    uint64_t order;
    uint64_t time; /* local ticks since the node was switched on */
    uint32_t epoch;
    uint32_t function; /* calls and returns */
    uint32_t depth;    /* calls across the boundary that are under way; of a call, without itself; of a return too */
    bool interrupts;   /* a call in that interrupts code of the component or what it called */
    uint64_t position; /* of such a call, and of a read: instructions inside since the event before it */
    uint32_t pc;       /* and the instruction it came before */
    uint32_t sp;       /* of a call in: the stack pointer at the function's entry; 0: not known */

    /* Calls: the parameters. Returns: the result, none if it is void. Each of at most 8 bytes as a number,
     * zero-extended; one of more bytes is in `wide`. */
    uint32_t value_count;
    uint64_t values[INTERFACE_VALUES_MAX];
    const uint8_t *wide[INTERFACE_VALUES_MAX];

    uint32_t byte_count;
    struct interface_bytes bytes[INTERFACE_BYTES_MAX];

    uint32_t variable; /* snapshot */
    uint32_t address;  /* read: on the node; its bytes are bytes[0] */
    enum interface_reason reason;
    uint64_t lost, value;
};

/* Whether an event is a call or a return, with a function and values. */
static inline bool interface_is_call(const struct interface_event *e)
{
    return e->kind == INTERFACE_CALL_IN || e->kind == INTERFACE_CALL_OUT;
}

static inline bool interface_is_return(const struct interface_event *e)
{
    return e->kind == INTERFACE_RETURN_IN || e->kind == INTERFACE_RETURN_OUT;
}

/* The content of a send or receive; NULL if the event has none. */
const struct interface_bytes *interface_content(const struct interface_header *h, const struct interface_event *e);

/* A number by its name ("to", "from", ...); false if the event has none. */
bool interface_number(const struct interface_header *h, const struct interface_event *e, const char *name,
                      uint64_t *value);

const char *interface_kind_name(enum interface_kind kind); /* "call-in" */

/* ---- reading ---- */

struct interface_reader {
    struct interface_header header;
    const uint8_t *bytes; /* the file */
    size_t size;
    struct unpack block; /* what is left of the block under way */
    size_t next_block;   /* offset of the next */
    uint64_t order, time;
    uint32_t epoch, depth;
    bool begun;       /* an event was read */
    bool cut;         /* the file ends within a block */
    uint64_t damaged; /* blocks left out so far */
    void *file;       /* what interface_open has to free */
};

/* Whether the bytes begin as an interface log does. */
bool interface_recognised(const void *bytes, size_t size);

/* Opens a file, or bytes in memory that stay until the reader is closed; `name` is used in messages. The header is
 * there then. */
bool interface_open(struct interface_reader *r, const char *path, struct motet_error *e);
bool interface_open_bytes(struct interface_reader *r, const char *name, const void *bytes, size_t size,
                          struct motet_error *e);
void interface_close(struct interface_reader *r);

/* The next event; false after the last. Its bytes are those of the file, and stay until the reader is closed. */
bool interface_next(struct interface_reader *r, struct interface_event *e);

/* The number of events, gaps left out, by a pass of its own. */
uint64_t interface_count(const struct interface_reader *r);

/* ---- writing ---- */

struct interface_writer {
    FILE *out;
    const struct interface_header *header;
    struct pack block;
    uint64_t order, time; /* of the next event; of the last */
    uint32_t block_events;
    bool failed;
};

/* The header must stay until the writer ends. */
void interface_write_begin(struct interface_writer *w, const struct interface_header *h, FILE *out);

/* `e->order` is set here: a gap counts as many events as it has lost. Depths and epochs are not written: readers count
 * them. */
void interface_write(struct interface_writer *w, struct interface_event *e);

/* Writes what is left; false if any of it could not be written. Does not close the file. */
bool interface_write_end(struct interface_writer *w);

#endif
