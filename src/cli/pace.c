#include "pace.h"

#include <time.h>

#define LEAST     0.0005 /* seconds that are worth sleeping */
#define MOST_OWED 0.02   /* that sleeping too long makes up for */

double pace_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void pace_begin(struct pace *p)
{
    p->origin = pace_clock();
}

void pace_hold(struct pace *p, double simulated)
{
    double now = pace_clock(), ahead = simulated - (now - p->origin);
    if (ahead < -MOST_OWED)
        p->origin = now - MOST_OWED - simulated;
    if (ahead < LEAST)
        return;
    struct timespec t = {.tv_sec = (time_t)ahead, .tv_nsec = (long)((ahead - (double)(time_t)ahead) * 1e9)};
    nanosleep(&t, NULL);
}
