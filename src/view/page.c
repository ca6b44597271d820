/* The page of a view as one file. */
#include "export/page.h"

#include "view/model.h"

enum {
    PAGE_BARS = 90000,
    PAGE_PINS = 30000,
    PAGE_ARROWS = 120000
}; /* in a file, so that it stays small enough to be sent */

bool motet_view_write(const motet_view *v, FILE *to)
{
    page_begin(to);
    fputs("{\"run\":", to);
    view_write_head(v, false, to);
    fputs(",\"window\":", to);
    view_write_window(v, (struct view_window){0, v->end, PAGE_BARS, PAGE_PINS, VIEW_EVERY, PAGE_ARROWS}, to);
    fprintf(to, ",\"story\":%s}", v->story ? v->story : "null");
    page_end(to);
    return !ferror(to);
}
