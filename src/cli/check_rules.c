#include "check_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "motet/saved.h"
#include "sentence.h"

enum { CHECK_RULES_LIMIT = 1 << 20 };

static bool check_rules_ends(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static bool check_rules_load_plugin(struct check_rules *r, const char *path, struct motet_error *e)
{
    r->maker = motet_plugin_property_maker(path, e);
    if (!r->maker)
        return false;
    r->path = realpath(path, NULL);
    return r->path || sentence(e, "%s cannot be read", path);
}

bool check_rules_load(struct check_rules *r, const char *path, const struct motet_check_options *how,
                      struct motet_error *e)
{
    *r = (struct check_rules){.text = NULL};
    snprintf(r->numbers, sizeof r->numbers, "%" PRIu64 " %" PRIu64 " %" PRIu64, how->steady, how->patience, how->seed);
    if (path && check_rules_ends(path, ".so"))
        return check_rules_load_plugin(r, path, e);
    if (!path || !check_rules_ends(path, ".lua"))
        return !path || sentence(e, "%s: properties are in a Lua file (.lua) or a plugin (.so)", path);
    FILE *f = fopen(path, "rb");
    if (!f)
        return sentence(e, "%s cannot be read", path);
    r->text = cli_array(CHECK_RULES_LIMIT, 1);
    size_t size = fread(r->text, 1, CHECK_RULES_LIMIT - 1, f);
    fclose(f);
    if (size == CHECK_RULES_LIMIT - 1)
        return sentence(e, "%s is larger than a megabyte", path);
    r->path = cli_text(path, strlen(path));
    r->maker = motet_scenario_properties(r->text, path, how->seed);
    return true;
}

void check_rules_free(struct check_rules *r)
{
    if (r->text)
        motet_scenario_properties_free(r->maker);
    else
        motet_plugin_property_maker_free(r->maker);
    free(r->text);
    free(r->path);
}

static const char *check_rules_find(const motet_saved_run *run, const char *wanted)
{
    const char *name, *text;
    for (size_t i = 0; motet_saved_run_about(run, i, &name, &text); i++)
        if (strcmp(name, wanted) == 0)
            return text;
    return NULL;
}

/* The plugin must be there, and nothing else: a repaired firmware may need a later one. */
static bool check_rules_open_plugin(struct check_rules *r, const char *path, struct motet_error *e)
{
    struct motet_error why = {""};
    if (check_rules_load_plugin(r, path, &why))
        return true;
    return sentence(e, "%.700s (where the plugin of the properties is now can be given with --property)", why.text);
}

bool check_rules_open(struct check_rules *r, const char *path, const char *plugin, struct motet_check_replay_options *o,
                      struct motet_error *e)
{
    *r = (struct check_rules){.text = NULL};
    motet_saved_run *run = motet_saved_run_open(path, &(struct motet_saved_run_options){.threads = 1, .anew = true}, e);
    if (!run)
        return false;
    const char *text = check_rules_find(run, "properties"), *name = check_rules_find(run, "properties of");
    const char *numbers = check_rules_find(run, "judged"), *stuck = check_rules_find(run, "stuck");
    uint64_t seed = 0;
    const char *made = check_rules_find(run, "properties by");
    bool good = ((!text || !name) && !made) ||
                (numbers && sscanf(numbers, "%" SCNu64 " %" SCNu64 " %" SCNu64, &o->from, &o->patience, &seed) == 3);
    o->stuck = stuck ? strtoull(stuck, NULL, 10) : 0;
    if (good && text && name) {
        r->text = cli_text(text, strlen(text));
        o->properties = r->maker = motet_scenario_properties(r->text, name, seed);
    }
    bool there = !good || !made || check_rules_open_plugin(r, plugin ? plugin : made, e);
    if (made)
        o->properties = r->maker;
    motet_saved_run_free(run);
    if (!there)
        return false;
    return good || sentence(e, "%s does not say how its properties are judged", path);
}

size_t check_rules_about(const struct check_rules *r, const char **about)
{
    const char *pairs[] = {"properties", r->text, "properties of", r->path, "judged", r->numbers};
    const char *plugin[] = {"properties by", r->path, "judged", r->numbers};
    if (!r->maker)
        return 0;
    memcpy(about, r->text ? pairs : plugin, r->text ? sizeof pairs : sizeof plugin);
    return (r->text ? sizeof pairs : sizeof plugin) / sizeof *pairs;
}
