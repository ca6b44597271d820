/* What a node that logs the interface of a component (motet cc --log-interface) has beside its own code.
 *
 * Wrappers (src/rewrite/wrappers.h) reserve room for an event, fill it, and go on; motet_idle() writes events out when
 * nothing else is to be done. Invariants: an event is in the buffer whole or not at all; events are in the order in
 * which they began, also where handlers make some; after an event that had no room nothing is logged until the
 * component's variables have been, so that a replay can begin there.
 *
 * The bytes of events are described in docs/interface-log-format.md, "On the node".
 */
#ifndef LOGGER_H
#define LOGGER_H

#include <stdint.h>

/* Calls are the number of a function, returns the same with the highest bit. The others are these. */
enum {
    EVENT_RETURN = 0x80,
    EVENT_FUNCTIONS = 0x70, /* numbers of functions are below */
    EVENT_READ = 0x70,      /* address (2), size (1), bytes */
    EVENT_BEGIN = 0x71,     /* reason (1), time (2) */
    EVENT_BYTES = 0x72,     /* of the component's variables: address (2), size (1), bytes */
    EVENT_BEGUN = 0x73,     /* the variables are complete, and were not changed meanwhile */
    EVENT_GAP = 0x74,       /* how many events were lost (2), interrupts among them (2) */
    EVENT_OFF = 0x75,
};
enum { BEGIN_START, BEGIN_ON, BEGIN_OVERFLOW };

/* Room for what a wrapper logs beside the number, the time and the stack pointer; NULL: nothing is to be logged. */
uint8_t *motet_call_in(uint8_t function, uint16_t size);
uint8_t *motet_call_out(uint8_t function, uint16_t size);
uint8_t *motet_return_in(uint8_t function, uint16_t size);
uint8_t *motet_return_out(uint8_t function, uint16_t size);

/* The same, with one value or none. */
void motet_call_in0(uint8_t function);
void motet_call_in1(uint8_t function, uint8_t value);
void motet_call_in2(uint8_t function, uint16_t value);
void motet_call_out0(uint8_t function);
void motet_call_out1(uint8_t function, uint8_t value);
void motet_call_out2(uint8_t function, uint16_t value);
void motet_call_out4(uint8_t function, uint32_t value);
void motet_return_in0(uint8_t function);
uint8_t motet_return_in1(uint8_t function, uint8_t value);
uint16_t motet_return_in2(uint8_t function, uint16_t value);
void motet_return_out0(uint8_t function);
uint8_t motet_return_out1(uint8_t function, uint8_t value);
uint16_t motet_return_out2(uint8_t function, uint16_t value);
uint32_t motet_return_out4(uint8_t function, uint32_t value);

/* Bytes into the event: with their address and number, or alone. Where the next byte goes. */
uint8_t *motet_put(uint8_t *to, const void *bytes, uint16_t size);
uint8_t *motet_copy(uint8_t *to, const void *bytes, uint16_t size);

/* These bytes are in the log; reads of them need not be, until the component calls out. */
void motet_know(const void *bytes, uint16_t size);

/* Objects that code outside may change: what the component has read there. */
uint8_t motet_seen1(const volatile void *at, uint8_t value);
uint16_t motet_seen2(const volatile void *at, uint16_t value);
uint32_t motet_seen4(const volatile void *at, uint32_t value);
void motet_seen(const volatile void *at, void *value, uint8_t size);
void motet_look(const void *at, uint16_t size); /* what it is about to read there */

/* Before sleep, with interrupts off or on: writes out a little. Whether there is more to do, instead of sleep. */
uint8_t motet_idle(void);

#endif
