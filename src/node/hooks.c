/* Hooks: callbacks for events of a node. */
#include <limits.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "image/debug.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/taps.h"

void hooks_renew(struct node *n)
{
    struct taps *t = n->taps;
    uint32_t before = n->hooked;
    n->hooked = 0;
    for (unsigned i = 0; i < t->hooks.count; i++)
        if (!t->hooks.items[i]->dead)
            n->hooked |= t->hooks.items[i]->what;
    uint32_t changed = n->hooked ^ before, flow = MOTET_ON(CALL) | MOTET_ON(RETURN) | MOTET_ON(INTERRUPT_EXIT);
    if ((changed & flow) && !(before & flow) != !(n->hooked & flow))
        marks_renew(n, 0, UINT32_MAX);
    if (changed & MOTET_ON(REGISTER))
        watches_renew(n);
}

void taps_tell(struct node *n, struct motet_happened *h)
{
    struct taps *t = n->taps;
    unsigned count = t->hooks.count;
    h->tick = n->time;
    taps_enter(t);
    for (unsigned i = 0; i < count; i++) {
        const struct motet_tap *hook = t->hooks.items[i];
        if (!hook->dead && (hook->what >> h->what & 1))
            hook->hooked(hook->context, n->handle, h);
    }
    taps_leave(t);
}

/* ---- interrupts, calls ---- */

static const char *line_name(const struct node *n, unsigned line)
{
    const struct device *d = line < MACHINE_LINES ? n->machine->lines[line].device : NULL;
    return d ? d->name : "";
}

void taps_interrupt_posted(struct node *n, unsigned line)
{
    struct motet_happened h = {.what = MOTET_ON_INTERRUPT_POST};
    h.interrupt.line = line;
    h.interrupt.name = line_name(n, line);
    taps_tell(n, &h);
}

void taps_interrupt_entered(struct node *n, unsigned line, uint32_t from)
{
    const struct isa *isa = n->machine->chip->isa;
    struct taps *t = n->taps;
    struct motet_happened h = {.what = MOTET_ON_INTERRUPT_ENTRY};
    h.interrupt.line = line;
    h.interrupt.name = line_name(n, line);
    h.interrupt.from = from;
    h.interrupt.handler = isa->pc(n);
    h.interrupt.sp = isa->sp(n);
    if (t->nested_count < TAP_NESTED) {
        t->nested[t->nested_count].sp = h.interrupt.sp;
        t->nested[t->nested_count++].line = (uint8_t)line;
    }
    if (taps_wanted(n, MOTET_ON(INTERRUPT_ENTRY)))
        taps_tell(n, &h);
}

/* Which interrupt a handler has returned from is known by the stack pointer that its entry left. */
static unsigned line_left(struct taps *t)
{
    while (t->nested_count && t->nested[t->nested_count - 1].sp < t->after_sp)
        t->nested_count--;
    if (!t->nested_count || t->nested[t->nested_count - 1].sp != t->after_sp)
        return UINT_MAX;
    return t->nested[--t->nested_count].line;
}

void taps_flow(struct node *n, uint32_t from)
{
    const struct isa *isa = n->machine->chip->isa;
    enum motet_flow flow = isa->flow(n, from);
    if (flow == MOTET_FLOW_ON)
        return;
    struct motet_happened h = {.what = flow == MOTET_FLOW_CALL     ? MOTET_ON_CALL
                                       : flow == MOTET_FLOW_RETURN ? MOTET_ON_RETURN
                                                                   : MOTET_ON_INTERRUPT_EXIT};
    if (flow == MOTET_FLOW_INTERRUPT_RETURN) {
        h.interrupt.line = line_left(n->taps);
        h.interrupt.name = line_name(n, h.interrupt.line);
        h.interrupt.from = isa->pc(n);
        h.interrupt.sp = isa->sp(n);
    } else {
        h.call.from = from;
        h.call.to = isa->pc(n);
        /* Followers of calls know a frame by a stack pointer that is below that of its return. */
        h.call.sp = isa->sp(n) - (isa->links && flow == MOTET_FLOW_CALL ? 1 : 0);
    }
    if (taps_wanted(n, UINT32_C(1) << h.what))
        taps_tell(n, &h);
}

/* ---- the rest ---- */

void taps_slept(struct node *n, enum motet_happening what)
{
    struct motet_happened h = {.what = what};
    h.pc = n->machine->chip->isa->pc(n);
    taps_tell(n, &h);
}

void taps_reset(struct node *n, enum reset_cause cause)
{
    static const char *const names[] = {"power-on", "external", "brown-out", "watchdog", "JTAG", "software"};
    struct motet_happened h = {.what = MOTET_ON_RESET};
    h.reset = names[cause];
    n->taps->nested_count = 0;
    taps_tell(n, &h);
}

/* The debug information's name of a register, else that of its device. Bytes of a register of two have names of their
 * own, as in manuals: TCNT1L, TCNT1H. */
static char *hooks_register_name(const struct node *n, uint32_t address, uint32_t place)
{
    const struct machine *m = n->machine;
    const struct debug_variable *r;
    size_t count = debug_registers(m->image, &r);
    for (size_t i = 0; i < count; i++) {
        uint32_t first = map_of_image(m, r[i].address), size = r[i].type ? r[i].type->size : 0;
        if (address == first || (address == first + 1 && size == 2))
            return memory_format("%s%s", r[i].name, size != 2 ? "" : address == first ? "L" : "H");
    }
    const struct machine_register *reg = &m->registers[place];
    return memory_string(reg->wires.count ? m->wires[reg->wires.first].device->name : "");
}

void taps_register(struct node *n, const struct motet_access *a)
{
    uint32_t place = map_place(n->machine, a->address);
    if (place >= n->machine->register_size)
        return;
    struct taps *t = n->taps;
    struct motet_happened h = {.what = MOTET_ON_REGISTER};
    if (!t->register_names[place])
        t->register_names[place] = hooks_register_name(n, a->address, place);
    h.access = *a;
    h.access.after = true;
    h.access.name = t->register_names[place];
    taps_tell(n, &h);
}

void taps_pin(struct node *n, unsigned pin, bool level)
{
    struct motet_happened h = {.what = MOTET_ON_PIN};
    h.pin.pin = pin;
    h.pin.level = level;
    taps_tell(n, &h);
}

void taps_serial(struct node *n, enum motet_happening what, unsigned line, unsigned frame)
{
    struct motet_happened h = {.what = what};
    h.serial.line = line;
    h.serial.frame = frame;
    taps_tell(n, &h);
}

void taps_spi(struct node *n, unsigned bus, uint8_t out, uint8_t in)
{
    struct motet_happened h = {.what = MOTET_ON_SPI};
    h.spi.bus = bus;
    h.spi.out = out;
    h.spi.in = in;
    taps_tell(n, &h);
}

void taps_logged(struct node *n, const char *name, uint32_t value)
{
    struct motet_happened h = {.what = MOTET_ON_LOGGED};
    h.logged.name = name;
    h.logged.value = value;
    taps_tell(n, &h);
}

void taps_mark(struct node *n, uint8_t mark)
{
    struct motet_happened h = {.what = MOTET_ON_MARK};
    h.mark = mark;
    taps_tell(n, &h);
}

static void taps_tell_part(struct node *n, const struct device *d, const char *doing, const char *report)
{
    struct motet_happened h = {.what = MOTET_ON_PART};
    h.part.name = d->name;
    h.part.doing = doing;
    h.part.report = report;
    taps_tell(n, &h);
}

void taps_part_report(struct node *n, const struct device *d, const char *text)
{
    taps_tell_part(n, d, NULL, text);
}

void taps_part(struct node *n, const struct device *d)
{
    if (taps_wanted(n, MOTET_ON(PART)))
        taps_tell_part(n, d, d->type->doing(n, d), NULL);
}
