#include "probes_figures.h"

#include <string.h>

static const struct {
    const char *group, *title, *about;
} tables[] = {
    {"watches", "Watches (section 6.2)",
     "*none*: watches, probes and alarms were put on and taken off again. *present*: one that is never hit. *empty*: "
     "on all of\nRAM, with a callback that does nothing. *count*: it counts reads and writes of each address."},
    {"probes", "Probes on every instruction (section 6.3)",
     "*empty*: the callback does nothing. *count*: it counts each instruction. *count+cycles*: it adds up cycles, "
     "too."},
    {"sampling", "Sampling (section 6.4)", "Every so many cycles, a callback counts where the CPU is."},
    {"monitor", "The monitor `sampling`",
     "The same every 1000 cycles without a callback, as `motet run --monitor sampling` does it."},
};

static void figure(FILE *out, const struct probes_figure *f)
{
    fprintf(out, "| %+.1f%% | ", f->percent);
    if (f->avrora < 0)
        fprintf(out, " | ");
    else
        fprintf(out, "%+.1f%% | ", f->avrora);
    fprintf(out, "%.0f ", f->million_each);
}

static const struct probes_figure *find(const struct probes_program *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->figures[i].name, name) == 0)
            return &p->figures[i];
    return NULL;
}

static bool belongs(const char *name, const char *group)
{
    return strncmp(name, group, strlen(group)) == 0;
}

/* What follows the group's name: "none" of "watches: none". */
static const char *row_name(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 2 : name;
}

static void table(FILE *out, const struct probes_program *programs, size_t count, size_t number)
{
    fprintf(out, "\n## %s\n\n%s\n\n|  ", tables[number].title, tables[number].about);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "| %s | Avrora | MIPS ", programs[i].kind);
    fprintf(out, "|\n|---");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "|---:|---:|---:");
    fprintf(out, "|\n");
    for (size_t k = 0; k < programs[0].count; k++) {
        const char *name = programs[0].figures[k].name;
        if (!belongs(name, tables[number].group))
            continue;
        fprintf(out, "| %s ", row_name(name));
        for (size_t i = 0; i < count; i++)
            figure(out, find(&programs[i], name));
        fprintf(out, "|\n");
    }
}

void probes_figures_write(FILE *out, const struct probes_program *programs, size_t count, bool short_run)
{
    fprintf(out,
            "# Probes, watches, samples: figures\n\n"
            "Written by `make bench ONLY=probes`; do not edit. The tables are those of Avrora's paper (B. L. Titzer "
            "and\nJ. Palsberg, *Nonintrusive precision instrumentation of microcontroller software*, LCTES 2005, "
            "section 6), with its figures\nbeside ours.\n\n");
    if (short_run)
        fprintf(out, "**These figures are of a short run on a busy machine and only show the form of the page.**\n\n");
    fprintf(out,
            "- A figure is how much longer a run takes than the same run with nothing on. Both take turns; times "
            "are medians.\n"
            "- Avrora's figures are the paper's, of its programs on its machine (dual Xeon at 3.06 GHz, Java "
            "1.4.2). Its baseline for\n  watches is a simulator without the code for watches; ours is the same "
            "program with nothing on.\n"
            "- A share of a faster simulator is harder to keep small: *MIPS* is million instructions a second, with "
            "it on.\n"
            "- With anything on, digests are equal to those of the bare run: each round checks it.\n\n"
            "| program | chip | stands for | bare simavr, MIPS |\n|---|---|---|---:|\n");
    for (size_t i = 0; i < count; i++) {
        const struct probes_program *p = &programs[i];
        fprintf(out, "| %s: `%s` | %s | %s | ", p->kind, p->name, p->chip, p->avrora_name ? p->avrora_name : "");
        if (p->simavr > 0)
            fprintf(out, "%.0f ", p->simavr);
        fprintf(out, "|\n");
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        table(out, programs, count, i);
}
