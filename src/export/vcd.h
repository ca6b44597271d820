/* Value change dumps (IEEE 1364-2005, clause 18) for GTKWave and other viewers of waveforms.
 *
 * Variables are declared first, then given their changes; the file is written at the end. A variable belongs to the
 * thread that runs its node: changes of different variables may come from different threads. Invariant: the file
 * depends on the variables and on each one's own changes alone, not on how those of different variables follow each
 * other. Changes of one variable come in the order of time; of several at the same time the last one stands, and what
 * does not change the value is left out. Until its first change a variable is unknown (x).
 */
#ifndef EXPORT_VCD_H
#define EXPORT_VCD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/spool.h"

struct vcd;

enum { VCD_REAL = 0 }; /* as a width */

struct vcd *vcd_new(struct spool_file *f); /* the changes are kept there */
void vcd_free(struct vcd *v);

/* A variable of 1 to 64 bits or a real, in a scope such as "node0"; variables of one scope are declared one after the
 * other. Characters that names cannot have are written as underscores. Returns its number. */
size_t vcd_variable(struct vcd *v, const char *scope, const char *name, unsigned width);

void vcd_change(struct vcd *v, size_t variable, uint64_t nanosecond, uint64_t value);
void vcd_change_real(struct vcd *v, size_t variable, uint64_t nanosecond, double value);

/* `end` is when looking ended. False if it could not all be written. */
bool vcd_write(const struct vcd *v, FILE *f, uint64_t end);

#endif
