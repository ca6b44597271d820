/* Descriptions of interfaces: what is logged beside parameters, and what calls mean for the network.
 *
 * A small file, a line for each function or kind of function:
 *
 *     # what a kit's radio does
 *     send    radio_send(p): content p->data[p->length]; to=p->to; type=p->type; accepted=result
 *     sent    *(struct radio_packet *p, bool arrived): content p->data[p->length]; arrived=arrived
 *     receive *(struct radio_message *m): content m->data[m->length]; from=m->from; to=m->to
 *     log     host_pass(origin, data, length): data[length]
 *
 * Before the colon: a role (send, sent, receive; log for none), then a glob of function names and names for the
 * parameters. Parameters with types make the line match functions with those types only. After it: buffers
 * (expression.h), `content` before that which the air carries, `at return` or `at both` after those that the function
 * fills; and fields, NAME=EXPRESSION. `data[0]` leaves a pointer's bytes out. The first line that matches counts.
 */
#ifndef INTERFACE_DESCRIBE_H
#define INTERFACE_DESCRIBE_H

#include "image/debug.h"
#include "interface/log.h"

enum { DESCRIBE_PARAMETERS = 16, DESCRIBE_ITEMS = 16 };

struct description {
    const char *file; /* where it is written */
    unsigned line;
    enum interface_role role;
    const char *glob;
    uint32_t parameter_count;               /* UINT32_MAX: not said */
    const char *types[DESCRIBE_PARAMETERS]; /* as debug information spells them; NULL: any */
    const char *names[DESCRIBE_PARAMETERS];
    uint32_t buffer_count, field_count;
    struct interface_buffer buffers[DESCRIBE_ITEMS];
    struct {
        const char *name, *expression;
    } fields[DESCRIBE_ITEMS];
};

struct descriptions {
    struct description *list;
    size_t count, room;
    char **texts; /* that the list points into */
    size_t text_count, text_room;
};

/* Adds the lines of a file; false with a sentence that has file and line. */
bool descriptions_load(struct descriptions *d, const char *path, struct motet_error *e);
bool descriptions_parse(struct descriptions *d, const char *path, const char *text, struct motet_error *e);
void descriptions_free(struct descriptions *d);

/* The description of a function, or NULL. */
const struct description *descriptions_of(const struct descriptions *d, const char *name,
                                          const struct debug_type *type);

/* The same, with the types as they are spelled. */
const struct description *descriptions_match(const struct descriptions *d, const char *name, uint32_t count,
                                             const char *const *types);

#endif
