/* All monitors, in the order in which they are listed. */
#include "monitor/monitor.h"

extern const struct monitor monitor_profile, monitor_sampling, monitor_timing, monitor_calltime, monitor_calls;
extern const struct monitor monitor_interrupts, monitor_stack, monitor_coverage, monitor_instructions;
extern const struct monitor monitor_registers, monitor_heat;

const struct monitor *const monitors[] = {
    &monitor_profile, &monitor_sampling, &monitor_timing,       &monitor_calltime,  &monitor_calls, &monitor_interrupts,
    &monitor_stack,   &monitor_coverage, &monitor_instructions, &monitor_registers, &monitor_heat,  NULL,
};
