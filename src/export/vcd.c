#include "export/vcd.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/merge.h"

struct change {
    uint64_t time;
    union {
        uint64_t value;
        double real;
    };
};

struct variable {
    char *scope, *name;
    unsigned width;
    struct spool changes; /* all but the last, which may still be replaced */
    struct change last;
    bool any;
};

struct vcd {
    struct spool_file *file;
    struct variable *variables;
    size_t count, room;
};

struct vcd *vcd_new(struct spool_file *f)
{
    struct vcd *v = memory_new(sizeof *v);
    v->file = f;
    return v;
}

void vcd_free(struct vcd *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->count; i++) {
        free(v->variables[i].scope);
        free(v->variables[i].name);
        spool_end(&v->variables[i].changes);
    }
    free(v->variables);
    free(v);
}

/* Identifiers with dots and brackets are read in different ways by different readers. */
static char *plain_name(const char *name)
{
    char *copy = memory_string(*name ? name : "_");
    for (char *c = copy; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    return copy;
}

size_t vcd_variable(struct vcd *v, const char *scope, const char *name, unsigned width)
{
    v->variables = memory_grow(v->variables, &v->room, v->count, sizeof *v->variables);
    v->variables[v->count] = (struct variable){.scope = plain_name(scope), .name = plain_name(name), .width = width};
    spool_begin(&v->variables[v->count].changes, v->file);
    return v->count++;
}

/* At the same time as the one before it, it comes in its place. */
static struct change *vcd_add(struct variable *x, uint64_t time)
{
    if (x->any && x->last.time >= time)
        return &x->last;
    if (x->any)
        spool_add(&x->changes, &x->last, sizeof x->last);
    x->any = true;
    x->last = (struct change){.time = time};
    return &x->last;
}

void vcd_change(struct vcd *v, size_t variable, uint64_t nanosecond, uint64_t value)
{
    struct variable *x = &v->variables[variable];
    vcd_add(x, nanosecond)->value = x->width < 64 ? value & ((UINT64_C(1) << x->width) - 1) : value;
}

void vcd_change_real(struct vcd *v, size_t variable, uint64_t nanosecond, double value)
{
    vcd_add(&v->variables[variable], nanosecond)->real = value;
}

/* ---- the file ---- */

/* Short identifiers: printable characters, the least significant first. */
static const char *vcd_code(size_t variable, char text[12])
{
    size_t used = 0;
    do {
        text[used++] = (char)('!' + variable % 94);
        variable /= 94;
    } while (variable && used < 11);
    text[used] = 0;
    return text;
}

static void write_header(const struct vcd *v, FILE *f)
{
    char id[12];
    fprintf(f, "$version motet $end\n$timescale 1ns $end\n");
    for (size_t i = 0; i < v->count; i++) {
        const struct variable *x = &v->variables[i];
        if (i == 0 || strcmp(x->scope, v->variables[i - 1].scope) != 0)
            fprintf(f, "%s$scope module %s $end\n", i ? "$upscope $end\n" : "", x->scope);
        fprintf(f, "$var %s %u %s %s $end\n", x->width == VCD_REAL ? "real" : "wire", x->width ? x->width : 64,
                vcd_code(i, id), x->name);
    }
    fprintf(f, "%s$enddefinitions $end\n", v->count ? "$upscope $end\n" : "");
}

static void write_value(const struct variable *x, const struct change *c, const char *id, FILE *f)
{
    if (x->width == VCD_REAL) {
        fprintf(f, "r%.16g %s\n", c->real, id);
    } else if (x->width == 1) {
        fprintf(f, "%d%s\n", c->value != 0, id);
    } else {
        unsigned bit = x->width - 1;
        while (bit && !(c->value >> bit & 1))
            bit--;
        putc('b', f);
        for (unsigned i = bit + 1; i-- > 0;)
            putc('0' + (int)(c->value >> i & 1), f);
        fprintf(f, " %s\n", id);
    }
}

/* The changes of a variable one by one, without those that change nothing. */
struct reading {
    const struct variable *variable;
    struct spool_reader reader;
    struct change change;
    bool begun, last; /* one was read; that was the last */
};

static bool reading_next(struct reading *r)
{
    while (r->variable->any && !r->last) {
        uint64_t before = r->change.value;
        bool first = !r->begun;
        r->begun = true;
        r->last = !spool_read(&r->reader, &r->change, sizeof r->change);
        if (r->last)
            r->change = r->variable->last;
        if (first || r->change.value != before)
            return true;
    }
    return false;
}

/* What the variables are at the beginning. */
static void write_initial(const struct vcd *v, struct reading *readings, struct merge *merge, FILE *f)
{
    char id[12];
    fprintf(f, "#0\n$dumpvars\n");
    for (size_t i = 0; i < v->count; i++) {
        const struct variable *x = &v->variables[i];
        struct reading *r = &readings[i];
        bool more = reading_next(r);
        if (more && r->change.time == 0)
            write_value(x, &r->change, vcd_code(i, id), f);
        else if (x->width == VCD_REAL)
            fprintf(f, "r0 %s\n", vcd_code(i, id));
        else
            fprintf(f, x->width == 1 ? "x%s\n" : "bx %s\n", vcd_code(i, id));
        if (more && (r->change.time || reading_next(r)))
            merge_put(merge, r->change.time, i);
    }
    fprintf(f, "$end\n");
}

static struct reading *readings_begin(const struct vcd *v)
{
    struct reading *readings = memory_array(v->count, sizeof *readings);
    for (size_t i = 0; i < v->count; i++) {
        readings[i].variable = &v->variables[i];
        spool_reader_begin(&readings[i].reader, &v->variables[i].changes);
    }
    return readings;
}

static void readings_end(const struct vcd *v, struct reading *readings)
{
    for (size_t i = 0; i < v->count; i++)
        spool_reader_end(&readings[i].reader);
    free(readings);
}

bool vcd_write(const struct vcd *v, FILE *f, uint64_t end)
{
    char id[12];
    struct reading *readings = readings_begin(v);
    struct merge merge;
    struct merge_head h;
    uint64_t time = 0;
    merge_begin(&merge);
    write_header(v, f);
    write_initial(v, readings, &merge, f);
    while (merge_take(&merge, &h)) {
        struct reading *r = &readings[h.sequence];
        if (h.time != time)
            fprintf(f, "#%" PRIu64 "\n", time = h.time);
        write_value(r->variable, &r->change, vcd_code(h.sequence, id), f);
        if (reading_next(r))
            merge_put(&merge, r->change.time, h.sequence);
    }
    if (end > time)
        fprintf(f, "#%" PRIu64 "\n", end);
    merge_end(&merge);
    readings_end(v, readings);
    return !ferror(f);
}
