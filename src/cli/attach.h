/* Scripts and plugins on the nodes of a run.
 *
 * Invariant: each node has its own instance of each script, so nothing a script does depends on threads.
 */
#ifndef CLI_ATTACH_H
#define CLI_ATTACH_H

#include "motet/motet.h"
#include "which.h"

/* As given on the command line. */
struct attachments {
    struct attachment {
        struct which which;
        const char *text; /* a path; of a plugin with options after a colon */
    } * scripts, *plugins;
    size_t script_count, plugin_count;
};

struct attached;

void attachments_script(struct attachments *a, struct which which, const char *path);
void attachments_plugin(struct attachments *a, struct which which, const char *text);
void attachments_free(struct attachments *a);

/* Loads plugins, then starts them and the scripts on nodes; NULL where one cannot be. */
struct attached *attached_new(const struct attachments *a, struct motet_error *e);
bool attached_add(struct attached *a, motet_node *n, motet_said *said, void *context, struct motet_error *e);

/* After a run of the network: calls for conditions that became true. False if a script has gone wrong. */
bool attached_heed(struct attached *a, struct motet_error *e);

bool attached_over(const struct attached *a);                 /* a script has asked for the end */
bool attached_end(struct attached *a, struct motet_error *e); /* last words */
size_t attached_failed(const struct attached *a);             /* assertions that did not hold */
void attached_free_scripts(struct attached *a);               /* before the nodes */
void attached_free(struct attached *a);                       /* after them */

#endif
