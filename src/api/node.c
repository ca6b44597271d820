#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/pins.h"

motet_node *node_handle(const motet_machine *m, struct node *node)
{
    motet_node *n = calloc(1, sizeof *n);
    if (!n)
        abort();
    n->machine = m;
    n->node = node;
    n->node->observer = (struct observer){.context = n, .fault = fault_record};
    return n;
}

void node_handle_free(motet_node *n)
{
    free(n->chain);
    free(n);
}

motet_node *motet_node_new(const motet_machine *m, uint32_t id, uint64_t seed)
{
    return node_handle(m, node_new(m->machine, id, seed));
}

void motet_node_free(motet_node *n)
{
    if (!n)
        return;
    node_free(n->node);
    node_handle_free(n);
}

uint32_t motet_node_id(const motet_node *n)
{
    return n->node->id;
}

bool motet_node_set(motet_node *n, const char *symbol, uint64_t value, struct motet_error *e)
{
    struct error error = {""};
    bool good = node_set_variable(n->node, symbol, value, &error);
    if (!good)
        memcpy(e->text, error.text, sizeof e->text);
    return good;
}

bool motet_machine_variable(const motet_machine *m, const char *symbol, uint32_t *address, uint32_t *size)
{
    struct error error;
    uint16_t at, bytes;
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

_Static_assert((int)MOTET_EXIT_LOG == (int)NODE_EXIT_LOG, "public and internal reasons agree");

enum motet_exit motet_node_run(motet_node *n, uint64_t until)
{
    return (enum motet_exit)node_run(n->node, until);
}

enum motet_exit motet_node_step(motet_node *n)
{
    return (enum motet_exit)node_step(n->node);
}

enum motet_exit motet_node_exit(const motet_node *n)
{
    return (enum motet_exit)n->node->state->exit;
}

unsigned motet_node_exit_status(const motet_node *n)
{
    return n->node->state->exit_status;
}

uint64_t motet_node_now(const motet_node *n)
{
    return n->node->state->now;
}

uint64_t motet_node_cycles(const motet_node *n)
{
    return clock_cycle_at(&n->node->state->clocks[CLOCK_CPU], n->node->state->now);
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
    digest_print(node_digest(n->node), text);
}

motet_snapshot *motet_snapshot_take(const motet_node *n)
{
    motet_snapshot *s = malloc(sizeof *s);
    if (!s)
        abort();
    s->snapshot = snapshot_take(n->node);
    return s;
}

void motet_snapshot_again(motet_snapshot *s, const motet_node *n)
{
    snapshot_again(s->snapshot, n->node);
}

void motet_snapshot_restore(motet_node *n, const motet_snapshot *s)
{
    snapshot_restore(n->node, s->snapshot);
    if (n->node->state->exit != NODE_EXIT_FAULT)
        n->faulted = false;
}

void motet_snapshot_free(motet_snapshot *s)
{
    if (!s)
        return;
    snapshot_free(s->snapshot);
    free(s);
}

bool motet_node_peek(const motet_node *n, uint32_t address, void *to, uint32_t size)
{
    uint64_t limit = n->node->machine->data_size;
    if (address > limit || size > limit - address)
        return false;
    memcpy(to, n->node->data + address, size);
    return true;
}

/* ---- looking on ---- */

static void pin_changed(void *context, const struct node *node, unsigned pin, bool level)
{
    const motet_node *n = context;
    n->observer.pin(n->observer.context, n, node_now(node), pin, level);
}

_Static_assert((int)MOTET_FRAME_BREAK == (int)SERIAL_BREAK && (int)MOTET_FRAME_DATA == (int)SERIAL_DATA,
               "public and internal frames agree");

static void serial_sent(void *context, const struct node *node, unsigned line, unsigned frame)
{
    const motet_node *n = context;
    n->observer.serial(n->observer.context, n, node_now(node), line, frame);
}

static void was_reset(void *context, const struct node *node, enum reset_cause cause)
{
    static const char *const names[] = {"power-on", "external", "brown-out", "watchdog", "JTAG", "software"};
    const motet_node *n = context;
    n->observer.reset(n->observer.context, n, node_now(node), names[cause]);
}

void motet_node_observe(motet_node *n, const struct motet_observer *o)
{
    n->observer = *o;
    n->node->observer = (struct observer){
        .context = n,
        .pin = o->pin ? pin_changed : NULL,
        .serial = o->serial ? serial_sent : NULL,
        .reset = o->reset ? was_reset : NULL,
        .fault = fault_record,
    };
}

/* ---- inputs ---- */

size_t motet_node_send(motet_node *n, unsigned line, const uint8_t *bytes, size_t count)
{
    size_t sent = 0;
    while (line < MACHINE_BUSES && sent < count && serial_receive(n->node, line, bytes[sent] | SERIAL_WAIT))
        sent++;
    node_touched(n);
    return sent;
}

void motet_node_drive(motet_node *n, unsigned pin, enum motet_drive drive)
{
    if (pin < motet_machine_pins(n->machine))
        pin_drive(n->node, pin, (enum pin_drive)drive);
    node_touched(n);
}

void motet_node_analog(motet_node *n, motet_analog *source, void *context)
{
    n->node->analog = source;
    n->node->analog_context = context;
}

void motet_node_reset(motet_node *n)
{
    node_request_reset(n->node, RESET_EXTERNAL);
    node_touched(n);
}
