/* Faces: what a session of our own debugger looks like: lines, or panes on a whole terminal.
 *
 * Invariant: both give the session the same commands and show what it answers; neither knows what a command means.
 */
#ifndef CLI_FACE_H
#define CLI_FACE_H

#include "motet/debug.h"

/* What both say and ask for. A face is made before its session, which talks to it. */
struct face {
    void (*flush)(void *context); /* what the firmware has printed is to be shown now */
    void *context;
    bool panes;
    char *output; /* output not shown yet, for panes */
    size_t output_count, output_room;
};

/* For motet_session_network and the like. */
struct motet_session_face face_of(struct face *f);

/* Until the user has had enough. Lines come from standard input, with editing and history where that is a terminal. */
int face_lines(struct face *f, motet_session *s);
int face_panes(struct face *f, motet_session *s);

/* Ctrl-C was typed since this was last asked. */
bool face_interrupted(void *context);
void face_catch_interrupts(void);

#endif
