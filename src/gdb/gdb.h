/* A server of gdb's remote protocol over a timeline (motet/timeline.h): of a node or of a whole network, forward and
 * backward. It stands on the public interface alone; this is what its files share.
 *
 * `monitor` commands are those of src/debugger. Each node is a process of the protocol (an inferior of gdb's) with one
 * thread. All nodes share one clock: whichever of them a debugger resumes, time passes for all.
 *
 * Invariant: looking changes nothing. What a debugger changes (registers, memories) is an input of the timeline: undone
 * by going back before it and done again by going forward. For any bytes on the connection, the server stays alive and
 * answers or ignores them.
 */
#ifndef GDB_GDB_H
#define GDB_GDB_H

#include "base/memory.h"
#include "debugger/commands.h"
#include "gdb/packet.h"
#include "motet/condition.h"
#include "motet/log.h"
#include "motet/timeline.h"

enum { GDB_BREAKPOINTS = 1024, GDB_CONDITION = 512 };

/* Signals as gdb numbers them. */
enum { SIGNAL_NONE = 0, SIGNAL_INT = 2, SIGNAL_ILL = 4, SIGNAL_TRAP = 5, SIGNAL_ABRT = 6, SIGNAL_SEGV = 11 };

/* A breakpoint, and the conditions of which one must hold: each two bytes of length and an agent expression. */
struct gdb_breakpoint {
    uint32_t address;
    size_t size; /* of the conditions; 0: it always counts */
    uint8_t *conditions;
};

struct gdb_node {
    const motet_node *node;
    const motet_machine *machine; /* of which it is */
    struct gdb_breakpoint *breakpoint;
    unsigned breakpoints;
    struct {
        struct motet_timeline_watch watch;
        char type; /* of the packet that asked for it: '2' to '4' */
    } watch[MOTET_TIMELINE_WATCHES];
    unsigned watches;
    bool away;  /* the debugger has let go of it, or cannot know it */
    bool moves; /* the debugger has resumed it: what it meets stops the run. Time passes for the others too */
};

/* The condition of `monitor stop-when`. */
struct gdb_condition {
    motet_condition *condition; /* NULL: none */
    bool held;                  /* where a run left off */
    bool rose;                  /* it became true in a step, and the next run is to say so */
};

struct gdb {
    motet_timeline *timeline;
    uint64_t until; /* where a run ends by itself */
    struct gdb_node *nodes;
    uint32_t count;
    uint32_t at;                  /* the node that memory and registers are of (Hg) */
    const motet_node *node;       /* nodes[at].node, */
    const motet_machine *machine; /* and .machine */
    uint32_t resumed;             /* the node that steps; count: any */
    uint32_t chosen;              /* likewise for packets that do not say (Hc) */
    struct packets packets;
    struct commands commands; /* of `monitor` */
    struct gdb_condition condition;
    bool multiprocess;
    bool one_firmware; /* the debugger takes nodes for threads of one process */
    bool extended;
    bool served; /* there is a connection */
    bool ended;
    enum motet_debug_end end;
    char stop[200];       /* the last stop reply */
    uint32_t next_thread; /* to be sent by qsThreadInfo */
    uint8_t *flash;       /* what vFlashWrite wants written, and for which bytes; NULL: nothing */
    uint8_t *flash_written;
    uint32_t flash_of; /* the node it is for */
};

/* gdb.c */
void gdb_look_at(struct gdb *g, uint32_t number);
uint32_t gdb_address_of_data(const struct gdb *g, uint32_t data); /* as gdb counts, of the node that is looked at */

/* A debugger knows one instruction set, and one that takes all nodes for threads of one process knows one firmware:
 * whether one for that machine can be shown the node. */
bool gdb_knows(const struct gdb *g, const motet_machine *m, uint32_t node);

/* Those that the debugger can know, and the first is looked at. */
void gdb_show_nodes(struct gdb *g);

/* An input for the node that is looked at; makes another future. */
bool gdb_give(struct gdb *g, struct motet_input i);

/* Gives the timeline the breakpoints and watches there are, of the nodes that move or of all. */
void gdb_arm(struct gdb *g, bool all);

/* memory.c: registers, memories, breakpoints; false if the packet is none of these. */
bool gdb_memory(struct gdb *g, const char *packet);
bool gdb_flash(struct gdb *g, const char *packet);
bool gdb_breakpoint_at(const struct gdb_node *n, uint32_t address);
void gdb_forget_breakpoints(struct gdb *g, uint32_t node);

/* query.c: packets that begin with q or Q; false if it is none that is known. */
bool gdb_query(struct gdb *g, const char *packet);

/* file.c: vFile, of the firmware files alone. */
bool gdb_file(struct gdb *g, const char *packet);

/* threads.c: which process and thread a packet means ("p2.1", "2", "-1"); false if there is no such one. `count`
 * stands for all or any. Moves past it. */
bool gdb_thread(const struct gdb *g, const char **text, uint32_t *number);
void gdb_say_thread(const struct gdb *g, uint32_t number, char text[24]);
bool gdb_threads(struct gdb *g, const char *packet); /* H, T, qC, qfThreadInfo, vAttach and so on */

/* condition.c: a condition over variables of several nodes. */
enum { GDB_CONDITION_COMMANDS = 1 };
extern const struct command gdb_condition_commands[GDB_CONDITION_COMMANDS];
void gdb_condition_forget(struct gdb *g);

/* Adds the watches of the condition to those of a node; returns how many there are then. */
unsigned gdb_condition_arm(const struct gdb *g, uint32_t node, struct motet_timeline_watch *watches, unsigned count);

/* A write that the timeline has stopped at made the condition true, going forward; it may go on to do the rest of the
 * write. Going backward: the write to be undone next did. */
bool gdb_condition_met(struct gdb *g, struct motet_timeline_event e);
bool gdb_condition_met_back(struct gdb *g, struct motet_timeline_event e);

void gdb_condition_begin(struct gdb *g);   /* before a run */
void gdb_condition_stepped(struct gdb *g); /* after a step */
void gdb_condition_say(struct gdb *g, bool forward);

/* resume.c: c, s, bc, bs, vCont; sends the stop reply. False if it is none of these. */
bool gdb_resume(struct gdb *g, const char *packet);
void gdb_restart(struct gdb *g);
void gdb_say(struct gdb *g, const char *text); /* on the debugger's console, while a packet has no reply yet */
void gdb_describe_stop(struct gdb *g, const char *more, unsigned signal); /* of the node it is looking at */

#endif
