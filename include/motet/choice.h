/* Choices: what the environment of nodes is free to do. Without any, everything takes its default, the plain run. */
#ifndef MOTET_CHOICE_H
#define MOTET_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "motet/base/types.h"
#include "motet/error.h"

#include "motet/base/begin.h"

enum motet_choice_source {
    MOTET_CHOICE_FRAME,   /* at a receiver: 1 lost, 2 damaged */
    MOTET_CHOICE_HOLD,    /* an interrupt comes so many microseconds after it was posted */
    MOTET_CHOICE_BUSY,    /* the channel around a node is busy for so many microseconds; with `other` of 1 by something
                           * far: frames of near nodes get through */
    MOTET_CHOICE_RESET,   /* a node's reset pin */
    MOTET_CHOICE_POWER,   /* a node loses its supply and gets it back */
    MOTET_CHOICE_DEATH,   /* a node loses its supply for good */
    MOTET_CHOICE_BOOT,    /* a node is switched on so many microseconds later */
    MOTET_CHOICE_PREEMPT, /* an interrupt comes just after an instruction: 1 + its byte address */
    MOTET_CHOICE_SENSOR,  /* a conversion: 1 + microvolts */
    MOTET_CHOICE_SERIAL,  /* what the host sends at once: 1 it never comes; 0x10000000 + byte: that is damaged;
                           * 0x20000000 or 0x40000000 + microseconds: earlier or later. Choosing it notes the time of
                           * the choice only: what the host sends then are inputs of their own */
    MOTET_CHOICE_FOREIGN, /* a node hears a frame of IEEE 802.15.4 that no node has sent; its bytes follow from the
                             outcome */
    MOTET_CHOICE_SOURCES,
};

#define MOTET_ALL_NODES UINT32_MAX /* in place of an id, for BUSY in the choices of a check: around all of them */

/* One resolved non-determinism. Source, node, other and ordinal are its name. */
struct motet_choice {
    enum motet_choice_source source;
    uint32_t node;    /* id: the receiver of a frame, else the node it happens to */
    uint32_t other;   /* FRAME: id of the sender; HOLD, PREEMPT: the interrupt's line; SENSOR: the analog line; SERIAL:
                         the serial line; BUSY: 1 by something far; else 0 */
    uint64_t ordinal; /* FRAME: which message of the sender began it; HOLD, PREEMPT: how often the line was posted
                       * before; SENSOR: the tick; SERIAL: number of the input */
    uint32_t outcome; /* 0 is the default */
    uint64_t at;      /* nanoseconds: when it is made */
};

const char *motet_choice_source_name(enum motet_choice_source s); /* "frame" */

/* Makes a choice other than the default. FRAME, HOLD, PREEMPT and SENSOR count from now on, whenever they come up; the
 * others happen now, and `at` is not used. SERIAL is refused: send something else. HOLD and PREEMPT need a machine that
 * was made for it (motet/check.h). */
bool motet_network_choose(motet_network *n, const struct motet_choice *c, struct motet_error *e);

#include "motet/base/end.h"

#endif
