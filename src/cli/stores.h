/* Stores: files with the contents of memories that keep them without power (--flash, --eeprom, --save-flash,
 * --save-eeprom).
 *
 * Invariant: every option is checked before anything is written. What is given for one node comes before what is given
 * for every node.
 */
#ifndef CLI_STORES_H
#define CLI_STORES_H

#include "run.h"

const char *stores_option_name(const struct store_option *s); /* without dashes */

/* Checks all of them and gives the nodes, which have not run yet, their contents. */
bool stores_load(const struct run_options *o, motet_network *n, struct motet_error *e);
bool stores_save(const struct run_options *o, const motet_network *n, struct motet_error *e);

#endif
