/* Checkpoints: memory and registers of a node as they were when it entered motet_idle, taken out of a log.
 *
 * A checkpoint is a list of what was written where (target/recorder/page.h); later entries hold. Invariant:
 * checkpoint_put() changes a node only if the list is whole and lies within its memory, and says whether memory then is
 * what the recorder's digest was made of.
 */
#ifndef RECORD_CHECKPOINT_H
#define RECORD_CHECKPOINT_H

#include "record/log.h"

struct node;

/* Whether all of it is there; then also the build id of the firmware that wrote it. */
bool checkpoint_is_whole(const struct log_stream *s, uint64_t *build);

/* Makes the node's memory and registers those of the checkpoint; not the program counter. False if it is not whole or
 * of another machine, or if its digest does not fit. */
bool checkpoint_put(const struct log_stream *s, struct node *n);

/* Whether the node's memory from `first` up to `last` is as the checkpoint says, but for bytes whose bits are set in
 * `left_out`. If not, `place` is a data address where it differs. */
bool checkpoint_fits(const struct log_stream *s, const struct node *n, uint32_t first, uint32_t last,
                     const uint8_t *left_out, uint32_t *place);

#endif
