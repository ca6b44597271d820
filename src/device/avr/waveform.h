/* Waveforms: what the clock of an AVR timer does to its counter, its flags and its compare outputs.
 *
 * This is the counter alone, without registers, time or pins: a struct, and a function that applies any number of timer
 * clocks to it. waveform_step is the definition: one clock, as the datasheets' timing diagrams have it (ATmega128,
 * "8-bit Timer/Counter0", "16-bit Timer/Counter" and the same sections of the others): what happens at a clock depends
 * on the count before it, so a flag rises one clock after its match and the overflow flag when the counter leaves TOP,
 * MAX or BOTTOM. waveform_run does not step through the clocks that do nothing but count, nor through periods that
 * repeat, and where nothing but flags can change it does not step at all. Invariant: waveform_run(w, n) leaves exactly
 * what n calls of waveform_step leave, and costs the same for every n.
 *
 * Where the datasheets are silent:
 * - a counter above TOP counts up to MAX and goes on at 0 in all modes; that way it does not set the overflow flag of
 *   the modes that set it at TOP, but it does reach BOTTOM (compare registers load, fast PWM outputs begin anew);
 * - at the clock that loads a compare register a dual-slope output looks at the new value ("symmetry around BOTTOM"),
 *   the flag at the old;
 * - with TOP 0 the counter stays at 0, at TOP and BOTTOM at once.
 */
#ifndef DEVICE_AVR_WAVEFORM_H
#define DEVICE_AVR_WAVEFORM_H

#include <stdbool.h>
#include <stdint.h>

enum { WAVEFORM_CHANNELS = 3 };

enum waveform_kind {
    WAVEFORM_NORMAL, /* compare registers are not buffered in the first two */
    WAVEFORM_CLEAR,  /* clear timer on compare match (CTC) */
    WAVEFORM_FAST,
    WAVEFORM_PHASE,           /* phase correct: loads the compare registers at TOP */
    WAVEFORM_PHASE_FREQUENCY, /* phase and frequency correct: at BOTTOM */
};

enum waveform_top { WAVEFORM_TOP_FIXED, WAVEFORM_TOP_COMPARE, WAVEFORM_TOP_CAPTURE };

struct waveform_mode {
    uint8_t kind, top_from;
    uint16_t top; /* of WAVEFORM_TOP_FIXED */
};

/* What a match does to an output; in the PWM modes CLEAR is the non-inverting and SET the inverting waveform. */
enum waveform_action { WAVEFORM_DISCONNECTED, WAVEFORM_TOGGLES, WAVEFORM_CLEARS, WAVEFORM_SETS };

enum waveform_flag {
    WAVEFORM_OVERFLOW = 1,
    WAVEFORM_MATCH = 2, /* of channel A; shifted by the channel */
    WAVEFORM_CAPTURED = 16,
};

struct waveform {
    uint16_t count, max;
    uint16_t compare[WAVEFORM_CHANNELS], buffer[WAVEFORM_CHANNELS]; /* OCRnx in use; as last written */
    uint16_t capture;                                               /* ICRn */
    struct waveform_mode mode;
    uint8_t action[WAVEFORM_CHANNELS];
    uint8_t flags;
    uint8_t outputs;  /* the OCnx registers, a bit each */
    uint8_t down;     /* counting down */
    uint8_t blocked;  /* TCNT was written: no match at the next clock */
    uint8_t disabled; /* channels that never match: absent, or (asynchronous timer) being written */
    uint8_t
        plain; /* channels that a PWM mode treats as normal mode does: not buffered, a match acts and nothing else */
    uint8_t constant; /* channels whose fast PWM with a compare value of 0 is constant, not a pulse of one clock */
};

static inline bool waveform_buffered(const struct waveform *w)
{
    return w->mode.kind >= WAVEFORM_FAST;
}

/* A compare register is written. */
void waveform_set_compare(struct waveform *w, unsigned channel, uint16_t value);
void waveform_set_mode(struct waveform *w, struct waveform_mode mode);

/* Forces a match on the output alone (FOCnx): only outside the PWM modes. */
void waveform_force(struct waveform *w, unsigned channel);

void waveform_step(struct waveform *w);

/* Applies `clocks` timer clocks, but no more than it takes for one of the `flags` to rise or one of the `outputs` to
 * change. Returns how many it applied; UINT64_MAX if it was to wait for something that never happens. */
uint64_t waveform_run(struct waveform *w, uint64_t clocks, uint8_t flags, uint8_t outputs);

/* How many clocks it takes for one of the flags that are down to rise or one of the outputs to change; UINT64_MAX if
 * that never happens. */
uint64_t waveform_until(const struct waveform *w, uint8_t flags, uint8_t outputs);

/* How many clocks the counter only counts up from here, whatever flags and outputs do; 0 if that is not known. */
uint64_t waveform_counts(const struct waveform *w);

#endif
