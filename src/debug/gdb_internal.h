/* What the files of the gdb server share. */
#ifndef DEBUG_GDB_INTERNAL_H
#define DEBUG_GDB_INTERNAL_H

#include "debug/gdb.h"
#include "debug/packet.h"
#include "timeline/timeline.h"

enum { GDB_BREAKPOINTS = 1024, GDB_CHECKPOINTS = 32 };

struct gdb {
    struct node *node;
    struct timeline *timeline;
    gdb_explain *explain;
    void *context;
    struct packets packets;
    uint32_t breakpoint[GDB_BREAKPOINTS];
    unsigned breakpoints;
    struct {
        struct watch watch;
        char type; /* of the packet that asked for it: '2' to '4' */
    } watch[STOPS_WATCHES];
    unsigned watches;
    struct position checkpoint[GDB_CHECKPOINTS];
    unsigned checkpoints; /* given out so far */
    bool extended;
    bool ended;
    enum gdb_end end;
    char stop[160]; /* the last stop reply */
};

/* Gives the timeline the breakpoints and watches there are. */
void gdb_arm(struct gdb *g);

/* gdb_query.c: packets that begin with q or Q; false if it is none that is known. */
bool gdb_query(struct gdb *g, const char *packet);

/* gdb_monitor.c: a command given to `monitor`; what it says goes into `text`. */
void gdb_monitor(struct gdb *g, const char *command, char *text, size_t size);

/* gdb_resume.c: c, s, bc, bs, vCont; sends the stop reply. False if it is none of these. */
bool gdb_resume(struct gdb *g, const char *packet);
void gdb_restart(struct gdb *g);
void gdb_describe_stop(struct gdb *g, const char *more, unsigned signal); /* into g->stop */

#endif
