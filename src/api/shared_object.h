/* Shared objects of users: plugins and parts.
 *
 * Invariant: while one is loaded, motet_plugins_explain_crashes (motet/plugin.h) knows its functions by name.
 */
#ifndef API_SHARED_OBJECT_H
#define API_SHARED_OBJECT_H

#include <stdbool.h>

#include "motet/error.h"

struct shared_object;

/* Whether the file is what it should be. Called once it is loaded; it may call functions of the file. */
typedef bool shared_object_check(struct shared_object *o, void *context, struct motet_error *e);

/* `kind` is the word for sentences: "plugin". A path without a folder is in this one. */
struct shared_object *shared_object_open(const char *kind, const char *path, shared_object_check *check, void *context,
                                         struct motet_error *e);
void shared_object_close(struct shared_object *o); /* NULL is allowed */

const char *shared_object_path(const struct shared_object *o);
void *shared_object_symbol(const struct shared_object *o, const char *name); /* NULL: it has none */

/* Sets the sentence "the plugin PATH WHAT"; returns false. */
bool shared_object_say(const struct shared_object *o, struct motet_error *e, const char *what);

#endif
