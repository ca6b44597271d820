/* What an opened recording is made of. */
#ifndef API_RECORDING_H
#define API_RECORDING_H

#include "api/story.h"
#include "motet/recording.h"
#include "timeline/recording.h"

struct motet_recording {
    struct recording *file;
    struct story story;
    struct {
        char *name, *text;
    } * about;
    size_t about_count;
    struct digest layout;
    struct mark *marks;
    size_t mark_count;
    const char *reason; /* why the snapshots cannot be used, or NULL */
    void *first;        /* the state at the beginning */
    size_t first_entries;
    uint8_t *states; /* the chunk of snapshots used last */
    size_t states_size, chunk;
    struct lender *lender; /* of snapshots to a timeline */
    uint8_t *firmware;     /* the last file handed out */
    char *firmware_name;
};

uint64_t recording_until(const motet_recording *r); /* the end of the run, in ticks of its subject */

/* Keeps what a journal says, up to a time, in another recording, by executing it again. */
bool recording_retell(const struct journal *j, story_file *file, void *context, uint64_t until, const char *path,
                      struct error *e);
const uint8_t *recording_firmware(void *recording, size_t number, const char **name, size_t *size); /* a story_file */

void recording_rewind(motet_recording *r); /* to the beginning */

/* The state of a mark, NULL if it cannot be had; restored by recording_put_back. */
void *recording_state(motet_recording *r, size_t mark);
void recording_put_back(struct story *s, const void *state);
void recording_free_state(const struct story *s, void *state);

#endif
