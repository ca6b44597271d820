/* Memory for the command line, which sees the public interface only.
 *
 * Invariant: every function returns memory. When there is none, or a size does not fit into size_t, the program ends.
 */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stddef.h>

void *cli_array(size_t count, size_t size);                 /* zeroed; may be freed and resized even if empty */
void *cli_resized(void *array, size_t count, size_t size);  /* to exactly so many elements */
void *cli_one_more(void *array, size_t count, size_t size); /* to one more than `count` */
char *cli_text(const char *text, size_t length);            /* a copy of so many characters, and an end */

#endif
