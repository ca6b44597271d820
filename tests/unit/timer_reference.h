/* A reference for AVR timers that counts every clock, for tests of the device that does not.
 *
 * Written from the datasheets' tables (ATmega128, Tables 52-67; ATmega328P, Tables 15-8, 16-4); it knows nothing of the
 * device's code. Where the datasheets are silent it does what device/avr/waveform.h says.
 */
#ifndef UNIT_TIMER_REFERENCE_H
#define UNIT_TIMER_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static uint32_t seed;

static inline uint32_t random_below(uint32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)seed * limit) >> 32);
}

enum top { TOP_MAX, TOP_FF, TOP_1FF, TOP_3FF, TOP_OCRA, TOP_ICR };
enum moment { IMMEDIATE, AT_TOP, AT_BOTTOM, AT_MAX };

struct row {
    char kind; /* Normal, CTC, Fast, Phase correct, phase and freQuency correct */
    enum top top;
    enum moment update, overflow;
};

static const struct row rows_8[8] = {
    {'N', TOP_MAX, IMMEDIATE, AT_MAX}, {'P', TOP_FF, AT_TOP, AT_BOTTOM},   {'C', TOP_OCRA, IMMEDIATE, AT_MAX},
    {'F', TOP_FF, AT_BOTTOM, AT_MAX},  {'N', TOP_MAX, IMMEDIATE, AT_MAX},  {'P', TOP_OCRA, AT_TOP, AT_BOTTOM},
    {'N', TOP_MAX, IMMEDIATE, AT_MAX}, {'F', TOP_OCRA, AT_BOTTOM, AT_TOP},
};

static const struct row rows_16[16] = {
    {'N', TOP_MAX, IMMEDIATE, AT_MAX},     {'P', TOP_FF, AT_TOP, AT_BOTTOM},   {'P', TOP_1FF, AT_TOP, AT_BOTTOM},
    {'P', TOP_3FF, AT_TOP, AT_BOTTOM},     {'C', TOP_OCRA, IMMEDIATE, AT_MAX}, {'F', TOP_FF, AT_BOTTOM, AT_TOP},
    {'F', TOP_1FF, AT_BOTTOM, AT_TOP},     {'F', TOP_3FF, AT_BOTTOM, AT_TOP},  {'Q', TOP_ICR, AT_BOTTOM, AT_BOTTOM},
    {'Q', TOP_OCRA, AT_BOTTOM, AT_BOTTOM}, {'P', TOP_ICR, AT_TOP, AT_BOTTOM},  {'P', TOP_OCRA, AT_TOP, AT_BOTTOM},
    {'C', TOP_ICR, IMMEDIATE, AT_MAX},     {'N', TOP_MAX, IMMEDIATE, AT_MAX},  {'F', TOP_ICR, AT_BOTTOM, AT_TOP},
    {'F', TOP_OCRA, AT_BOTTOM, AT_TOP},
};

struct reference {
    bool wide;
    unsigned channels, max;
    uint16_t toggle_modes;
    const uint16_t *divisors;
    unsigned tcnt, ocr[3], ocr_buffer[3], icr;
    unsigned mode, com[3], cs;
    bool tov, ocf[3], icf, oc[3], up, tcnt_written;
    unsigned prescaler;
    bool hold;
    bool deaf[3]; /* channels that do not match: their register is being written (asynchronous timer) */
};

static inline const struct row *row_of(const struct reference *r)
{
    return r->wide ? &rows_16[r->mode] : &rows_8[r->mode];
}

static inline unsigned reference_top(const struct reference *r)
{
    switch (row_of(r)->top) {
    case TOP_FF: return 0xff;
    case TOP_1FF: return 0x1ff;
    case TOP_3FF: return 0x3ff;
    case TOP_OCRA: return r->ocr[0];
    case TOP_ICR: return r->icr;
    default: return r->max;
    }
}

static inline bool is_pwm(const struct reference *r)
{
    return strchr("FPQ", row_of(r)->kind);
}

static inline bool two_slopes(const struct reference *r)
{
    return strchr("PQ", row_of(r)->kind);
}

/* What COM means in the mode: 0 nothing, 1 toggle, 2 clear or non-inverting, 3 set or inverting. */
static inline unsigned effective_com(const struct reference *r, unsigned channel)
{
    if (is_pwm(r) && r->com[channel] == 1)
        return channel == 0 && (r->toggle_modes & (1u << r->mode)) ? 1 : 0;
    return r->com[channel];
}

static inline void plain_match(struct reference *r, unsigned channel)
{
    static const char what[] = "-t01";
    char action = what[effective_com(r, channel)];
    if (action == 't')
        r->oc[channel] = !r->oc[channel];
    else if (action != '-')
        r->oc[channel] = action == '1';
}

/* One clock of the timer: everything is decided by where the counter stands before it. */
static inline void reference_clock(struct reference *r)
{
    const struct row *row = row_of(r);
    unsigned here = r->tcnt, top = reference_top(r);
    bool variable = row->top == TOP_OCRA || row->top == TOP_ICR;
    bool missed = r->tcnt_written; /* TCNT written: the match at the next clock is lost, of a variable TOP too */
    r->tcnt_written = false;
    bool on_top = here == top && !(variable && missed) && !(row->top == TOP_OCRA && r->deaf[0]), on_bottom = here == 0,
         on_max = here == r->max;
    bool match[3];
    for (unsigned i = 0; i < r->channels; i++) {
        match[i] = !missed && !r->deaf[i] && here == r->ocr[i];
        r->ocf[i] |= match[i];
    }
    r->icf |= on_top && row->top == TOP_ICR;

    bool returns = false; /* single slope: goes to BOTTOM */
    if (!two_slopes(r)) {
        returns = on_top || on_max;
        r->tcnt = returns ? 0 : here + 1;
        r->tov |= row->overflow == AT_TOP ? on_top : on_max;
    } else {
        if (on_top)
            r->up = false;
        if (on_bottom)
            r->up = true;
        r->tov |= on_bottom;
        if (!(on_top && on_bottom))
            r->tcnt = r->up ? (on_max ? 0 : here + 1) : here - 1;
    }

    bool update = row->kind == 'F' ? returns : row->update == AT_TOP ? on_top : row->update == AT_BOTTOM && on_bottom;
    if (update)
        memcpy(r->ocr, r->ocr_buffer, sizeof r->ocr);

    for (unsigned i = 0; i < r->channels; i++) {
        unsigned com = effective_com(r, i);
        if (com < 2 || !is_pwm(r)) {
            if (match[i])
                plain_match(r, i);
        } else if (row->kind == 'F') {
            if (returns)
                r->oc[i] = com == 2;
            else if (match[i])
                r->oc[i] = com == 3;
        } else {
            bool equal = update ? here == r->ocr[i] : match[i];
            if (on_top)
                r->oc[i] = (r->ocr[i] == here) == (com == 2);
            else if (equal)
                r->oc[i] = r->up == (com == 3);
        }
    }
}

/* The beginning of a cycle of the I/O clock. */
static inline void reference_cycle(struct reference *r)
{
    unsigned divisor = r->divisors[r->cs];
    if (r->hold)
        return;
    r->prescaler = (r->prescaler + 1) % 1024;
    if (divisor && divisor <= 1024 && r->prescaler % divisor == 0)
        reference_clock(r);
}

static inline void reference_mode(struct reference *r, unsigned mode)
{
    r->mode = mode;
    if (!is_pwm(r))
        memcpy(r->ocr, r->ocr_buffer, sizeof r->ocr);
    if (!two_slopes(r))
        r->up = true;
}

/* In the order of enum timer_flag. */
static inline unsigned reference_flags(const struct reference *r)
{
    return (unsigned)r->tov | (unsigned)r->ocf[0] << 1 | (unsigned)r->ocf[1] << 2 | (unsigned)r->ocf[2] << 3 |
           (unsigned)r->icf << 4;
}

#endif
