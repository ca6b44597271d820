/* JUnit: the outcome of checks as a file of test cases, which CI servers read (docs/exit-status.md).
 *
 * Invariants: the file is XML for any bytes of a text; it appears whole, when it is finished, or not at all. Whether it
 * can be written is known before anything runs.
 */
#ifndef CLI_JUNIT_H
#define CLI_JUNIT_H

#include "motet/error.h"

#include <stdbool.h>

struct junit;

struct junit *junit_begin(const char *path, struct motet_error *e); /* NULL with a sentence if it cannot be written */
void junit_abandon(struct junit *j);                                /* leaves no file; NULL is allowed */

/* One more case: the file that is checked, what is checked, and the seconds it took. */
void junit_case(struct junit *j, const char *file, const char *name, double seconds);

/* The last case failed: a word for the kind, and an explanation whose first line is the message. At most once a case.
 */
void junit_failure(struct junit *j, const char *type, const char *text);

/* A file that goes with the last case, which servers offer for download. After its failure, at most once a case. */
void junit_attach(struct junit *j, const char *path);

/* Completes the file with the name of its suite. True where *j is NULL, which it is afterwards. */
bool junit_end(struct junit **j, const char *suite, struct motet_error *e);

#endif
