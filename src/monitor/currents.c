#include "monitor/currents.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>

/* ---- reading ---- */

enum { WORDS = 6 };

static size_t split(char *line, char *words[WORDS + 1])
{
    size_t count = 0;
    char *rest = NULL;
    line[strcspn(line, "#")] = 0;
    for (char *w = strtok_r(line, " \t\r", &rest); w && count <= WORDS; w = strtok_r(NULL, " \t\r", &rest))
        words[count++] = w;
    return count;
}

static bool monitor_currents_number(const char *text, double *value, const char *suffix)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && isfinite(*value) && strcmp(end, suffix) == 0;
}

/* The words between the component and its current. */
static bool read_state(struct current *x, char **words, size_t count)
{
    size_t used = 0;
    bool sending = strcmp(x->component, "radio") == 0 && strcmp(words[0], "sending") == 0;
    if (sending) {
        x->has_power = count == 2;
        snprintf(x->state, sizeof x->state, "sending");
        return count == 1 || (count == 2 && monitor_currents_number(words[1], &x->power, ""));
    }
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(words[i]);
        if (used + length + 2 > sizeof x->state)
            return false;
        used += (size_t)snprintf(x->state + used, sizeof x->state - used, "%s%s", i ? " " : "", words[i]);
    }
    return true;
}

static bool read_current(struct currents *c, char **words, size_t count)
{
    struct current x = {.milliamps = 0};
    const char *value = words[count - 1];
    if (count < 3 || count > WORDS || strlen(words[0]) >= sizeof x.component)
        return false;
    strcpy(x.component, words[0]);
    x.per_mhz = monitor_currents_number(value, &x.milliamps, "/MHz");
    if ((!x.per_mhz && !monitor_currents_number(value, &x.milliamps, "")) || x.milliamps < 0 ||
        !read_state(&x, words + 1, count - 2))
        return false;
    c->list = memory_grow(c->list, &c->room, c->count, sizeof *c->list);
    size_t at = c->count++;
    while (x.has_power && at && c->list[at - 1].has_power && c->list[at - 1].power > x.power) {
        c->list[at] = c->list[at - 1];
        at--;
    }
    c->list[at] = x;
    return true;
}

static bool read_line(struct currents *c, char *line)
{
    char *words[WORDS + 1];
    size_t count = split(line, words);
    if (count == 0)
        return true;
    if (count == 2 && strcmp(words[0], "volts") == 0)
        return monitor_currents_number(words[1], &c->volts, "") && c->volts > 0;
    if (count == 2 && strcmp(words[0], "battery") == 0)
        return monitor_currents_number(words[1], &c->battery, "") && c->battery > 0;
    return read_current(c, words, count);
}

bool currents_read(struct currents *c, const char *text, const char *name, struct motet_error *e)
{
    for (unsigned number_of_line = 1; *text; number_of_line++) {
        size_t length = strcspn(text, "\n");
        char line[200], kept[200];
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), text);
        memcpy(kept, line, sizeof kept);
        if (!read_line(c, line))
            return monitor_sentence(e,
                                    "%.200s:%u: '%.100s' is not understood; lines are such as 'cpu idle 3.2' "
                                    "(milliamperes), 'volts 3', 'battery 2500'",
                                    name, number_of_line, kept);
        text += length + (text[length] == '\n');
    }
    return c->volts > 0 || monitor_sentence(e, "%.200s does not say the voltage, such as 'volts 3'", name);
}

bool currents_load(struct currents *c, const char *path, struct motet_error *e)
{
    enum { LIMIT = 65536 };
    FILE *f = fopen(path, "r");
    if (!f)
        return monitor_sentence(e, "cannot read %.200s: %s", path, strerror(errno));
    char *text = memory_new(LIMIT + 1);
    size_t size = fread(text, 1, LIMIT, f);
    bool failed = ferror(f) != 0;
    fclose(f);
    bool good = failed ? monitor_sentence(e, "cannot read %.200s: it is not a text file", path)
                : size == LIMIT || memchr(text, 0, size)
                    ? monitor_sentence(e, "%.200s is not a table of currents: it is too long, or no text", path)
                    : currents_read(c, text, path, e);
    free(text);
    return good;
}

void currents_free(struct currents *c)
{
    free(c->list);
}

/* ---- asking ---- */

const struct current *currents_find(const struct currents *c, const char *component, const char *state)
{
    const struct current *any = NULL;
    for (size_t i = 0; i < c->count; i++) {
        const struct current *x = &c->list[i];
        if (strcmp(x->component, component) != 0)
            continue;
        if (strcmp(x->state, state) == 0)
            return x;
        if (strcmp(x->state, "*") == 0)
            any = x;
    }
    return any;
}

double currents_sending(const struct currents *c, double dbm)
{
    const struct current *below = NULL, *above = NULL, *any = currents_find(c, "radio", "sending");
    for (size_t i = 0; i < c->count; i++) {
        const struct current *x = &c->list[i];
        if (strcmp(x->component, "radio") != 0 || !x->has_power)
            continue;
        if (x->power <= dbm && (!below || x->power > below->power))
            below = x;
        if (x->power >= dbm && (!above || x->power < above->power))
            above = x;
    }
    if (!below || !above)
        return below ? below->milliamps : above ? above->milliamps : any ? any->milliamps : NAN;
    double span = above->power - below->power;
    return below->milliamps + (span > 0 ? (dbm - below->power) / span * (above->milliamps - below->milliamps) : 0);
}
