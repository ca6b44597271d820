/* Parts from outside, of a machine. */
#include "api/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/shared_object.h"
#include "base/memory.h"

size_t part_path_length(const char *wish)
{
    const char *colon = strrchr(wish, ':'); /* a path may have one, places have none */
    return colon ? (size_t)(colon - wish) : strlen(wish);
}

static bool part_say(struct motet_error *e, const char *path)
{
    struct motet_error what = *e;
    return error_set(e, "the part %.300s %.700s", path, what.text);
}

/* ---- one part ---- */

static void part_free(struct part *p)
{
    shared_object_close(p->object);
    free(p->wish);
    free(p->name);
    free(p);
}

static bool part_take_table(struct shared_object *o, void *context, struct motet_error *e)
{
    struct part *p = context;
    p->outside.table = shared_object_symbol(o, "motet_part");
    if (!p->outside.table)
        return shared_object_say(o, e, "has no table motet_part; see docs/parts.md");
    return part_table_check(p->outside.table, e) || part_say(e, shared_object_path(o));
}

static bool part_is_same(const char *path, struct digest is, const struct digest *wanted, struct motet_error *e)
{
    char here[DIGEST_TEXT], there[DIGEST_TEXT];
    if (!wanted || digest_equal(is, *wanted))
        return true;
    digest_print(is, here);
    digest_print(*wanted, there);
    return error_set(e, "the part %s is another than in the saved run: its digest is %s, not %s", path, here, there);
}

static bool part_load(struct part *p, const char *path, const struct digest *digest, const struct chip *chip,
                      struct motet_error *e)
{
    const char *legs = p->wish + part_path_length(p->wish);
    if (!part_file_check(path, &p->digest, e))
        return part_say(e, path);
    if (!part_is_same(path, p->digest, digest, e))
        return false;
    p->object = shared_object_open("part", path, part_take_table, p, e);
    if (!p->object)
        return false;
    if (!part_legs_read(&p->outside, *legs ? legs + 1 : legs, chip, e))
        return part_say(e, path);
    outside_type(&p->outside);
    return true;
}

/* ---- all of a machine ---- */

/* A second part of that name is "display 2". */
static char *part_name(const struct part_list *l, const char *name)
{
    unsigned same = 1;
    for (size_t i = 0; i < l->count; i++)
        same += strcmp(l->parts[i]->outside.table->name, name) == 0;
    return same == 1 ? memory_string(name) : memory_format("%s %u", name, same);
}

bool part_add(struct part_list *l, const char *wish, const struct digest *digest, const struct chip *chip,
              struct motet_error *e)
{
    if (l->count == PART_LIMIT)
        return error_set(e, "a board takes at most %d parts from outside", PART_LIMIT);
    struct part *p = memory_new(sizeof *p);
    p->wish = memory_string(wish);
    char *path = memory_format("%.*s", (int)part_path_length(wish), wish);
    bool good = part_load(p, path, digest, chip, e);
    free(path);
    if (!good) {
        part_free(p);
        return false;
    }
    p->name = part_name(l, p->outside.table->name);
    l->devices[l->count] = (struct chip_device){p->name, &p->outside.type, &p->outside};
    l->parts[l->count++] = p;
    return true;
}

struct part_list *part_list_new(const char *const *wishes, size_t count, const struct chip *chip, struct motet_error *e)
{
    struct part_list *l = memory_new(sizeof *l);
    for (size_t i = 0; i < count; i++)
        if (!part_add(l, wishes[i], NULL, chip, e)) {
            part_list_free(l);
            return NULL;
        }
    return l;
}

void part_list_free(struct part_list *l)
{
    for (size_t i = 0; l && i < l->count; i++)
        part_free(l->parts[i]);
    free(l);
}

/* ---- looking ---- */

bool motet_machine_part(const motet_machine *m, size_t number, struct motet_part_info *info)
{
    if (!m->parts || number >= m->parts->count)
        return false;
    const struct part *p = m->parts->parts[number];
    *info = (struct motet_part_info){.name = p->name, .wish = p->wish, .table = p->outside.table};
    digest_print(p->digest, info->digest);
    return true;
}

const char *motet_machine_pin_driver(const motet_machine *m, unsigned pin)
{
    const struct device *d = pin < PIN_PORTS * 8 ? m->machine->drivers[pin] : NULL;
    return d && d->type->outside ? d->name : NULL;
}

const void *motet_node_part(const motet_node *n, size_t number)
{
    const struct part_list *l = n->machine->parts;
    const struct node *node = node_seen(n);
    for (size_t i = 0; l && number < l->count && i < node->machine->device_count; i++)
        if (node->machine->devices[i].config == &l->parts[number]->outside)
            return outside_state(node, &node->machine->devices[i]);
    return NULL;
}
