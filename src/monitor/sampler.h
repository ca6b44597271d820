/* Samplers: the values of C expressions over time, one each time they change.
 *
 * A value is taken after the last of the consecutive instructions that write to it, so that a value of several bytes is
 * not seen half written. It is reported only if it differs from the one before.
 */
#ifndef MONITOR_SAMPLER_H
#define MONITOR_SAMPLER_H

#include "monitor/monitor.h"

struct sampler;

/* The value of the expression with that number, in the order of the options, is now `value`. */
typedef void sampler_callback(void *context, size_t number, uint64_t tick, double value);

/* All expressions that the option `name` was given. NULL with a sentence if one cannot be followed. */
struct sampler *sampler_new(const struct monitor_site *site, const char *name, sampler_callback *reported,
                            void *context, struct motet_error *e);

/* The same of a list of expressions, which stays as long as the sampler. */
struct sampler *sampler_of(motet_node *n, const char *const *expressions, size_t count, sampler_callback *reported,
                           void *context, struct motet_error *e);
void sampler_free(struct sampler *s);

size_t sampler_count(const struct sampler *s);
const char *sampler_name(const struct sampler *s, size_t number);
unsigned sampler_bits(const struct sampler *s, size_t number); /* of an integer; 0: a real number */

#endif
