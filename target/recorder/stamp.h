/* Cycle stamps (motet cc --stamp): a timer of 16 bits on the CPU's clock takes the place of counted steps.
 *
 * The way out of the recorder sets the timer to zero, a fixed number of cycles before the application goes on;
 * motet_enter reads it a fixed number of cycles after the interrupt. What is left is how many cycles the application
 * itself has executed: replay, which executes the same instructions, delivers the interrupt when as many have gone by.
 * motet_count counts how often the recorder was left without an event. Invariant: between two times that the timer is
 * set to zero there is nothing whose duration replay does not know, but a loop that polls, while motet_uncounted is not
 * zero: there an interrupt's address is recorded, too.
 *
 * The timer's own interrupt, halfway round, is recorded as any other, so that the timer does not come round unnoticed
 * while the application is busy; it is off while the recorder's worker is at work. Where much waits it comes sooner,
 * for the worker may go on in it.
 */
#ifndef STAMP_H
#define STAMP_H

#include "config.h"
#include "recorder.h"

#ifdef MOTET_STAMP

#ifdef __AVR__
#include "stamp_avr.h"
#else
#include "stamp_msp430.h"
#endif

PRIVATE void stamp_begin(void);
/* The timer's own interrupt, in which the worker can go on (motet_breathe), comes soon, once. */
PRIVATE void stamp_come_soon(void);
enum { STAMP_HALFWAY = 0x8000u, STAMP_SOON = 0x80 };
/* Whether the timer has counted other cycles than the CPU's: it or its clock was changed, or stood still. */
PRIVATE uint8_t stamp_fails(const uint8_t *frame);

#endif

#endif
