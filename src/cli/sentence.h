/* Sentences: how the command line speaks to a person when something is wrong.
 *
 * Invariant: every error the user sees is one line on standard error, "motet: " and a sentence that says what failed,
 * where, and what to do.
 */
#ifndef CLI_SENTENCE_H
#define CLI_SENTENCE_H

#include "motet/motet.h"

/* Sets the error's sentence and returns false. */
bool sentence(struct motet_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "motet: " and the sentence; returns the exit status for usage and bad input. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

enum { STATUS_FAULT = 1, STATUS_USAGE = 2, STATUS_FIRMWARE = 3 };

#endif
