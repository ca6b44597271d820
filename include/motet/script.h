/* Scripts: Lua files that observe a node. */
#ifndef MOTET_SCRIPT_H
#define MOTET_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/types.h"
#include "motet/error.h"
#include "motet/node.h"

#include "motet/base/begin.h"

/* A Lua file that puts taps on a node and prints what it finds (docs/instrumentation.md). It can reach nothing but the
 * node, which it cannot change. */
typedef struct motet_script motet_script;
typedef void motet_said(void *context, const motet_node *n, uint64_t tick, const char *line);
motet_script *motet_script_load(motet_node *n, const char *path, motet_said *said, void *context,
                                struct motet_error *e);
void motet_script_free(motet_script *s); /* before its node */

/* Lets a user end a script: when the function becomes true while the script runs, the script goes wrong; between two
 * callbacks it asks the run to end. */
void motet_script_interruptible(motet_script *s, bool (*interrupted)(void));

/* Between two runs of the network: calls the functions of conditions (`when`) that have become true. False as below. */
bool motet_script_heed(motet_script *s, struct motet_error *e);

/* False, with file and line, if the script has gone wrong: it has then asked the run to end. */
bool motet_script_good(const motet_script *s, struct motet_error *e);
bool motet_script_over(const motet_script *s);                 /* it has called stop() */
size_t motet_script_failed(const motet_script *s);             /* how many of its assertions did not hold */
bool motet_script_end(motet_script *s, struct motet_error *e); /* lets it say its last words; false as above */

#include "motet/base/end.h"

#endif
