/* JSON: texts as JSON strings.
 *
 * Invariant: the output is a JSON string for any bytes of a text.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

void json_print(const char *text); /* on standard output, with its quotes */

#endif
