/* Pools: threads that share out the items of one job at a time.
 *
 * Each thread has a lane of its own, an equal part of the items in a row, and helps in the others' when it is done: so
 * that what is the same item from job to job mostly stays with one thread, whose cache has it. Invariant: pool_run
 * returns when every item has been done exactly once, and everything written for an item is seen by the caller. Which
 * thread does which item is not defined, so an item may touch only what is its own. The caller waits for no thread but
 * those that are at an item. Where threads do not make jobs quicker, the caller does them alone: that is tried from
 * time to time, for small and large jobs apart, but not for jobs of a few microseconds. Threads are started for the
 * first job that is shared.
 */
#ifndef NETWORK_POOL_H
#define NETWORK_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool;

/* Does an item. Those after it, up to `end`, are probably done by the same thread, in their order. */
typedef void pool_work(void *context, size_t item, size_t end);

/* `threads` includes the caller's: a pool of one has no threads of its own. */
struct pool *pool_new(unsigned threads);
void pool_free(struct pool *p);
bool pool_is_alone(const struct pool *p); /* one has no threads of its own */

/* `effort`: about how much there is to do, in any unit that is the same for all jobs. */
void pool_run(struct pool *p, size_t items, size_t effort, pool_work *work, void *context);

#endif
