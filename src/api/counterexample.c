#include "api/counterexample.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/serial_inputs.h"
#include "base/memory.h"
#include "motet/saved.h"

/* ---- as inputs ---- */

/* Numbers of nodes are in the order of adding. */
static uint32_t counterexample_number(const struct saved_inputs *j, uint32_t id)
{
    uint32_t number = 0;
    for (size_t i = 0; i < j->count; i++)
        if (j->entries[i].kind == SAVED_ADD) {
            if (j->entries[i].value == id)
                return number;
            number++;
        }
    return UINT32_MAX;
}

static void counterexample_delay(struct saved_inputs *j, const struct choice *c)
{
    for (size_t i = 0; i < j->count; i++)
        if (j->entries[i].kind == SAVED_ADD && j->entries[i].value == c->node)
            j->entries[i].number += UINT64_C(1000) * c->outcome;
}

static void counterexample_add(struct saved_inputs *to, const struct saved_inputs *from, const struct choice *c)
{
    double reals[] = {(double)c->source, (double)c->at};
    struct saved_input e = {.at = choice_is_asked(c->source) ? 0 : c->at, .node = counterexample_number(from, c->node)};
    switch (c->source) {
    case CHOICE_RESET: e.kind = SAVED_RESET; break;
    case CHOICE_POWER: e.kind = SAVED_BOOT; break;
    case CHOICE_DEATH: e.kind = SAVED_KILL; break;
    default:
        e.kind = SAVED_CHOICE;
        e.where = c->other;
        e.value = c->outcome;
        e.number = c->ordinal;
        e.reals = reals;
        e.real_count = 2;
    }
    saved_inputs_add(to, e);
}

/* A choice about all nodes is one for each. */
static void counterexample_add_each(struct saved_inputs *to, const struct saved_inputs *from, const struct choice *c)
{
    struct choice one = *c;
    if (c->node != CHOICE_ALL)
        counterexample_add(to, from, c);
    for (size_t i = 0; c->node == CHOICE_ALL && i < from->count; i++) {
        if (from->entries[i].kind != SAVED_ADD)
            continue;
        one.node = from->entries[i].value;
        counterexample_add(to, from, &one);
    }
}

static int counterexample_by_time(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : choices_compare(x, y);
}

/* What is asked for while nodes run is known from the beginning; the rest happens at its time, after what the run
 * itself has then. */
void counterexample_inputs(struct saved_inputs *j, const struct trace *t)
{
    struct saved_inputs whole = {.entries = NULL};
    struct choice *list = memory_array(t->count + 1, sizeof *list);
    size_t next = 0, i = 0;
    if (t->count)
        memcpy(list, t->list, t->count * sizeof *list);
    if (serial_inputs_change(t->list, t->count))
        serial_inputs_alter(j, j, t->list, t->count);
    qsort(list, t->count, sizeof *list, counterexample_by_time);
    for (size_t k = 0; k < t->count; k++)
        if (list[k].source == CHOICE_BOOT)
            counterexample_delay(j, &list[k]);
    for (; i < j->count && j->entries[i].at == 0; i++)
        saved_inputs_add(&whole, j->entries[i]);
    for (size_t k = 0; k < t->count; k++)
        if (choice_is_asked(list[k].source))
            counterexample_add_each(&whole, j, &list[k]);
    while (i < j->count || next < t->count) {
        if (next < t->count && (choice_is_asked(list[next].source) || list[next].source == CHOICE_BOOT))
            next++;
        else if (i < j->count && (next == t->count || j->entries[i].at <= list[next].at))
            saved_inputs_add(&whole, j->entries[i++]);
        else
            counterexample_add_each(&whole, j, &list[next++]);
    }
    whole.readings = j->readings;
    whole.nodes = j->nodes;
    j->readings = NULL;
    j->nodes = 0;
    saved_inputs_free(j);
    *j = whole;
    free(list);
}

/* ---- as the subject of a search ---- */

static uint64_t counterexample_due(void *context)
{
    return saved_nodes_due(&((const struct judged_nodes *)context)->nodes);
}

static void counterexample_act(void *context)
{
    struct saved_nodes *s = &((struct judged_nodes *)context)->nodes;
    struct motet_error ignored;
    s->time = motet_network_now(s->network);
    saved_nodes_act(s, &ignored); /* the same inputs were accepted by the network they come from */
}

static size_t counterexample_given(void *context)
{
    return ((const struct judged_nodes *)context)->nodes.next;
}

/* Only where something changes: walks are many, and most of them have no such choice. */
static void counterexample_alter(void *context, const struct choice *choices, size_t count)
{
    struct judged_nodes *s = context;
    bool wanted = serial_inputs_change(choices, count);
    if (wanted && !s->plain.count)
        saved_inputs_copy(&s->nodes.inputs, UINT64_MAX, &s->plain);
    if (wanted || s->altered)
        serial_inputs_alter(&s->nodes.inputs, &s->plain, choices, count);
    s->altered = wanted;
}

static void counterexample_moved(void *context, uint64_t now, size_t given)
{
    saved_nodes_moved(&((struct judged_nodes *)context)->nodes, now, given);
}

void judged_nodes_free(struct judged_nodes *j)
{
    if (!j)
        return;
    lookout_end(j->lookout);
    judge_free(j->judge);
    saved_nodes_free(&j->nodes);
    analog_copies_free(j->analog);
    saved_inputs_free(&j->plain);
    free(j);
}

struct check_subject subject_of_check(struct judged_nodes *s)
{
    return (struct check_subject){.network = network_of(s->nodes.network),
                                  .properties = judge_properties(s->judge),
                                  .context = s,
                                  .due = counterexample_due,
                                  .act = counterexample_act,
                                  .given = counterexample_given,
                                  .alter = counterexample_alter,
                                  .moved = counterexample_moved};
}

/* ---- executing it again ---- */

struct execution {
    struct saved_nodes nodes;
    struct judge *judge;
    struct violation violation;
    uint64_t from, departs; /* events count from then on */
    uint64_t stuck;
    struct vigil *vigil; /* or NULL */
    struct motet_check_events since_steady, events;
    struct chronicle *chronicle; /* NULL: it is not wanted */
};

static bool execution_in_main(const motet_node *n, uint32_t pc)
{
    const struct image_symbol *s = image_symbol_named(n->node->machine->image, "main");
    return s && pc >= s->address && pc < s->address + s->size;
}

static void execution_add(struct motet_check_events *to, const motet_node *n, const struct motet_happened *h)
{
    if (h->what == MOTET_ON_CALL)
        to->tasks += execution_in_main(n, h->call.from);
    else if (h->what == MOTET_ON_SLEEP) /* in a function that main() has called to sleep, which is no task */
        to->tasks -= !execution_in_main(n, motet_node_pc(n)) && to->tasks;
    else if (strncmp(h->interrupt.name, "timer", strlen("timer")) == 0)
        to->timers++;
    else
        to->interrupts++;
}

static void execution_count(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct execution *x = context;
    uint64_t at = motet_network_time(x->nodes.network, n, h->tick);
    if (at < x->from || x->violation.kind != VIOLATION_NONE)
        return;
    execution_add(&x->since_steady, n, h);
    if (at >= x->departs)
        execution_add(&x->events, n, h);
}

static void execution_was_reset(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct execution *x = context;
    if (strcmp(h->reset, "watchdog") == 0 && x->violation.kind == VIOLATION_NONE)
        x->violation = (struct violation){VIOLATION_WATCHDOG, motet_node_id(n),
                                          motet_network_time(x->nodes.network, n, h->tick), 0, 0};
}

static void execution_look(struct execution *x)
{
    for (size_t i = 0; i < motet_network_count(x->nodes.network); i++) {
        const motet_node *n = motet_network_at(x->nodes.network, i);
        const struct node *node = n->node;
        struct violation v = {VIOLATION_NONE, motet_node_id(n), 0, 0, 0};
        if (motet_node_exit(n) == MOTET_EXIT_FAULT)
            v = (struct violation){VIOLATION_FAULT, v.node, node->fault.tick, node->fault.kind, node->fault.pc};
        else if (motet_node_exit(n) == MOTET_EXIT_FIRMWARE && motet_node_exit_status(n))
            v = (struct violation){VIOLATION_STATUS, v.node, motet_node_now(n), motet_node_exit_status(n), 0};
        v.at = motet_network_time(x->nodes.network, n, v.at);
        if (v.kind != VIOLATION_NONE && (x->violation.kind == VIOLATION_NONE || v.at < x->violation.at))
            x->violation = v;
    }
}

/* False with a sentence if a property could not be judged. */
static bool execution_judge(struct execution *x, struct motet_error *e)
{
    struct property_found f;
    struct violation v;
    struct properties *p = judge_properties(x->judge);
    if (!p)
        return true;
    properties_judge(p);
    if (!properties_found(p, &f))
        return true;
    violation_of_property(network_of(x->nodes.network), &f, &v);
    if (x->violation.kind != VIOLATION_NONE && x->violation.at <= v.at)
        return true;
    x->violation = v;
    return !f.failed || error_set(e, "%s", f.failed);
}

static char *execution_words(const struct execution *x)
{
    const struct violation *v = &x->violation;
    const motet_node *n = v->kind ? motet_network_node(x->nodes.network, v->node) : NULL;
    if (!n)
        return NULL;
    if (v->kind == VIOLATION_WATCHDOG)
        return memory_format("the watchdog has reset node %" PRIu32 ", %.6f s\n", v->node, (double)v->at * 1e-9);
    if (v->kind == VIOLATION_AWAKE)
        return memory_format("node %" PRIu32 " does not sleep any more: it is awake for %" PRIu64 " s, %.6f s\n",
                             v->node, x->stuck / NETWORK_SECOND, (double)v->at * 1e-9);
    if (v->kind == VIOLATION_UNREAD)
        return memory_format("node %" PRIu32 " does not fetch what its radio has received: the same frame is in the "
                             "buffer for %" PRIu64 " s, %.6f s\n",
                             v->node, x->stuck / NETWORK_SECOND, (double)v->at * 1e-9);
    if (v->kind == VIOLATION_STATUS)
        return memory_format("the firmware of node %" PRIu32 " has ended with status %" PRIu32 ", %.6f s\n", v->node,
                             v->detail, (double)v->at * 1e-9);
    if (v->kind == VIOLATION_PROPERTY)
        return memory_format("node %" PRIu32 ": the property '%s' does not hold, %.6f s\n", v->node,
                             judge_name(x->judge, v->detail), (double)v->at * 1e-9);
    enum { LONGEST = 16384 }; /* of an explanation, with its call chain */
    const struct motet_fault *f = motet_node_fault(n);
    char *text = memory_new(LONGEST);
    if (f)
        motet_node_explain(n, f, text, LONGEST);
    char *words = memory_format("node %" PRIu32 ": %s", v->node, text);
    free(text);
    return words;
}

static void execution_keep_vigil(struct execution *x)
{
    const struct network *n = network_of(x->nodes.network);
    uint32_t node = 0;
    struct violation v = {VIOLATION_NONE, 0, 0, 0, 0};
    if (x->vigil) /* also after a violation: the time to look next would stand still */
        v = violation_of_vigil(n, vigil_look(x->vigil, &node), node);
    if (v.kind != VIOLATION_NONE && x->violation.kind == VIOLATION_NONE)
        x->violation = v;
}

/* Properties are judged before each input, as a search does: who is up is asked then. */
static bool execution_go(struct execution *x, uint64_t until, struct motet_error *e)
{
    for (uint64_t due = 0; due < until;) {
        due = saved_nodes_due(&x->nodes);
        due = x->vigil && vigil_next(x->vigil) < due ? vigil_next(x->vigil) : due;
        due = due < until ? due : until;
        if (!saved_nodes_go(&x->nodes, due, x->nodes.next, e) || !execution_judge(x, e))
            return false;
        execution_keep_vigil(x);
        if (!saved_nodes_act(&x->nodes, e))
            return false;
    }
    return true;
}

static bool execution_run(struct execution *x, uint64_t until, const char *path, const char *const *about,
                          struct motet_error *e)
{
    motet_save *k = path ? motet_save_network(x->nodes.network, path, e) : NULL;
    if (path && !k)
        return false;
    for (size_t i = 0; i < motet_network_count(x->nodes.network); i++) {
        motet_node *n = motet_network_at(x->nodes.network, i);
        motet_hook(n, MOTET_ON(RESET), execution_was_reset, x);
        motet_hook(n, MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(CALL) | MOTET_ON(SLEEP), execution_count, x);
    }
    x->vigil = x->stuck ? vigil_new(network_of(x->nodes.network), x->stuck) : NULL;
    bool good = execution_go(x, until, e);
    execution_look(x);
    good = good && execution_judge(x, e);
    for (; k && about && *about; about += 2)
        motet_save_about(k, about[0], about[1]);
    if (k && good)
        return motet_save_finish(k, e);
    motet_save_abandon(k);
    return good;
}

bool counterexample_execute(const struct saved_inputs *j, saved_firmware *file, void *context,
                            const struct execution_options *how, struct outcome_of_run *o, struct motet_error *e)
{
    const struct judge_options *judging = &how->judging;
    struct execution x = {.violation = {VIOLATION_NONE, 0, 0, 0, 0},
                          .from = how->begins,
                          .departs = how->departs,
                          .stuck = judging->stuck};
    struct analog_copies *analog = NULL;
    bool good = (saved_inputs_copy(j, how->until, &x.nodes.inputs) || error_set(e, "the inputs cannot be copied")) &&
                saved_nodes_begin(&x.nodes, 1, file, context, e) && judge_new(x.nodes.network, judging, &x.judge, e);
    if (good && how->analog)
        analog = analog_copies_new(how->analog, x.nodes.network);
    if (good && how->choices)
        x.chronicle = chronicle_new(x.nodes.network, how->begins);
    good = good && execution_run(&x, how->until, how->path, how->about, e);
    if (good && x.chronicle)
        chronicle_tell(x.chronicle, how->choices, x.violation.at, x.violation.node, judge_properties(x.judge));
    if (good)
        *o = (struct outcome_of_run){x.violation,    saved_nodes_digest(&x.nodes), x.events,
                                     x.since_steady, execution_words(&x),          x.chronicle};
    else
        chronicle_free(x.chronicle);
    vigil_free(x.vigil);
    judge_free(x.judge);
    saved_nodes_free(&x.nodes);
    analog_copies_free(analog);
    return good;
}
