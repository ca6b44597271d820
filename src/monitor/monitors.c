/* All monitors: every `const struct monitor` of this folder, by name (scripts/list-of). */
#include "monitor/monitor.h"

#define LISTED(name) extern const struct monitor name;
#include "monitors.list"
#undef LISTED

#define LISTED(name) &name,
const struct monitor *const monitors[] = {
#include "monitors.list"
    NULL,
};
