/* Taps, and what callbacks may ask. */
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/taps.h"

void motet_tap_remove(motet_tap *t)
{
    tap_remove(t);
}

motet_tap *motet_probe(motet_node *n, uint32_t first, uint32_t last, unsigned when, motet_probed *f, void *context)
{
    return tap_probe(n->node, first, last, when, f, context);
}

motet_tap *motet_watch(motet_node *n, uint32_t first, uint32_t last, unsigned when, motet_watched *f, void *context)
{
    return tap_watch(n->node, first, last, when, f, context);
}

motet_tap *motet_alarm(motet_node *n, enum motet_clock clock, uint64_t at, uint64_t period, motet_alarmed *f,
                       void *context)
{
    return tap_alarm(n->node, clock, at, period, f, context);
}

motet_tap *motet_sample(motet_node *n, uint64_t at, uint64_t period, uint64_t *counts, size_t count)
{
    return tap_sample(n->node, at, period, counts, count);
}

motet_tap *motet_hook(motet_node *n, uint32_t what, motet_hooked *f, void *context)
{
    return tap_hook(n->node, what & MOTET_ON_ANYTHING, f, context);
}

void motet_node_stop(const motet_node *n)
{
    n->node->stopped = n->node->asked = true;
    n->node->cut = true;
}

const char *motet_happening_name(enum motet_happening what)
{
    static const char *const names[MOTET_HAPPENINGS] = {
        [MOTET_ON_INTERRUPT_POST] = "interrupt-post",
        [MOTET_ON_INTERRUPT_ENTRY] = "interrupt-entry",
        [MOTET_ON_INTERRUPT_EXIT] = "interrupt-exit",
        [MOTET_ON_CALL] = "call",
        [MOTET_ON_RETURN] = "return",
        [MOTET_ON_SLEEP] = "sleep",
        [MOTET_ON_WAKE] = "wake",
        [MOTET_ON_REGISTER] = "register",
        [MOTET_ON_PIN] = "pin",
        [MOTET_ON_SERIAL] = "serial",
        [MOTET_ON_SERIAL_INPUT] = "serial-input",
        [MOTET_ON_SPI] = "spi",
        [MOTET_ON_RADIO_SEND] = "radio-send",
        [MOTET_ON_RADIO_RECEIVE] = "radio-receive",
        [MOTET_ON_RADIO_LOSS] = "radio-loss",
        [MOTET_ON_RADIO_STATE] = "radio-state",
        [MOTET_ON_PART] = "part",
        [MOTET_ON_MARK] = "mark",
        [MOTET_ON_FAULT] = "fault",
        [MOTET_ON_RESET] = "reset",
        [MOTET_ON_LOGGED] = "logged",
    };
    return (unsigned)what < MOTET_HAPPENINGS ? names[what] : NULL;
}

const char *motet_loss_name(enum motet_loss why)
{
    static const char *const names[] = {"link", "missed", "noise", "damaged", "address", "overflow", "cut"};
    return (unsigned)why < sizeof names / sizeof *names ? names[why] : NULL;
}

struct ending {
    motet_tap *group;
    const motet_node *node;
    motet_ended *ended;
    void *context;
};

static void watch_end(void *context)
{
    struct ending *e = context;
    if (e->node->node->ending)
        e->ended(e->context, e->node);
    free(e);
}

motet_tap *motet_at_end(motet_node *n, motet_ended *f, void *context)
{
    struct ending *e = memory_bytes(sizeof *e);
    *e = (struct ending){.node = n, .ended = f, .context = context};
    return e->group = tap_group(n->node, watch_end, e);
}

/* ---- asking ---- */

const char *motet_node_doing(const motet_node *n, const char *part)
{
    const struct machine *m = n->node->machine;
    const struct device *power = m->instructions[INSTRUCTION_SLEEP].device;
    if (!part)
        return n->node->state->sleeping && power && power->type->doing ? power->type->doing(n->node, power) : "active";
    for (size_t i = 0; i < m->device_count; i++)
        if (m->devices[i].type->doing && !m->devices[i].type->core && strcmp(m->devices[i].name, part) == 0)
            return m->devices[i].type->doing(n->node, &m->devices[i]);
    return NULL;
}

bool motet_machine_register(const motet_machine *m, unsigned number, const char **name, unsigned *size)
{
    const struct isa *isa = m->machine->chip->isa;
    if (number >= isa->registers)
        return false;
    *name = isa->register_name(number);
    *size = isa->register_size(number);
    return true;
}

uint32_t motet_node_register(const motet_node *n, unsigned number)
{
    const struct isa *isa = n->node->machine->chip->isa;
    return number < isa->registers ? isa->get_register(node_seen(n), number) : 0;
}

uint32_t motet_node_sp(const motet_node *n)
{
    return n->node->machine->chip->isa->sp(n->node);
}

bool motet_node_code(const motet_node *n, uint32_t address, void *to, uint32_t size)
{
    uint32_t limit = n->node->machine->code_size;
    if (address > limit || size > limit - address)
        return false;
    memcpy(to, n->node->machine->chip->isa->program(n->node) + address, size);
    return true;
}

enum motet_flow motet_node_flow(const motet_node *n, uint32_t pc)
{
    return n->node->machine->chip->isa->flow(n->node, pc);
}
