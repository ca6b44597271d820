/* All monitors, in the order in which they are listed. */
#include "monitor/monitor.h"

extern const struct monitor monitor_coverage;
extern const struct monitor monitor_energy;
extern const struct monitor monitor_leds;
extern const struct monitor monitor_packets;
extern const struct monitor monitor_pins;
extern const struct monitor monitor_plot;
extern const struct monitor monitor_print;
extern const struct monitor monitor_serial;
extern const struct monitor monitor_sleep;
extern const struct monitor monitor_spi;
extern const struct monitor monitor_trace;

const struct monitor *const monitors[] = {
    &monitor_coverage, &monitor_energy, &monitor_leds,  &monitor_packets, &monitor_pins,  &monitor_plot,
    &monitor_print,    &monitor_serial, &monitor_sleep, &monitor_spi,     &monitor_trace, NULL,
};
