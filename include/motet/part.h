/* Parts from outside: a shared object that is a part of a board, such as a display or a sensor (docs/parts.md).
 *
 * The file has one constant that others see, and its functions:
 *
 *     #include <motet/part.h>
 *     MOTET_PART_EXPORT const struct motet_part motet_part = {
 *         .version = MOTET_PART_VERSION, .size = sizeof(struct motet_part), .name = "display", ...
 *     };
 *
 * `cc -shared -fPIC -o display.so display.c` makes it, without a library of Motet. It is wired by
 * `motet run --part display.so:spi0,PB2`, in a scenario, or by motet_options.parts.
 *
 * A part keeps all that changes in its state: plain data without pointers, part of the node. So snapshots, digests,
 * reverse execution and saved runs include it. A file with variables of its own that can change is refused.
 */
#ifndef MOTET_PART_H
#define MOTET_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/part.h"
#include "motet/base/types.h"

#define MOTET_PART_EXPORT __attribute__((visibility("default")))

/* ---- services, for callbacks ---- */

/* Drives a pin that the table has as OUTPUT or BOTH. MOTET_FLOATING lets it go. */
static inline void motet_part_drive(const struct motet_mount *m, unsigned leg, enum motet_drive how)
{
    m->services->drive(m, leg, how);
}

/* The level of any pin of the table. */
static inline bool motet_part_level(const struct motet_mount *m, unsigned leg)
{
    return m->services->level(m, leg);
}

/* Sends a byte to the chip over a serial line. It arrives at the pace of the line. False: the queue is full. */
static inline bool motet_part_send(const struct motet_mount *m, unsigned leg, uint8_t byte)
{
    return m->services->send(m, leg, byte);
}

/* The amount of a quantity, in millionths of its unit; in power_on what is usual. */
static inline int32_t motet_part_sense(const struct motet_mount *m, unsigned leg)
{
    return m->services->sense(m, leg);
}

/* A parameter by its number in the table. */
static inline int64_t motet_part_parameter(const struct motet_mount *m, unsigned number)
{
    return m->services->parameter(m, number);
}

/* The node's time since it was switched on, in nanoseconds; and in ticks, of which there are so many a second. */
static inline uint64_t motet_part_now(const struct motet_mount *m)
{
    return m->services->now(m);
}
static inline uint64_t motet_part_ticks(const struct motet_mount *m)
{
    return m->services->ticks(m);
}
static inline uint64_t motet_part_hz(const struct motet_mount *m)
{
    return m->services->hz(m);
}

/* Calls the part's function `timer` once, after a time that is at least one tick. A timer that runs is set anew. */
static inline void motet_part_after(const struct motet_mount *m, unsigned timer, uint64_t nanoseconds)
{
    m->services->after(m, timer, nanoseconds);
}
static inline void motet_part_after_ticks(const struct motet_mount *m, unsigned timer, uint64_t ticks)
{
    m->services->after_ticks(m, timer, ticks);
}
static inline void motet_part_cancel(const struct motet_mount *m, unsigned timer)
{
    m->services->cancel(m, timer);
}

/* A number of the node's own generator, which the seed determines. */
static inline uint32_t motet_part_random(const struct motet_mount *m)
{
    return m->services->random(m);
}

/* Text for those who look on (--trace parts, MOTET_ON_PART). It changes nothing. */
static inline void motet_part_report(const struct motet_mount *m, const char *text)
{
    m->services->report(m, text);
}

#include "motet/base/begin.h"

/* ---- parts of a machine, for programs that look on ---- */

struct motet_part_info {
    const char *name; /* as its table has it; a second one of that name is "display 2" */
    const char *wish; /* as it was wired: "display.so:spi0,PB2" */
    char digest[33];  /* of the file */
    const struct motet_part *table;
};
bool motet_machine_part(const motet_machine *m, size_t number, struct motet_part_info *info); /* false past the last */

/* The part from outside that drives a pin; NULL: none does. A pin that a part drives is not for others to drive. */
const char *motet_machine_pin_driver(const motet_machine *m, unsigned pin);

/* The state of a part of that number, as it is now: table->state_size bytes. NULL past the last. */
const void *motet_node_part(const motet_node *n, size_t number);

#include "motet/base/end.h"

#endif
