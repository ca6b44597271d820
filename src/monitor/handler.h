/* Where an interrupt's handler is: on some chips the CPU enters a table of jumps that lead there. */
#ifndef MONITOR_HANDLER_H
#define MONITOR_HANDLER_H

#include "motet/motet.h"

/* The address a jump at `entry` leads to; `entry` itself if there is none, or one that says it in another way. */
uint32_t handler_behind(const motet_machine *m, uint32_t entry);

#endif
