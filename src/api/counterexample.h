/* Counterexamples: the choices that a search has found, as inputs of a saved run, and executing them again.
 *
 * Invariant: executing the inputs leads through the states that the search went through.
 */
#ifndef API_COUNTEREXAMPLE_H
#define API_COUNTEREXAMPLE_H

#include "api/judge.h"
#include "api/saved_nodes.h"
#include "api/analog_copies.h"
#include "api/chronicle.h"
#include "check/search.h"
#include "motet/check.h"

/* Puts choices into a run: `j` has its inputs without them. */
void counterexample_inputs(struct saved_inputs *j, const struct trace *t);

/* What became of inputs that were executed. */
struct outcome_of_run {
    struct violation violation;
    struct digest digest;
    struct motet_check_events events;       /* from `departs` on */
    struct motet_check_events since_steady; /* from `begins` on */
    char *words;                            /* what went wrong; NULL: nothing did. For the caller to free */
    struct chronicle *chronicle;            /* of what led there; NULL: nothing went wrong. For the caller to free */
};

/* How inputs are executed. */
struct execution_options {
    uint64_t until;
    uint64_t begins;  /* from when on choices could be made */
    uint64_t departs; /* when the first choice is made */
    struct judge_options judging;
    const motet_network *analog; /* the network whose analog inputs the nodes have, or NULL: those that were saved */
    const struct trace *choices; /* those among the inputs, for a chronicle; NULL: it is not wanted */
    const char *path;            /* where it is saved, or NULL */
    const char *const *about;    /* pairs of names and texts, NULL at the end */
};
bool counterexample_execute(const struct saved_inputs *j, saved_firmware *file, void *context,
                            const struct execution_options *how, struct outcome_of_run *o, struct motet_error *e);

/* Nodes and what must hold of them. */
struct judged_nodes {
    struct saved_nodes nodes;
    struct judge *judge;       /* or NULL */
    struct saved_inputs plain; /* a copy of the nodes' inputs as they are meant, once they were altered */
    bool altered;
    struct lookout *lookout; /* for the sites of a check, or NULL */
    struct analog_copies *analog;
};
void judged_nodes_free(struct judged_nodes *j); /* allocated by the caller; NULL is allowed */

/* Saved nodes as the subject of a search. They must not move. */
struct check_subject subject_of_check(struct judged_nodes *s);

/* How long after an error the run goes on, in nanoseconds: the instruction is done, and the window is over. */
enum { COUNTEREXAMPLE_AFTER = 1000000 };

#endif
