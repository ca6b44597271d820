/* A saved run as the subject of a timeline: the inputs are applied as the nodes come to their times.
 *
 * Invariant: the inputs are part of executing the subject again, so a timeline moves over it like over any other. The
 * place in the inputs is part of its snapshots.
 */
#ifndef API_SAVED_SUBJECT_H
#define API_SAVED_SUBJECT_H

#include "api/saved_run.h"
#include "timeline/timeline.h"

struct subject
subject_of_saved_nodes(struct saved_nodes *s); /* whose address must not change while the subject is used */

/* The subject of a saved run at its beginning. saved_run_lend then adds the snapshots of the file to its timeline. */
struct subject subject_of_saved_run(motet_saved_run *r);
void saved_run_lend(motet_saved_run *r, struct timeline *t, void *subject); /* the subject's context */

#endif
