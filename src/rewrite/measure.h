/* Measurements of the CPU's own clock: functions that read a timer and set the clock's speed by it, as TinyOS and
 * Contiki tune an MSP430's oscillator. What the recorder takes for each read would be measured too, and the clock come
 * out slow by much.
 *
 * So such a function is recorded as a whole: it gets another name, nothing in it is recorded, and under its own name it
 * is called; after that its result is recorded, and the device registers that it has written. Replay does not execute
 * it, but puts that into their places. Invariant: it changes nothing else that outlives it; one that does is warned of,
 * and recorded read by read.
 */
#ifndef REWRITE_MEASURE_H
#define REWRITE_MEASURE_H

#include "rewrite/pass.h"

/* Before anything is visited. */
void measure_find(struct pass *p);

/* The function, which is one of these, under its two names. */
void measure_write(struct pass *p, int function);

#endif
