#include "motet/choice.h"

#include "api/handles.h"
#include "network/choices.h"
#include "node/holds.h"

_Static_assert((int)MOTET_CHOICE_SOURCES == (int)CHOICE_SOURCES, "public and internal sources agree");
_Static_assert((int)MOTET_CHOICE_FOREIGN == (int)CHOICE_FOREIGN, "public and internal sources agree");

const char *motet_choice_source_name(enum motet_choice_source s)
{
    return choice_source_name((enum choice_source)s);
}

struct choice choice_of(const struct motet_choice *c)
{
    return (struct choice){(enum choice_source)c->source, c->node, c->other, c->ordinal, c->outcome, c->at};
}

static bool choice_fits(const motet_node *node, const struct motet_choice *c, struct motet_error *e)
{
    bool holds = c->source == MOTET_CHOICE_HOLD || c->source == MOTET_CHOICE_PREEMPT;
    if (holds && !node->node->machine->holds)
        return error_set(e, "the interrupts of node %u cannot be held", c->node);
    if (c->source == MOTET_CHOICE_PREEMPT && c->outcome > node->node->machine->code_size)
        return error_set(e, "node %u has no instruction at 0x%x", c->node, c->outcome - 1);
    if (c->source == MOTET_CHOICE_FRAME && c->outcome >= FRAME_OUTCOMES)
        return error_set(e, "a frame has no outcome %u", c->outcome);
    if (c->source == MOTET_CHOICE_BUSY && c->other > BUSY_FAINT)
        return error_set(e, "a channel is busy by something near (0) or far (1), not %u", c->other);
    if (c->source == MOTET_CHOICE_SENSOR && c->outcome > INT32_MAX)
        return error_set(e, "node %u has no such voltage", c->node);
    if (c->source == MOTET_CHOICE_BOOT && motet_network_now(node->network))
        return error_set(e, "node %u has been switched on already", c->node);
    return true;
}

static void choice_note(motet_node *node, const struct motet_choice *c)
{
    double reals[] = {(double)c->source, (double)c->at};
    node_note(node, (struct saved_input){.kind = SAVED_CHOICE,
                                         .where = c->other,
                                         .value = c->outcome,
                                         .number = c->ordinal,
                                         .reals = reals,
                                         .real_count = 2});
}

/* Once for each address and node. */
static void choice_look_out(motet_network *n, motet_node *node, uint32_t outcome)
{
    const struct choices *all = network_choices(n);
    bool there = outcome == 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct choice *c = &all->list[i];
        there |= c->source == CHOICE_PREEMPT && c->node == node->node->id && c->outcome == outcome;
    }
    if (!there)
        holds_look_out(node->node, outcome - 1);
}

bool motet_network_choose(motet_network *n, const struct motet_choice *c, struct motet_error *e)
{
    motet_node *node = motet_network_node(n, c->node);
    if ((unsigned)c->source >= MOTET_CHOICE_SOURCES)
        return error_set(e, "there is no source of choices %d", (int)c->source);
    if (!node)
        return error_set(e, "there is no node %u for a choice", c->node);
    if (!choice_fits(node, c, e))
        return false;
    struct choice one = choice_of(c);
    switch (c->source) {
    case MOTET_CHOICE_PREEMPT: choice_look_out(n, node, c->outcome);
    /* fall through */
    case MOTET_CHOICE_SENSOR:
    case MOTET_CHOICE_FRAME:
    case MOTET_CHOICE_HOLD: choices_set(network_choices(n), &one); break;
    case MOTET_CHOICE_RESET: motet_node_reset(node); return true; /* these note themselves */
    case MOTET_CHOICE_POWER: motet_network_boot(n, node); return true;
    case MOTET_CHOICE_DEATH: motet_network_kill(n, node); return true;
    default: network_do(network_of(n), &one);
    }
    choice_note(node, c);
    return true;
}
