/* Plugins: shared objects that put taps on nodes. */
#ifndef MOTET_PLUGIN_H
#define MOTET_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/types.h"
#include "motet/error.h"
#include "motet/node.h"

#include "motet/base/begin.h"

/* A shared object with two functions:
 *     unsigned motet_plugin_version(void);   returns MOTET_PLUGIN_VERSION
 *     bool motet_plugin_start(motet_node *n, const char *options, struct motet_error *e);
 * The second is called for each node before it runs and puts its taps on it; false, with a sentence, ends the run. What
 * is left to do at the end goes into motet_at_end. A plugin may use all of this interface that does not run nodes; what
 * it keeps for a node it keeps apart from that of others, since nodes run in threads. */
#define MOTET_PLUGIN_VERSION 1
typedef struct motet_plugin motet_plugin;
motet_plugin *motet_plugin_load(const char *path, const char *options, struct motet_error *e);
bool motet_plugin_start_on(const motet_plugin *p, motet_node *n, struct motet_error *e);
void motet_plugin_free(motet_plugin *p); /* after all nodes it was started on */

/* Ends the process with a sentence that names the plugin and the callback when one crashes: installs handlers of
 * SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT for the whole process. The only function of the library that touches
 * anything of the process as a whole, so it is for programs that are nothing but Motet, as the command line is; call it
 * before loading. */
void motet_plugins_explain_crashes(void);

#include "motet/base/end.h"

#endif
