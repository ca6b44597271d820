/* Commands that every debugger face shares, over the public interface of timelines alone: gdb's `monitor`, Motet's own
 * debugger, and adapters to come. What a face has of its own (breakpoints, steps) is not here.
 *
 * One table says how each is called, what it takes and what it does; a face may add a table of its own. Invariant: a
 * command has the same syntax, answer and error sentences in every face. Looking changes nothing: a command that
 * searches ends where it began.
 */
#ifndef DEBUGGER_COMMANDS_H
#define DEBUGGER_COMMANDS_H

#include "debugger/answer.h"
#include "motet/timeline.h"

enum { COMMANDS_CHECKPOINTS = 64, COMMANDS_LINE = 1024 };

struct commands;

struct command {
    const char *name, *alias;     /* alias: a short name, or NULL */
    const char *arguments, *help; /* help: NULL for a second name of the command before it */
    void (*run)(struct commands *c, const char *arguments, struct answer *a); /* NULL: the face obeys it itself */
    bool repeats;                                                             /* an empty line does it again */
};

/* What commands work on. A face fills in all but the checkpoints. */
struct commands {
    motet_timeline *timeline;
    uint64_t until;             /* where the run ends by itself; MOTET_NEVER */
    uint32_t node;              /* the number of the node that the face has selected, */
    size_t level;               /* and of a frame of its call chain; 0 is the innermost */
    const struct command *more; /* the face's own commands, before the shared ones; NULL: it has none */
    size_t more_count;
    struct motet_position checkpoints[COMMANDS_CHECKPOINTS];
    unsigned checkpoint_count;
};

/* The command that a line names, by its name or by as many letters as tell it from the others, and its arguments.
 * NULL, with an answer that says so, if there is none. */
const struct command *commands_parse(const struct commands *c, const char *line, char arguments[COMMANDS_LINE],
                                     struct answer *a);

/* Obeys a line. Breakpoints and watchpoints of the timeline may be gone afterwards: a face sets its own again before
 * it runs. */
void commands_obey(struct commands *c, const char *line, struct answer *a);

/* All of them, by number; NULL past the last. */
const struct command *commands_at(const struct commands *c, size_t number);

#endif
