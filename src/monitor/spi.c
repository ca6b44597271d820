/* spi: transfers over SPI buses: the bytes of the master and of the slave. One record goes from the first byte to
 * the last before a pause, or before a select line changes. */
#include "monitor/records.h"

enum { BUSES = 8, BYTES = 256 };

struct transfer {
    uint64_t begun; /* nanoseconds */
    uint64_t last;  /* ticks */
    size_t count;
    uint8_t out[BYTES], in[BYTES];
};

struct spi {
    struct records records;
    const struct monitor_site *site;
    uint64_t pause; /* ticks */
    struct transfer buses[BUSES];
};

static const char *const columns[] = {"bus", "bytes", "out", "in", NULL};

static const struct motet_monitor_option options[] = {
    {"pause", "TIME", "the time without a byte that ends a transfer; 100us if not given"},
    {"select", "PIN", "a select line (PB0): a transfer ends where it changes; can be given many times"},
    {NULL, NULL, NULL},
};

static void spell(char *to, const uint8_t *bytes, size_t count)
{
    *to = 0;
    for (size_t i = 0; i < count; i++)
        to += sprintf(to, i ? " %02x" : "%02x", bytes[i]);
}

static void end_transfer(struct spi *s, unsigned bus)
{
    struct transfer *t = &s->buses[bus];
    char out[3 * BYTES + 1], in[3 * BYTES + 1];
    if (!t->count)
        return;
    spell(out, t->out, t->count);
    spell(in, t->in, t->count);
    records_add(&s->records, t->begun, "spi %u %3zu byte%s out %s in %s", bus, t->count, t->count == 1 ? " " : "s", out,
                in);
    records_integer(&s->records, bus);
    records_integer(&s->records, (int64_t)t->count);
    records_text(&s->records, out);
    records_text(&s->records, in);
    t->count = 0;
}

static void end_transfers(struct spi *s)
{
    for (unsigned i = 0; i < BUSES; i++)
        end_transfer(s, i);
}

static void on_byte(struct spi *s, const struct motet_happened *h)
{
    unsigned bus = h->spi.bus % BUSES;
    struct transfer *t = &s->buses[bus];
    if (t->count == BYTES || (t->count && h->tick - t->last > s->pause))
        end_transfer(s, bus);
    if (!t->count)
        t->begun = monitor_time(s->site, h->tick);
    t->out[t->count] = h->spi.out;
    t->in[t->count++] = h->spi.in;
    t->last = h->tick;
}

static void monitor_spi_told(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct spi *s = context;
    const char *name;
    (void)n;
    if (h->what == MOTET_ON_SPI)
        on_byte(s, h);
    for (size_t i = 0; h->what == MOTET_ON_PIN && (name = monitor_option_at(s->site, "select", i)); i++)
        if (motet_machine_pin_named(s->site->machine, name) == (int)h->pin.pin)
            end_transfers(s);
}

static bool good_options(struct spi *s, struct motet_error *e)
{
    const char *name;
    for (size_t i = 0; (name = monitor_option_at(s->site, "select", i)); i++)
        if (motet_machine_pin_named(s->site->machine, name) < 0)
            return monitor_sentence(e, "select: %s has no pin '%.20s'; pins have names such as PB0",
                                    motet_machine_chip(s->site->machine), name);
    return monitor_ticks(s->site, "pause", &s->pause, e);
}

static void monitor_spi_finish(void *state)
{
    end_transfers(state);
}

static void *monitor_spi_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct spi *s = memory_new(sizeof *s);
    records_begin(&s->records, site, "spi", columns);
    s->site = site;
    s->pause = motet_machine_hz(site->machine) / 10000;
    if (!good_options(s, e)) {
        free(s);
        return NULL;
    }
    motet_hook(site->node, MOTET_ON(SPI) | (monitor_option(site, "select") ? MOTET_ON(PIN) : 0), monitor_spi_told, s);
    return s;
}

static void monitor_spi_end(void *state)
{
    struct spi *s = state;
    records_end(&s->records);
    free(s);
}

static const struct monitor_format formats[] = {RECORD_FORMATS, {.name = NULL}};

extern const struct monitor monitor_spi;
const struct monitor monitor_spi = {
    .name = "spi",
    .about = "transfers over SPI buses",
    .options = options,
    .formats = formats,
    .attach = monitor_spi_attach,
    .finish = monitor_spi_finish,
    .free = monitor_spi_end,
    .together = records_write,
};
