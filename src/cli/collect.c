/* motet collect: a log out of a flash memory's contents, or from a node itself, over its serial port or its radio. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <unistd.h>

#include "collect_radio.h"
#include "motet/amount.h"
#include "motet/interface.h"
#include "motet/log.h"
#include "option.h"
#include "parts.h"
#include "sentence.h"
#include "serial_line.h"

struct collect_options {
    const char *output;
    uint64_t page_size;
    const char *serial;
    uint64_t baud;
    bool over_radio;
    uint64_t node;
    struct motet_span patience;
    bool json, events;
    const char *elf, *board, *target;
    uint64_t id;
};

static bool collect_set_output(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct collect_options *)into)->output = text;
    return true;
}

static bool set_page_size(void *into, const char *text, struct motet_error *e)
{
    return motet_read_number(text, 4096, &((struct collect_options *)into)->page_size, e);
}

static bool collect_set_serial(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct collect_options *)into)->serial = text;
    return true;
}

static bool set_baud(void *into, const char *text, struct motet_error *e)
{
    return serial_line_baud(text, &((struct collect_options *)into)->baud, e);
}

static bool collect_set_radio(void *into, const char *text, struct motet_error *e)
{
    struct collect_options *o = into;
    o->over_radio = true;
    return motet_read_number(text, 0xfffe, &o->node, e);
}

static bool set_patience(void *into, const char *text, struct motet_error *e)
{
    struct motet_span *s = &((struct collect_options *)into)->patience;
    return motet_read_time(text, s, e) && (!s->in_ticks || sentence(e, "give a time such as 30s"));
}

static bool collect_set_json(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct collect_options *)into)->json = true;
}

static bool collect_set_elf(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct collect_options *)into)->elf = text;
    return true;
}

static bool collect_set_board(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct collect_options *)into)->board = text;
    return true;
}

static bool collect_set_target(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct collect_options *)into)->target = text;
    return true;
}

static bool collect_set_events(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct collect_options *)into)->events = true;
}

static bool collect_set_id(void *into, const char *text, struct motet_error *e)
{
    return motet_read_number(text, UINT32_MAX, &((struct collect_options *)into)->id, e);
}

static const struct option options[] = {
    {"output", "LOG", "writes the whole pages, in order, to this file", collect_set_output},
    {"page-size", "BYTES", "page size of the flash memory; detected by default", set_page_size},
    {"serial", "PLACE",
     "asks the node itself, over its serial port: a device such as /dev/ttyUSB0, what motet run --serial PORT=pty "
     "prints, or HOST:PORT. The node's application stops until everything is sent",
     collect_set_serial},
    {"radio", "NODE",
     "the serial port is that of a base station (the kit's base-station): fetches the frozen log of the node with this "
     "address over the radio, and asks again for what was lost on the way",
     collect_set_radio},
    {"baud", "N", "the rate of the device, by default 57600; 115200 for the kit's TelosB", set_baud},
    {"patience", "TIME", "how long to wait for the node to answer, by default 10s", set_patience},
    {"elf", "FIRMWARE",
     "of a node that logs an interface (motet cc --log-interface): its firmware. FLASH may then be what came over its "
     "serial port, too; LOG becomes an interface log",
     collect_set_elf},
    {"board", "BOARD", "with --elf: the board or chip; by default the chip the firmware was built for",
     collect_set_board},
    {"id", "N", "with --elf: the id of the node in its network, 0 by default", collect_set_id},
    {"target", "PIECES",
     "with --elf, where the firmware has several components (motet cc --log-interface A:B): the one that LOG is made "
     "of, "
     "by its pieces or its number from 0",
     collect_set_target},
    {"events", NULL, "with --elf: prints the events of the interface log, each as a line of JSON", collect_set_events},
    {"json", NULL, "prints the result as one line of JSON", collect_set_json},
    {NULL, NULL, NULL, NULL},
};

static void show_pages(void *context, unsigned pages)
{
    (void)context;
    fprintf(stderr, "\r\033[Kmotet: %u pages", pages);
}

static motet_log *collect_over_radio(const struct collect_options *o, int line, unsigned patience, bool shown,
                                     struct motet_error *e)
{
    struct radio_fetch f = {.place = o->serial,
                            .line = line,
                            .node = (unsigned)o->node,
                            .patience = patience,
                            .progress = shown ? show_pages : NULL};
    unsigned asked_again;
    motet_log *l = collect_radio(&f, &asked_again, e);
    if (l && asked_again)
        fprintf(stderr, "%smotet: asked %u times again for what was lost on the way\n", shown ? "\r\033[K" : "",
                asked_again);
    return l;
}

static motet_log *collect_receive(const struct collect_options *o, struct motet_error *e)
{
    bool shown = isatty(STDERR_FILENO);
    int line = serial_line_open(o->serial, (unsigned)o->baud, e);
    if (line < 0)
        return NULL;
    uint64_t patience = o->patience.nanoseconds ? o->patience.nanoseconds / 1000000 : 10000;
    motet_log *l;
    if (o->over_radio)
        l = collect_over_radio(o, line, (unsigned)patience, shown, e);
    else
        l = motet_log_receive(o->serial, line, (unsigned)patience, shown ? show_pages : NULL, NULL, e);
    if (shown)
        fprintf(stderr, "\r\033[K");
    close(line);
    return l;
}

/* An interface log of what the node wrote itself. */
static int collect_interface(const struct collect_options *o, const char *file)
{
    struct motet_error e = {""};
    struct motet_options machine = MOTET_OPTIONS_DEFAULT;
    struct motet_interface_collected c;
    machine.board = o->board;
    if (!file || !o->output)
        return complain("--elf is for the interface log of a node: give what it wrote, and --output");
    if (!motet_interface_collect(o->elf, &machine, file, (uint32_t)o->id, o->target, o->output, &c, &e))
        return complain("%s", e.text);
    if (o->events && !motet_interface_print_file(o->output, MOTET_INTERFACE_JSON_LINES, stdout, &e))
        return complain("%s", e.text);
    if (o->events)
        return 0;
    if (o->json)
        printf("{\"pages\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"missing\": %" PRIu64 ", \"events\": %" PRIu64
               ", \"lost\": %" PRIu64 ", \"interrupts\": %" PRIu64 ", \"starts\": %" PRIu64 "}\n",
               c.pages, c.bytes, c.missing, c.events, c.lost, c.interrupts, c.starts);
    else
        printf("%" PRIu64 " pages with %" PRIu64 " bytes, %" PRIu64 " missing; %" PRIu64 " events of %" PRIu64
               " starts, %" PRIu64 " lost for want of room, %" PRIu64 " interruptions of the component\n",
               c.pages, c.bytes, c.missing, c.events, c.starts, c.lost, c.interrupts);
    return 0;
}

static int collect_run(const struct verb *v, int argc, char **argv)
{
    struct collect_options o = {.baud = 57600};
    struct motet_error e = {""};
    const char *file = NULL;
    int status;
    if (!options_parse(v, argc, argv, &o, &file, 1, &status))
        return status;
    if (o.elf)
        return collect_interface(&o, file);
    if (!file == !o.serial)
        return complain("collect needs a FILE, or a node with --serial; see motet collect --help");
    if (o.over_radio && !o.serial)
        return complain("--radio needs --serial, the port of a base station");
    motet_log *l = file ? motet_log_load(file, (unsigned)o.page_size, &e) : collect_receive(&o, &e);
    if (!l)
        return complain("%s", e.text);
    if (o.output && !motet_log_save(l, o.output, &e)) {
        motet_log_free(l);
        return complain("%s", e.text);
    }
    if (o.json)
        parts_print_json(l);
    else
        parts_print(l);
    motet_log_free(l);
    return 0;
}

extern const struct verb verb_collect;
const struct verb verb_collect = {
    .name = "collect",
    .operands = "[FLASH]",
    .about = "read a node's log from a flash memory, a serial port or over the radio",
    .more = "FLASH is what was read from the flash memory of a node whose firmware records (motet cc), or from a "
            "simulated one (motet run --save-flash), or a log. Prints the parts of the log, one for each start of the "
            "firmware and each checkpoint: how they begin and end, and what is damaged, missing or overwritten. With "
            "--serial and no FLASH it asks a node for its log over its serial port, with --radio a node in reach of a "
            "base station at that port.",
    .options = options,
    .run = collect_run,
};
