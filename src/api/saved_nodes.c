#include "api/saved_nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/part.h"
#include "base/memory.h"
#include "board/board.h"
#include "chip/chip.h"
#include "network/network.h"

static bool nonsense(struct motet_error *e)
{
    return error_set(e, "its inputs make no sense");
}

static motet_node *saved_nodes_at(const struct saved_nodes *s, uint32_t number)
{
    return number < s->nodes ? motet_network_at(s->network, number) : NULL;
}

/* ---- how it came to be ---- */

/* "DIGEST FILE:LEG,..." */
static bool saved_nodes_read_part(const struct saved_input *j, struct digest *digest, const char **wish)
{
    const char *text = (const char *)j->bytes;
    char high[17] = "", low[17] = "";
    if (strspn(text, "0123456789abcdef") != DIGEST_TEXT - 1 || text[DIGEST_TEXT - 1] != ' ' ||
        strlen(text) != j->size || !part_path_length(text + DIGEST_TEXT))
        return false;
    memcpy(high, text, 16);
    memcpy(low, text + 16, 16);
    *digest = (struct digest){strtoull(high, NULL, 16), strtoull(low, NULL, 16)};
    *wish = text + DIGEST_TEXT;
    return true;
}

static const char *saved_nodes_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool saved_nodes_has_digest(const char *path, struct digest wanted)
{
    struct motet_error ignored;
    struct digest is;
    return part_file_check(path, &is, &ignored) && digest_equal(is, wanted);
}

/* The wish with the path at which the part is now: one that the user gives, by its digest or else by its name. To be
 * freed. */
static char *saved_nodes_find_part(const struct saved_parts *parts, const char *wish, struct digest digest)
{
    size_t length = part_path_length(wish);
    char *path = memory_format("%.*s", (int)length, wish);
    const char *now = path;
    bool found = false;
    for (size_t i = 0; i < parts->count && !found; i++) {
        found = saved_nodes_has_digest(parts->paths[i], digest);
        if (found || strcmp(saved_nodes_base_name(parts->paths[i]), saved_nodes_base_name(path)) == 0)
            now = parts->paths[i];
    }
    char *made = memory_format("%s%s", now, wish + length);
    free(path);
    return made;
}

static bool saved_nodes_make_part(const struct saved_nodes *s, const struct saved_input *j, const struct chip *chip,
                                  struct part_list *parts, struct motet_error *e)
{
    struct digest digest;
    const char *wish;
    if (!saved_nodes_read_part(j, &digest, &wish))
        return nonsense(e);
    char *found = saved_nodes_find_part(&s->parts, wish, digest);
    bool good = part_add(parts, found, &digest, chip, e);
    free(found);
    if (good)
        return true;
    struct motet_error why = *e;
    return error_set(e, "%.800s. The run has this part; --part FILE says where it is", why.text);
}

/* The parts that the inputs name for the machine of that number. */
static struct part_list *saved_nodes_make_parts(const struct saved_nodes *s, uint32_t machine, const struct chip *chip,
                                                struct motet_error *e)
{
    struct part_list *parts = part_list_new(NULL, 0, chip, e);
    for (size_t i = 0; i < s->inputs.count; i++) {
        const struct saved_input *j = &s->inputs.entries[i];
        if (j->kind == SAVED_PART && j->where == machine && !saved_nodes_make_part(s, j, chip, parts, e)) {
            part_list_free(parts);
            return NULL;
        }
    }
    return parts;
}

static bool make_machine(struct saved_nodes *s, const struct saved_input *j, saved_firmware *file, void *context,
                         struct motet_error *e)
{
    const char *name = "", *board_name = (const char *)j->bytes;
    size_t size;
    const uint8_t *bytes = file(context, j->where, &name, &size);
    const struct board *board = board_named(board_name);
    const struct chip *chip = board ? board->chip : chip_named(board_name);
    if (!bytes)
        return nonsense(e);
    if (!chip)
        return error_set(e, "it is of a board or chip '%.40s', which this Motet does not know", board_name);
    struct part_list *parts = saved_nodes_make_parts(s, j->where, chip, e);
    if (!parts)
        return false;
    struct image *image = image_parse(name, bytes, size, e);
    struct machine_options o = {.hz = chip->reset_hz ? 0 : j->number,
                                .holds = j->node != 0,
                                .lock = chip->has_fuses ? (int)(j->value & 0xff) : -1};
    for (unsigned i = 0; i < 3; i++)
        o.fuses[i] = chip->has_fuses ? (int)(j->value >> (24 - 8 * i) & 0xff) : -1;
    if (!image) {
        part_list_free(parts);
        return false;
    }
    motet_machine *m = machine_make(image, board, chip, &o, parts, e);
    if (!m)
        return false;
    s->machines = memory_resize(s->machines, s->machine_count + 1, sizeof *s->machines);
    s->machines[s->machine_count++] = m;
    return true;
}

static bool medium_of(const struct saved_input *j, struct motet_medium *m)
{
    if (j->real_count != 9 || !(j->reals[0] >= 0 && j->reals[0] <= MOTET_MODEL_LOG_DISTANCE))
        return false;
    const double *r = j->reals;
    *m = (struct motet_medium){(enum motet_model)(int)r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]};
    return true;
}

static bool make_network(struct saved_nodes *s, const struct saved_input *j, unsigned threads, struct motet_error *e)
{
    struct motet_medium m;
    if (s->network || !medium_of(j, &m))
        return nonsense(e);
    s->network = motet_network_new(j->number, threads, &m, e);
    return s->network;
}

static bool make_node(struct saved_nodes *s, const struct saved_input *j, struct motet_error *e)
{
    if (j->where >= s->machine_count || !s->network || j->real_count != 5)
        return nonsense(e);
    struct motet_place p = {.id = j->value,
                            .x = j->reals[0],
                            .y = j->reals[1],
                            .z = j->reals[2],
                            .boot = j->number,
                            .drift = j->reals[3],
                            .own_id = j->reals[4] != 0};
    if (!motet_network_add(s->network, s->machines[j->where], &p, e))
        return false;
    s->nodes++;
    return true;
}

static bool saved_nodes_set_variable(struct saved_nodes *s, const struct saved_input *j, struct motet_error *e)
{
    motet_node *n = saved_nodes_at(s, j->node);
    if (!n || s->time)
        return nonsense(e);
    return motet_node_set(n, (const char *)j->bytes, j->number, e);
}

/* ---- what happened ---- */

static bool change_network(struct saved_nodes *s, const struct saved_input *j, struct motet_error *e)
{
    struct motet_medium m;
    motet_network *n = s->network;
    bool good = false;
    e->text[0] = 0;
    switch (j->kind) {
    case SAVED_MEDIUM: good = medium_of(j, &m) && motet_network_medium(n, &m, e); break;
    case SAVED_LINK: good = j->real_count == 1 && motet_network_link(n, j->node, j->where, j->reals[0], e); break;
    case SAVED_LINK_DOWN: good = motet_network_link_down(n, j->node, j->where, j->value != 0, e); break;
    case SAVED_LINK_LOSS:
        good = j->real_count == 1 && motet_network_link_loss(n, j->node, j->where, j->reals[0], e);
        break;
    default: {
        float *dbm = memory_array(j->real_count + 1, sizeof *dbm);
        for (size_t i = 0; i < j->real_count; i++)
            dbm[i] = (float)j->reals[i];
        good = motet_network_noise(n, dbm, j->real_count, j->number, e);
        free(dbm);
    }
    }
    return good || (e->text[0] ? false : nonsense(e));
}

static bool change_member(struct saved_nodes *s, const struct saved_input *j, motet_node *n, struct motet_error *e)
{
    switch (j->kind) {
    case SAVED_KILL: motet_network_kill(s->network, n); return true;
    case SAVED_BOOT:
        motet_network_boot(s->network, n);
        s->analog[j->node].life++;
        return true;
    default:
        if (j->real_count != 3)
            return nonsense(e);
        return motet_network_move(s->network, n, j->reals[0], j->reals[1], j->reals[2], e);
    }
}

static bool change_choice(struct saved_nodes *s, const struct saved_input *j, motet_node *n, struct motet_error *e)
{
    if (j->real_count != 2 || !(j->reals[0] >= 0 && j->reals[0] < MOTET_CHOICE_SOURCES) ||
        !(j->reals[1] >= 0 && j->reals[1] < 0x1p63))
        return nonsense(e);
    struct motet_choice c = {.source = (enum motet_choice_source)(int)j->reals[0],
                             .node = motet_node_id(n),
                             .other = j->where,
                             .ordinal = j->number,
                             .outcome = j->value,
                             .at = (uint64_t)j->reals[1]};
    bool itself = c.source == MOTET_CHOICE_RESET || c.source == MOTET_CHOICE_POWER || c.source == MOTET_CHOICE_DEATH;
    return itself ? nonsense(e) : motet_network_choose(s->network, &c, e);
}

static bool change_node(const struct saved_input *j, motet_node *n, struct motet_error *e)
{
    switch (j->kind) {
    case SAVED_ON_FAULT:
        if (j->where >= MOTET_FAULT_KINDS || j->value > MOTET_FAULT_IGNORE)
            return nonsense(e);
        motet_node_on_fault(n, (enum motet_fault_kind)j->where, (enum motet_fault_action)j->value);
        return true;
    case SAVED_SERIAL: (j->value ? motet_node_send_now : motet_node_send)(n, j->where, j->bytes, j->size); return true;
    case SAVED_STORE:
        return (j->where <= MOTET_STORE_FLASH || nonsense(e)) &&
               node_store_fill(n, (enum motet_store)j->where, j->bytes, j->size, e);
    case SAVED_PIN:
        if (j->value > MOTET_HIGH)
            return nonsense(e);
        motet_node_drive(n, j->where, (enum motet_drive)j->value);
        return true;
    default: motet_node_reset(n); return true;
    }
}

static bool saved_nodes_act_on(struct saved_nodes *s, const struct saved_input *j, struct motet_error *e)
{
    switch (j->kind) {
    case SAVED_MEDIUM:
    case SAVED_LINK:
    case SAVED_LINK_DOWN:
    case SAVED_LINK_LOSS:
    case SAVED_NOISE: return s->network ? change_network(s, j, e) : nonsense(e);
    case SAVED_KILL:
    case SAVED_BOOT:
    case SAVED_MOVE:
        return s->network && saved_nodes_at(s, j->node) ? change_member(s, j, saved_nodes_at(s, j->node), e)
                                                        : nonsense(e);
    case SAVED_CHOICE:
        return saved_nodes_at(s, j->node) ? change_choice(s, j, saved_nodes_at(s, j->node), e) : nonsense(e);
    case SAVED_ON_FAULT:
    case SAVED_SERIAL:
    case SAVED_PIN:
    case SAVED_STORE:
    case SAVED_RESET: return saved_nodes_at(s, j->node) ? change_node(j, saved_nodes_at(s, j->node), e) : nonsense(e);
    default: return nonsense(e);
    }
}

/* ---- life ---- */

static int32_t read_again(void *context, unsigned channel, uint64_t tick)
{
    const struct saved_analog *a = context;
    return saved_reading_at(&a->saved->inputs.readings[a->node], channel, a->life, tick);
}

/* Nodes come before what happens to them, but not all nodes before all that happens. */
static bool saved_nodes_read_analog(struct saved_nodes *s, struct motet_error *e)
{
    if (s->nodes == 0 || s->inputs.nodes > s->nodes)
        return nonsense(e);
    saved_inputs_readings_for(&s->inputs, s->nodes);
    s->analog = memory_array(s->nodes, sizeof *s->analog);
    for (uint32_t i = 0; i < s->nodes; i++) {
        s->analog[i] = (struct saved_analog){.saved = s, .node = i};
        motet_node_analog(saved_nodes_at(s, i), read_again, &s->analog[i]);
    }
    return true;
}

static bool saved_nodes_make(struct saved_nodes *s, unsigned threads, saved_firmware *file, void *context,
                             const struct saved_input *j, struct motet_error *e)
{
    switch (j->kind) {
    case SAVED_PART: return true; /* with its machine */
    case SAVED_MACHINE: return make_machine(s, j, file, context, e);
    case SAVED_NETWORK: return make_network(s, j, threads, e);
    case SAVED_ADD: return make_node(s, j, e);
    case SAVED_SET: return saved_nodes_set_variable(s, j, e);
    default: return saved_nodes_act_on(s, j, e);
    }
}

bool saved_nodes_begin(struct saved_nodes *s, unsigned threads, saved_firmware *file, void *context,
                       struct motet_error *e)
{
    size_t first = 0; /* what makes nodes or is done to them comes first; lives are counted once all are there */
    while (first < s->inputs.count && s->inputs.entries[first].at == 0 && s->inputs.entries[first].kind != SAVED_BOOT)
        if (!saved_nodes_make(s, threads, file, context, &s->inputs.entries[first++], e))
            return false;
    if (!saved_nodes_read_analog(s, e))
        return false;
    s->next = s->begun = first;
    return saved_nodes_act(s, e);
}

void saved_nodes_free(struct saved_nodes *s)
{
    motet_network_free(s->network);
    for (size_t i = 0; i < s->machine_count; i++)
        motet_machine_free(s->machines[i]);
    free(s->machines);
    free(s->analog);
    saved_inputs_free(&s->inputs);
}

/* ---- moving ---- */

uint64_t saved_nodes_due(const struct saved_nodes *s)
{
    return s->next < s->inputs.count ? s->inputs.entries[s->next].at : UINT64_MAX;
}

bool saved_nodes_act(struct saved_nodes *s, struct motet_error *e)
{
    while (s->next < s->inputs.count && s->inputs.entries[s->next].at <= s->time)
        if (!saved_nodes_act_on(s, &s->inputs.entries[s->next++], e))
            return false;
    return true;
}

static void saved_nodes_run_to(struct saved_nodes *s, uint64_t time)
{
    while (motet_network_now(s->network) < time && motet_network_run(s->network, time) != MOTET_NETWORK_IDLE)
        ;
    s->time = time;
}

bool saved_nodes_go(struct saved_nodes *s, uint64_t time, size_t entries, struct motet_error *e)
{
    while (s->next < entries && s->next < s->inputs.count && s->inputs.entries[s->next].at <= time) {
        if (s->inputs.entries[s->next].at > s->time)
            saved_nodes_run_to(s, s->inputs.entries[s->next].at);
        if (!saved_nodes_act_on(s, &s->inputs.entries[s->next++], e))
            return false;
    }
    if (time > s->time)
        saved_nodes_run_to(s, time);
    return true;
}

void saved_nodes_moved(struct saved_nodes *s, uint64_t time, size_t entries)
{
    s->time = time;
    s->next = entries;
    for (size_t i = 0; i < s->nodes; i++) {
        s->analog[i].life = 0;
        if (saved_nodes_at(s, (uint32_t)i)->node->state->exit != NODE_EXIT_FAULT)
            saved_nodes_at(s, (uint32_t)i)->faulted = false;
    }
    for (size_t i = 0; i < entries; i++)
        if (s->inputs.entries[i].kind == SAVED_BOOT)
            s->analog[s->inputs.entries[i].node].life++;
}

struct digest saved_nodes_digest(const struct saved_nodes *s)
{
    return network_digest(network_of(s->network));
}
