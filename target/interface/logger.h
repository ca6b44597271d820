/* What a node that logs the interface of a component (motet cc --log-interface) has beside its own code.
 *
 * Wrappers (src/rewrite/wrappers.h, elements.h) put events into a buffer and go on; motet_idle() writes them out when
 * nothing else is to be done. Invariants: an event is in the buffer whole or not at all; events are in the order in
 * which they began, also where handlers make some; after an event that had no room nothing is logged until the
 * component's variables have been, so that a replay can begin there.
 *
 * Nothing is locked. While control is inside (motet_side), an event may be under way; a handler that calls the
 * component then logs nothing, and ends logging. While it is outside, there is none.
 *
 * The bytes of events are described in docs/interface-log-format.md, "On the node".
 */
#ifndef LOGGER_H
#define LOGGER_H

#include <stdint.h>

/* Calls are the number of a function, returns the same with the highest bit. The others are these. */
enum {
    EVENT_RETURN = 0x80,
    EVENT_FUNCTIONS = 0x70, /* numbers of functions are below, from 1 */
    EVENT_READ = 0x70,      /* size (1), address (2), bytes */
    EVENT_BEGIN = 0x71,     /* reason (1), time (2) */
    EVENT_BYTES = 0x72,     /* of the component's variables: size (1), address (2), bytes */
    EVENT_BEGUN = 0x73,     /* the variables are complete, and were not changed meanwhile */
    EVENT_GAP = 0x74,       /* how many events were lost (2), interrupts among them (2) */
    EVENT_OFF = 0x75,
    EVENT_TARGET = 0x76, /* of several components, the one that is logged from here on (1) */
};
enum { BEGIN_START, BEGIN_ON, BEGIN_OVERFLOW, BEGIN_TARGET };

/* Commands over the serial port, of firmware that was built with --log-switch. A command is the same byte again and
 * again, until it is obeyed: LOG_SAME times one after the other. In a row of any one of them each byte has one edge
 * that falls, so that a port which is switched on at any time finds where a byte begins. */
enum { LOG_COMMAND_OFF = 0xf0, LOG_COMMAND_ON = 0xfc, LOG_SAME = 3, SERIAL_NONE = 0xff };
#define LOG_COMMAND_TARGETS    \
    {                          \
        0xfe, 0xf8, 0xe0, 0xc0 \
    } /* components, by their number */

/* The same, for a firmware that gets commands by radio, or that takes what comes over the serial port itself. Where
 * logging was off it begins anew, with the component's variables. */
void motet_log_switch(uint8_t on);

/* Of firmware with several components: the one that is logged from now on, by its number from 0. It begins with its
 * variables. The first is logged from the start. */
void motet_log_target(uint8_t component);
extern volatile uint8_t motet_target;

/* Where control is: 0 outside; all ones outside, in a function that the component has called; else inside, the number
 * of the function that was called or has returned last. */
#ifdef __AVR__
typedef uint8_t logger_side;
#else
typedef uint16_t logger_side;
#endif
extern volatile logger_side motet_side;

/* Events of calls in, their returns (end), calls out, their returns (back): room for values of so many bytes. NULL:
 * nothing is to be logged. The wrapper puts motet_side back, or to outside, when the event is complete. */
uint8_t *motet_begin_in(uint8_t function, uint8_t size);
uint8_t *motet_begin_end(uint8_t function, uint8_t size);
uint8_t *motet_begin_out(uint8_t function, uint8_t size);
uint8_t *motet_begin_back(uint8_t function, uint8_t size);

/* Bytes for the end of that event: with address and number, which is 0 at NULL; or an object, none at NULL. Reads of
 * them need no event until the component calls out; `out`: what it hands out itself. */
void motet_put(const void *bytes, uint16_t size);
void motet_put_out(const void *bytes, uint16_t size);
void motet_whole(const void *bytes, uint16_t size);
void motet_whole_out(const void *bytes, uint16_t size);

/* Objects that code outside may change: what the component has read there. `here`: it is none of its own. On an AVR
 * motet_seen1_at() and the like read it themselves, and leave most registers as they are (elements_avr.h). */
uint8_t motet_seen1(const volatile void *at, uint8_t value);
uint16_t motet_seen2(const volatile void *at, uint16_t value);
uint32_t motet_seen4(const volatile void *at, uint32_t value);
uint8_t motet_seen1_here(const volatile void *at, uint8_t value);
uint16_t motet_seen2_here(const volatile void *at, uint16_t value);
void motet_seen(const volatile void *at, void *value, uint8_t size);
void motet_look(const void *at, uint16_t size); /* what it is about to read there */

/* Before sleep, with interrupts off or on: writes out a little. Whether there is more to do, instead of sleep. */
uint8_t motet_idle(void);

#endif
