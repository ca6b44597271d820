/* What a check must hold beside faults: properties from a Lua file or a plugin, and how a counterexample keeps them. A
 * Lua file is kept as text, a plugin by its path. */
#ifndef CLI_CHECK_RULES_H
#define CLI_CHECK_RULES_H

#include "motet/check.h"

struct check_rules {
    char *text, *path; /* of the file; NULL: there are none; a plugin has no text */
    struct motet_property_maker *maker;
    char numbers[80]; /* from, patience and seed, as the counterexample keeps them */
};

/* Reads the file of properties, or a scenario's; a firmware has none. */
bool check_rules_load(struct check_rules *r, const char *path, const struct motet_check_options *how,
                      struct motet_error *e);
void check_rules_free(struct check_rules *r);

/* From a counterexample; `o` gets what a replay needs. `plugin` is where its plugin is now; NULL: where it was. */
bool check_rules_open(struct check_rules *r, const char *path, const char *plugin, struct motet_check_replay_options *o,
                      struct motet_error *e);

/* Adds what a counterexample keeps to pairs of names and texts; returns how many were added. */
size_t check_rules_about(const struct check_rules *r, const char **about);

#endif
