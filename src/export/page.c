#include "export/page.h"

#include <string.h>

#include "page_bytes.h"

static const char page_place[] = "/*DATA*/null"; /* where the data go */

void page_begin(FILE *to)
{
    fwrite(page_bytes, 1, (size_t)(strstr(page_bytes, page_place) - page_bytes), to);
}

void page_end(FILE *to)
{
    fputs(strstr(page_bytes, page_place) + strlen(page_place), to);
}
