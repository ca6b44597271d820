/* Native replay of a component (docs/native-replay.md), and what it shares with that of a whole firmware. */
#ifndef API_NATIVE_COMPONENT_H
#define API_NATIVE_COMPONENT_H

#include <stdio.h>

#include "image/image.h"
#include "motet/native.h"
#include "native/native.h"

/* The network's one node replays an interface log, and has not begun. */
bool native_component_replay(motet_network *network, const struct motet_native *o, struct motet_error *e);

/* A text as C has it, in quotes. */
void native_write_text(FILE *f, const char *text);

/* Makes the program of the sources that the firmware's file has. */
bool native_compile(const struct motet_native *m, const struct image *i, struct native_recorded *recorded,
                    struct motet_error *e);

#endif
