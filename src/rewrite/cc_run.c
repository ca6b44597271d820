#include "rewrite/cc_run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

/* ---- lists of arguments ---- */

void cc_word(struct words *w, const char *format, ...)
{
    w->list = memory_resize(w->list, w->count + 2, sizeof *w->list);
    va_list args;
    va_start(args, format);
    w->list[w->count] = memory_format_list(format, args);
    va_end(args);
    w->list[++w->count] = NULL;
}

void cc_words_free(struct words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->list[i]);
    free(w->list);
    *w = (struct words){0};
}

/* ---- programs and files ---- */

static int cc_execute_so(struct words *w, bool quietly)
{
    pid_t child = fork();
    if (child == 0) {
        if (quietly && !freopen("/dev/null", "w", stderr))
            _exit(127);
        execvp(w->list[0], w->list);
        fprintf(stderr, "motet cc: cannot run %s: %s\n", w->list[0], strerror(errno));
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int cc_execute(struct words *w)
{
    return cc_execute_so(w, false);
}

int cc_execute_quietly(struct words *w)
{
    return cc_execute_so(w, true);
}

bool cc_is_avr(const struct run *r)
{
    return strcmp(r->c.target, "avr") == 0;
}

bool cc_make_folder(struct run *r)
{
    const char *told = getenv("TMPDIR"), *parent = told && *told ? told : "/tmp";
    int length = snprintf(r->folder, sizeof r->folder, "%s/motet-cc-XXXXXX", parent);
    if ((size_t)length < sizeof r->folder && mkdtemp(r->folder))
        return true;
    return error_set(&r->e, "cannot make a folder in %s: %s", parent,
                     strerror((size_t)length < sizeof r->folder ? errno : ENAMETOOLONG));
}

const char *cc_temporary(struct run *r, const char *format, ...)
{
    char name[256];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    cc_word(&r->made, "%s/%s", r->folder, name);
    return r->made.list[r->made.count - 1];
}

void cc_clean(struct run *r)
{
    for (size_t i = 0; i < r->made.count; i++)
        unlink(r->made.list[i]);
    rmdir(r->folder);
    cc_words_free(&r->made);
}

void cc_hash(struct run *r, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; i++)
        r->identity = (r->identity ^ b[i]) * UINT64_C(0x100000001b3);
}

bool cc_hash_file(struct run *r, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        cc_hash(r, block, n);
    fclose(f);
    return true;
}

int cc_say_error(struct run *r)
{
    fprintf(stderr, "motet cc: %s\n", r->e.text);
    return 2;
}

/* ---- arguments by what they are for ---- */

bool cc_starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

bool cc_is_dependency_option(const char *a, bool *next)
{
    *next = strcmp(a, "-MF") == 0 || strcmp(a, "-MT") == 0 || strcmp(a, "-MQ") == 0;
    return cc_starts(a, "-M");
}

static bool cc_run_is_preprocessor_option(const char *a, bool *next)
{
    static const char *const apart[] = {"-I", "-D", "-U", "-isystem", "-iquote", "-idirafter", NULL};
    *next = false;
    for (size_t i = 0; apart[i]; i++)
        if (strcmp(a, apart[i]) == 0)
            return *next = true;
    return cc_starts(a, "-I") || cc_starts(a, "-D") || cc_starts(a, "-U") || strcmp(a, "-nostdinc") == 0;
}

bool cc_is_linker_argument(const struct command *c, size_t i)
{
    static const char *const options[] = {"-u", "-z", "-e", "-Xlinker", NULL};
    const char *a = c->arguments[i];
    for (size_t n = 0; options[n]; n++)
        if (strcmp(a, options[n]) == 0)
            return true;
    return c->is_library[i] || c->is_object[i] || cc_starts(a, "-Wl,") || cc_starts(a, "-L") || cc_starts(a, "-T");
}

void cc_step_options(const struct command *c, unsigned keep, struct words *w)
{
    cc_word(w, "%s", c->arguments[0]);
    for (size_t i = 1; i < c->count; i++) {
        const char *a = c->arguments[i];
        bool next = false;
        if (cc_is_linker_argument(c, i) || cc_starts(a, "-o") || cc_starts(a, "-x")) {
            i += command_takes_next(a);
            continue;
        }
        if (strcmp(a, "-c") == 0 || strcmp(a, "-S") == 0 || c->is_source[i] || strstr(a, "-lto") ||
            cc_starts(a, "-flto") || /* sites are found by their section */
            strcmp(a, "-mrelax") == 0 || strcmp(a, "-fwhole-program") == 0)
            continue;
        if (cc_is_dependency_option(a, &next)) {
            if (keep & KEEP_DEPENDENCIES) {
                cc_word(w, "%s", a);
                if (next && i + 1 < c->count)
                    cc_word(w, "%s", c->arguments[i + 1]);
            }
            i += next;
            continue;
        }
        bool included = strcmp(a, "-include") == 0 || strcmp(a, "-imacros") == 0;
        if (included ? !(keep & KEEP_INCLUDED)
                     : cc_run_is_preprocessor_option(a, &next) && !(keep & KEEP_PREPROCESSOR)) {
            i += included || next;
            continue;
        }
        cc_word(w, "%s", a);
    }
}

/* ---- steps ---- */

/* Without -g: the lines of the source are in the assembly already. */
int cc_assemble(struct run *r, const char *from, const char *to)
{
    struct words all = {0}, w = {0};
    cc_step_options(&r->c, 0, &all);
    for (size_t i = 0; i < all.count; i++)
        if (i == 0 || !cc_starts(all.list[i], "-g"))
            cc_word(&w, "%s", all.list[i]);
    cc_words_free(&all);
    if (!cc_is_avr(r))
        cc_word(&w, "-Wno-unused-command-line-argument");
    cc_word(&w, "-c");
    cc_word(&w, "-o");
    cc_word(&w, "%s", to);
    cc_word(&w, "%s", from);
    int status = cc_execute(&w);
    cc_words_free(&w);
    return status;
}
