/* Stimuli: what the world does to a node's pins and analog inputs, given on the command line.
 *
 * Invariant: a pure function of simulated time. The sine is computed in integers, so that it is the same everywhere.
 */
#ifndef CLI_STIMULUS_H
#define CLI_STIMULUS_H

#include "motet/amount.h"
#include "motet/motet.h"

enum { STIMULUS_CHANNELS = MOTET_CHANNELS };

enum wave { WAVE_NONE, WAVE_CONSTANT, WAVE_SINE, WAVE_FILE, WAVE_SCRIPT };

struct analog_sample {
    struct motet_span at;
    uint64_t time; /* nanoseconds of the network, once stimulus_prepare was called */
    int32_t microvolts;
};

struct analog_input {
    enum wave wave;
    int32_t low, high; /* WAVE_CONSTANT: low */
    uint64_t millihertz;
    struct analog_sample *samples;
    size_t sample_count;
    motet_voltage *script;
};

struct pin_change {
    char pin[8];
    enum motet_drive drive;
    struct motet_span at;
    uint64_t time; /* nanoseconds of the network, once stimulus_prepare was called */
    unsigned number;
};

struct stimulus {
    struct analog_input analog[STIMULUS_CHANNELS];
    char **senses; /* NAME=VALUE, until stimulus_prepare finds what senses it */
    size_t sense_count;
    struct pin_change *changes; /* by time once stimulus_prepare was called */
    size_t change_count, change_next;
    bool failed; /* a script did; `error` says how */
    struct motet_error error;
};

/* "3=2.5V", "3=sine:0V:5V:10Hz", "3=file:PATH", "3=script:PATH". */
bool stimulus_analog(struct stimulus *s, const char *text, struct motet_error *e);

/* "temperature=25C", "light=sine:0lux:500lux:0.1", "humidity=file:PATH": a quantity of the environment. */
bool stimulus_sense(struct stimulus *s, const char *text, struct motet_error *e);

/* "PD2=0", "PD2=1@100ms", "PD2=z@0.2s", "PD2=up", "PD2=down". */
bool stimulus_pin(struct stimulus *s, const char *text, struct motet_error *e);

/* Finds the pins on the node's machine and converts all times to the network's. Ticks are those of the node. */
bool stimulus_prepare(struct stimulus *s, const motet_network *n, const motet_node *node, struct motet_error *e);
bool stimulus_in_ticks(const struct stimulus *s); /* a time was given in ticks of the machine */

/* What is on a channel: microvolts, INT32_MIN if nothing is connected. */
int32_t stimulus_analog_at(struct stimulus *s, unsigned channel, uint64_t time);
bool stimulus_has(const struct stimulus *s, unsigned channel);
bool stimulus_has_script(const struct stimulus *s);

/* The next change of a pin that is due, NULL if none is. It counts as done. */
const struct pin_change *stimulus_due(struct stimulus *s, uint64_t time);
uint64_t stimulus_next(const struct stimulus *s); /* when the next change is, MOTET_NEVER if there is none */

void stimulus_free(struct stimulus *s);

#endif
