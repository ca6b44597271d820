#include "record/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/abstract.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/node.h"
#include "record/replay_places.h"

enum { FAR = 64 /* instructions that a value is followed */, SLOTS = 16 };

/* ---- a machine without devices ---- */

static void scan_connect(const struct device *d, struct wiring *w)
{
    wire_log(w, d);
}

static bool scan_due(struct node *n, const struct device *d)
{
    (void)n, (void)d;
    return false;
}

static void scan_before(struct node *n, const struct device *d)
{
    (void)n, (void)d;
}

static const struct device_type scan_type = {
    .name = "scan", .connect = scan_connect, .due = scan_due, .before = scan_before};
static const struct chip_device scan_device = {"scan", &scan_type, NULL};

/* ---- one instruction ---- */

struct scanner {
    const struct replay *replay; /* places and registers */
    const struct isa *isa;
    struct node *n;
    struct snapshot *kept;
    struct clock clocks[CLOCK_LIMIT]; /* as they ran in the beginning */
    struct scan *found;

    struct unknown varies; /* bits that are not constants of the code before */
    uint32_t reads;        /* the register that the instruction reads; UINT32_MAX: none */

    struct unknown value; /* bits of the value that is followed */
    uint32_t from;        /* the register it came from, and the one after it */
    bool first;           /* its load is the instruction under way */
    bool outputs;         /* it went to another register */
    bool back;            /* it went back to its own, and what a function leaves of it is no result */
    struct {
        uint32_t at;
        unsigned bits;
    } slots[SLOTS]; /* memory that it went to */
    unsigned slot_count;
};

static unsigned scan_changing(const struct scanner *s, uint32_t address)
{
    bool device = address >= s->isa->first_register && address < s->n->machine->register_size;
    return device && address < UNKNOWN_DEVICES ? s->replay->changing[address] : 0;
}

/* Executes the instruction at the program counter in the scratch node. */
static void scan_execute(struct scanner *s)
{
    struct node *n = s->n;
    n->state->sleeping = 0; /* an instruction before it may have stopped the CPU */
    n->state->halt_at = 0;
    memcpy(n->state->clocks, s->clocks, sizeof s->clocks);
    n->horizon = n->state->now + 1;
    n->cut = false;
    s->isa->run(n);
    n->state->exit = 0;
}

/* ---- which register an instruction reads ---- */

static unsigned scan_note_load(void *context, uint32_t address)
{
    struct scanner *s = context;
    if (scan_changing(s, address) && s->reads == UINT32_MAX)
        s->reads = address;
    return 0xff; /* no constant, wherever it comes from */
}

static void scan_ignore_store(void *context, uint32_t address, unsigned bits)
{
    (void)context, (void)address, (void)bits;
}

/* ---- following a value ---- */

static unsigned scan_follow_load(void *context, uint32_t address)
{
    const struct scanner *s = context;
    if (s->first)
        return scan_changing(s, address);
    for (unsigned i = s->slot_count; i-- > 0;)
        if (s->slots[i].at == address)
            return s->slots[i].bits;
    return 0;
}

static void scan_follow_store(void *context, uint32_t address, unsigned bits)
{
    struct scanner *s = context;
    bool device = address < s->n->machine->register_size;
    if (device) {
        bool back = address == s->from || address == s->from + 1;
        s->outputs |= bits && !back;
        s->back |= bits && back;
        return;
    }
    unsigned i = 0;
    while (i < s->slot_count && s->slots[i].at != address)
        i++;
    if (i == SLOTS || (i == s->slot_count && !bits))
        return;
    s->slots[i].at = address;
    s->slots[i].bits = bits;
    s->slot_count += i == s->slot_count;
}

static bool scan_holds(const struct unknown *u)
{
    unsigned any = u->flags;
    for (unsigned i = 0; i < UNKNOWN_REGISTERS; i++)
        any |= u->registers[i];
    return any != 0;
}

static bool scan_is_result(const struct scanner *s)
{
    unsigned first = s->isa->result_register, wide = s->isa->register_size(first);
    return s->value.registers[first] | (wide == 1 ? s->value.registers[first + 1] : 0);
}

static void scan_forget_result(struct scanner *s, unsigned size)
{
    unsigned first = s->isa->result_register, wide = s->isa->register_size(first);
    for (unsigned i = 0; i < size; i += wide)
        s->value.registers[first + i / wide] = 0;
}

/* A polling loop, whose value replay replaces. */
static void scan_pass_poll(struct scanner *s, const struct place *p)
{
    if (!p || p->entry != ENTRY_POLL || p->poll.waits)
        return;
    unsigned wide = s->isa->register_size(p->poll.register_number);
    for (unsigned i = 0; i < p->poll.size; i += wide)
        s->value.registers[p->poll.register_number + i / wide] = 0;
}

/* A call: the recorder takes the value, or it cannot be followed. */
static bool scan_pass_call(struct scanner *s, uint32_t back)
{
    const struct place *p = replay_place_at(s->replay, s->isa->pc(s->n));
    bool reads = p && (p->entry == ENTRY_READ8 || p->entry == ENTRY_READ16);
    if (reads)
        scan_forget_result(s, p->entry == ENTRY_READ8 ? 1 : 2);
    s->value.flags = 0;
    s->isa->set_pc(s->n, back);
    return reads;
}

/* Whether what the instruction at the program counter reads is used, and not recorded. */
static bool scan_is_used(struct scanner *s)
{
    const struct unknown_memory memory = {s, scan_follow_load, scan_follow_store};
    const uint8_t *code = s->isa->program(s->n);
    char text[80];
    s->value = (struct unknown){.flags = 0};
    s->outputs = s->back = false;
    s->slot_count = 0;
    s->first = true;
    for (unsigned i = 0; i < FAR; i++) {
        uint32_t pc = s->isa->pc(s->n), sp = s->isa->sp(s->n);
        const struct place *p = replay_place_at(s->replay, pc);
        if (p && (p->entry != ENTRY_POLL || p->poll.waits)) /* an entry of the recorder, by a jump; a loop that waits */
            return false;
        scan_pass_poll(s, p);
        enum motet_flow flow = s->isa->flow(s->n, pc);
        if (s->isa->spread(s->n, &s->value, &memory) || s->outputs)
            return true;
        s->first = false;
        if (flow == MOTET_FLOW_RETURN)
            return !s->back && scan_is_result(s);
        if (flow == MOTET_FLOW_INTERRUPT_RETURN || !scan_holds(&s->value))
            return false;
        unsigned length = s->isa->disassemble(code + pc, s->n->machine->code_size - pc, pc, text, sizeof text);
        scan_execute(s);
        if (flow == MOTET_FLOW_CALL) {
            if (!scan_pass_call(s, pc + length))
                return false;
            s->isa->set_sp(s->n, sp);
        }
    }
    return false;
}

static void scan_report(struct scanner *s, uint32_t at)
{
    struct scan_read *one;
    for (size_t i = 0; i < s->found->count; i++)
        if (s->found->reads[i].at == at) /* a function with two names */
            return;
    s->found->reads = memory_resize(s->found->reads, s->found->count + 1, sizeof *s->found->reads);
    one = &s->found->reads[s->found->count++];
    *one = (struct scan_read){.at = at, .address = s->reads};
    for (size_t i = 0; i < s->replay->register_count; i++)
        if (s->reads - s->replay->registers[i].address < s->replay->registers[i].size) {
            snprintf(one->name, sizeof one->name, "%s", s->replay->registers[i].name);
            break;
        }
}

/* ---- functions ---- */

static void scan_forget_constants(struct scanner *s)
{
    memset(&s->varies, 0xff, sizeof s->varies);
}

/* A stack in RAM: code that gives frames back may set the pointer from a register of which nothing is known here. */
static void scan_set_stack(struct scanner *s)
{
    const struct machine *m = s->n->machine;
    uint32_t sp = s->isa->sp(s->n);
    if (sp < m->ram->first || sp >= m->data_size)
        s->isa->set_sp(s->n, m->data_size - 1 - 64);
}

/* Whether the instruction after this one can only be reached from elsewhere, with other constants. */
static bool scan_jumps(const struct scanner *s, uint32_t pc)
{
    struct abstract_state state = {.sp = abstract_number(0)};
    struct abstract_step step = {.flow = ABSTRACT_NEXT};
    s->isa->abstract->step(s->n->machine, pc, &state, &step);
    return step.flow != ABSTRACT_NEXT && step.flow != ABSTRACT_BRANCH;
}

static void scan_code(struct scanner *s, uint32_t first, uint32_t end)
{
    const struct unknown_memory memory = {s, scan_note_load, scan_ignore_store};
    const uint8_t *code = s->isa->program(s->n);
    char text[80];
    scan_forget_constants(s);
    s->isa->set_sp(s->n, s->n->machine->data_size - 1 - 64);
    for (uint32_t pc = first, length; pc < end; pc += length) {
        length = s->isa->disassemble(code + pc, s->n->machine->code_size - pc, pc, text, sizeof text);
        scan_set_stack(s);
        uint32_t sp = s->isa->sp(s->n);
        s->isa->set_pc(s->n, pc);
        s->reads = UINT32_MAX;
        enum motet_flow flow = s->isa->flow(s->n, pc);
        s->isa->spread(s->n, &s->varies, &memory);
        if (s->reads != UINT32_MAX) {
            s->from = s->reads;
            snapshot_again(s->kept, s->n);
            bool used = scan_is_used(s);
            snapshot_restore(s->n, s->kept);
            if (used)
                scan_report(s, pc);
        }
        if (flow == MOTET_FLOW_ON && !scan_jumps(s, pc)) {
            scan_execute(s);
        } else {
            scan_forget_constants(s);
            s->isa->set_sp(s->n, sp);
        }
    }
}

/* The recorder's own functions, which the firmware lists (section .motet.recorder), and what is recorded as a whole. */
static bool scan_is_own(const struct image *image, const char *name)
{
    size_t size, length = strlen(name);
    const char *list = (const char *)image_section(image, ".motet.recorder", 0, &size);
    if (strncmp(name, "motet_", 6) == 0)
        return true;
    for (size_t at = 0, line; list && at < size; at += line + 1) {
        const char *end = memchr(list + at, '\n', size - at);
        line = end ? (size_t)(end - (list + at)) : size - at;
        if (line == length && memcmp(list + at, name, length) == 0)
            return true;
    }
    return false;
}

/* The library's functions for EEPROM: motet cc records what they return where they are called. */
static bool scan_is_eeprom(const char *name)
{
    return strncmp(name, "eeprom_", 7) == 0 || strncmp(name, "__ee", 4) == 0;
}

static bool scan_is_code(const struct image *image, uint32_t address)
{
    const struct image_segment *g;
    size_t count = image_segments(image, &g);
    for (size_t i = 0; i < count; i++)
        if (g[i].executable && address - g[i].address < g[i].size)
            return true;
    return false;
}

/* Where the code of a symbol ends. A label in assembly has no size: its code goes on to the next symbol. 0: it has
 * none, or is a part of another. */
static uint32_t scan_end(const struct machine *m, const struct image_symbol *of, const struct image_symbol *all,
                         size_t count)
{
    if (of->kind == IMAGE_SYMBOL_OBJECT || !scan_is_code(m->image, of->address) || of->address >= m->code_size)
        return 0;
    uint32_t end = m->code_size;
    if (of->kind == IMAGE_SYMBOL_FUNCTION && of->size)
        return of->address + of->size < end ? of->address + of->size : end;
    if (of->name[0] == '_') /* the linker's own, such as where constants begin */
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (&all[i] != of && all[i].size && of->address - all[i].address < all[i].size)
            return 0;
        if (all[i].address > of->address && all[i].address < end)
            end = all[i].address;
    }
    return end < m->code_size ? end : 0;
}

static bool scan_prepare(struct scanner *s, struct replay *r, const char *path, const struct chip *chip,
                         struct machine **m, struct motet_error *e)
{
    struct image *image = image_load(path, e);
    struct machine_options o = {.fuses = {-1, -1, -1}, .lock = -1, .log = &scan_device};
    if (!image)
        return false;
    if (!replay_find_places(r, image, chip->isa, e) || !unknown_find_registers(r, image, e)) {
        image_free(image);
        return false;
    }
    *m = machine_new(chip, NULL, image, &o, e);
    if (!*m)
        return false;
    s->n = node_new(*m, 0, 1);
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        s->n->fault_action[i] = FAULT_IGNORE;
    s->kept = snapshot_take(s->n);
    memcpy(s->clocks, s->n->state->clocks, sizeof s->clocks);
    return true;
}

bool scan_program(const char *path, const struct chip *chip, struct scan *found, struct motet_error *e)
{
    struct replay *r = memory_new(sizeof *r);
    struct machine *m = NULL;
    struct scanner s = {.replay = r, .isa = chip->isa, .found = found};
    bool good = scan_prepare(&s, r, path, chip, &m, e);
    const struct image_symbol *symbols = NULL;
    size_t count = good ? image_symbols(m->image, &symbols) : 0;
    *found = (struct scan){.count = 0};
    for (size_t i = 0; i < count; i++)
        if (!scan_is_own(m->image, symbols[i].name) && !scan_is_eeprom(symbols[i].name))
            scan_code(&s, symbols[i].address, scan_end(m, &symbols[i], symbols, count));
    if (good) {
        snapshot_free(s.kept);
        node_free(s.n);
    }
    machine_free(m);
    replay_free(r);
    return good;
}

void scan_free(struct scan *s)
{
    free(s->reads);
    *s = (struct scan){.count = 0};
}
