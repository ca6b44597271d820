/* Completion: files that let shells complete verbs, options and what follows them.
 *
 * Invariant: everything comes from the tables of verbs and options, as --help and the man pages do.
 */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stdbool.h>

bool completion_is_shell(const char *name); /* "bash", "zsh" or "fish" */

/* Prints the file for a shell on standard output. */
void completion_print(const char *shell);

#endif
