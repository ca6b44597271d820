/* Decibels: powers as logarithms and back, the same to the last bit on every machine.
 *
 * The C library's log10 and pow may differ between machines in the last bit, and what a radio hears is part of the
 * state. Invariant: only additions, multiplications and divisions of doubles, in a fixed order, reach the results;
 * both functions are exact to a few parts in 10^15.
 */
#ifndef BASE_DECIBEL_H
#define BASE_DECIBEL_H

/* 10 log10(ratio) of a positive ratio. Zero and below give DECIBEL_NOTHING. */
double decibel_of(double ratio);

/* 10^(decibel / 10). */
double decibel_ratio(double decibel);

/* The same, for a caller that often asks for the one it asked for last. All zero: nothing is remembered. */
struct decibel_memo {
    double decibel, ratio;
};
static inline double decibel_ratio_again(struct decibel_memo *m, double decibel)
{
    if (m->ratio <= 0 || m->decibel < decibel || m->decibel > decibel)
        *m = (struct decibel_memo){decibel, decibel_ratio(decibel)};
    return m->ratio;
}

#define DECIBEL_NOTHING (-3000.0) /* too little to be measured; its ratio is still a normal number */

#endif
