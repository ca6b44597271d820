/* Pace: holds a run back so that simulated time passes no faster than real time.
 *
 * Invariant: whoever talks to the firmware finds its clock right over any moment. What the host loses, because it is
 * busy, is therefore not made up for by running faster afterwards.
 */
#ifndef CLI_PACE_H
#define CLI_PACE_H

struct pace {
    double origin; /* real time at which simulated time began, as far as that can be said */
};

double pace_clock(void); /* real time, in seconds since some moment */
void pace_begin(struct pace *p);
void pace_hold(struct pace *p, double simulated); /* sleeps until real time has come as far, in seconds */

#endif
