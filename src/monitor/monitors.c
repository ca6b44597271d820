/* All monitors, in the order in which they are listed. */
#include "monitor/monitor.h"

extern const struct monitor monitor_profile, monitor_sampling, monitor_timing, monitor_calltime, monitor_coverage;

const struct monitor *const monitors[] = {
    &monitor_profile, &monitor_sampling, &monitor_timing, &monitor_calltime, &monitor_coverage, NULL,
};
