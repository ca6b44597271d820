/* Parts of a log, listed for people and for programs. */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include "motet/log.h"

void parts_print(const motet_log *l);
void parts_print_json(const motet_log *l);

#endif
