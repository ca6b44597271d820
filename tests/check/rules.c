/* Properties of pair.c as a plugin: both halves of what a task writes agree, and with BREAKS, that it stays below 60.
 */
#include <stdio.h>

#include "motet/plugin.h"
#include "motet/property.h"

static int rules_number(motet_view *v, size_t node, const char *name, int64_t *number, struct motet_error *e)
{
    struct motet_value value;
    if (!motet_view_value(v, node, name, &value, e))
        return -1;
    *number = value.number;
    return 1;
}

static int rules_whole(void *context, motet_view *v, size_t node, size_t *blame, struct motet_error *e)
{
    int64_t left, right;
    (void)context, (void)blame;
    if (rules_number(v, node, "left", &left, e) < 0 || rules_number(v, node, "right", &right, e) < 0)
        return -1;
    return left == right;
}

static int rules_sixty(void *context, motet_view *v, size_t node, size_t *blame, struct motet_error *e)
{
    int64_t right;
    (void)context, (void)blame;
    return rules_number(v, node, NAME, &right, e) < 0 ? -1 : right == 60;
}

static struct motet_property rules[] = {
    {.name = "the task is whole", .kind = MOTET_ALWAYS, .operands = {{.kind = MOTET_OF_EACH, .holds = rules_whole}}},
    {.name = "it comes to 60", .kind = MOTET_NEVER_DOES, .operands = {{.kind = MOTET_OF_EACH, .holds = rules_sixty}}},
};

unsigned motet_plugin_version(void);
unsigned motet_plugin_version(void)
{
    return MOTET_PLUGIN_VERSION;
}

bool motet_plugin_properties(motet_network *n, struct motet_properties *s, struct motet_error *e);
bool motet_plugin_properties(motet_network *n, struct motet_properties *s, struct motet_error *e)
{
    (void)n;
    snprintf(e->text, sizeof e->text, "it wants no network");
    *s = (struct motet_properties){.list = rules, .count = COUNT};
    return COUNT > 0;
}
