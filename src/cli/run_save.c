/* motet run --save: the description of the run in its file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "run.h"

enum { TEXT_LIMIT = 1 << 20 };

/* The text of a scenario is saved for the reader; its effects are among the saved inputs. */
static void add_text(motet_save *k, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return;
    char *text = cli_array(TEXT_LIMIT, 1);
    text[fread(text, 1, TEXT_LIMIT - 1, f)] = 0;
    motet_save_about(k, "scenario", text);
    free(text);
    fclose(f);
}

void run_save_begin(motet_save *k, const struct run_options *o)
{
    size_t length = strlen(o->file);
    motet_save_about(k, "motet", MOTET_VERSION);
    motet_save_about(k, "command", o->command);
    if (length > 4 && strcmp(o->file + length - 4, ".lua") == 0)
        add_text(k, o->file);
}

bool run_save_end(motet_save *k, enum run_reason reason, struct motet_error *e)
{
    if (!k)
        return true;
    if (reason == RUN_BROKEN) { /* a run that was broken off is not kept */
        motet_save_abandon(k);
        return true;
    }
    motet_save_about(k, "ended", run_reason_name(reason));
    return motet_save_finish(k, e);
}
