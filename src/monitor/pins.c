/* pins: the levels of pins as they change. leds: the lights of LEDs likewise. Both as lines, tables and waveforms. */
#include "export/vcd.h"
#include "monitor/records.h"

struct change {
    uint64_t time;      /* nanoseconds */
    unsigned which, on; /* the pin, or the LED */
};

struct pins {
    struct records records;
    const struct monitor_site *site;
    bool leds;
    bool *wanted;  /* by pin; NULL: all */
    bool *lit;     /* by LED, as last seen */
    bool waveform; /* for a value change dump: changes are kept, else records */
    struct spool changes;
};

static const char *const pin_columns[] = {"pin", "level", NULL};
static const char *const led_columns[] = {"led", "lit", NULL};

static void monitor_pins_note(struct pins *p, uint64_t tick, unsigned which, bool on, const char *name)
{
    struct change c = {monitor_time(p->site, tick), which, on};
    if (p->waveform) {
        spool_add(&p->changes, &c, sizeof c);
        return;
    }
    if (p->leds)
        records_add(&p->records, c.time, "led %s %s", name, on ? "on" : "off");
    else
        records_add(&p->records, c.time, "pin %s %d", name, on);
    records_text(&p->records, name);
    records_integer(&p->records, on);
}

static void monitor_pins_on_pin(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct pins *p = context;
    char name[8];
    (void)n;
    if ((p->wanted && !p->wanted[h->pin.pin]) || !motet_machine_pin_name(p->site->machine, h->pin.pin, name))
        return;
    monitor_pins_note(p, h->tick, h->pin.pin, h->pin.level, name);
}

/* A pin's level says what its LED does, but whether it drives it is the node's to say. */
static void on_led(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct pins *p = context;
    struct motet_led led;
    for (unsigned i = 0; motet_machine_led(p->site->machine, i, &led); i++) {
        bool lit = motet_node_led(n, i);
        if (led.pin != h->pin.pin || lit == p->lit[i])
            continue;
        p->lit[i] = lit;
        monitor_pins_note(p, h->tick, i, lit, led.name);
    }
}

/* ---- attaching ---- */

static bool choose_pins(struct pins *p, struct motet_error *e)
{
    const char *name;
    for (size_t i = 0; (name = monitor_option_at(p->site, "pin", i)); i++) {
        int pin = motet_machine_pin_named(p->site->machine, name);
        if (pin < 0)
            return monitor_sentence(e, "%s has no pin '%.20s'; pins have names such as PB5 or P1.0",
                                    motet_machine_chip(p->site->machine), name);
        if (!p->wanted)
            p->wanted = memory_new(motet_machine_pins(p->site->machine));
        p->wanted[pin] = true;
    }
    return true;
}

static void monitor_pins_end(void *state)
{
    struct pins *p = state;
    records_end(&p->records);
    free(p->wanted);
    free(p->lit);
    spool_end(&p->changes);
    free(p);
}

static struct pins *new_pins(const struct monitor_site *site, const char *name, const char *const *columns)
{
    struct pins *p = memory_new(sizeof *p);
    const char *format = monitor_option(site, "format");
    p->site = site;
    p->waveform = format && strcmp(format, "vcd") == 0;
    spool_begin(&p->changes, site->spool);
    records_begin(&p->records, site, name, columns);
    return p;
}

static void *attach_pins(const struct monitor_site *site, struct motet_error *e)
{
    struct pins *p = new_pins(site, "pins", pin_columns);
    if (!choose_pins(p, e)) {
        monitor_pins_end(p);
        return NULL;
    }
    motet_hook(site->node, MOTET_ON(PIN), monitor_pins_on_pin, p);
    return p;
}

static void *attach_leds(const struct monitor_site *site, struct motet_error *e)
{
    struct pins *p = new_pins(site, "leds", led_columns);
    struct motet_led led;
    size_t count = 0;
    (void)e;
    while (motet_machine_led(site->machine, count, &led))
        count++;
    p->leds = true;
    p->lit = memory_new(count + 1);
    motet_hook(site->node, MOTET_ON(PIN), on_led, p);
    return p;
}

/* ---- waveforms ---- */

static bool monitor_pins_name_of(const struct pins *p, unsigned which, char name[32])
{
    struct motet_led led;
    if (!p->leds)
        return (!p->wanted || p->wanted[which]) && motet_machine_pin_name(p->site->machine, which, name);
    if (!motet_machine_led(p->site->machine, which, &led))
        return false;
    snprintf(name, 32, "%s", led.name);
    return true;
}

/* LEDs are dark before the first change; what a pin was is not known. */
static void add_node(struct vcd *v, const struct pins *p, size_t *numbers, unsigned limit)
{
    char scope[24], name[32];
    snprintf(scope, sizeof scope, "node%" PRIu32, motet_node_id(p->site->node));
    for (unsigned i = 0; i < limit; i++) {
        if (!monitor_pins_name_of(p, i, name))
            continue;
        numbers[i] = vcd_variable(v, scope, name, 1);
        if (p->leds)
            vcd_change(v, numbers[i], 0, 0);
    }
    struct spool_reader r;
    struct change c;
    spool_reader_begin(&r, &p->changes);
    while (spool_read(&r, &c, sizeof c))
        vcd_change(v, numbers[c.which], c.time, c.on);
    spool_reader_end(&r);
}

static void monitor_pins_write_vcd(void *const *states, size_t count, FILE *out)
{
    struct vcd *v = vcd_new(((const struct pins *)states[0])->site->spool);
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        const struct pins *p = states[i];
        unsigned limit = motet_machine_pins(p->site->machine);
        size_t *numbers = memory_array(limit, sizeof *numbers + 1);
        uint64_t now = monitor_time(p->site, motet_node_now(p->site->node));
        add_node(v, p, numbers, limit);
        last = now > last ? now : last;
        free(numbers);
    }
    vcd_write(v, out, last);
    vcd_free(v);
}

static void monitor_pins_write(void *const *states, size_t count, const char *format, FILE *out)
{
    if (strcmp(format, "vcd") == 0)
        monitor_pins_write_vcd(states, count, out);
    else
        records_write(states, count, format, out);
}

static const struct motet_monitor_option options[] = {
    {"pin", "NAME", "only this pin; can be given many times"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    RECORD_FORMATS,
    {.name = "vcd", .about = "a value change dump for GTKWave"},
    {.name = NULL},
};

extern const struct monitor monitor_pins;
const struct monitor monitor_pins = {
    .name = "pins",
    .about = "levels of pins as they change",
    .options = options,
    .formats = formats,
    .attach = attach_pins,
    .free = monitor_pins_end,
    .together = monitor_pins_write,
};

extern const struct monitor monitor_leds;
const struct monitor monitor_leds = {
    .name = "leds",
    .about = "LEDs as they are switched",
    .formats = formats,
    .attach = attach_leds,
    .free = monitor_pins_end,
    .together = monitor_pins_write,
};
