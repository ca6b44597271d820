/* The log over the node's serial port: what `motet collect --serial` asks for.
 *
 * The command is a sequence of bytes that the application itself reads from its port; the recorder sees them pass, as
 * it sees all it records. In the next idle moment it takes the port by polling, with interrupts off, sends the pages
 * and gives it back as it was: to the application nothing has happened but that time has passed. Where no application
 * reads the port, MOTET_DUMP has the recorder set it up and look at it in idle moments. Invariant: it ends for any
 * behaviour of the host, and nothing is recorded meanwhile.
 */
#ifndef DUMP_H
#define DUMP_H

#include "dump_protocol.h"
#include "recorder.h"

#ifdef DUMP_PORT

/* Assembly knows members by offsets.c. */
struct dump {
    uint8_t matched; /* bytes of the command, times DUMP_STEP */
    uint8_t wanted;
    uint16_t site; /* that the command comes through */
};
extern struct dump motet_dump;

/* Worth a look: reads are many and some are timed by the firmware, so this is all that most of them cost. */
#define DUMP_MAY_BE(value) (motet_dump.matched || (value) == DUMP_FIRST)
PRIVATE __attribute__((noinline)) void dump_look(motet_site site, uint8_t value);

PRIVATE void dump_begin(void);
PRIVATE uint8_t dump_is_wanted(void);
/* Interrupts are off, the flash is free and not borrowed. */
PRIVATE void dump_if_wanted(void);
/* Also executed in replay: the registers agree. */
PRIVATE void dump_pins(void);

#else

#define DUMP_MAY_BE(value) 0
static inline void dump_look(motet_site site, uint8_t value)
{
    (void)site, (void)value;
}
static inline void dump_begin(void) {}
static inline uint8_t dump_is_wanted(void)
{
    return 0;
}
static inline void dump_if_wanted(void) {}
static inline void dump_pins(void) {}

#endif

#endif
