/* Pace: holds a run back so that simulated time passes no faster than real time.
 *
 * Invariant: over any moment the firmware's clock is not faster than real time. Time that a busy host loses is
 * therefore not made up by running faster afterwards.
 */
#ifndef CLI_PACE_H
#define CLI_PACE_H

struct pace {
    double origin; /* real time at which simulated time began, moved by lost time */
};

double pace_clock(void); /* real time, in seconds since some moment */
void pace_begin(struct pace *p);
void pace_hold(struct pace *p, double simulated); /* sleeps until real time has come as far, in seconds */

#endif
