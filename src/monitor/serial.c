/* serial: frames on serial ports, both ways, with their errors. print: what firmware prints on the debug console
 * (MOTET_CONSOLE), a line each with the time at which it began. */
#include <ctype.h>

#include "monitor/records.h"

/* ---- serial ---- */

static const char *const columns[] = {"port", "direction", "byte", "character", "damage", NULL};

static const char *damage(unsigned frame)
{
    return frame & MOTET_FRAME_BREAK           ? "break"
           : frame & MOTET_FRAME_FRAMING_ERROR ? "framing"
           : frame & MOTET_FRAME_PARITY_ERROR  ? "parity"
                                               : "";
}

static void on_frame(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct records *l = context;
    unsigned data = h->serial.frame & MOTET_FRAME_DATA;
    bool sent = h->what == MOTET_ON_SERIAL, shown = data < 0x80 && isprint((int)data);
    const char *wrong = damage(h->serial.frame);
    char character[2] = {shown ? (char)data : 0, 0}, shape[8] = "";
    (void)n;
    if (h->serial.line == MOTET_CONSOLE)
        return;
    if (shown)
        snprintf(shape, sizeof shape, " '%c'", (char)data);
    records_add(l, monitor_time(l->site, h->tick), "serial %u %s 0x%02x%s%s%s", h->serial.line, sent ? "out" : "in ",
                data, shape, *wrong ? " " : "", wrong);
    records_integer(l, h->serial.line);
    records_text(l, sent ? "out" : "in");
    records_integer(l, data);
    records_text(l, character);
    records_text(l, wrong);
}

static void *serial_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct records *l = memory_new(sizeof *l);
    (void)e;
    records_begin(l, site, "serial", columns);
    motet_hook(site->node, MOTET_ON(SERIAL) | MOTET_ON(SERIAL_INPUT), on_frame, l);
    return l;
}

static void serial_end(void *state)
{
    records_end(state);
    free(state);
}

static const struct monitor_format formats[] = {RECORD_FORMATS, {.name = NULL}};

extern const struct monitor monitor_serial;
const struct monitor monitor_serial = {
    .name = "serial",
    .about = "bytes on serial ports, both ways, with their times",
    .formats = formats,
    .attach = serial_attach,
    .free = serial_end,
    .together = records_write,
};

/* ---- print ---- */

enum { LINE = 1024 };

struct print {
    struct records records;
    uint64_t begun; /* nanoseconds, of the line's first byte */
    size_t used;
    char line[LINE];
};

static const char *const print_columns[] = {"text", NULL};

static void serial_end_line(struct print *p)
{
    p->line[p->used] = 0;
    records_add(&p->records, p->begun, "%s", p->line);
    records_text(&p->records, p->line);
    p->used = 0;
}

static void on_print(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct print *p = context;
    unsigned byte = h->serial.frame & 0xff;
    (void)n;
    if (h->serial.line != MOTET_CONSOLE || byte == '\r')
        return;
    if (p->used == 0)
        p->begun = monitor_time(p->records.site, h->tick);
    if (byte != '\n')
        p->line[p->used++] = (char)(byte ? byte : ' ');
    if (byte == '\n' || p->used == LINE - 1)
        serial_end_line(p);
}

static void *attach_print(const struct monitor_site *site, struct motet_error *e)
{
    struct print *p = memory_new(sizeof *p);
    (void)e;
    records_begin(&p->records, site, "print", print_columns);
    motet_hook(site->node, MOTET_ON(SERIAL), on_print, p);
    return p;
}

static void finish_print(void *state)
{
    struct print *p = state;
    if (p->used)
        serial_end_line(p);
}

extern const struct monitor monitor_print;
const struct monitor monitor_print = {
    .name = "print",
    .about = "what firmware prints on the debug console, with the time of each line",
    .formats = formats,
    .attach = attach_print,
    .finish = finish_print,
    .free = serial_end,
    .together = records_write,
};
