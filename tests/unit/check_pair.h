/* Two nodes for searches: 10 m apart, on MICAz boards, with nothing done to them from outside. */
#ifndef TESTS_CHECK_PAIR_H
#define TESTS_CHECK_PAIR_H

#define MS UINT64_C(1000000)

static struct machine *pair_load(const char *path)
{
    struct motet_error e;
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1, .holds = true};
    struct image *image = image_load(path, &e);
    struct machine *m = image ? machine_new(board_micaz.chip, &board_micaz, image, &options, &e) : NULL;
    if (!m)
        fail_msg("%s", e.text);
    return m;
}

static uint64_t pair_never(void *context)
{
    (void)context;
    return NEVER;
}

static void pair_nothing(void *context)
{
    (void)context;
}

static size_t pair_none(void *context)
{
    (void)context;
    return 0;
}

static void pair_moved(void *context, uint64_t now, size_t given)
{
    (void)context, (void)now, (void)given;
}

/* `id` is the variable for a node's id. `variable` gets `value` in both; NULL: none does. */
static bool pair_make(struct machine *m, const char *id, const char *variable, uint64_t value, struct check_subject *s,
                      struct motet_error *e)
{
    struct network *n = network_new(1, 1, &medium_default);
    for (uint32_t i = 0; i < 2; i++) {
        struct network_node o = {.id = i, .at = {10.0 * i, 0, 0}, .boot = i * 1700000};
        struct node *node = network_add(n, m, &o, e);
        if (!node || !node_set_variable(node, id, i, e) || (variable && !node_set_variable(node, variable, value, e)))
            return false;
    }
    *s = (struct check_subject){
        .network = n, .due = pair_never, .act = pair_nothing, .given = pair_none, .moved = pair_moved};
    return true;
}

#endif
