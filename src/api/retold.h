/* Retold: a story as a subject of a timeline: what the journal says is done to the nodes as they come to its time.
 *
 * Invariant: the journal is part of what executes the subject again, so a timeline over it goes back and forth without
 * knowing of it; where it stands in it is part of its snapshots.
 */
#ifndef API_RETOLD_H
#define API_RETOLD_H

#include "api/recording.h"
#include "timeline/timeline.h"

struct subject subject_of_story(struct story *s); /* which stays where it is as long as the subject is used */

/* The same of a recording at its beginning; then, with the timeline made of it, the snapshots the recording has. */
struct subject subject_of_recording(motet_recording *r);
void recording_lend(motet_recording *r, struct timeline *t, void *retold); /* retold: the subject's context */

#endif
