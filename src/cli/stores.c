#include "stores.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "sentence.h"

const char *stores_option_name(const struct store_option *s)
{
    if (s->store == MOTET_STORE_EEPROM)
        return s->save ? "save-eeprom" : "eeprom";
    return s->save ? "save-flash" : "flash";
}

/* ---- before the run ---- */

/* Of two contents for one memory none is the right one. */
static bool stores_once(const struct run_options *o, size_t which, struct motet_error *e)
{
    const struct store_option *s = &o->stores[which];
    for (size_t i = 0; i < which && !s->save; i++) {
        const struct store_option *other = &o->stores[i];
        if (!other->save && other->store == s->store && which_same(other->which, s->which))
            return sentence(e, "--%s is given twice, with %s and %s", stores_option_name(s), other->path, s->path);
    }
    return true;
}

static bool stores_check(const struct run_options *o, size_t which, const motet_network *n, struct motet_error *e)
{
    const struct store_option *s = &o->stores[which];
    const char *name = stores_option_name(s);
    if (s->save && !which_apart(s->which, s->path, n))
        return sentence(e, "--%s: several nodes cannot share %s; give NODE:%s for one, or a name with %%id", name,
                        s->path, s->path);
    for (size_t i = 0; i < motet_network_count(n); i++) {
        const motet_node *node = motet_network_at(n, i);
        if (!which_is(s->which, motet_node_id(node)) || motet_node_store(node, s->store, NULL, 0))
            continue;
        return s->store == MOTET_STORE_FLASH
                   ? sentence(e, "--%s: the board has no serial flash memory", name)
                   : sentence(e, "--%s: %s has no EEPROM", name, motet_machine_chip(motet_node_machine(node)));
    }
    return stores_once(o, which, e);
}

static bool stores_load_one(const struct store_option *s, motet_node *n, struct motet_error *e)
{
    struct motet_error why;
    char *path = which_text(s->path, motet_node_id(n));
    bool good = motet_node_store_load(n, s->store, path, &why);
    free(path);
    return good || sentence(e, "--%s: %.1000s", stores_option_name(s), why.text);
}

bool stores_load(const struct run_options *o, motet_network *n, struct motet_error *e)
{
    for (size_t i = 0; i < o->store_count; i++)
        if (!stores_check(o, i, n, e))
            return false;
    for (unsigned one = 0; one < 2; one++) /* what is given for every node first */
        for (size_t i = 0; i < o->store_count; i++) {
            const struct store_option *s = &o->stores[i];
            for (size_t k = 0; !s->save && s->which.one == one && k < motet_network_count(n); k++)
                if (which_is(s->which, motet_node_id(motet_network_at(n, k))) &&
                    !stores_load_one(s, motet_network_at(n, k), e))
                    return false;
        }
    return true;
}

/* ---- after the run ---- */

static bool stores_write(const char *path, const void *bytes, size_t size, struct motet_error *e)
{
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file) != 0)
        written = false;
    return written || sentence(e, "cannot write %s: %s", path, strerror(errno));
}

static bool stores_save_one(const struct store_option *s, const motet_node *n, struct motet_error *e)
{
    size_t size = motet_node_store(n, s->store, NULL, 0);
    char *path = which_text(s->path, motet_node_id(n));
    void *bytes = cli_array(size, 1);
    motet_node_store(n, s->store, bytes, size);
    bool good = stores_write(path, bytes, size, e);
    free(bytes);
    free(path);
    return good;
}

bool stores_save(const struct run_options *o, const motet_network *n, struct motet_error *e)
{
    for (size_t i = 0; i < o->store_count; i++)
        for (size_t k = 0; o->stores[i].save && k < motet_network_count(n); k++) {
            const motet_node *node = motet_network_at(n, k);
            if (which_is(o->stores[i].which, motet_node_id(node)) && !stores_save_one(&o->stores[i], node, e))
                return false;
        }
    return true;
}
