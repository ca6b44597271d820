#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/memory.h"
#include "export/pcap.h"
#include "network/choices.h"
#include "network/network.h"
#include "part/framing.h"

/* What a node has on the air, for listeners. */
struct under_way {
    struct motet_transmission is;
    struct framing_bytes bytes;
};

struct motet_network {
    struct network *network;
    motet_node **nodes;
    size_t count, room;
    struct pcap *pcap;
    motet_radio *told;
    void *told_context;
    motet_radio *overheard; /* likewise, for a timeline */
    void *overheard_context;
    struct under_way *under_way; /* by node, while there is a listener */
    uint64_t transmissions;
    struct save_inputs *save_inputs; /* while it may be saved */
    struct choices choices;
    struct chooser chooser; /* answers from them */
};

struct network *network_of(const motet_network *n)
{
    return n->network;
}

void node_before_input(motet_node *n)
{
    network_before_input(n->network->network);
}

void node_touched(motet_node *n)
{
    network_touched(n->network->network, n->number);
}

struct save_inputs **network_save_inputs(motet_network *n)
{
    return &n->save_inputs;
}

struct choices *network_choices(motet_network *n)
{
    n->chooser = (struct chooser){.context = &n->choices, .preempts = true, .choose = choices_answer};
    network_choose(n->network, &n->chooser);
    return &n->choices;
}

static void api_network_note(motet_network *n, struct saved_input e)
{
    e.at = network_now(n->network);
    save_inputs_note(n->save_inputs, e);
}

/* ---- media ---- */

_Static_assert((int)MOTET_MODEL_LOG_DISTANCE == (int)MEDIUM_LOG_DISTANCE, "public and internal models agree");

static void medium_out(const struct medium_options *o, struct motet_medium *m)
{
    *m = (struct motet_medium){
        .model = (enum motet_model)o->model,
        .range = o->range,
        .gain = o->gain,
        .exponent = o->exponent,
        .metre = o->metre,
        .shadowing = o->shadowing,
        .cut_off = o->cut_off,
        .noise = o->noise,
        .loss = o->loss,
    };
}

static bool api_network_within(double value, double low, double high)
{
    return value >= low && value <= high;
}

static bool medium_in(const struct motet_medium *m, struct medium_options *o, struct motet_error *e)
{
    if (!api_network_within(m->range, 0, 1e9))
        return error_set(e, "a range of %g m is not the range of a radio", m->range);
    if (!api_network_within(m->exponent, 1, 20))
        return error_set(e, "a path-loss exponent of %g is out of range; it lies between 1 and 20", m->exponent);
    if (!api_network_within(m->shadowing, 0, 50))
        return error_set(e, "shadowing of %g dB is out of range; it lies between 0 and 50", m->shadowing);
    if (!api_network_within(m->loss, 0, 1))
        return error_set(e, "%g is not a probability between 0 and 1", m->loss);
    if (!api_network_within(m->gain, -300, 100) || !api_network_within(m->metre, -300, 100) ||
        !api_network_within(m->cut_off, -300, 100) || !api_network_within(m->noise, -300, 100))
        return error_set(e, "a gain or power of the medium is out of range; they lie between -300 and 100 dB");
    *o = (struct medium_options){
        .model = (enum medium_model)m->model,
        .range = m->range,
        .gain = m->gain,
        .exponent = m->exponent,
        .metre = m->metre,
        .shadowing = m->shadowing,
        .cut_off = m->cut_off,
        .noise = m->noise,
        .loss = m->loss,
    };
    return true;
}

static void note_medium(motet_network *n, enum saved_input_kind kind, uint64_t seed, const struct motet_medium *m)
{
    double reals[] = {(double)m->model, m->range,   m->gain,  m->exponent, m->metre,
                      m->shadowing,     m->cut_off, m->noise, m->loss};
    api_network_note(n, (struct saved_input){
                            .kind = kind, .number = seed, .reals = reals, .real_count = sizeof reals / sizeof *reals});
}

void motet_medium_default(struct motet_medium *m)
{
    medium_out(&medium_default, m);
}

bool motet_network_medium(motet_network *n, const struct motet_medium *m, struct motet_error *e)
{
    struct medium_options o;
    if (!medium_in(m, &o, e))
        return false;
    medium_configure(network_medium(n->network), &o);
    note_medium(n, SAVED_MEDIUM, 0, m);
    return true;
}

void motet_network_get_medium(const motet_network *n, struct motet_medium *m)
{
    medium_out(medium_options(network_medium(n->network)), m);
}

static bool find_link(const motet_network *n, uint32_t from, uint32_t to, uint32_t numbers[2], struct motet_error *e)
{
    if (!network_find(n->network, from, &numbers[0]))
        return error_set(e, "there is no node %u for a link from %u to %u", from, from, to);
    if (!network_find(n->network, to, &numbers[1]))
        return error_set(e, "there is no node %u for a link from %u to %u", to, from, to);
    if (from == to)
        return error_set(e, "node %u cannot have a link to itself", from);
    return true;
}

bool motet_network_link(motet_network *n, uint32_t from, uint32_t to, double dbm, struct motet_error *e)
{
    uint32_t numbers[2];
    if (!find_link(n, from, to, numbers, e))
        return false;
    if (!api_network_within(dbm, -300, 100)) {
        error_set(e, "%g dBm is out of range for a link; it lies between -300 and 100", dbm);
        return false;
    }
    medium_link(network_medium(n->network), numbers[0], numbers[1], dbm);
    api_network_note(
        n, (struct saved_input){.kind = SAVED_LINK, .node = from, .where = to, .reals = &dbm, .real_count = 1});
    return true;
}

bool motet_network_link_down(motet_network *n, uint32_t from, uint32_t to, bool down, struct motet_error *e)
{
    uint32_t numbers[2];
    if (!find_link(n, from, to, numbers, e))
        return false;
    medium_link_down(network_medium(n->network), numbers[0], numbers[1], down);
    api_network_note(n, (struct saved_input){.kind = SAVED_LINK_DOWN, .node = from, .where = to, .value = down});
    return true;
}

bool motet_network_link_loss(motet_network *n, uint32_t from, uint32_t to, double probability, struct motet_error *e)
{
    uint32_t numbers[2];
    if (!find_link(n, from, to, numbers, e))
        return false;
    if (!api_network_within(probability, 0, 1)) {
        error_set(e, "%g is not a probability between 0 and 1", probability);
        return false;
    }
    medium_link_loss(network_medium(n->network), numbers[0], numbers[1], probability);
    api_network_note(n,
                     (struct saved_input){
                         .kind = SAVED_LINK_LOSS, .node = from, .where = to, .reals = &probability, .real_count = 1});
    return true;
}

bool motet_network_noise(motet_network *n, const float *dbm, size_t count, uint64_t spacing, struct motet_error *e)
{
    bool good = count == 0 || spacing > 0 || error_set(e, "readings of noise must be some time apart");
    for (size_t i = 0; good && i < count; i++)
        if (!api_network_within((double)dbm[i], -300, 100))
            good = error_set(e, "noise of %g dBm is out of range; it lies between -300 and 100", (double)dbm[i]);
    if (!good)
        return false;
    medium_noise_trace(network_medium(n->network), dbm, count, spacing);
    double *reals = memory_array(count + 1, sizeof *reals);
    for (size_t i = 0; i < count; i++)
        reals[i] = (double)dbm[i];
    api_network_note(n,
                     (struct saved_input){.kind = SAVED_NOISE, .number = spacing, .reals = reals, .real_count = count});
    free(reals);
    return true;
}

/* ---- what is on the air ---- */

static void api_network_listen(motet_network *n, uint32_t node, uint64_t nanosecond, const struct air_message *m)
{
    struct under_way *u = &n->under_way[node];
    if (m->kind == AIR_BEGIN) {
        u->is = (struct motet_transmission){.sender = m->sender,
                                            .begun = nanosecond,
                                            .hertz = m->hertz,
                                            .dbm = (double)m->dbm,
                                            .bytes = u->bytes.bytes};
        u->bytes = (struct framing_bytes){.count = 0};
    }
    if (m->kind == AIR_BYTES)
        framing_take(&u->bytes, m);
    if (m->kind == AIR_END && u->is.bytes) {
        u->is.ended = nanosecond;
        u->is.count = u->bytes.count;
        u->is.frame = framing_find(u->bytes.bytes, u->bytes.count);
        if (n->told)
            n->told(n->told_context, &u->is);
        if (n->overheard)
            n->overheard(n->overheard_context, &u->is);
    }
}

static void network_heard(void *context, uint32_t node, const struct medium_listener *listeners, size_t count)
{
    const motet_network *n = context;
    if (n->pcap)
        pcap_heard(n->pcap, node, listeners, count);
}

static void network_sent(void *context, uint32_t node, uint64_t nanosecond, const struct air_message *m)
{
    motet_network *n = context;
    n->transmissions += m->kind == AIR_END;
    if (m->kind == AIR_BEGIN)
        nanosecond = air_began(m, nanosecond, 1e9);
    if (n->pcap)
        pcap_said(n->pcap, node, nanosecond, m);
    if (n->told || n->overheard)
        api_network_listen(n, node, nanosecond, m);
}

static void begin_to_listen(motet_network *n)
{
    if (!n->under_way)
        n->under_way = memory_array(n->room + 1, sizeof *n->under_way);
}

void motet_network_listen(motet_network *n, motet_radio *told, void *context)
{
    n->told = told;
    n->told_context = context;
    begin_to_listen(n);
}

void network_overhear(motet_network *n, motet_radio *told, void *context)
{
    n->overheard = told;
    n->overheard_context = context;
    begin_to_listen(n);
    for (size_t i = 0; i < n->room; i++)
        n->under_way[i].is.bytes = NULL;
}

uint64_t motet_network_transmissions(const motet_network *n)
{
    return n->transmissions;
}

bool motet_network_capture(motet_network *n, const char *path, struct motet_error *e)
{
    if (!motet_network_capture_end(n, e))
        return false;
    n->pcap = pcap_open(path, n->network, e);
    return n->pcap;
}

uint64_t motet_network_capture_empty(const motet_network *n)
{
    return n->pcap ? pcap_empty(n->pcap) : 0;
}

bool motet_network_capture_end(motet_network *n, struct motet_error *e)
{
    bool good = pcap_close(n->pcap, e);
    n->pcap = NULL;
    return good;
}

/* ---- life ---- */

motet_network *motet_network_new(uint64_t seed, unsigned threads, const struct motet_medium *m, struct motet_error *e)
{
    struct medium_options o;
    if (!medium_in(m, &o, e))
        return NULL;
    motet_network *n = memory_new(sizeof *n);
    n->network = network_new(seed, threads, &o);
    network_observe(n->network, &(struct network_observer){.context = n, .heard = network_heard, .sent = network_sent});
    n->save_inputs = save_inputs_new();
    note_medium(n, SAVED_NETWORK, seed, m);
    return n;
}

void motet_network_free(motet_network *n)
{
    struct motet_error ignored;
    if (!n)
        return;
    pcap_close(n->pcap, &ignored);
    network_free(n->network); /* a callback for the end of a node gets its handle */
    for (size_t i = 0; i < n->count; i++)
        node_handle_free(n->nodes[i]);
    save_inputs_free(n->save_inputs);
    choices_free(&n->choices);
    free(n->under_way);
    free(n->nodes);
    free(n);
}

/* TinyOS 2, the address its active messages use, TinyOS 1, and the firmware kit. */
static bool identify(motet_node *n, struct motet_error *e)
{
    const struct node *node = n->node;
    static const char *const names[] = {
        "TOS_NODE_ID",       "TOS_AM_ADDRESS", "ActiveMessageAddressC__addr", "ActiveMessageAddressC$addr",
        "TOS_LOCAL_ADDRESS", "node_id"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct motet_error ignored;
        uint32_t address, size;
        if (machine_variable(node->machine, names[i], &address, &size, &ignored) &&
            !motet_node_set(n, names[i], node->id, e))
            return false;
    }
    return true;
}

static void api_network_make_room(motet_network *n)
{
    if (n->count < n->room)
        return;
    n->room = n->room ? 2 * n->room : 16;
    n->nodes = memory_resize(n->nodes, n->room, sizeof *n->nodes);
    if (n->under_way) {
        n->under_way = memory_resize(n->under_way, n->room + 1, sizeof *n->under_way);
        memset(n->under_way + n->count, 0, (n->room + 1 - n->count) * sizeof *n->under_way);
        for (size_t i = 0; i < n->count; i++)
            n->under_way[i].is.bytes = n->under_way[i].is.bytes ? n->under_way[i].bytes.bytes : NULL;
    }
}

static void note_node(motet_network *n, const motet_node *node, const struct motet_place *p)
{
    double reals[] = {p->x, p->y, p->z, p->drift, p->own_id};
    if (!n->save_inputs)
        return;
    uint32_t machine = save_inputs_machine(n->save_inputs, node->machine);
    save_inputs_node(n->save_inputs, node->number);
    api_network_note(
        n,
        (struct saved_input){
            .kind = SAVED_ADD, .where = machine, .value = p->id, .number = p->boot, .reals = reals, .real_count = 5});
}

motet_node *motet_network_add(motet_network *n, const motet_machine *m, const struct motet_place *p,
                              struct motet_error *e)
{
    struct network_node o = {.id = p->id, .at = {p->x, p->y, p->z}, .boot = p->boot, .drift = p->drift};
    if (n->save_inputs && n->save_inputs->save) {
        error_set(e, "node %u comes too late: the network is being saved", p->id);
        return NULL;
    }
    struct node *node = network_add(n->network, m->machine, &o, e);
    if (!node)
        return NULL;
    api_network_make_room(n);
    motet_node *handle = node_handle(m, node);
    handle->network = n;
    handle->number = (uint32_t)n->count;
    n->nodes[n->count++] = handle;
    note_node(n, handle, p);
    return p->own_id || identify(handle, e) ? handle : NULL;
}

motet_network *motet_network_of_one(const motet_machine *m, uint32_t id, uint64_t seed)
{
    struct motet_error e;
    struct motet_medium medium;
    motet_medium_default(&medium);
    motet_network *n = motet_network_new(seed, 1, &medium, &e);
    motet_node *node = motet_network_add(n, m, &(struct motet_place){.id = id, .own_id = true}, &e);
    assert(node);
    (void)node;
    return n;
}

size_t motet_network_count(const motet_network *n)
{
    return n->count;
}

motet_node *motet_network_at(const motet_network *n, size_t number)
{
    return number < n->count ? n->nodes[number] : NULL;
}

motet_node *motet_network_node(const motet_network *n, uint32_t id)
{
    uint32_t number;
    return network_find(n->network, id, &number) ? n->nodes[number] : NULL;
}

/* ---- running ---- */

_Static_assert((int)MOTET_NETWORK_STOPPED == (int)NETWORK_STOPPED, "public and internal ends agree");

enum motet_network_end motet_network_run(motet_network *n, uint64_t until)
{
    enum network_end end = NETWORK_TIME;
    if (n->save_inputs && !n->save_inputs->save && !n->save_inputs->wanted) { /* too late to save the whole run */
        save_inputs_free(n->save_inputs);
        n->save_inputs = NULL;
    }
    motet_save *k = n->save_inputs ? n->save_inputs->save : NULL;
    while (k && end == NETWORK_TIME && save_next(k) < until && network_next(n->network) != NEVER) {
        end = network_run(n->network, save_next(k));
        if (end != NETWORK_STOPPED)
            save_moment(k, network_now(n->network));
    }
    if (end == NETWORK_TIME)
        end = network_run(n->network, until);
    return (enum motet_network_end)end;
}

uint64_t motet_network_now(const motet_network *n)
{
    return network_now(n->network);
}

uint64_t motet_network_next(const motet_network *n)
{
    return network_next(n->network);
}

motet_node *motet_network_ended(const motet_network *n)
{
    return n->nodes[network_ended(n->network)];
}

uint64_t motet_network_time(const motet_network *n, const motet_node *node, uint64_t tick)
{
    return network_time(n->network, node->number, tick);
}

void motet_network_kill(motet_network *n, motet_node *node)
{
    network_kill(n->network, node->number);
    node_note(node, (struct saved_input){.kind = SAVED_KILL});
}

void motet_network_boot(motet_network *n, motet_node *node)
{
    network_boot(n->network, node->number);
    node_note(node, (struct saved_input){.kind = SAVED_BOOT});
    node->faulted = false;
}

bool motet_network_alive(const motet_network *n, const motet_node *node)
{
    return network_alive(n->network, node->number);
}

bool motet_network_move(motet_network *n, motet_node *node, double x, double y, double z, struct motet_error *e)
{
    if (!api_network_within(x, -1e9, 1e9) || !api_network_within(y, -1e9, 1e9) || !api_network_within(z, -1e9, 1e9))
        return error_set(e, "the position of node %u is out of range", node->node->id);
    medium_move(network_medium(n->network), node->number, (struct medium_position){x, y, z});
    double reals[] = {x, y, z};
    node_note(node, (struct saved_input){.kind = SAVED_MOVE, .reals = reals, .real_count = 3});
    return true;
}

void motet_network_position(const motet_network *n, const motet_node *node, double position[3])
{
    struct medium_position p = medium_position(network_medium(n->network), node->number);
    position[0] = p.x;
    position[1] = p.y;
    position[2] = p.z;
}

/* ---- state as data ---- */

void motet_network_digest(const motet_network *n, char text[MOTET_DIGEST_TEXT])
{
    digest_print(network_digest(n->network), text);
}

/* The public name of a network's snapshot is the snapshot itself. */
motet_network_snapshot *motet_network_snapshot_take(motet_network *n)
{
    return (motet_network_snapshot *)network_snapshot(n->network);
}

void motet_network_snapshot_restore(motet_network *n, const motet_network_snapshot *s)
{
    if (n->save_inputs && n->save_inputs->save)
        save_tear(n->save_inputs->save);
    network_restore(n->network, (const struct network_snapshot *)s);
    for (size_t i = 0; i < n->count; i++)
        if (n->nodes[i]->node->state->exit != NODE_EXIT_FAULT)
            n->nodes[i]->faulted = false;
}

void motet_network_snapshot_free(motet_network_snapshot *s)
{
    network_snapshot_free((struct network_snapshot *)s);
}
