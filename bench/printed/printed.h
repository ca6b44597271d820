/* The calls over the boundary of collection.c and route.c, as somebody without motet cc would print them: name,
 * parameters, buffers, result, over the serial port. A firmware with these stands beside one that logs
 * (group_interface).
 *
 * Calls out go through functions of printed.c; calls in through functions at the end of collection.c and route.c here,
 * which include those of the kit.
 */
#ifndef PRINTED_H
#define PRINTED_H

#include <stdio.h>

#include "radio.h"
#include "random.h"
#include "timer.h"
#include "trickle.h"

/* With -DCOMPACT, a compact event logger in place of printf(): each event is a number of one byte, without parameters,
 * and waits in a ring until the serial port takes it. */
#ifdef COMPACT
void compact_note(uint8_t event);
#define printf(...) compact_note((uint8_t)__LINE__)
#endif

void printed_bytes(const void *bytes, uint8_t count);
void printed_packet(const char *name, const struct radio_packet *p);
void printed_message(const char *name, const struct radio_message *m);

bool printed_radio_send(struct radio_packet *p);
void printed_radio_listen(struct radio_listener *l);
uint16_t printed_radio_interval_ms(void);
uint16_t printed_random_next(void);
void printed_timer_once(struct timer *t, uint32_t ticks);
void printed_trickle_start(struct trickle *t);
void printed_trickle_reset(struct trickle *t);
void printed_deliver(void (*to)(uint16_t, const uint8_t *, uint8_t), uint16_t origin, const uint8_t *data,
                     uint8_t length);

#ifndef PRINTED_C
#define radio_send(p)        printed_radio_send(p)
#define radio_listen(l)      printed_radio_listen(l)
#define radio_interval_ms()  printed_radio_interval_ms()
#define random_next()        printed_random_next()
#define timer_once(t, ticks) printed_timer_once(t, ticks)
#define trickle_start(t)     printed_trickle_start(t)
#define trickle_reset(t)     printed_trickle_reset(t)
#define deliver(...)         printed_deliver(deliver, __VA_ARGS__)
#endif

#endif
