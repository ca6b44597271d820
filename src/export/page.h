/* The page (src/export/page): one file for a browser that draws what happened on nodes. It holds the data and all that
 * draws them, and loads nothing else.
 *
 * Its data are one JSON object: `run` and `window` are what a view has collected (src/view/data.c), `story` is merged
 * logs (src/merge/story_html.c); each may be null, but not both.
 */
#ifndef EXPORT_PAGE_H
#define EXPORT_PAGE_H

#include <stdio.h>

void page_begin(FILE *to); /* then the data; strings in them by json_put_in_page */
void page_end(FILE *to);

#endif
