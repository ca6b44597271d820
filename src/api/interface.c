#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/installed.h"
#include "base/memory.h"
#include "interface/logger.h"
#include "interface/node_log.h"
#include "interface/print.h"
#include "motet/interface.h"

struct motet_interface {
    struct descriptions descriptions;
    struct boundary *boundary;
};

struct motet_interface_log {
    struct logger logger;
};

/* What Motet brings: the descriptions in the folder target/interface. */
static bool interface_load_own(struct descriptions *d, struct motet_error *e)
{
    static const char *const names[] = {"kit.interface", "nesc.interface", "logger.interface"};
    char folder[4000], path[4100];
    if (!installed_target(folder, sizeof folder, e))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/interface/%s", folder, names[i]);
        if (!descriptions_load(d, path, e))
            return false;
    }
    return true;
}

static bool interface_load(struct descriptions *d, const struct motet_interface_options *o, struct motet_error *e)
{
    for (size_t i = 0; i < o->description_count; i++)
        if (!descriptions_load(d, o->descriptions[i], e))
            return false;
    return interface_load_own(d, e);
}

motet_interface *motet_interface_new(const motet_machine *m, const struct motet_interface_options *o,
                                     struct motet_error *e)
{
    motet_interface *x = memory_new(sizeof *x);
    if (interface_load(&x->descriptions, o, e))
        x->boundary = boundary_new(m->machine, o->pieces, o->piece_count, &x->descriptions, e);
    if (x->boundary)
        return x;
    motet_interface_free(x);
    return NULL;
}

void motet_interface_free(motet_interface *x)
{
    if (!x)
        return;
    boundary_free(x->boundary);
    descriptions_free(&x->descriptions);
    free(x);
}

const char *motet_interface_warning(const motet_interface *x, size_t number)
{
    return number < x->boundary->warning_count ? x->boundary->warnings[number] : NULL;
}

bool motet_interface_variable(const motet_interface *x, size_t number, struct motet_interface_variable *v)
{
    const struct interface_header *h = &x->boundary->header;
    if (number >= h->variable_count)
        return false;
    const struct interface_variable *is = &h->variables[number];
    *v = (struct motet_interface_variable){is->name, is->file, is->line, is->address, is->size};
    return true;
}

_Static_assert((int)MOTET_EITHER_SIDE == (int)BOUNDARY_EITHER && (int)MOTET_INSIDE == (int)BOUNDARY_INSIDE &&
                   (int)MOTET_OF_RECORDER == (int)BOUNDARY_RECORDER,
               "public and internal sides agree");

enum motet_side motet_interface_side(const motet_interface *x, uint32_t code_address)
{
    return (enum motet_side)boundary_side(x->boundary, code_address);
}

motet_interface_log *motet_interface_log_new(const motet_interface *x, const motet_node *n, FILE *out)
{
    motet_interface_log *l = memory_new(sizeof *l);
    logger_begin(&l->logger, x->boundary, motet_node_id(n), motet_machine_hz(n->machine),
                 motet_network_time(n->network, n, 0), out);
    return l;
}

void motet_interface_log_cross(motet_interface_log *l, const motet_node *n, const struct motet_crossing *c)
{
    uint32_t function = boundary_entry(l->logger.boundary, c->function);
    if (function != UINT32_MAX)
        logger_cross(&l->logger, node_seen(n), motet_node_now(n),
                     &(struct logger_crossing){function, c->in, c->is_return, c->interrupts, c->position, c->pc});
}

bool motet_interface_log_access(motet_interface_log *l, const motet_node *n, uint64_t position,
                                const struct motet_access *a)
{
    return logger_access(&l->logger, motet_node_now(n), position, a);
}

void motet_interface_log_states(motet_interface_log *l)
{
    l->logger.states = true;
}

void motet_interface_log_on(motet_interface_log *l)
{
    l->logger.reason = INTERFACE_SWITCHED_ON;
}

void motet_interface_log_off(motet_interface_log *l, const motet_node *n)
{
    logger_off(&l->logger, motet_node_now(n));
}

void motet_interface_log_reset(motet_interface_log *l, const motet_node *n)
{
    logger_reset(&l->logger, motet_node_now(n));
}

bool motet_interface_log_end(motet_interface_log *l)
{
    bool good = logger_end(&l->logger);
    free(l);
    return good;
}

bool motet_interface_print(const char *name, const void *bytes, size_t size, enum motet_interface_form form, FILE *out,
                           struct motet_error *e)
{
    struct interface_reader r;
    if (!interface_open_bytes(&r, name, bytes, size, e))
        return false;
    if (form == MOTET_INTERFACE_TEXT)
        interface_print_text(&r, out);
    else
        interface_print_json(&r, form == MOTET_INTERFACE_JSON_LIST, out);
    interface_close(&r);
    return true;
}

/* ---- logs that nodes write themselves ---- */

bool motet_interface_is_logged(const char *firmware)
{
    struct motet_error ignored;
    struct image *i = image_load(firmware, &ignored);
    bool logged = i && node_log_is_of(i);
    image_free(i);
    return logged;
}

static uint8_t *interface_read_file(const char *path, size_t *size, struct motet_error *e)
{
    uint8_t *bytes = NULL;
    size_t room = 0;
    FILE *in = fopen(path, "rb");
    *size = 0;
    for (size_t got = 1; in && got; *size += got) {
        bytes = memory_grow(bytes, &room, *size + 65536, 1);
        got = fread(bytes + *size, 1, 65536, in);
    }
    if (!in || ferror(in))
        error_set(e, "%s: %s", path, strerror(errno));
    bool good = in && !ferror(in);
    if (in)
        fclose(in);
    if (!good) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static bool interface_convert(const motet_machine *m, const char *path, uint32_t id, const char *target, FILE *out,
                              struct motet_interface_collected *c, struct motet_error *e)
{
    size_t size;
    uint8_t *bytes = interface_read_file(path, &size, e);
    struct node_log_result r;
    bool good = bytes && node_log_convert(path, bytes, size, m->machine, id, target, out, &r, e);
    free(bytes);
    if (good)
        *c = (struct motet_interface_collected){r.pages, r.bytes, r.missing, r.events, r.lost, r.interrupts, r.starts};
    return good;
}

bool motet_interface_collect(const char *firmware, const struct motet_options *o, const char *path, uint32_t id,
                             const char *target, const char *output, struct motet_interface_collected *c,
                             struct motet_error *e)
{
    motet_machine *m = motet_machine_load(firmware, o, e);
    if (!m)
        return false;
    FILE *out = fopen(output, "wb");
    bool good =
        out ? interface_convert(m, path, id, target, out, c, e) : error_set(e, "%s: %s", output, strerror(errno));
    if (out && fclose(out) != 0 && good)
        good = error_set(e, "%s: %s", output, strerror(errno));
    if (out && !good)
        remove(output);
    motet_machine_free(m);
    return good;
}

bool motet_interface_print_file(const char *path, enum motet_interface_form form, FILE *out, struct motet_error *e)
{
    size_t size;
    uint8_t *bytes = interface_read_file(path, &size, e);
    bool good = bytes && motet_interface_print(path, bytes, size, form, out, e);
    free(bytes);
    return good;
}
