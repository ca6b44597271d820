/* What `motet report` and `motet view` share: a file executed once with a view on it, and once more as a timeline.
 *
 * The file is a firmware or a scenario with the options of `motet run`, a saved run, or node logs with --elf.
 * Invariant: the timeline is of the same run as the view, from its beginning to its end.
 */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "motet/timeline.h"
#include "replay_network.h"
#include "run.h"
#include "stretch.h"

enum { PAGE_FILES = 256 };

struct page_options {
    struct run_options run; /* first: options of `motet run` are set here */
    const char *elf, *time;
    char *arguments; /* what was typed, each after a space, without what motet run and motet replay do not take */
    const char **variables;
    size_t variable_count;
    const char *output;  /* of report */
    bool json;           /* likewise */
    uint64_t port;       /* of view */
    const char *browser; /* of view, or NULL */
};

/* The options of both verbs, to be put at the beginning of their tables. */
bool page_set_elf(void *into, const char *text, struct motet_error *e);
bool page_set_time(void *into, const char *text, struct motet_error *e);
bool page_set_id(void *into, const char *text, struct motet_error *e);
bool page_set_variable(void *into, const char *text, struct motet_error *e);
#define PAGE_OPTIONS                                                                                              \
    {"variable", "EXPRESSION",                                                                                    \
     "shows the value of a C expression over time, on each node that has it. May be given many times",            \
     page_set_variable},                                                                                          \
        {"elf", "FIRMWARE", "FILE is a node log, or several (ID:LOG): the firmware that wrote it", page_set_elf}, \
        {"time", "EXPRESSION/HZ",                                                                                 \
         "of node logs: the firmware's own clock, as for motet replay. Without it time is the cycles executed",   \
         page_set_time},                                                                                          \
    {                                                                                                             \
        "id", "N", "of one node log: the id that the recording node had in its network", page_set_id              \
    }
extern const char *const page_borrowed[];

/* `argc` and `argv` are what was typed after the verb. */
void page_options_init(struct page_options *o, int argc, char **argv);
void page_options_free(struct page_options *o);

/* Executes the files to their end. `keep`: where to save the run of a firmware or scenario, or NULL. NULL if that
 * failed; a sentence was printed. */
motet_view *page_collect(struct page_options *o, const char *const *files, const char *keep);

/* What is shown, again: a timeline and what it stands on. */
struct page_subject {
    motet_saved_run *saved;
    struct network_replay *logs;
    motet_log *log;
    struct stretch stretch;
    motet_timeline *timeline;
};
bool page_subject_open(struct page_subject *s, struct page_options *o, const char *const *files, const char *kept,
                       struct motet_error *e);
void page_subject_close(struct page_subject *s);

bool page_is_saved_run(const char *file);

#endif
