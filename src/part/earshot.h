/* Earshot: the transmissions a radio can hear, with their powers, and the errors of IEEE 802.15.4 at 2.4 GHz.
 *
 * A small table of transmissions with their powers and times, from which energy and interference over any interval are
 * computed when asked for. Where more are in the air than the table holds the weakest are forgotten. Invariant: plain
 * data, and only basic arithmetic on it, so that every machine hears the same.
 */
#ifndef PART_EARSHOT_H
#define PART_EARSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "node/air.h"
#include "node/machine.h"
#include "node/node.h"

/* A sound that ended so many microseconds ago matters to nobody: no frame and no measurement lasts so long. */
enum { EARSHOT_SOUNDS = 12, EARSHOT_MEMORY = 50000 };

struct sound {
    uint64_t begin, end; /* ticks; NEVER until the end is known */
    uint64_t noticed;    /* from when its power counts: the message's tick, not before begin */
    double milliwatts;   /* 0: the slot is free */
    double hertz;
    uint32_t sender, transmission;
    uint16_t count; /* bytes known so far; the last AIR_BYTES_MAX of them are kept */
    uint8_t modulation;
    uint8_t bytes[AIR_BYTES_MAX];
};

struct earshot {
    uint64_t used; /* bit i: slot i is not free */
    struct sound sounds[EARSHOT_SOUNDS];
};

/* For each slot `i` that is not free, from the first on. */
#define EARSHOT_EACH(i, e)                                                                              \
    for (uint64_t left_##i = (e)->used, i; left_##i && (i = (uint64_t)__builtin_ctzll(left_##i), true); \
         left_##i &= left_##i - 1)

/* Clears what ended long ago, as if it had never been heard. True if nothing else is in the air. */
bool earshot_forget(const struct node *n, struct earshot *e);

/* Takes in a message. What it does depends on the message's tick, not on when it is handed over. Returns the sound that
 * got bytes, or that took the place of another one; else NULL. */
const struct sound *earshot_hear(const struct node *n, struct earshot *e, const struct air_message *m);

/* Fetches what the sounds are looked up by (node/fetch.h). */
void earshot_fetch(const struct earshot *e);

/* Milliwatts in the channel on average over an interval, without the receiver's own noise. */
double earshot_energy(const struct earshot *e, double hertz, uint64_t from, uint64_t to);

/* The same of everything but one sound. */
double earshot_disturbance(const struct earshot *e, double hertz, int wanted, uint64_t from, uint64_t to);

/* Milliwatts in the channel of everything but one sound that is heard at any time in an interval: the worst case. */
double earshot_interference(const struct earshot *e, double hertz, int wanted, uint64_t from, uint64_t to);

/* What of the sounds reaches beyond a tick, as the channel's filter leaves it: for many looks at the same ones, in few
 * lines of the host's cache. */
struct earshot_scene {
    unsigned count;
    struct scene_sound {
        uint64_t noticed, end;
        double milliwatts;
    } of[EARSHOT_SOUNDS];
};
void earshot_look(const struct earshot *e, double hertz, uint64_t after, struct earshot_scene *scene);

/* As earshot_energy and earshot_interference (up to NEVER), to the bit, from the scene's tick on. */
double scene_energy(const struct earshot_scene *scene, uint64_t from, uint64_t to);
double scene_worst(const struct earshot_scene *scene, uint64_t after);

/* The first tick after the given one at which a sound begins or ends, NEVER if none is known; the last of all. */
uint64_t scene_edge(const struct earshot_scene *scene, uint64_t after);
uint64_t scene_last_edge(const struct earshot_scene *scene);

/* A tick: the interval may move up to there, and a single sound alone still gives it so many milliwatts on average.
 * 0: none does now. */
uint64_t scene_fills(const struct earshot_scene *scene, uint64_t from, uint64_t to, double milliwatts);

/* Whether a radio tuned there can demodulate the sound. */
bool earshot_in_tune(const struct sound *s, double hertz);

/* The probability that a byte is damaged at a ratio of signal to noise and interference. */
double earshot_byte_loss(double sinr);

/* Ticks for a number of symbols of 16 microseconds. */
static inline uint64_t earshot_symbols(const struct node *n, uint64_t symbols)
{
    if (symbols >> 24) /* months of listening in one go, on a time base of a gigahertz */
        return (uint64_t)(((unsigned __int128)symbols * 16 * n->machine->hz + 500000) / 1000000);
    return (symbols * 16 * n->machine->hz + 500000) / 1000000;
}

#endif
