#include "stimulus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "sentence.h"

/* ---- analog inputs ---- */

/* A voltage, or an amount of the quantity that a channel senses. */
static bool read_level(const char *text, const struct motet_quantity *q, int32_t *level, struct motet_error *e)
{
    if (!q)
        return motet_read_voltage(text, level, e);
    char *end;
    double amount = strtod(text, &end), at = q->offset + q->factor * amount;
    if (end == text || (*end && strcmp(end, q->unit) != 0))
        return sentence(e, "'%s' is not an amount of %s; write it like 25%s", text, q->name, q->unit);
    if (!(at > -2e9 && at < 2e9))
        return sentence(e, "'%s' is more %s than its sensor can show", text, q->name);
    *level = (int32_t)(at < 0 ? at - 0.5 : at + 0.5);
    return true;
}

/* One line of a file: a time and a level. */
static bool read_sample(struct analog_input *a, char *line, const struct motet_quantity *q, struct motet_error *e)
{
    char *time = strtok(line, " \t\r\n"), *voltage = strtok(NULL, " \t\r\n");
    struct analog_sample sample = {0};
    if (!time || *time == '#')
        return true;
    if (!voltage || strtok(NULL, " \t\r\n"))
        return sentence(e, "a line must be a time and a %s, such as `10ms %s`", q ? "level" : "voltage",
                        q ? "25" : "2.5V");
    if (!motet_read_time(time, &sample.at, e) || !read_level(voltage, q, &sample.microvolts, e))
        return false;
    a->samples = cli_one_more(a->samples, a->sample_count, sizeof *a->samples);
    a->samples[a->sample_count++] = sample;
    return true;
}

static bool read_samples(struct analog_input *a, const char *path, const struct motet_quantity *q,
                         struct motet_error *e)
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
        if (!(good = read_sample(a, line, q, &why)))
            sentence(e, "%s, line %u: %.600s", path, number, why.text);
    }
    if (good && ferror(f))
        good = sentence(e, "cannot read %s: %s", path, strerror(errno));
    fclose(f);
    if (good && !a->sample_count)
        good = sentence(e, "%s holds no samples; write lines such as `10ms 2.5V`", path);
    return good;
}

static bool read_sine(struct analog_input *a, char *text, const struct motet_quantity *q, struct motet_error *e)
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
    return read_level(low, q, &a->low, e) && read_level(high, q, &a->high, e);
}

/* Puts what a value says on a channel; `q` is what the channel senses, NULL for plain voltages. */
static bool set_level(struct stimulus *s, unsigned channel, const char *text, const struct motet_quantity *q,
                      struct motet_error *e)
{
    char value[1024];
    snprintf(value, sizeof value, "%s", text);
    struct analog_input *a = &s->analog[channel];
    free(a->samples);
    motet_voltage_free(a->script);
    *a = (struct analog_input){.wave = WAVE_CONSTANT};
    if (strncmp(value, "file:", 5) == 0) {
        a->wave = WAVE_FILE;
        return read_samples(a, value + 5, q, e);
    }
    if (strncmp(value, "sine:", 5) == 0) {
        a->wave = WAVE_SINE;
        return read_sine(a, value + 5, q, e);
    }
    if (strncmp(value, "script:", 7) == 0 && !q) {
        a->wave = WAVE_SCRIPT;
        a->script = motet_voltage_load(value + 7, e);
        return a->script != NULL;
    }
    return read_level(value, q, &a->low, e);
}

bool stimulus_analog(struct stimulus *s, const char *text, struct motet_error *e)
{
    const char *equals = strchr(text, '=');
    char channel_text[8] = "";
    uint64_t channel;
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof channel_text || strlen(equals) >= 1024)
        return sentence(e, "'%s' is not CHANNEL=VALUE, such as 0=2.5V, 0=file:PATH, 0=script:PATH or 0=sine:0V:5V:10Hz",
                        text);
    memcpy(channel_text, text, (size_t)(equals - text));
    return motet_read_number(channel_text, STIMULUS_CHANNELS - 1, &channel, e) &&
           set_level(s, (unsigned)channel, equals + 1, NULL, e);
}

bool stimulus_sense(struct stimulus *s, const char *text, struct motet_error *e)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1] || strlen(equals) >= 1024)
        return sentence(e, "'%s' is not QUANTITY=VALUE, such as temperature=25C or light=file:PATH", text);
    s->senses = cli_one_more(s->senses, s->sense_count, sizeof *s->senses);
    s->senses[s->sense_count++] = cli_text(text, strlen(text));
    return true;
}

/* What the machine senses, as a list for a sentence. */
static const char *sensed(const motet_machine *m, char *list, size_t size)
{
    struct motet_quantity q;
    size_t at = 0;
    list[0] = 0;
    for (size_t i = 0; motet_machine_quantity(m, i, &q) && at < size; i++)
        if (!strstr(list, q.name))
            at += (size_t)snprintf(list + at, size - at, "%s%s (%s)", at ? ", " : "", q.name, q.unit);
    return at ? list : "nothing";
}

/* Finds the channels through which the machine senses what was given by name. */
static bool find_senses(struct stimulus *s, const motet_machine *m, struct motet_error *e)
{
    char list[256];
    for (size_t i = 0; i < s->sense_count; i++) {
        const char *text = s->senses[i], *equals = strchr(text, '=');
        size_t length = (size_t)(equals - text), found = 0;
        struct motet_quantity q;
        for (size_t k = 0; motet_machine_quantity(m, k, &q); k++) {
            if (strlen(q.name) != length || strncmp(q.name, text, length) != 0)
                continue;
            found++;
            if (!set_level(s, q.channel, equals + 1, &q, e))
                return false;
        }
        if (!found)
            return sentence(e, "--sense: %s does not sense '%.*s'; it senses %s", motet_machine_board(m), (int)length,
                            text, sensed(m, list, sizeof list));
    }
    return true;
}

static bool check_channels(const struct stimulus *s, const motet_machine *m, struct motet_error *e)
{
    char list[256] = "";
    for (unsigned channel = 0; channel < STIMULUS_CHANNELS; channel++) {
        if (s->analog[channel].wave == WAVE_NONE || motet_machine_has_channel(m, channel))
            continue;
        for (unsigned i = 0; i < STIMULUS_CHANNELS; i++)
            if (motet_machine_has_channel(m, i))
                snprintf(list + strlen(list), sizeof list - strlen(list), "%s%u", *list ? ", " : "", i);
        return sentence(e, "--analog: %s has no analog channel %u; it has %s", motet_machine_board(m), channel, list);
    }
    return true;
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
    if (!check_channels(s, m, e) || !find_senses(s, m, e))
        return false;
    for (size_t i = 0; i < s->change_count; i++) {
        struct pin_change *c = &s->changes[i];
        int pin = motet_machine_pin_named(m, c->pin);
        if (pin < 0)
            return sentence(e, "--drive: %s has no pin '%s'; pins are named like PB5", motet_machine_chip(m), c->pin);
        if (motet_machine_pin_driver(m, (unsigned)pin))
            return sentence(e, "--drive: the part %s drives %s already", motet_machine_pin_driver(m, (unsigned)pin),
                            c->pin);
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
    for (size_t i = 0; i < s->sense_count; i++)
        free(s->senses[i]);
    free(s->senses);
    free(s->changes);
}
