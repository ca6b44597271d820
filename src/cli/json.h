/* JSON: texts as it wants them.
 *
 * Invariant: whatever bytes a text has, what is printed is a string of JSON.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

void json_string(const char *text); /* on standard output, with its quotes */

#endif
