/* motet trace: what a firmware that was built with motet cc --trace-level has noted in RAM. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"
#include "sentence.h"

enum { MOST = 127, LEFT = 128, HEAD = 3 }; /* as src/rewrite/trace.h has it */

struct trace_options {
    const char *elf;
};

static bool cli_trace_set_elf(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct trace_options *)into)->elf = text;
    return true;
}

static const struct option options[] = {
    {"elf", "FIRMWARE", "the firmware that wrote the trace", cli_trace_set_elf},
    {NULL, NULL, NULL, NULL},
};

/* ---- the functions, in the program's section .motet.trace ---- */

struct names {
    const char *of[MOST + 1]; /* "LEVEL LINE NAME FILE" */
};

static uint32_t cli_trace_number(const uint8_t *at, unsigned bytes)
{
    uint32_t value = 0;
    while (bytes--)
        value = value << 8 | at[bytes];
    return value;
}

/* The section's bytes in an ELF file of 32 bits, little-endian; NULL: it has none. */
static const char *cli_trace_section(const uint8_t *file, size_t size, size_t *length)
{
    if (size < 52 || memcmp(file, "\177ELF\1\1", 6) != 0)
        return NULL;
    size_t table = cli_trace_number(file + 32, 4), entry = cli_trace_number(file + 46, 2);
    size_t count = cli_trace_number(file + 48, 2), names = cli_trace_number(file + 50, 2);
    if (entry < 40 || table > size || count > (size - table) / entry || names >= count)
        return NULL;
    size_t text = cli_trace_number(file + table + names * entry + 16, 4);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *s = file + table + i * entry;
        size_t name = text + cli_trace_number(s, 4), at = cli_trace_number(s + 16, 4);
        *length = cli_trace_number(s + 20, 4);
        if (name + 13 <= size && memcmp(file + name, ".motet.trace", 13) == 0 && at <= size && *length <= size - at)
            return (const char *)file + at;
    }
    return NULL;
}

static bool cli_trace_names(struct names *n, const char *section, size_t length)
{
    for (const char *at = section, *end = section + length; at < end;) {
        const char *stop = memchr(at, 0, (size_t)(end - at));
        char *rest;
        if (!stop)
            return false;
        unsigned long number = strtoul(at, &rest, 10);
        if (number >= 1 && number <= MOST && *rest == ' ')
            n->of[number] = rest + 1;
        at = stop + 1;
    }
    return true;
}

/* ---- the ring ---- */

static void cli_trace_entry(const struct names *n, uint8_t what, int *depth)
{
    unsigned level, line;
    char name[256], file[1024];
    const char *known = n->of[what % LEFT];
    bool left = what >= LEFT;
    if (left && *depth > 0)
        --*depth;
    if (!known || sscanf(known, "%u %u %255s %1023[^\n]", &level, &line, name, file) != 4)
        printf("%*s%s function %u, which the firmware does not name\n", 2 * *depth, "", left ? "<" : ">", what % LEFT);
    else
        printf("%*s%s %s  %s:%u  level %u\n", 2 * *depth, "", left ? "<" : ">", name, file, line, level);
    *depth += !left;
}

/* Entries that were lost when the ring was full leave returns without them: the depth they began at. */
static int cli_trace_depth(const uint8_t *ring, size_t size, size_t first, size_t count)
{
    int depth = 0, lowest = 0;
    for (size_t i = 0; i < count; i++) {
        depth += ring[(first + i) % size] >= LEFT ? -1 : 1;
        lowest = depth < lowest ? depth : lowest;
    }
    return -lowest;
}

static bool cli_trace_print(const struct names *n, const uint8_t *log, size_t size, struct motet_error *e)
{
    bool whole = size > HEAD;
    size_t at = whole ? log[0] | (size_t)log[1] << 8 : 0, room = whole ? size - HEAD : 0;
    if (at >= room || log[2] > 1)
        return sentence(e, "these are not the bytes of motet_trace_log: %zu of them, at %zu", size, at);
    size_t count = log[2] ? room : at, first = log[2] ? at : 0;
    int depth = cli_trace_depth(log + HEAD, room, first, count);
    for (size_t i = 0; i < count; i++)
        if (log[HEAD + (first + i) % room] % LEFT)
            cli_trace_entry(n, log[HEAD + (first + i) % room], &depth);
    return true;
}

static bool cli_trace_read(const char *path, uint8_t *bytes, size_t room, size_t *size, struct motet_error *e)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return sentence(e, "cannot read %s: %s", path, strerror(errno));
    *size = fread(bytes, 1, room, f);
    fclose(f);
    return *size > HEAD || sentence(e, "%s has too few bytes for a trace", path);
}

static int cli_trace_run(const struct verb *v, int argc, char **argv)
{
    struct trace_options o = {0};
    struct motet_error e = {""};
    struct names names = {{NULL}};
    const char *path, *section;
    uint8_t log[HEAD + 16384];
    size_t size = 0, length = 0, file_size;
    int status = 0;
    if (!options_parse(v, argc, argv, &o, &path, 1, &status))
        return status;
    if (!o.elf)
        return complain("which firmware wrote the trace? Give --elf");
    motet_machine *m = motet_machine_load(o.elf, &(struct motet_options)MOTET_OPTIONS_DEFAULT, &e);
    if (!m)
        return complain("%s", e.text);
    const uint8_t *file = motet_machine_file(m, &file_size);
    section = cli_trace_section(file, file_size, &length);
    bool good = (section && cli_trace_names(&names, section, length)) ||
                sentence(&e, "%s was not built with motet cc --trace-level or --trace", o.elf);
    good = good && cli_trace_read(path, log, sizeof log, &size, &e) && cli_trace_print(&names, log, size, &e);
    motet_machine_free(m);
    return good ? 0 : complain("%s", e.text);
}

extern const struct verb verb_trace;
const struct verb verb_trace = {
    .name = "trace",
    .operands = "FILE",
    .about = "print what a firmware has traced in RAM",
    .more =
        "Prints which functions were entered and left, the last one last, as a firmware that was built with motet cc "
        "--trace-level has noted it. FILE has the bytes of its variable motet_trace_log: from a debugger, or as "
        "motet_trace_send has sent them.",
    .options = options,
    .run = cli_trace_run,
};
