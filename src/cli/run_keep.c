/* motet run --keep: what a recording says of its run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { TEXT_LIMIT = 1 << 20 };

/* A scenario's text is for who opens the recording to read; what it did is in the recording by itself. */
static void add_text(motet_keep *k, const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = f ? malloc(TEXT_LIMIT) : NULL;
    if (text) {
        text[fread(text, 1, TEXT_LIMIT - 1, f)] = 0;
        motet_keep_about(k, "scenario", text);
    }
    free(text);
    if (f)
        fclose(f);
}

void run_keep_begin(motet_keep *k, const struct run_options *o)
{
    size_t length = strlen(o->file);
    motet_keep_about(k, "motet", MOTET_VERSION);
    motet_keep_about(k, "command", o->command);
    if (length > 4 && strcmp(o->file + length - 4, ".lua") == 0)
        add_text(k, o->file);
}

bool run_keep_end(motet_keep *k, const char *reason, struct motet_error *e)
{
    if (!k)
        return true;
    if (strcmp(reason, "error") == 0) { /* a run that was broken off is not kept */
        motet_keep_abandon(k);
        return true;
    }
    motet_keep_about(k, "ended", reason);
    return motet_keep_finish(k, e);
}
