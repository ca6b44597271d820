#include "rewrite/logger.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "rewrite/elements.h"
#include "rewrite/recorder.h"

enum { LOGGER_FUNCTIONS = 0x6f }; /* as target/interface/logger.h has it */

static int logger_cannot_write(struct run *r, const char *path)
{
    error_set(&r->e, "cannot write %s: %s", path, strerror(errno));
    return cc_say_error(r);
}

/* ---- what the sources include ---- */

/* Functions that the clock's expression calls are declared: the firmware has them. */
static void logger_declare(FILE *f, const char *expression, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t n = 0;
        while (i + n < length && (isalnum((unsigned char)expression[i + n]) || expression[i + n] == '_'))
            n++;
        if (n && i + n < length && expression[i + n] == '(' && !isdigit((unsigned char)expression[i]))
            fprintf(f, "unsigned long %.*s(void);\n", (int)n, expression + i);
        i += n ? n : 1;
    }
}

static const char *logger_slash(const struct run *r)
{
    return r->o->clock ? strrchr(r->o->clock, '/') : NULL;
}

/* Those that elements of an AVR use, each once. */
static char *logger_routines(const char *program)
{
    char *text = NULL, *names = sizes_bytes(program, ELEMENT_ROUTINES, &(size_t){0});
    size_t size, all = sizes_section(program, ELEMENT_ROUTINES);
    FILE *f = memory_must(open_memstream(&text, &size));
    fprintf(f, "#define ELEMENTS_ROUTINES \"");
    for (const char *at = names; at && at < names + all; at += strlen(at) + 1) {
        const char *before = names;
        while (strcmp(before, at) != 0)
            before += strlen(before) + 1;
        if (before == at)
            element_write_routine(at, f);
    }
    if (names)
        element_write_tails(f);
    fprintf(f, "\\t.text\"\n");
    memory_written(f);
    free(names);
    return text;
}

static bool logger_write_header(struct run *r, const char *path, const char *about)
{
    FILE *f = fopen(path, "w");
    const char *slash = logger_slash(r);
    if (!f)
        return false;
    fprintf(f, "#define LOG_BUFFER %u\n%s\n", r->o->log_buffer, about);
    if (slash) {
        logger_declare(f, r->o->clock, (size_t)(slash - r->o->clock));
        fprintf(f, "#define LOG_TIME (%.*s)\n", (int)(slash - r->o->clock), r->o->clock);
    }
    if (r->o->log_to && strcmp(r->o->log_to, "flash") == 0)
        fprintf(f, "#define LOG_FLASH\n");
    if (r->o->log_switch || r->component_count > 1)
        fprintf(f, "#define LOG_SWITCH %d\n", r->o->log_switch >= 0);
    fprintf(f, "#define LOG_TARGETS %zu\n", r->component_count);
    return fclose(f) == 0;
}

/* For the host: the component, the clock's rate, of how many bytes fields of events are multiples. */
static bool logger_add_about(struct run *r, const char *assembly)
{
    FILE *f = fopen(assembly, "ab");
    const char *slash = logger_slash(r);
    if (f)
        fprintf(f, "\t.section .motet.component,\"\",@progbits\n\t.asciz \"%s\"\n\t.asciz \"%s\"\n\t.asciz \"%d\"\n",
                r->logged, slash ? slash + 1 : "0", cc_is_avr(r) ? 1 : 2);
    return f && fclose(f) == 0;
}

/* ---- the object ---- */

/* What "\tcall NAME" or "\tjmp NAME" leads to, if that is in the same text; NULL: it is not, or the line is another. */
static const char *logger_near(const char *line, const char *text, char *label, size_t size)
{
    const char *name = strncmp(line, "\tcall ", 6) == 0 || strncmp(line, "\tcall\t", 6) == 0 ? line + 6
                       : strncmp(line, "\tjmp ", 5) == 0 || strncmp(line, "\tjmp\t", 5) == 0 ? line + 5
                                                                                             : NULL;
    if (!name)
        return NULL;
    snprintf(label, size, "\n%.*s:", (int)strcspn(name, " \t\n"), name);
    return strstr(text, label) ? name : NULL;
}

/* AVR: the logger's functions lie together, so short calls reach from one to the other. */
static bool logger_shorten(const char *assembly)
{
    char *text = NULL, *to = NULL, label[300];
    size_t size = 0, length;
    FILE *in = fopen(assembly, "r"), *f = memory_must(open_memstream(&to, &length));
    bool good = in && getdelim(&text, &size, 0, in) > 0;
    for (const char *line = good ? text : ""; *line;) {
        const char *end = strchr(line, '\n'), *name = logger_near(line, text, label, sizeof label);
        end = end ? end + 1 : line + strlen(line);
        if (name)
            fprintf(f, "\tr%.*s", (int)(end - line - 1), line + 1);
        else
            fwrite(line, 1, (size_t)(end - line), f);
        line = end;
    }
    memory_written(f);
    if (in)
        fclose(in);
    FILE *out = good ? fopen(assembly, "w") : NULL;
    good = out && fwrite(to, 1, length, out) == length;
    good = (!out || fclose(out) == 0) && good;
    free(text);
    free(to);
    return good;
}

static int logger_make(struct run *r, const char *about, const char *to)
{
    const char *header = cc_temporary(r, "motet_log.h"), *assembly = cc_temporary(r, "motet-logger.s");
    struct words w = {0};
    if (!logger_write_header(r, header, about))
        return logger_cannot_write(r, header);
    recorder_options(r, &w);
    cc_word(&w, "-I%s", r->folder);
    cc_word(&w, "-std=gnu11");
    cc_word(&w, "-Os");
    cc_word(&w, "-g");
    cc_word(&w, "-ffunction-sections");
    if (cc_is_avr(r)) /* values that are kept in registers through a loop take more room than they save */
        cc_word(&w, "-fno-move-loop-invariants");
    cc_word(&w, "-S");
    cc_word(&w, "-o");
    cc_word(&w, "%s", assembly);
    cc_word(&w, "%s/interface/%s.c", r->o->target_files, r->o->fed ? "replayer" : "logger");
    int status = cc_execute(&w);
    cc_words_free(&w);
    if (status)
        return status;
    if (cc_is_avr(r) && !r->o->fed && !logger_shorten(assembly))
        return logger_cannot_write(r, assembly);
    if (!recorder_add_build_id(r, assembly))
        return cc_say_error(r);
    return logger_add_about(r, assembly) ? cc_assemble(r, assembly, to) : logger_cannot_write(r, assembly);
}

static int logger_refuse(struct run *r, const char *program)
{
    unlink(program);
    return cc_say_error(r);
}

/* All sources must have been compiled with a clock, or all without. */
static bool logger_clock_fits(struct run *r, const char *program)
{
    size_t size;
    char *timed = sizes_bytes(program, ".motet.timed", &size);
    bool good = timed && !memchr(timed, !r->o->clock, size);
    free(timed);
    return good;
}

static int logger_check(struct run *r, const char *program)
{
    unsigned long functions = sizes_section(program, ".motet.ids");
    if (!functions)
        error_set(&r->e,
                  "no source of the program has code of '%s': compile its sources with the same --log-interface, and "
                  "write pieces as the sources are called",
                  r->logged);
    else if (functions > LOGGER_FUNCTIONS)
        error_set(&r->e,
                  "%lu functions and calls through pointers cross the boundary of '%s', and %d can be told apart",
                  functions, r->logged, LOGGER_FUNCTIONS);
    else if (!logger_clock_fits(r, program))
        error_set(&r->e,
                  "some sources of '%s' were compiled with --clock and some without; give all of them, and the "
                  "link, the same",
                  r->logged);
    else
        return 0;
    return logger_refuse(r, program);
}

/* ---- names that code outside must not use ---- */

static bool logger_is_owned(const char *owned, size_t size, const char *name)
{
    for (const char *at = owned; at < owned + size; at += strlen(at) + 1)
        if (strcmp(at, name) == 0)
            return true;
    return false;
}

/* An object without code of the component refers to a name that only the component may use. */
static bool logger_check_object(struct run *r, const char *object, const char *owned, size_t size)
{
    char *undefined;
    size_t length;
    bool good = true;
    if (sizes_section(object, ".motet.ids") || !(undefined = sizes_undefined(object, &length)))
        return true;
    for (const char *at = undefined; good && at < undefined + length; at += strlen(at) + 1)
        if (logger_is_owned(owned, size, at))
            good = error_set(&r->e,
                             "%s uses %s of the component, whose variables it could change without a call; name its "
                             "source in --log-interface too",
                             object, at);
    free(undefined);
    return good;
}

static bool logger_check_names(struct run *r, const struct words *command, const char *program)
{
    size_t size;
    bool good = true;
    char *owned = sizes_bytes(program, ".motet.owned", &size);
    for (size_t i = 1; good && owned && i < command->count; i++) {
        const char *a = command->list[i], *dot = strrchr(a, '.');
        if (a[0] != '-' && dot && strcmp(dot, ".o") == 0)
            good = logger_check_object(r, a, owned, size);
    }
    free(owned);
    return good;
}

/* What the logger must know of the program: the component's variables, and the routines of its elements. */
static int logger_ranges(struct run *r, const char *program, char **about)
{
    size_t size;
    FILE *f = memory_must(open_memstream(about, &size));
    bool good = r->o->ranges(r->o, program, r->c.chip, r->logged, f);
    char *routines = logger_routines(program);
    fprintf(f, "\n%s", routines);
    free(routines);
    memory_written(f);
    if (!good)
        unlink(program);
    return good ? 0 : 2;
}

/* Links without the ranges of variables, whose addresses are not known yet; with `routines`, which no object defines.
 */
static int logger_link_before(struct run *r, struct words *command, const char *object, const char *routines)
{
    char *about = memory_format("#define LOG_RANGES\n#define LOG_OWNED(FROM, TO)\n%s", routines);
    int status = logger_make(r, about, object);
    free(about);
    return status ? status : cc_execute(command);
}

int logger_link(struct run *r, struct words *command, const char *program)
{
    const char *object = cc_temporary(r, "motet-logger.o");
    char *about = NULL;
    cc_word(command, "%s", object);
    if (r->o->fed) { /* its main() takes the place of the firmware's, and nothing else refers to the component */
        cc_word(command, "-Wl,--wrap=main");
        cc_word(command, "-Wl,--no-gc-sections");
    }
    int status = logger_link_before(r, command, object, "#define ELEMENTS_ROUTINES \"\"");
    if (!status && !r->o->fed && sizes_section(program, ELEMENT_ROUTINES)) {
        char *routines = logger_routines(program);
        status = logger_link_before(r, command, object, routines);
        free(routines);
    }
    if (!status)
        status = logger_check(r, program);
    if (!status && !logger_check_names(r, command, program))
        status = logger_refuse(r, program);
    if (!status)
        status = logger_ranges(r, program, &about);
    if (!status)
        status = logger_make(r, about, object);
    if (!status)
        status = cc_execute(command);
    free(about);
    return status;
}
