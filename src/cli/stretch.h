/* Stretches: parts of a log with nothing missing between them, each replayed by a node of its own. */
#ifndef CLI_STRETCH_H
#define CLI_STRETCH_H

#include "attach.h"
#include "motet/log.h"
#include "run.h"

struct stretch {
    motet_machine *machine;
    motet_network *network; /* of the one node that recorded */
    struct attached *attached;
    size_t part; /* it begins with */
    double seconds;
};

/* From a part of the log on. The options have firmware, board, id and variables. */
bool stretch_load(struct stretch *s, struct run_options *o, const motet_log *l, size_t part, struct motet_error *e);

/* Of a component, from its interface log. */
bool stretch_load_component(struct stretch *s, struct run_options *o, const char *log, struct motet_error *e);

void stretch_free(struct stretch *s);

motet_node *stretch_node(const struct stretch *s);

/* The part that the next stretch can begin with, after this one: SIZE_MAX if there is none. After SIZE_MAX, the first.
 */
size_t stretch_part_after(const motet_log *l, size_t part);

#endif
