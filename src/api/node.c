#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "isa/slice.h"
#include "network/network.h"
#include "node/map.h"
#include "node/pins.h"
#include "node/taps.h"

motet_node *node_handle(const motet_machine *m, struct node *node)
{
    motet_node *n = memory_new(sizeof *n);
    n->machine = m;
    n->node = node;
    n->node->handle = n;
    n->node->fault_keeper = fault_record;
    return n;
}

void node_handle_free(motet_node *n)
{
    free(n->chain);
    free(n);
}

/* ---- taking note ---- */

void node_note(motet_node *n, struct saved_input e)
{
    e.at = motet_network_now(n->network);
    e.node = n->number;
    save_inputs_note(*network_save_inputs(n->network), e);
}

void node_listen(motet_node *n, struct save_inputs *c)
{
    n->analog.save_inputs = c;
    n->analog.node = n->number;
    bool noted = c && n->analog.source;
    n->node->analog = noted ? save_inputs_read_analog : n->analog.source;
    n->node->analog_context = noted ? &n->analog : n->analog.context;
}

uint32_t motet_node_id(const motet_node *n)
{
    return n->node->id;
}

bool motet_node_set(motet_node *n, const char *symbol, uint64_t value, struct motet_error *e)
{
    if (!node_set_variable(n->node, symbol, value, e))
        return false;
    node_note(n, (struct saved_input){
                     .kind = SAVED_SET, .number = value, .bytes = (const uint8_t *)symbol, .size = strlen(symbol)});
    return true;
}

bool motet_machine_variable(const motet_machine *m, const char *symbol, uint32_t *address, uint32_t *size)
{
    struct motet_error error;
    uint32_t at, bytes;
    if (!machine_variable(m->machine, symbol, &at, &bytes, &error))
        return false;
    *address = at;
    *size = bytes;
    return true;
}

const motet_machine *motet_node_machine(const motet_node *n)
{
    return n->machine;
}

motet_network *motet_node_network(const motet_node *n)
{
    return n->network;
}

_Static_assert((int)MOTET_EXIT_LOG == (int)NODE_EXIT_LOG, "public and internal reasons agree");

enum motet_exit motet_node_exit(const motet_node *n)
{
    return (enum motet_exit)n->node->state->exit;
}

unsigned motet_node_exit_status(const motet_node *n)
{
    return n->node->state->exit_status;
}

bool motet_node_ended(const motet_node *n, uint64_t *tick, uint64_t *cycles)
{
    const struct node_state *s = n->node->state;
    if (!s->exit)
        return false;
    bool lingered = s->ended_tick != NEVER;
    *tick = lingered ? s->ended_tick : motet_node_now(n);
    *cycles = lingered ? s->ended_cycle : motet_node_cycles(n);
    return true;
}

uint64_t motet_node_now(const motet_node *n)
{
    return node_now(node_seen(n));
}

uint64_t motet_node_cycles(const motet_node *n)
{
    return n->node->glance.slice ? slice_glance_cycle(n->node) : node_cycle(n->node, CLOCK_CPU);
}

uint64_t motet_node_instructions(const motet_node *n)
{
    return n->node->state->instructions;
}

uint32_t motet_node_resets(const motet_node *n)
{
    return n->node->state->resets;
}

uint32_t motet_node_pc(const motet_node *n)
{
    return n->node->machine->chip->isa->pc(n->node);
}

bool motet_node_sleeping(const motet_node *n)
{
    return n->node->state->sleeping;
}

uint64_t motet_node_next(const motet_node *n)
{
    return node_next(n->node);
}

/* ---- state as data ---- */

void motet_node_digest(const motet_node *n, char text[MOTET_DIGEST_TEXT])
{
    digest_print(node_digest(node_seen(n)), text);
}

bool motet_node_peek(const motet_node *n, uint32_t address, void *to, uint32_t size)
{
    return map_peek(node_seen(n), address, to, size);
}

/* ---- looking on ---- */

_Static_assert((int)MOTET_FRAME_BREAK == (int)SERIAL_BREAK && (int)MOTET_FRAME_DATA == (int)SERIAL_DATA,
               "public and internal frames agree");

static void observe(void *context, const motet_node *n, const struct motet_happened *h)
{
    const struct motet_observer *o = &((const motet_node *)context)->observer;
    switch (h->what) {
    case MOTET_ON_PIN: o->pin(o->context, n, h->tick, h->pin.pin, h->pin.level); break;
    case MOTET_ON_SERIAL: o->serial(o->context, n, h->tick, h->serial.line, h->serial.frame); break;
    case MOTET_ON_FAULT: o->fault(o->context, n, h->fault); break;
    case MOTET_ON_RESET: o->reset(o->context, n, h->tick, h->reset); break;
    default: break;
    }
}

void motet_node_observe(motet_node *n, const struct motet_observer *o)
{
    uint32_t what = (o->pin ? MOTET_ON(PIN) : 0) | (o->serial ? MOTET_ON(SERIAL) : 0) |
                    (o->fault ? MOTET_ON(FAULT) : 0) | (o->reset ? MOTET_ON(RESET) : 0);
    tap_remove(n->observes);
    n->observer = *o;
    n->observes = what ? tap_hook(n->node, what, observe, n) : NULL;
}

/* ---- inputs ---- */

static size_t node_send(motet_node *n, unsigned line, const uint8_t *bytes, size_t count, bool now)
{
    size_t sent = 0;
    unsigned patience = now ? 0 : SERIAL_WAIT;
    node_before_input(n);
    while (line < MACHINE_BUSES && sent < count && serial_receive(n->node, line, bytes[sent] | patience))
        sent++;
    if (sent)
        node_note(
            n, (struct saved_input){.kind = SAVED_SERIAL, .where = line, .value = now, .bytes = bytes, .size = sent});
    node_touched(n);
    return sent;
}

size_t motet_node_send(motet_node *n, unsigned line, const uint8_t *bytes, size_t count)
{
    return node_send(n, line, bytes, count, false);
}

size_t motet_node_send_now(motet_node *n, unsigned line, const uint8_t *bytes, size_t count)
{
    return node_send(n, line, bytes, count, true);
}

void motet_node_drive(motet_node *n, unsigned pin, enum motet_drive drive)
{
    node_before_input(n);
    if (pin < motet_machine_pins(n->machine))
        pin_drive(n->node, pin, (enum pin_drive)drive);
    node_note(n, (struct saved_input){.kind = SAVED_PIN, .where = pin, .value = (uint32_t)drive});
    node_touched(n);
}

void motet_node_analog(motet_node *n, motet_analog *source, void *context)
{
    struct save_inputs *c = *network_save_inputs(n->network);
    n->analog.source = source;
    n->analog.context = context;
    node_listen(n, c && c->save ? c : NULL);
}

void motet_node_reset(motet_node *n)
{
    network_reset(network_of(n->network), n->number);
    node_note(n, (struct saved_input){.kind = SAVED_RESET});
}
