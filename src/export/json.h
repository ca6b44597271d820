/* JSON text: strings with what must be escaped in them.
 *
 * Invariant: the output is valid JSON in UTF-8 for any input bytes. A byte that is not part of valid UTF-8 is written
 * as the character of that number (Latin 1).
 */
#ifndef EXPORT_JSON_H
#define EXPORT_JSON_H

#include <stdio.h>

void json_put(FILE *f, const char *text); /* with its quotation marks */

/* The same for a script within a page of HTML, which "</" would end. */
void json_put_in_page(FILE *f, const char *text);

/* How many bytes of valid UTF-8 begin here; 0 if none do. */
size_t json_utf8(const char *text);

#endif
