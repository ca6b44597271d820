/* All monitors, in the order in which they are listed. */
#include "monitor/monitor.h"

extern const struct monitor monitor_coverage;

const struct monitor *const monitors[] = {
    &monitor_coverage,
    NULL,
};
