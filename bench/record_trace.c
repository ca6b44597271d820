#include "record_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <motet/watch.h>

#include "../target/recorder/config.h"
#include "bench.h"

/* ---- the firmware's layout ---- */

enum entry { READ8, READ16, POINTER8, POINTER16, BLOCK, WRAPPED, ENTER, ENTRIES };
static const char *const entries[ENTRIES] = {"motet_read8", "motet_read16",  "motet_pointer8", "motet_pointer16",
                                             "motet_block", "motet_wrapped", "motet_enter"};

/* Of the recorder's memory: set while its worker is interrupted at will, and while it works. */
enum { REGISTERS = 0x200, INSIDE = 1, BUSY = 2 };

struct trace_layout {
    bool avr;
    uint64_t second; /* ticks */
    uint32_t entry[ENTRIES];
    uint32_t stubs, library, constants;  /* byte addresses */
    uint32_t count, uncounted, recorder; /* data addresses */
    uint32_t stamp;                      /* that of motet_stamp, if positions are cycles; else 0 */
    unsigned registers;                  /* data addresses below are registers */
    uint8_t class_of[REGISTERS];         /* bytes of registers: enum trace_class */
    uint8_t changing[REGISTERS];         /* bits that can change by themselves; none: fixed */
    bool own[REGISTERS];                 /* the CPU's */
    uint8_t overflow[64];                /* by vector: 1, or 2 if its timer has 16 bits; 0: no overflow */
};

static bool find_code(const motet_machine *m, const char *name, uint32_t *address)
{
    struct motet_error e;
    return motet_machine_find(m, name, address, 1, &e) || bench_wrong("%s", e.text);
}

static unsigned class_named(const char *name)
{
    static const char *const names[] = {"state", "timer", "data"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return TRACE_WHOLE;
}

/* A line of target/registers: address, name, size, class, bits. */
static void read_register(struct trace_layout *l, const char *line)
{
    unsigned address, size, bits;
    char class[16], more[16];
    int fields = sscanf(line, "%x %*s %u %15s %15s", &address, &size, class, more);
    if (fields < 3 || size > 2 || address + size > REGISTERS)
        return;
    bool fixed = strcmp(class, "fixed") == 0, own = strstr(line, " cpu") != NULL;
    if (fixed || fields < 4 || sscanf(more, "%x", &bits) != 1)
        bits = fixed ? 0 : 0xffff;
    for (unsigned i = 0; i < size; i++) {
        l->class_of[address + i] = (uint8_t)class_named(class);
        l->changing[address + i] = (uint8_t)(bits >> 8 * i);
        l->own[address + i] = own;
    }
}

static bool read_registers(struct trace_layout *l, const char *chip)
{
    char path[512], line[256];
    snprintf(path, sizeof path, "%s/%s.txt", REGISTER_FILES, chip);
    FILE *f = fopen(path, "r");
    if (!f)
        return bench_wrong("cannot read %s", path);
    memset(l->class_of, TRACE_WHOLE, sizeof l->class_of);
    memset(l->changing, 0xff, sizeof l->changing);
    while (fgets(line, sizeof line, f)) {
        unsigned vector, bits;
        if (sscanf(line, "overflow %u %u", &vector, &bits) == 2 && vector < sizeof l->overflow)
            l->overflow[vector] = bits == 16 ? 2 : 1;
        else if (line[0] != '#')
            read_register(l, line);
    }
    fclose(f);
    return true;
}

static bool find_layout(const motet_machine *m, struct trace_layout *l)
{
    struct motet_error e;
    const char *name;
    unsigned size;
    uint32_t bytes;
    l->avr = motet_machine_register(m, 32, &name, &size); /* SREG: an MSP430 has 16 */
    l->registers = l->avr ? 0x100 : 0x200;
    l->second = motet_machine_hz(m);
    for (unsigned i = 0; i < ENTRIES; i++)
        if (!motet_machine_find(m, entries[i], &l->entry[i], 1, &e)) {
            if (i == ENTER || i == READ8)
                return bench_wrong("%s", e.text);
            l->entry[i] = UINT32_MAX; /* firmware that does not call it need not have it */
        }
    if (motet_machine_variable(m, "motet_stamp", &l->stamp, &bytes)) {
        if (!find_code(m, "motet_entered", &l->entry[ENTER]))
            return false;
    } else if (!find_code(m, "motet_stubs", &l->stubs) || !find_code(m, "motet_library", &l->library) ||
               (l->avr && !find_code(m, "__ctors_start", &l->constants))) {
        return false;
    }
    if (!motet_machine_variable(m, "motet_count", &l->count, &bytes) ||
        !motet_machine_variable(m, "motet_uncounted", &l->uncounted, &bytes) ||
        !motet_machine_variable(m, "motet_recorder", &l->recorder, &bytes))
        return bench_wrong("%s has no recorder", motet_machine_path(m));
    return read_registers(l, motet_machine_chip(m));
}

struct trace_layout *trace_layout_new(const motet_machine *m)
{
    struct trace_layout *l = calloc(1, sizeof *l);
    if (!l)
        abort();
    if (find_layout(m, l))
        return l;
    free(l);
    return NULL;
}

void trace_layout_free(struct trace_layout *l)
{
    free(l);
}

static unsigned argument(const motet_node *n, const struct trace_layout *l, unsigned number)
{
    if (!l->avr)
        return motet_node_register(n, 12 + number);
    return motet_node_register(n, 24 - 2 * number) | motet_node_register(n, 25 - 2 * number) << 8;
}

static unsigned word_at(const motet_node *n, uint32_t address)
{
    uint8_t bytes[2] = {0};
    motet_node_peek(n, address, bytes, sizeof bytes);
    return bytes[0] | (unsigned)bytes[1] << 8;
}

/* ---- events ---- */

static struct trace_event *add(const struct trace_tap *w, const motet_node *n, enum trace_kind kind)
{
    struct trace *t = w->trace;
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 4096;
        t->events = realloc(t->events, t->room * sizeof *t->events);
        if (!t->events)
            abort();
    }
    struct trace_event *e = &t->events[t->count++];
    t->boot += motet_node_now(n) < w->layout->second;
    *e = (struct trace_event){.kind = (uint8_t)kind, .cycle = motet_node_cycles(n)};
    return e;
}

void trace_put_byte(struct trace_bytes *b, unsigned byte)
{
    if (b->count == b->room) {
        b->room = b->room ? 2 * b->room : 4096;
        b->bytes = realloc(b->bytes, b->room);
        if (!b->bytes)
            abort();
    }
    b->bytes[b->count++] = (uint8_t)byte;
}

/* A read of registers by the application. */
static void count_read(const struct trace_layout *l, struct trace *t, uint32_t address, unsigned size, unsigned value)
{
    bool changes = false;
    for (uint32_t i = 0; i < size; i++) {
        if (address + i >= l->registers || l->own[address + i])
            return;
        t->all_bits += 8;
        changes |= l->changing[address + i] != 0;
    }
    if (!changes)
        return;
    t->reads++;
    for (uint32_t i = 0; i < size; i++) {
        t->whole_bits[l->class_of[address + i]] += 8;
        t->changing_bits += (unsigned)__builtin_popcount(l->changing[address + i]);
        trace_put_byte(&t->stream, value >> 8 * i);
    }
}

static void register_read(void *context, const motet_node *n, const struct motet_access *a)
{
    struct trace_tap *w = context;
    uint8_t busy;
    if (motet_node_peek(n, w->layout->recorder + BUSY, &busy, 1) && !busy)
        count_read(w->layout, w->trace, a->address, a->size, a->value);
}

static void read_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct trace_tap *w = context;
    const struct trace_layout *l = w->layout;
    unsigned late = l->avr ? 6 : 4, size = pc - late == l->entry[READ16] ? 2 : 1, all = size == 1 ? 0xff : 0xffff;
    (void)after;
    struct trace_event *e = add(w, n, TRACE_READ);
    e->size = (uint8_t)size;
    e->live = (uint16_t)(argument(n, l, 1) & all);
    e->value = (uint16_t)(argument(n, l, 0) & e->live);
    e->site = (uint16_t)argument(n, l, 2);
}

static void pointer_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct trace_tap *w = context;
    const struct trace_layout *l = w->layout;
    unsigned late = l->avr ? 6 : 4, at = argument(n, l, 0);
    (void)after;
    if (at >= l->registers)
        return;
    struct trace_event *e = add(w, n, TRACE_READ);
    e->size = pc - late == l->entry[POINTER16] ? 2 : 1;
    e->live = e->size == 1 ? 0xff : 0xffff;
    e->value = word_at(n, at) & e->live;
    e->site = (uint16_t)argument(n, l, 1);
    count_read(l, w->trace, at, e->size, e->value);
}

static void block_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct trace_tap *w = context;
    unsigned at = argument(n, w->layout, 0), size = argument(n, w->layout, 1), site = argument(n, w->layout, 2);
    (void)pc, (void)after;
    for (unsigned i = 0; i < size; i++) {
        struct trace_event *e = add(w, n, TRACE_BYTE);
        e->site = (uint16_t)site;
        e->size = 1;
        e->live = 0xff;
        e->value = word_at(n, at + i) & 0xff;
    }
}

static void wrap_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct trace_tap *w = context;
    (void)pc, (void)after;
    if (word_at(n, w->layout->count) == 0xff00)
        add(w, n, TRACE_WRAPPED);
}

static bool slept(const motet_node *n, const struct trace_layout *l, uint32_t address, uint32_t frame)
{
    uint8_t code[4];
    if (!l->avr)
        return word_at(n, frame - 4) & 0x10; /* CPUOFF in the interrupted SR */
    return motet_node_code(n, address - 2, code, 4) && code[0] == 0x88 && code[1] == 0x95 && !code[2] && !code[3];
}

/* Compare registers of which the recorder takes note (PORT_COMPARES): two of each chip. */
static const struct compare {
    unsigned vector, at;
} compares[2][2] = {{{6, 0x172}, {13, 0x192}}, {{15, 0x51}, {9, 0x43}}};

static void compare_written(void *context, const motet_node *n, const struct motet_access *a)
{
    struct trace_tap *w = context;
    (void)n;
    for (unsigned i = 0; i < 2; i++)
        if (compares[w->layout->avr][i].at == a->address)
            w->compare[i] = (uint16_t)a->value;
}

/* Not that of the timer which tells cycles: of an MSP430 the first. */
static void note_compare(const struct trace_tap *w, struct trace_event *e)
{
    for (unsigned i = w->layout->stamp && !w->layout->avr; i < 2; i++)
        if (compares[w->layout->avr][i].vector == e->vector) {
            e->size = w->layout->avr ? 1 : 2;
            e->value = w->compare[i];
        }
}

/* What the recorder makes of the timer it has read (entry_put_place in target/recorder/entries.c). */
static void take_stamp(const motet_node *n, const struct trace_layout *l, struct trace_event *e)
{
    enum { OVERFLOW = 0x04, JUST_BEFORE = 0xfff0 };
    unsigned timer = word_at(n, l->stamp), flags = word_at(n, l->stamp + 2);
    unsigned constant = l->avr ? flags >> 8 : word_at(n, l->stamp + 4);
    bool polls = word_at(n, l->uncounted) & 0xff;
    bool round = l->avr ? (flags & OVERFLOW) && timer < JUST_BEFORE : flags & 1;
    e->sp = polls ? e->address : 0;
    e->address = (uint16_t)(timer - constant);
    e->hash = 1;
    if (e->kind != TRACE_WOKE)
        e->kind = round && timer >= constant ? TRACE_LIBRARY : e->address ? TRACE_INTERRUPT : TRACE_INSIDE;
}

/* The stub has pushed a register and its own address after what the CPU has pushed, and motet_enter of an MSP430 two
 * more before it has read the timer. One that came in the recorder's worker comes here once more. */
static void enter_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct trace_tap *w = context;
    const struct trace_layout *l = w->layout;
    uint32_t sp = motet_node_register(n, l->avr ? 33 : 1) + (l->avr ? 5 : l->stamp ? 12 : 8);
    unsigned back = word_at(n, l->avr ? sp - 1 : sp - 2), place = l->avr ? (back >> 8 | back << 8) & 0xffff : back;
    uint32_t address = place * (l->avr ? 2 : 1);
    uint8_t inside;
    (void)pc, (void)after;
    if (motet_node_peek(n, l->recorder + INSIDE, &inside, 1) && inside)
        return;
    bool uncounted = address >= l->library || address < l->constants || (word_at(n, l->uncounted) & 0xff);
    struct trace_event *e = add(w, n,
                                address >= l->stubs && address < l->library ? TRACE_INSIDE
                                : slept(n, l, address, sp)                  ? TRACE_WOKE
                                : uncounted                                 ? TRACE_LIBRARY
                                                                            : TRACE_INTERRUPT);
    e->vector = (uint8_t)argument(n, l, 0);
    e->address = (uint16_t)place;
    e->count = (uint16_t)(word_at(n, l->count) - (l->stamp ? 0 : COUNT_SOON));
    e->sp = (uint16_t)sp;
    e->hash = (uint32_t)(e->cycle * 2654435761u);
    if (l->stamp)
        take_stamp(n, l, e);
    w->trace->stamped = l->stamp != 0;
    e->overflow = e->vector < sizeof l->overflow ? l->overflow[e->vector] : 0;
    note_compare(w, e);
    const uint8_t bytes[] = {e->vector, (uint8_t)e->address, (uint8_t)(e->address >> 8), (uint8_t)e->count,
                             (uint8_t)(e->count >> 8)};
    for (unsigned i = 0; i < sizeof bytes; i++)
        trace_put_byte(&w->trace->stream, bytes[i]);
    w->trace->interrupts++;
}

void trace_put(motet_node *n, struct trace_tap *w)
{
    const struct trace_layout *l = w->layout;
    unsigned late = l->avr ? 6 : 4;
    w->trace->avr = l->avr;
    motet_probed *const probes[ENTRIES] = {read_probed,  read_probed, pointer_probed, pointer_probed,
                                           block_probed, wrap_probed, enter_probed};
    for (unsigned i = 0; i < ENTRIES; i++) {
        uint32_t at = l->entry[i] + (i == ENTER ? 0 : late);
        if (l->entry[i] == UINT32_MAX)
            continue;
        motet_probe(n, at, at, MOTET_BEFORE, probes[i], w);
    }
    for (unsigned i = 0; i < 2; i++)
        motet_watch(n, compares[l->avr][i].at, compares[l->avr][i].at, MOTET_WRITE | MOTET_AFTER, compare_written, w);
    motet_watch(n, l->avr ? 0x20 : 0, l->registers - 1, MOTET_READ | MOTET_AFTER, register_read, w);
}

void record_trace_free(struct trace *t)
{
    free(t->events);
    free(t->stream.bytes);
    *t = (struct trace){0};
}
