/* A run of `motet cc`: the compiler's command, files for what is in between, and other programs that it calls.
 *
 * Invariant: everything that a run has written to its folder is gone when it ends.
 */
#ifndef REWRITE_CC_RUN_H
#define REWRITE_CC_RUN_H

#include <limits.h>

#include "rewrite/cc.h"
#include "rewrite/checks.h"
#include "rewrite/command.h"
#include "rewrite/component.h"
#include "rewrite/cortex_chip.h"
#include "rewrite/registers.h"
#include "rewrite/report.h"
#include "rewrite/sizes.h"
#include "rewrite/trace.h"

/* A list of arguments, up to NULL. */
struct words {
    char **list;
    size_t count;
};

struct run {
    const struct cc_options *o;
    struct command c;
    struct registers registers;
    struct cortex_chip cortex; /* instead of them, for a Cortex-M (cortex.h) */
    struct checks checks;
    struct trace trace;
    struct component components[COMPONENTS_MOST]; /* whose interfaces are logged, one at a time */
    size_t component_count;
    char *logged;                   /* their pieces, with colons between them */
    const struct fact_timer *stamp; /* NULL: steps are counted */
    char folder[PATH_MAX];          /* for what is in between */
    struct words made;
    struct report report;
    struct sizes added; /* by recording, to sources and objects of a link */
    unsigned unknown;   /* objects that do not say what was added to them */
    uint64_t identity;  /* hash of everything that goes into the link */
    unsigned needed;    /* entries of the recorder, a bit for each (needed.h) */
    struct motet_error e;
};

void cc_word(struct words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cc_words_free(struct words *w);

/* Executes a command; its exit status. */
int cc_execute(struct words *w);
int cc_execute_quietly(struct words *w); /* without what it complains of */

/* The run's folder, for what is in between; and its end, with all files of cc_temporary(). */
bool cc_make_folder(struct run *r);
void cc_clean(struct run *r);

/* A path in the run's folder, where a file will be. */
const char *cc_temporary(struct run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The options for one step on one file: without sources, output, stage and the linker's. */
enum keep { KEEP_DEPENDENCIES = 1, KEEP_PREPROCESSOR = 2, KEEP_INCLUDED = 4 };
void cc_step_options(const struct command *c, unsigned keep, struct words *w);

bool cc_starts(const char *text, const char *with);
/* Options about dependency files; *next says that the next word belongs to it. */
bool cc_is_dependency_option(const char *a, bool *next);
bool cc_is_linker_argument(const struct command *c, size_t i);

/* Assembly into an object, as the command would have it. */
int cc_assemble(struct run *r, const char *from, const char *to);

/* Adds to the run's identity, of which the build id is made. */
void cc_hash(struct run *r, const void *bytes, size_t size);
bool cc_hash_file(struct run *r, const char *path);

bool cc_is_avr(const struct run *r);

/* Says the run's error; the exit status for it. */
int cc_say_error(struct run *r);

#endif
