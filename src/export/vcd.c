#include "export/vcd.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
    struct change *changes;
    size_t count, room;
};

struct vcd {
    struct variable *variables;
    size_t count, room;
};

struct vcd *vcd_new(void)
{
    struct vcd *v = memory_new(sizeof *v);
    return v;
}

void vcd_free(struct vcd *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->count; i++) {
        free(v->variables[i].scope);
        free(v->variables[i].name);
        free(v->variables[i].changes);
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
    return v->count++;
}

/* At the same time as the one before it, it comes in its place. */
static struct change *vcd_add(struct variable *x, uint64_t time)
{
    if (x->count && x->changes[x->count - 1].time >= time)
        return &x->changes[x->count - 1];
    x->changes = memory_grow(x->changes, &x->room, x->count, sizeof *x->changes);
    x->changes[x->count].time = time;
    return &x->changes[x->count++];
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

/* What the variables are at the beginning. */
static void write_initial(const struct vcd *v, FILE *f)
{
    char id[12];
    fprintf(f, "#0\n$dumpvars\n");
    for (size_t i = 0; i < v->count; i++) {
        const struct variable *x = &v->variables[i];
        if (x->count && x->changes[0].time == 0)
            write_value(x, &x->changes[0], vcd_code(i, id), f);
        else if (x->width == VCD_REAL)
            fprintf(f, "r0 %s\n", vcd_code(i, id));
        else
            fprintf(f, x->width == 1 ? "x%s\n" : "bx %s\n", vcd_code(i, id));
    }
    fprintf(f, "$end\n");
}

/* A change by its place: for putting those of all variables into one order. */
struct place {
    uint64_t time;
    size_t variable, number;
};

static int vcd_compare(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->variable != b->variable)
        return a->variable < b->variable ? -1 : 1;
    return 0;
}

static struct place *vcd_in_order(const struct vcd *v, size_t *count)
{
    size_t all = 0;
    for (size_t i = 0; i < v->count; i++)
        all += v->variables[i].count;
    struct place *places = memory_array(all + 1, sizeof *places);
    *count = 0;
    for (size_t i = 0; i < v->count; i++) {
        const struct variable *x = &v->variables[i];
        for (size_t k = 0; k < x->count; k++)
            if (x->changes[k].time && (k == 0 || x->changes[k].value != x->changes[k - 1].value))
                places[(*count)++] = (struct place){x->changes[k].time, i, k};
    }
    qsort(places, *count, sizeof *places, vcd_compare);
    return places;
}

bool vcd_write(const struct vcd *v, FILE *f, uint64_t end)
{
    char id[12];
    size_t count;
    struct place *places = vcd_in_order(v, &count);
    uint64_t time = 0;
    write_header(v, f);
    write_initial(v, f);
    for (size_t i = 0; i < count; i++) {
        const struct variable *x = &v->variables[places[i].variable];
        if (places[i].time != time)
            fprintf(f, "#%" PRIu64 "\n", time = places[i].time);
        write_value(x, &x->changes[places[i].number], vcd_code(places[i].variable, id), f);
    }
    if (end > time)
        fprintf(f, "#%" PRIu64 "\n", end);
    free(places);
    return !ferror(f);
}
