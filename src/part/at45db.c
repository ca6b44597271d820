#include "part/at45db.h"

#include <string.h>

#include "base/pages.h"
#include "node/node.h"
#include "node/pins.h"
#include "node/taps.h"

enum { ROLE_CS, ROLE_SCK };
enum { EVENT_DONE, EVENTS };

/* What a command does, from a table of opcodes. */
enum action {
    NOTHING,
    READ_STATUS,
    READ_ARRAY, /* on into the next page */
    READ_PAGE,  /* round within it */
    READ_BUFFER,
    WRITE_BUFFER,
    PROGRAM,         /* buffer to page, erasing it */
    PROGRAM_ERASED,  /* without erasing */
    PROGRAM_THROUGH, /* data to buffer, then buffer to page */
    ERASE_PAGE,
    ERASE_BLOCK,
    TRANSFER, /* page to buffer */
    COMPARE,
    REWRITE, /* page to buffer and back */
};

struct command {
    uint8_t opcode, action, buffer, dummies; /* dummy bytes after the three of address */
};

static const struct command commands[] = {
    {0x57, READ_STATUS, 0, 0},    {0xd7, READ_STATUS, 0, 0},     {0x68, READ_ARRAY, 0, 4},
    {0xe8, READ_ARRAY, 0, 4},     {0x52, READ_PAGE, 0, 4},       {0xd2, READ_PAGE, 0, 4},
    {0x54, READ_BUFFER, 0, 1},    {0xd4, READ_BUFFER, 0, 1},     {0x56, READ_BUFFER, 1, 1},
    {0xd6, READ_BUFFER, 1, 1},    {0x84, WRITE_BUFFER, 0, 0},    {0x87, WRITE_BUFFER, 1, 0},
    {0x83, PROGRAM, 0, 0},        {0x86, PROGRAM, 1, 0},         {0x88, PROGRAM_ERASED, 0, 0},
    {0x89, PROGRAM_ERASED, 1, 0}, {0x82, PROGRAM_THROUGH, 0, 0}, {0x85, PROGRAM_THROUGH, 1, 0},
    {0x81, ERASE_PAGE, 0, 0},     {0x50, ERASE_BLOCK, 0, 0},     {0x53, TRANSFER, 0, 0},
    {0x55, TRANSFER, 1, 0},       {0x60, COMPARE, 0, 0},         {0x61, COMPARE, 1, 0},
    {0x58, REWRITE, 0, 0},        {0x59, REWRITE, 1, 0},
};

/* The most that erasing a page and a block, programming, and erasing and programming take: the texts of datasheets
 * 1938F and 3443 say so, and WSim and Avrora have the same. No document gives typical times. A transfer takes 250 us in
 * WSim (its AT45DB model; Avrora has 300). */
#define SECONDS_TRANSFER    250e-6
#define SECONDS_ERASE_PAGE  8e-3
#define SECONDS_ERASE_BLOCK 12e-3
#define SECONDS_PROGRAM     14e-3
#define SECONDS_REWRITE     20e-3

enum { STATUS_READY = 0x80, STATUS_DIFFERENT = 0x40, STATUS_DENSITY = 0x1c, BLOCK_PAGES = 8 };

struct at45db {
    uint32_t address;
    uint16_t count;    /* bytes of the command so far */
    uint8_t command;   /* index in the table; 0xff: none, or unknown */
    uint8_t in, bits;  /* shift register and how many bits are in it */
    uint8_t out, left; /* and the other, with the bits still to show */
    uint8_t watching;  /* bit 7 of the status is on the output and follows it */
    uint8_t different; /* the last comparison's result */
    uint8_t running;   /* command whose operation is under way; valid while EVENT_DONE is pending */
    uint16_t page;     /* it is about */
    uint8_t buffers[2][AT45DB_PAGE];
};

static void at45db_connect(const struct device *d, struct wiring *w)
{
    const struct at45db_config *c = d->config;
    wire_pin(w, d, c->cs, ROLE_CS);
    wire_pin(w, d, c->sck, ROLE_SCK);
    wire_drive(w, d, c->so);
    wire_pages(w, d, (size_t)AT45DB_PAGES * AT45DB_PAGE, 0xff);
}

static void at45db_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    struct at45db *s = device_state(n, d);
    memset(s, 0, sizeof *s);
    s->command = 0xff;
}

static bool at45db_busy(const struct node *n, const struct device *d)
{
    return event_pending(n, d, EVENT_DONE);
}

static unsigned page_of(const struct at45db *s)
{
    return s->address >> 9 & (AT45DB_PAGES - 1);
}

static unsigned at45db_byte_of(const struct at45db *s)
{
    return (s->address & 0x1ff) % AT45DB_PAGE;
}

static size_t at45db_place(unsigned page, unsigned byte)
{
    return (size_t)page * AT45DB_PAGE + byte;
}

/* ---- operations on pages ---- */

static void at45db_erase(struct node *n, const struct device *d, unsigned page)
{
    pages_fill(device_pages(n, d), at45db_place(page, 0), 0xff, AT45DB_PAGE);
}

/* Programming only clears bits. */
static void at45db_program(struct node *n, const struct device *d, unsigned page, const uint8_t *from)
{
    uint8_t cells[AT45DB_PAGE];
    pages_read(device_pages(n, d), at45db_place(page, 0), cells, sizeof cells);
    for (unsigned i = 0; i < AT45DB_PAGE; i++)
        cells[i] &= from[i];
    pages_write(device_pages(n, d), at45db_place(page, 0), cells, sizeof cells);
}

static void at45db_transfer(struct node *n, const struct device *d, unsigned page, uint8_t *to)
{
    pages_read(device_pages(n, d), at45db_place(page, 0), to, AT45DB_PAGE);
}

static bool differs(struct node *n, const struct device *d, unsigned page, const uint8_t *from)
{
    uint8_t cells[AT45DB_PAGE];
    pages_read(device_pages(n, d), at45db_place(page, 0), cells, sizeof cells);
    return memcmp(cells, from, sizeof cells) != 0;
}

static void at45db_finish(struct node *n, const struct device *d)
{
    struct at45db *s = device_state(n, d);
    const struct command *c = &commands[s->running];
    uint8_t *buffer = s->buffers[c->buffer];
    switch ((enum action)c->action) {
    case PROGRAM:
    case PROGRAM_THROUGH:
        at45db_erase(n, d, s->page);
        at45db_program(n, d, s->page, buffer);
        break;
    case PROGRAM_ERASED: at45db_program(n, d, s->page, buffer); break;
    case ERASE_PAGE: at45db_erase(n, d, s->page); break;
    case ERASE_BLOCK:
        for (unsigned i = 0; i < BLOCK_PAGES; i++)
            at45db_erase(n, d, (s->page & ~(BLOCK_PAGES - 1u)) + i);
        break;
    case TRANSFER:
    case REWRITE: at45db_transfer(n, d, s->page, buffer); break;
    case COMPARE: s->different = differs(n, d, s->page, buffer); break;
    default: break;
    }
}

static double duration(enum action action)
{
    switch (action) {
    case PROGRAM:
    case PROGRAM_THROUGH:
    case REWRITE: return SECONDS_REWRITE;
    case PROGRAM_ERASED: return SECONDS_PROGRAM;
    case ERASE_PAGE: return SECONDS_ERASE_PAGE;
    case ERASE_BLOCK: return SECONDS_ERASE_BLOCK;
    case TRANSFER:
    case COMPARE: return SECONDS_TRANSFER;
    default: return 0;
    }
}

/* Deselected: what the command asked for begins, if its address is complete. */
static void at45db_begin(struct node *n, const struct device *d)
{
    struct at45db *s = device_state(n, d);
    if (s->command == 0xff || s->count < 4 || at45db_busy(n, d))
        return;
    double seconds = duration((enum action)commands[s->command].action);
    if (seconds == 0)
        return;
    s->running = s->command;
    s->page = (uint16_t)page_of(s);
    event_in(n, d, EVENT_DONE, CLOCK_TICK, node_ticks(n, seconds));
}

static void at45db_power_fails(struct node *n, const struct device *d)
{
    const struct at45db *s = device_state(n, d);
    unsigned action = commands[s->running].action, first = s->page, count = 1;
    if (!at45db_busy(n, d) || action == TRANSFER || action == COMPARE)
        return;
    if (action == ERASE_BLOCK) {
        first &= ~(BLOCK_PAGES - 1u);
        count = BLOCK_PAGES;
    }
    for (size_t at = at45db_place(first, 0); at < at45db_place(first + count, 0); at++)
        pages_set(device_pages(n, d), at, (uint8_t)node_random(n));
}

/* ---- bytes ---- */

static uint8_t at45db_status(const struct node *n, const struct device *d)
{
    const struct at45db *s = device_state(n, d);
    return (uint8_t)(STATUS_DENSITY | (at45db_busy(n, d) ? 0 : STATUS_READY) | (s->different ? STATUS_DIFFERENT : 0));
}

/* While the memory works only its status and the other buffer can be had. */
static bool allowed(const struct node *n, const struct device *d, const struct command *c)
{
    const struct at45db *s = device_state(n, d);
    if (!at45db_busy(n, d) || c->action == READ_STATUS)
        return true;
    bool buffer = c->action == READ_BUFFER || c->action == WRITE_BUFFER;
    unsigned running = commands[s->running].action;
    return buffer && (commands[s->running].buffer != c->buffer || running == ERASE_PAGE || running == ERASE_BLOCK);
}

static void opcode(struct node *n, const struct device *d, uint8_t byte)
{
    struct at45db *s = device_state(n, d);
    s->command = 0xff;
    s->address = 0;
    for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
        if (commands[i].opcode == byte && allowed(n, d, &commands[i]))
            s->command = (uint8_t)i;
}

/* Each byte read or written moves on, round within the page or, reading the whole array, into the next. */
static void at45db_advance(struct at45db *s, bool array)
{
    unsigned page = page_of(s), byte = at45db_byte_of(s) + 1;
    if (byte == AT45DB_PAGE) {
        byte = 0;
        page = (page + array) % AT45DB_PAGES;
    }
    s->address = page << 9 | byte;
}

static uint8_t output_byte(struct node *n, const struct device *d)
{
    struct at45db *s = device_state(n, d);
    const struct command *c = &commands[s->command];
    uint8_t byte = 0xff;
    if (s->count < 4u + c->dummies)
        return byte;
    if (c->action == READ_BUFFER)
        byte = s->buffers[c->buffer][at45db_byte_of(s)];
    else if (c->action == READ_PAGE || c->action == READ_ARRAY)
        byte = pages_get(device_pages(n, d), at45db_place(page_of(s), at45db_byte_of(s)));
    else
        return byte;
    at45db_advance(s, c->action == READ_ARRAY);
    return byte;
}

static void at45db_take_byte(struct node *n, const struct device *d, uint8_t byte)
{
    struct at45db *s = device_state(n, d);
    const struct command *c = &commands[s->command];
    if (s->count < 4)
        s->address = (s->address << 8 | byte) & 0xffffff;
    else if (c->action == WRITE_BUFFER || c->action == PROGRAM_THROUGH) {
        s->buffers[c->buffer][at45db_byte_of(s)] = byte;
        at45db_advance(s, false);
    }
}

static void at45db_received(struct node *n, const struct device *d, uint8_t byte)
{
    struct at45db *s = device_state(n, d);
    if (s->count == 0)
        opcode(n, d, byte);
    else if (s->command != 0xff && commands[s->command].action != READ_STATUS)
        at45db_take_byte(n, d, byte);
    if (s->count < 0xffff)
        s->count++;
    bool shows_status = s->command != 0xff && commands[s->command].action == READ_STATUS;
    s->left = 8;
    s->out = shows_status ? at45db_status(n, d) : s->command != 0xff ? output_byte(n, d) : 0xff;
}

/* ---- bits ---- */

static void at45db_show(struct node *n, const struct device *d, bool bit)
{
    const struct at45db_config *c = d->config;
    pin_drive(n, c->so, bit ? PIN_HIGH : PIN_LOW);
}

static void shift_out(struct node *n, const struct device *d)
{
    struct at45db *s = device_state(n, d);
    bool shows_status = s->command != 0xff && commands[s->command].action == READ_STATUS;
    s->watching = shows_status && s->left == 8;
    if (s->watching)
        s->out = at45db_status(n, d);
    at45db_show(n, d, s->out >> 7);
    s->out = (uint8_t)(s->out << 1);
    if (s->left)
        s->left--;
}

static void at45db_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    const struct at45db_config *c = d->config;
    struct at45db *s = device_state(n, d);
    if (role == ROLE_CS) {
        if (level) {
            at45db_begin(n, d);
            pin_drive(n, c->so, PIN_FLOATING);
        }
        s->count = s->bits = s->left = s->watching = 0;
        s->command = 0xff;
        if (taps_wanted(n, MOTET_ON(PART)))
            taps_part(n, d);
    } else if (!pin_level(n, c->cs)) {
        if (!level) {
            shift_out(n, d);
            return;
        }
        s->in = (uint8_t)(s->in << 1 | pin_level(n, c->si));
        if (++s->bits == 8) {
            s->bits = 0;
            at45db_received(n, d, s->in);
        }
    }
}

static void at45db_event(struct node *n, const struct device *d, unsigned which)
{
    (void)which;
    const struct at45db *s = device_state(n, d);
    at45db_finish(n, d);
    if (s->watching)
        at45db_show(n, d, true);
    if (taps_wanted(n, MOTET_ON(PART)))
        taps_part(n, d);
}

static const char *at45db_doing(const struct node *n, const struct device *d)
{
    const struct at45db_config *c = d->config;
    return at45db_busy(n, d) ? "write" : pin_level(n, c->cs) ? "standby" : "read";
}

const struct device_type at45db_type = {
    .memory = MEMORY_DATA_FLASH,
    .name = "at45db",
    .state_size = sizeof(struct at45db),
    .events = EVENTS,
    .connect = at45db_connect,
    .reset = at45db_reset,
    .power_fails = at45db_power_fails,
    .event = at45db_event,
    .input = at45db_input,
    .doing = at45db_doing,
};
