#include "stimulus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "sentence.h"

/* ---- analog inputs ---- */

/* One line of a file: a time and a voltage. */
static bool read_sample(struct analog_input *a, char *line, struct motet_error *e)
{
    char *time = strtok(line, " \t\r\n"), *voltage = strtok(NULL, " \t\r\n");
    struct analog_sample sample = {0};
    if (!time || *time == '#')
        return true;
    if (!voltage || strtok(NULL, " \t\r\n"))
        return sentence(e, "a line must be a time and a voltage, such as `10ms 2.5V`");
    if (!motet_read_time(time, &sample.at, e) || !motet_read_voltage(voltage, &sample.microvolts, e))
        return false;
    a->samples = cli_one_more(a->samples, a->sample_count, sizeof *a->samples);
    a->samples[a->sample_count++] = sample;
    return true;
}

static bool read_samples(struct analog_input *a, const char *path, struct motet_error *e)
{
    char line[256];
    unsigned number = 0;
    struct motet_error why = {""};
    FILE *f = fopen(path, "r");
    if (!f)
        return sentence(e, "cannot read %s: %s", path, strerror(errno));
    bool good = true;
    while (good && fgets(line, sizeof line, f)) {
        number++;
        if (!(good = read_sample(a, line, &why)))
            sentence(e, "%s, line %u: %.600s", path, number, why.text);
    }
    if (good && ferror(f))
        good = sentence(e, "cannot read %s: %s", path, strerror(errno));
    fclose(f);
    if (good && !a->sample_count)
        good = sentence(e, "%s holds no samples; write lines such as `10ms 2.5V`", path);
    return good;
}

static bool read_sine(struct analog_input *a, char *text, struct motet_error *e)
{
    char *low = strtok(text, ":"), *high = strtok(NULL, ":"), *rate = strtok(NULL, ":");
    double hertz;
    char *end;
    if (!rate || strtok(NULL, ":"))
        return sentence(e, "a sine is sine:LOW:HIGH:HERTZ, such as sine:0V:5V:10");
    hertz = strtod(rate, &end);
    if (end == rate || (*end && strcmp(end, "Hz") != 0) || !(hertz > 0 && hertz < 1e6))
        return sentence(e, "'%s' is not a frequency for a sine, such as 0.5 or 50Hz", rate);
    a->millihertz = (uint64_t)(hertz * 1000 + 0.5);
    return motet_read_voltage(low, &a->low, e) && motet_read_voltage(high, &a->high, e);
}

bool stimulus_analog(struct stimulus *s, const char *text, struct motet_error *e)
{
    const char *equals = strchr(text, '=');
    char channel_text[8] = "", value[1024];
    uint64_t channel;
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof channel_text || strlen(equals) >= sizeof value)
        return sentence(e, "'%s' is not CHANNEL=VALUE, such as 0=2.5V, 0=file:PATH, 0=script:PATH or 0=sine:0V:5V:10Hz",
                        text);
    memcpy(channel_text, text, (size_t)(equals - text));
    snprintf(value, sizeof value, "%s", equals + 1);
    if (!motet_read_number(channel_text, STIMULUS_CHANNELS - 1, &channel, e))
        return false;
    struct analog_input *a = &s->analog[channel];
    free(a->samples);
    motet_voltage_free(a->script);
    *a = (struct analog_input){.wave = WAVE_CONSTANT};
    if (strncmp(value, "file:", 5) == 0) {
        a->wave = WAVE_FILE;
        return read_samples(a, value + 5, e);
    }
    if (strncmp(value, "sine:", 5) == 0) {
        a->wave = WAVE_SINE;
        return read_sine(a, value + 5, e);
    }
    if (strncmp(value, "script:", 7) == 0) {
        a->wave = WAVE_SCRIPT;
        a->script = motet_voltage_load(value + 7, e);
        return a->script != NULL;
    }
    return motet_read_voltage(value, &a->low, e);
}

/* The sine of a phase (a whole turn is 2^32), 1 is 2^30. A fifth-order polynomial in fixed point that meets value and
 * slope at 0 and a quarter turn; off by less than 2e-4. */
static int64_t sine(uint32_t phase)
{
    uint32_t quarter = phase & 0x3fffffff;
    if (phase & 0x40000000)
        quarter = 0x40000000 - quarter;
    /* x (pi/2 - x^2 ((pi - 5/2) - x^2 (pi/2 - 3/2))), x a part of a quarter turn */
    const int64_t a = 1686629713, b = 688904130, c = 76016417;
    int64_t x = quarter, x2 = x * x >> 30;
    int64_t y = x * (a - (x2 * (b - (x2 * c >> 30)) >> 30)) >> 30;
    return phase & 0x80000000 ? -y : y;
}

static int32_t sine_at(const struct analog_input *a, uint64_t time)
{
    unsigned __int128 turns =
        ((unsigned __int128)time * a->millihertz << 32) / ((unsigned __int128)MOTET_SECOND * 1000);
    int64_t middle = ((int64_t)a->low + a->high) / 2, half = ((int64_t)a->high - a->low) / 2;
    return (int32_t)(middle + (half * sine((uint32_t)turns) >> 30));
}

/* The last sample at or before the time; before the first one nothing is connected. */
static int32_t sample_at(const struct analog_input *a, uint64_t time)
{
    size_t low = 0, high = a->sample_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a->samples[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? a->samples[low - 1].microvolts : INT32_MIN;
}

/* The first failure ends the run (see loop.c); until then nothing is connected. */
static int32_t scripted(struct stimulus *s, const struct analog_input *a, unsigned channel, uint64_t time)
{
    int32_t microvolts = INT32_MIN;
    double seconds = (double)time / (double)MOTET_SECOND;
    if (!s->failed && !motet_voltage_at(a->script, channel, seconds, &microvolts, &s->error))
        s->failed = true;
    return microvolts;
}

bool stimulus_has(const struct stimulus *s, unsigned channel)
{
    return channel < STIMULUS_CHANNELS && s->analog[channel].wave != WAVE_NONE;
}

bool stimulus_has_script(const struct stimulus *s)
{
    for (unsigned i = 0; i < STIMULUS_CHANNELS; i++)
        if (s->analog[i].wave == WAVE_SCRIPT)
            return true;
    return false;
}

int32_t stimulus_analog_at(struct stimulus *s, unsigned channel, uint64_t time)
{
    const struct analog_input *a = channel < STIMULUS_CHANNELS ? &s->analog[channel] : NULL;
    switch (a ? a->wave : WAVE_NONE) {
    case WAVE_CONSTANT: return a->low;
    case WAVE_SINE: return sine_at(a, time);
    case WAVE_FILE: return sample_at(a, time);
    case WAVE_SCRIPT: return scripted(s, a, channel, time);
    default: return INT32_MIN;
    }
}

/* ---- pins ---- */

static bool level_named(const char *name, enum motet_drive *drive)
{
    static const struct {
        const char *name;
        enum motet_drive drive;
    } levels[] = {
        {"0", MOTET_LOW},        {"1", MOTET_HIGH},           {"z", MOTET_FLOATING},
        {"up", MOTET_PULLED_UP}, {"down", MOTET_PULLED_DOWN},
    };
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i].name, name) == 0) {
            *drive = levels[i].drive;
            return true;
        }
    return false;
}

bool stimulus_pin(struct stimulus *s, const char *text, struct motet_error *e)
{
    struct pin_change c = {.time = 0};
    char given[32], level[8], rest[2];
    const char *at = strchr(text, '@');
    snprintf(given, sizeof given, "%.*s", (int)strcspn(text, "@"), text);
    if (sscanf(given, "%7[^=]=%7[^=]%1s", c.pin, level, rest) != 2 || !level_named(level, &c.drive))
        return sentence(e, "'%s' is not PIN=LEVEL[@TIME] with a level of 0, 1, z, up or down, such as PD2=0@100ms",
                        text);
    if (at && !motet_read_time(at + 1, &c.at, e))
        return false;
    s->changes = cli_one_more(s->changes, s->change_count, sizeof *s->changes);
    s->changes[s->change_count++] = c;
    return true;
}

/* Stable, so that of two changes at one time the one given later wins. */
static void sort_changes(struct stimulus *s)
{
    for (size_t i = 1; i < s->change_count; i++)
        for (size_t k = i; k > 0 && s->changes[k].time < s->changes[k - 1].time; k--) {
            struct pin_change swapped = s->changes[k];
            s->changes[k] = s->changes[k - 1];
            s->changes[k - 1] = swapped;
        }
}

bool stimulus_in_ticks(const struct stimulus *s)
{
    for (size_t i = 0; i < s->change_count; i++)
        if (s->changes[i].at.in_ticks)
            return true;
    for (unsigned channel = 0; channel < STIMULUS_CHANNELS; channel++)
        for (size_t i = 0; i < s->analog[channel].sample_count; i++)
            if (s->analog[channel].samples[i].at.in_ticks)
                return true;
    return false;
}

static uint64_t stimulus_time(const struct motet_span *at, const motet_network *n, const motet_node *node)
{
    return at->in_ticks ? motet_network_time(n, node, at->ticks) : at->nanoseconds;
}

bool stimulus_prepare(struct stimulus *s, const motet_network *n, const motet_node *node, struct motet_error *e)
{
    const motet_machine *m = motet_node_machine(node);
    for (size_t i = 0; i < s->change_count; i++) {
        struct pin_change *c = &s->changes[i];
        int pin = motet_machine_pin_named(m, c->pin);
        if (pin < 0)
            return sentence(e, "--drive: %s has no pin '%s'; pins are named like PB5", motet_machine_chip(m), c->pin);
        c->number = (unsigned)pin;
        c->time = stimulus_time(&c->at, n, node);
    }
    sort_changes(s);
    for (unsigned channel = 0; channel < STIMULUS_CHANNELS; channel++) {
        struct analog_input *a = &s->analog[channel];
        for (size_t i = 0; i < a->sample_count; i++) {
            a->samples[i].time = stimulus_time(&a->samples[i].at, n, node);
            if (i && a->samples[i].time < a->samples[i - 1].time)
                return sentence(e, "--analog: the times of channel %u do not ascend (sample %zu is before %zu)",
                                channel, i + 1, i);
        }
    }
    return true;
}

const struct pin_change *stimulus_due(struct stimulus *s, uint64_t time)
{
    return stimulus_next(s) <= time ? &s->changes[s->change_next++] : NULL;
}

uint64_t stimulus_next(const struct stimulus *s)
{
    return s->change_next < s->change_count ? s->changes[s->change_next].time : MOTET_NEVER;
}

void stimulus_free(struct stimulus *s)
{
    for (unsigned i = 0; i < STIMULUS_CHANNELS; i++) {
        free(s->analog[i].samples);
        motet_voltage_free(s->analog[i].script);
    }
    free(s->changes);
}
