/* What nodes tell their taps (motet/watch.h): accesses, happenings, and the callbacks. All layers share these types. */
#ifndef MOTET_BASE_HAPPENING_H
#define MOTET_BASE_HAPPENING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/types.h"

struct motet_fault;

enum motet_when {
    MOTET_BEFORE = 1,
    MOTET_AFTER = 2,
    MOTET_READ = 4,
    MOTET_WRITE = 8,
};

/* `pc` is the byte address of the instruction. Before it nothing of it has happened. After it all of it has, and
 * nothing else yet, neither an event nor an interrupt's entry: motet_node_pc is where it leads. An instruction that
 * ends the run by a fault has no after. */
typedef void motet_probed(void *context, const motet_node *n, uint32_t pc, bool after);

/* One access of the CPU (pushes, calls, returns and the entry of interrupts included) or of a device (DMA), of one,
 * two or four bytes as the bus carries them. `old` is what was there before. `value` is what is or was read or written;
 * before the read of a device's register it is the register as it was last seen. Registers that instructions name as
 * operands (r5, SP) are not accesses to data addresses. */
struct motet_access {
    uint32_t address;
    uint32_t pc; /* of the instruction under way; of the one interrupted, for an interrupt's entry */
    uint32_t value, old;
    uint8_t size;
    bool write, after;
    bool held;        /* a change of a local variable that is in no memory: `address` counts from its first byte */
    const char *name; /* of the register, in a MOTET_ON_REGISTER; else NULL */
};
typedef void motet_watched(void *context, const motet_node *n, const struct motet_access *a);

enum motet_clock { MOTET_TICKS, MOTET_CYCLES }; /* as motet_node_now and motet_node_cycles count */

/* Between two instructions, or asleep, when `due` has been reached; before anything that happens at that time. */
typedef void motet_alarmed(void *context, const motet_node *n, uint64_t due);

enum motet_happening {
    MOTET_ON_INTERRUPT_POST,  /* a device asks for an interrupt */
    MOTET_ON_INTERRUPT_ENTRY, /* the CPU has taken it */
    MOTET_ON_INTERRUPT_EXIT,  /* the handler has returned from it */
    MOTET_ON_CALL,            /* a call instruction is done; jumps to functions are none */
    MOTET_ON_RETURN,          /* a return instruction is done */
    MOTET_ON_SLEEP,
    MOTET_ON_WAKE,
    MOTET_ON_REGISTER,      /* the firmware has read or written a register of a device */
    MOTET_ON_PIN,           /* the level of a pin has changed */
    MOTET_ON_SERIAL,        /* a frame was sent; on line MOTET_CONSOLE, what firmware prints on the debug console */
    MOTET_ON_SERIAL_INPUT,  /* a frame sent from outside was taken */
    MOTET_ON_SPI,           /* a byte went each way on a bus */
    MOTET_ON_RADIO_SEND,    /* a transmission has ended */
    MOTET_ON_RADIO_RECEIVE, /* a frame was received */
    MOTET_ON_RADIO_LOSS,    /* a transmission that reached the node was not received */
    MOTET_ON_RADIO_STATE,   /* the radio does something else than before, see motet_happened.state */
    MOTET_ON_PART,          /* a part has begun or ended an activity (motet_node_doing), or reports something */
    MOTET_ON_MARK,          /* the firmware has set a marker (target/include/motet.h) */
    MOTET_ON_FAULT,
    MOTET_ON_RESET,
    MOTET_ON_LOGGED, /* a replay has taken the value of a read from the log */
    MOTET_HAPPENINGS,
};
/* What a marker's byte says: a marker's number, or that a timer begins or ends, with the timer's number. */
enum { MOTET_MARK_BEGINS = 0x80, MOTET_MARK_ENDS = 0xc0, MOTET_MARK_TIMER = 0x3f };

#define MOTET_ON(what)    (UINT32_C(1) << MOTET_ON_##what)
#define MOTET_ON_ANYTHING ((UINT32_C(1) << MOTET_HAPPENINGS) - 1)

enum motet_loss {
    MOTET_LOSS_LINK,     /* the medium has lost it on this link */
    MOTET_LOSS_MISSED,   /* the receiver was off, on another channel, sending or busy when it began */
    MOTET_LOSS_NOISE,    /* its beginning was not made out in noise and interference */
    MOTET_LOSS_DAMAGED,  /* the check sequence was wrong */
    MOTET_LOSS_ADDRESS,  /* it was for another node */
    MOTET_LOSS_OVERFLOW, /* there was no room for it */
    MOTET_LOSS_CUT,      /* the sender or the receiver was switched off in the middle */
};

/* How a frame is made, in the bytes that a radio sends. */
enum motet_frame_format {
    MOTET_FRAMING_NONE,   /* none that Motet knows, or not all of it */
    MOTET_FRAMING_154,    /* IEEE 802.15.4 */
    MOTET_FRAMING_KIT,    /* the firmware kit's on a CC1000: as IEEE 802.15.4, but for preamble and check sequence */
    MOTET_FRAMING_TINYOS, /* TinyOS's on a CC1000: destination, source, length, group, type, data, check sequence */
    MOTET_FRAMING_TINYOS_ACK, /* TinyOS's acknowledgement on a CC1000: two bytes, the same for all frames */
};

/* The frame in the bytes of a transmission: from after delimiter and, but for TinyOS's, length; to the end of its check
 * sequence. */
struct motet_framing {
    enum motet_frame_format format;
    size_t start, count;
};

/* MOTET_RADIO_POWER_DOWN: it has its supply, but no clock. */
enum motet_radio_state {
    MOTET_RADIO_OFF,
    MOTET_RADIO_IDLE,
    MOTET_RADIO_LISTENING,
    MOTET_RADIO_SENDING,
    MOTET_RADIO_POWER_DOWN,
};

struct motet_happened {
    enum motet_happening what;
    uint64_t tick;
    union {
        struct {
            unsigned line;    /* the vector's number; in an exit UINT_MAX if the entry was not seen */
            const char *name; /* of the device that asks for it, "timer1" */
            uint32_t from;    /* entry: the instruction that waits; exit: the instruction gone back to */
            uint32_t handler; /* entry: where the handler begins */
            uint32_t sp;      /* after the entry, or the exit */
        } interrupt;
        struct {
            uint32_t from, to;      /* of the instruction; of what comes next */
            uint32_t sp;            /* after it; of a call that leaves its return address in a register, one less */
        } call;                     /* and return */
        struct motet_access access; /* register */
        struct {
            unsigned pin;
            bool level;
        } pin;
        struct {
            unsigned line;
            unsigned frame; /* MOTET_FRAME_... */
        } serial;           /* and serial input */
        struct {
            unsigned bus;
            uint8_t out, in; /* of the master */
        } spi;
        struct {
            uint32_t sender;       /* node id */
            uint32_t transmission; /* the sender's count of them: with its id, the transmission's name */
            uint64_t begun;        /* the node's tick at which it began */
            const uint8_t *bytes;  /* as sent, from the preamble on */
            size_t count;
            struct motet_framing frame; /* in them */
            double hertz, dbm;          /* as sent; as heard */
            enum motet_loss why;
        } radio;                      /* send, receive and loss */
        enum motet_radio_state state; /* radio state */
        struct {
            const char *name;   /* "flash" */
            const char *doing;  /* a constant, "write"; NULL: it reports something */
            const char *report; /* of a part from outside (motet_part_report), until the callback returns; or NULL */
        } part;
        struct {
            const char *name; /* of the register, as the source has it; "" if the firmware does not say */
            uint32_t value;   /* what the firmware gets */
        } logged;
        uint8_t mark; /* as it was written: see MOTET_MARK_... */
        const struct motet_fault *fault;
        const char *reset; /* the cause: "watchdog" */
        uint32_t pc;       /* sleep: of the instruction; wake: of the next */
    };
};
typedef void motet_hooked(void *context, const motet_node *n, const struct motet_happened *h);

/* Whether an instruction calls or returns. */
enum motet_flow { MOTET_FLOW_ON, MOTET_FLOW_CALL, MOTET_FLOW_RETURN, MOTET_FLOW_INTERRUPT_RETURN };

#endif
