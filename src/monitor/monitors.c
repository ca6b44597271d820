/* All monitors, in the order in which they are listed. */
#include "monitor/monitor.h"

extern const struct monitor monitor_profile, monitor_sampling, monitor_timing, monitor_calltime, monitor_calls;
extern const struct monitor monitor_interrupts, monitor_stack, monitor_coverage, monitor_instructions;
extern const struct monitor monitor_registers, monitor_heat, monitor_sleep, monitor_energy;
extern const struct monitor monitor_leds, monitor_pins, monitor_serial, monitor_print, monitor_spi, monitor_packets;
extern const struct monitor monitor_plot, monitor_trace, monitor_log;

const struct monitor *const monitors[] = {
    &monitor_profile, &monitor_sampling, &monitor_timing,       &monitor_calltime,  &monitor_calls, &monitor_interrupts,
    &monitor_stack,   &monitor_coverage, &monitor_instructions, &monitor_registers, &monitor_heat,  &monitor_sleep,
    &monitor_energy,  &monitor_leds,     &monitor_pins,         &monitor_serial,    &monitor_print, &monitor_spi,
    &monitor_packets, &monitor_plot,     &monitor_trace,        &monitor_log,       NULL,
};
