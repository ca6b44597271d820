/* docs/interface-figures.md: what logging the interface of a component costs on the node, beside printf() of the same
 * calls, a compact event logger, and full recording: LibReplay's Figures 8 to 12 (KARYON, D4.6).
 *
 * All figures are of simulated nodes and exact: they need no quiet machine.
 */
#ifndef BENCH_INTERFACE_FIGURES_H
#define BENCH_INTERFACE_FIGURES_H

#include <stdbool.h>

/* Measures and writes the page. False: the reason is printed. */
bool interface_figures(void);

#endif
