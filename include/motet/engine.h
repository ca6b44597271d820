/* Engines: how this process executes firmware. Results, times and counts are the same with each. */
#ifndef MOTET_ENGINE_H
#define MOTET_ENGINE_H

#include <stdbool.h>

#include "motet/error.h"

#include "motet/base/begin.h"

/* "loop": instruction by instruction, from decoded code. "translate": code that is executed often becomes code of the
 * host; "translate:N" after about N instructions. For machines that are loaded afterwards, here and in child processes:
 * it is MOTET_ENGINE in the environment. Otherwise Motet translates where its module for that is installed. */
bool motet_engine(const char *name, struct motet_error *e);

#include "motet/base/end.h"

#endif
