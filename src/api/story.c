#include "api/story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/board.h"
#include "chip/chip.h"
#include "network/network.h"

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

static bool nonsense(struct error *e)
{
    return error_set(e, "its journal makes no sense");
}

static bool of_public(struct error *e, const struct motet_error *from)
{
    return error_set(e, "%s", from->text);
}

static motet_node *story_node_at(const struct story *s, uint32_t number)
{
    return number >= s->nodes ? NULL : s->network ? motet_network_at(s->network, number) : s->node;
}

/* ---- how it came to be ---- */

static bool make_machine(struct story *s, const struct journal_entry *j, story_file *file, void *context,
                         struct error *e)
{
    const char *name = "", *board_name = (const char *)j->bytes;
    size_t size;
    const uint8_t *bytes = file(context, j->where, &name, &size);
    const struct board *board = board_named(board_name);
    const struct chip *chip = board ? board->chip : chip_named(board_name);
    if (!bytes || s->node)
        return nonsense(e);
    if (!chip)
        return error_set(e, "it is of a board or chip '%.40s', which this Motet does not know", board_name);
    struct image *image = image_parse(name, bytes, size, e);
    struct machine_options o = {.hz = chip->reset_hz ? 0 : j->number,
                                .lock = chip->has_fuses ? (int)(j->value & 0xff) : -1};
    for (unsigned i = 0; i < 3; i++)
        o.fuses[i] = chip->has_fuses ? (int)(j->value >> (24 - 8 * i) & 0xff) : -1;
    struct machine *m = image ? machine_new(chip, board, image, &o, e) : NULL;
    if (!m)
        return false;
    s->machines = must(realloc(s->machines, (s->machine_count + 1) * sizeof *s->machines));
    s->machines[s->machine_count] = must(calloc(1, sizeof(motet_machine)));
    s->machines[s->machine_count++]->machine = m;
    return true;
}

static bool medium_of(const struct journal_entry *j, struct motet_medium *m)
{
    if (j->real_count != 9 || !(j->reals[0] >= 0 && j->reals[0] <= MOTET_MODEL_LOG_DISTANCE))
        return false;
    const double *r = j->reals;
    *m = (struct motet_medium){(enum motet_model)(int)r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]};
    return true;
}

static bool make_network(struct story *s, const struct journal_entry *j, unsigned threads, struct error *e)
{
    struct motet_error error = {""};
    struct motet_medium m;
    if (s->node || s->network || !medium_of(j, &m))
        return nonsense(e);
    s->network = motet_network_new(j->number, threads, &m, &error);
    return s->network || of_public(e, &error);
}

static bool make_node(struct story *s, const struct journal_entry *j, struct error *e)
{
    struct motet_error error = {""};
    bool alone = j->kind == JOURNAL_ALONE;
    if (j->where >= s->machine_count || s->node || alone == !!s->network || (!alone && j->real_count != 4))
        return nonsense(e);
    const motet_machine *m = s->machines[j->where];
    if (alone) {
        s->node = motet_node_new(m, j->value, j->number);
    } else {
        struct motet_place p = {j->value, j->reals[0], j->reals[1], j->reals[2], j->number, j->reals[3]};
        if (!motet_network_add(s->network, m, &p, &error))
            return of_public(e, &error);
    }
    s->nodes++;
    return true;
}

static bool story_set_variable(struct story *s, const struct journal_entry *j, struct error *e)
{
    struct motet_error error = {""};
    motet_node *n = story_node_at(s, j->node);
    if (!n || s->time)
        return nonsense(e);
    return motet_node_set(n, (const char *)j->bytes, j->number, &error) || of_public(e, &error);
}

/* ---- what happened ---- */

static bool change_network(struct story *s, const struct journal_entry *j, struct error *e)
{
    struct motet_error error = {""};
    struct motet_medium m;
    motet_network *n = s->network;
    bool good = false;
    switch (j->kind) {
    case JOURNAL_MEDIUM: good = medium_of(j, &m) && motet_network_medium(n, &m, &error); break;
    case JOURNAL_LINK:
        good = j->real_count == 1 && motet_network_link(n, j->node, j->where, j->reals[0], &error);
        break;
    case JOURNAL_LINK_DOWN: good = motet_network_link_down(n, j->node, j->where, j->value != 0, &error); break;
    case JOURNAL_LINK_LOSS:
        good = j->real_count == 1 && motet_network_link_loss(n, j->node, j->where, j->reals[0], &error);
        break;
    default: {
        float *dbm = must(malloc((j->real_count + 1) * sizeof *dbm));
        for (size_t i = 0; i < j->real_count; i++)
            dbm[i] = (float)j->reals[i];
        good = motet_network_noise(n, dbm, j->real_count, j->number, &error);
        free(dbm);
    }
    }
    return good || (error.text[0] ? of_public(e, &error) : nonsense(e));
}

static bool change_member(struct story *s, const struct journal_entry *j, motet_node *n, struct error *e)
{
    struct motet_error error = {""};
    switch (j->kind) {
    case JOURNAL_KILL: motet_network_kill(s->network, n); return true;
    case JOURNAL_BOOT:
        motet_network_boot(s->network, n);
        s->ears[j->node].life++;
        return true;
    default:
        if (j->real_count != 3)
            return nonsense(e);
        return motet_network_move(s->network, n, j->reals[0], j->reals[1], j->reals[2], &error) || of_public(e, &error);
    }
}

static bool change_node(const struct journal_entry *j, motet_node *n, struct error *e)
{
    switch (j->kind) {
    case JOURNAL_ON_FAULT:
        if (j->where >= MOTET_FAULT_KINDS || j->value > MOTET_FAULT_IGNORE)
            return nonsense(e);
        motet_node_on_fault(n, (enum motet_fault_kind)j->where, (enum motet_fault_action)j->value);
        return true;
    case JOURNAL_SERIAL: motet_node_send(n, j->where, j->bytes, j->size); return true;
    case JOURNAL_PIN:
        if (j->value > MOTET_HIGH)
            return nonsense(e);
        motet_node_drive(n, j->where, (enum motet_drive)j->value);
        return true;
    default: motet_node_reset(n); return true;
    }
}

static bool story_act_on(struct story *s, const struct journal_entry *j, struct error *e)
{
    switch (j->kind) {
    case JOURNAL_MEDIUM:
    case JOURNAL_LINK:
    case JOURNAL_LINK_DOWN:
    case JOURNAL_LINK_LOSS:
    case JOURNAL_NOISE: return s->network ? change_network(s, j, e) : nonsense(e);
    case JOURNAL_KILL:
    case JOURNAL_BOOT:
    case JOURNAL_MOVE:
        return s->network && story_node_at(s, j->node) ? change_member(s, j, story_node_at(s, j->node), e)
                                                       : nonsense(e);
    case JOURNAL_ON_FAULT:
    case JOURNAL_SERIAL:
    case JOURNAL_PIN:
    case JOURNAL_RESET: return story_node_at(s, j->node) ? change_node(j, story_node_at(s, j->node), e) : nonsense(e);
    default: return nonsense(e);
    }
}

/* ---- life ---- */

static int32_t read_again(void *context, unsigned channel, uint64_t tick)
{
    const struct story_ear *ear = context;
    return journal_reading_at(&ear->story->journal.readings[ear->node], channel, ear->life, tick);
}

/* Nodes come before what happens to them, but not all nodes before all that happens. */
static bool story_hear(struct story *s, struct error *e)
{
    if (s->nodes == 0 || s->journal.nodes > s->nodes)
        return nonsense(e);
    journal_readings_for(&s->journal, s->nodes);
    s->ears = must(calloc(s->nodes, sizeof *s->ears));
    for (uint32_t i = 0; i < s->nodes; i++) {
        s->ears[i] = (struct story_ear){.story = s, .node = i};
        motet_node_analog(story_node_at(s, i), read_again, &s->ears[i]);
    }
    return true;
}

static bool story_make(struct story *s, unsigned threads, story_file *file, void *context,
                       const struct journal_entry *j, struct error *e)
{
    switch (j->kind) {
    case JOURNAL_MACHINE: return make_machine(s, j, file, context, e);
    case JOURNAL_NETWORK: return make_network(s, j, threads, e);
    case JOURNAL_ALONE:
    case JOURNAL_ADD: return make_node(s, j, e);
    case JOURNAL_SET: return story_set_variable(s, j, e);
    default: return story_act_on(s, j, e);
    }
}

bool story_begin(struct story *s, unsigned threads, story_file *file, void *context, struct error *e)
{
    size_t first = 0; /* what makes nodes or is done to them comes first; lives are counted once all are there */
    while (first < s->journal.count && s->journal.entries[first].at == 0 &&
           s->journal.entries[first].kind != JOURNAL_BOOT)
        if (!story_make(s, threads, file, context, &s->journal.entries[first++], e))
            return false;
    if (!story_hear(s, e))
        return false;
    s->next = s->begun = first;
    return story_act(s, e);
}

void story_free(struct story *s)
{
    motet_node_free(s->node);
    motet_network_free(s->network);
    for (size_t i = 0; i < s->machine_count; i++)
        motet_machine_free(s->machines[i]);
    free(s->machines);
    free(s->ears);
    journal_free(&s->journal);
}

/* ---- moving ---- */

uint64_t story_due(const struct story *s)
{
    return s->next < s->journal.count ? s->journal.entries[s->next].at : UINT64_MAX;
}

bool story_act(struct story *s, struct error *e)
{
    while (s->next < s->journal.count && s->journal.entries[s->next].at <= s->time)
        if (!story_act_on(s, &s->journal.entries[s->next++], e))
            return false;
    return true;
}

static void story_run_to(struct story *s, uint64_t time)
{
    if (s->node)
        motet_node_run(s->node, time);
    else
        while (motet_network_now(s->network) < time && motet_network_run(s->network, time) != MOTET_NETWORK_IDLE)
            ;
    s->time = time;
}

bool story_go(struct story *s, uint64_t time, size_t entries, struct error *e)
{
    while (s->next < entries && s->next < s->journal.count && s->journal.entries[s->next].at <= time) {
        if (s->journal.entries[s->next].at > s->time)
            story_run_to(s, s->journal.entries[s->next].at);
        if (!story_act_on(s, &s->journal.entries[s->next++], e))
            return false;
    }
    if (time > s->time)
        story_run_to(s, time);
    return true;
}

void story_moved(struct story *s, uint64_t time, size_t entries)
{
    s->time = time;
    s->next = entries;
    for (size_t i = 0; i < s->nodes; i++) {
        s->ears[i].life = 0;
        story_node_at(s, (uint32_t)i)->ran_to = time;
        if (story_node_at(s, (uint32_t)i)->node->state->exit != NODE_EXIT_FAULT)
            story_node_at(s, (uint32_t)i)->faulted = false;
    }
    for (size_t i = 0; i < entries && s->network; i++)
        if (s->journal.entries[i].kind == JOURNAL_BOOT)
            s->ears[s->journal.entries[i].node].life++;
}

struct digest story_digest(const struct story *s)
{
    return s->network ? network_digest(network_of(s->network)) : node_digest(s->node->node);
}
