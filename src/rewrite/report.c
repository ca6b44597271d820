#include "rewrite/report.h"

#include <errno.h>
#include <string.h>

#include "rewrite/element_cost.h"

bool report_open(struct report *r, const char *path, bool json, struct motet_error *e)
{
    *r = (struct report){.json = json};
    if (!path)
        return true;
    r->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "a");
    return r->file || error_set(e, "cannot write the report %s: %s", path, strerror(errno));
}

void report_close(struct report *r)
{
    if (r->file && r->file != stdout)
        fclose(r->file);
    r->file = NULL;
}

static void json_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20)
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

/* ---- a source ---- */

static const char *report_crossing(char kind)
{
    return kind == 'i' ? "in" : kind == 'o' ? "out" : "pointer";
}

/* The interface of a component: what each crossing adds, for the analysis of deadlines. */
static void report_elements(FILE *f, const char *source, const struct instrumented *i)
{
    fprintf(f, "%s: %zu functions cross the boundary, %u reads are logged, %u places to idle\n", source,
            i->element_count, i->steps, i->idles);
    for (size_t n = 0; n < i->element_count; n++) {
        const struct instrumented_element *e = &i->elements[n];
        fprintf(f, "  call %-8s %-32s ", report_crossing(e->kind), e->name);
        if (!e->cycles)
            fprintf(f, "in C: what it takes is not known");
        else
            fprintf(f, "%3u cycles, %3u at most", e->cycles, e->most);
        if (e->buffers)
            fprintf(f, ", %u buffer%s: %d and %d a byte each, and what finds it", e->buffers, e->buffers > 1 ? "s" : "",
                    ELEMENT_BUFFER, ELEMENT_BYTE);
        fprintf(f, "\n");
    }
}

static void source_json(FILE *f, const char *source, const struct instrumented *i, unsigned bits,
                        const struct sizes *added)
{
    fprintf(f, "{\"file\": ");
    json_text(f, source);
    fprintf(f,
            ", \"bits\": %u, \"fixed\": %u, \"unneeded\": %u, \"polls\": %u, \"handlers\": %u, \"steps\": %u, "
            "\"idles\": %u",
            bits, i->fixed, i->unneeded, i->polls, i->handlers, i->steps, i->idles);
    if (added)
        fprintf(f, ", \"flash\": %ld, \"ram\": %ld", added->flash, added->ram);
    if (i->element_count) {
        fprintf(f, ", \"elements\": [");
        for (size_t n = 0; n < i->element_count; n++) {
            const struct instrumented_element *e = &i->elements[n];
            fprintf(f, "%s{\"function\": ", n ? ", " : "");
            json_text(f, e->name);
            fprintf(f, ", \"kind\": \"%s\", \"cycles\": ", report_crossing(e->kind));
            if (e->cycles)
                fprintf(f, "%u, \"most\": %u", e->cycles, e->most);
            else
                fprintf(f, "null, \"most\": null");
            fprintf(f, ", \"buffers\": %u, \"buffer_cycles\": %d, \"byte_cycles\": %d}", e->buffers, ELEMENT_BUFFER,
                    ELEMENT_BYTE);
        }
        fprintf(f, "]");
    }
    fprintf(f, ", \"sites\": [");
    for (size_t n = 0; n < i->site_count; n++) {
        const struct site *s = &i->sites[n];
        fprintf(f, "%s{\"place\": ", n ? ", " : "");
        json_text(f, s->place);
        fprintf(f, ", \"register\": ");
        json_text(f, s->name);
        fprintf(f, ", \"class\": \"%s\", \"bits\": %u, \"mask\": %u, \"why\": ", register_class_name(s->class), s->bits,
                s->live);
        json_text(f, s->why);
        fprintf(f, "}");
    }
    fprintf(f, "]}\n");
}

void report_source(struct report *r, const char *source, const struct instrumented *i, const struct sizes *added)
{
    if (!r->file)
        return;
    unsigned bits = 0;
    for (size_t n = 0; n < i->site_count; n++)
        bits += i->sites[n].bits;
    if (r->json) {
        source_json(r->file, source, i, bits, added);
        return;
    }
    if (i->element_count) {
        report_elements(r->file, source, i);
        if (added)
            fprintf(r->file, "  adds %ld bytes of flash and %ld of RAM to the object\n", added->flash, added->ram);
        return;
    }
    fprintf(r->file,
            "%s: %zu sites recorded (%u bits), %u reads of fixed registers, %u without effect, %u polling loops "
            "skipped, %u handlers, %u steps, %u places to idle\n",
            source, i->site_count, bits, i->fixed, i->unneeded, i->polls, i->handlers, i->steps, i->idles);
    if (added)
        fprintf(r->file, "  adds %ld bytes of flash and %ld of RAM to the object\n", added->flash, added->ram);
    for (size_t n = 0; n < i->site_count; n++)
        fprintf(r->file, "  %-40s %-12s %-6s %2u bits 0x%04x  %s\n", i->sites[n].place, i->sites[n].name,
                register_class_name(i->sites[n].class), i->sites[n].bits, i->sites[n].live, i->sites[n].why);
}

/* ---- a program ---- */

static const struct {
    const char *entry, *name, *what;
} kinds[] = {
    {"motet_read8", "read8", "a read of 8 bits"},
    {"motet_read16", "read16", "a read of 16 bits"},
    {"motet_pointer8", "pointer8", "8 bits through a pointer"},
    {"motet_pointer16", "pointer16", "16 bits through a pointer"},
    {"motet_block", "block", "16 bytes of memory"},
    {"motet_step_far", "step", "a step of the count"},
    {"vector", "interrupt", "an interrupt"},
    {"off", NULL, NULL}, /* the last: microseconds with interrupts off */
};
enum { KINDS = sizeof kinds / sizeof *kinds, OFF = KINDS - 1 };

static void read_cycles(const struct report_program *p, unsigned cycles[KINDS])
{
    char line[200], family[16], entry[32], of[24];
    unsigned most;
    snprintf(of, sizeof of, "%s%s", p->family, p->profile ? "-lean" : "");
    FILE *f = fopen(p->cycles, "r");
    memset(cycles, 0, KINDS * sizeof *cycles);
    while (f && fgets(line, sizeof line, f))
        for (unsigned i = 0; i < KINDS; i++)
            if (sscanf(line, "%15s %31s %u", family, entry, &most) == 3 && strcmp(family, of) == 0 &&
                strcmp(entry, kinds[i].entry) == 0 && !(p->stamp && strcmp(entry, "motet_step_far") == 0))
                cycles[i] = most;
    if (f)
        fclose(f);
}

static void sizes_json(FILE *f, const char *name, const struct sizes *s)
{
    if (s)
        fprintf(f, ", \"%s\": {\"flash\": %ld, \"ram\": %ld}", name, s->flash, s->ram);
}

static void program_json(FILE *f, const struct report_program *p, const unsigned cycles[KINDS])
{
    fprintf(f, "{\"program\": ");
    json_text(f, p->name);
    sizes_json(f, "all", p->all);
    sizes_json(f, "recorder", p->recorder);
    sizes_json(f, "added", p->added);
    if (p->stamp)
        fprintf(f, ", \"stamp\": \"%s\"", p->stamp);
    fprintf(f, ", \"profile\": \"%s\", \"when_full\": \"%s\"", p->profile ? p->profile : "full",
            p->waits ? "wait" : "gap");
    if (cycles[OFF])
        fprintf(f, ", \"interrupts_off_us\": %u", cycles[OFF]);
    fprintf(f, ", \"unknown\": %u, \"cycles\": {", p->unknown);
    for (unsigned i = 0, said = 0; i < OFF; i++)
        if (cycles[i])
            fprintf(f, "%s\"%s\": %u", said++ ? ", " : "", kinds[i].name, cycles[i]);
    fprintf(f, "}}\n");
}

static void program_text(FILE *f, const struct report_program *p, const unsigned cycles[KINDS])
{
    fprintf(f, "%s:", p->name);
    if (p->all)
        fprintf(f, " %ld bytes of flash, %ld of RAM", p->all->flash, p->all->ram);
    if (p->added)
        fprintf(f, "; recording adds %ld and %ld", p->added->flash, p->added->ram);
    if (p->recorder && p->all)
        fprintf(f, "%s the recorder %ld and %ld", p->added ? ", of which" : "; of which", p->recorder->flash,
                p->recorder->ram);
    else if (p->recorder)
        fprintf(f, " the recorder, %ld bytes of flash, %ld of RAM", p->recorder->flash, p->recorder->ram);
    if (p->unknown)
        fprintf(f, "; not known of %u objects compiled without --report", p->unknown);
    if (p->profile)
        fprintf(f, "\n  profile %s: without checkpoints, and without the log over the serial port", p->profile);
    if (p->stamp)
        fprintf(f, "\n  positions are cycles of %s", p->stamp);
    for (unsigned i = 0, said = 0; i < OFF; i++)
        if (cycles[i])
            fprintf(f, "%s %s %u", said++ ? "," : "\n  cycles, at most:", kinds[i].what, cycles[i]);
    if (cycles[OFF])
        fprintf(f, "\n  interrupts are off for at most %u us%s%s", cycles[OFF],
                p->profile ? "" : ", longer only where a checkpoint ends",
                p->waits ? ", longer where a handler waits for room" : "");
    fprintf(f, "\n  when more happens than can be written: %s\n",
            p->waits     ? "the firmware waits"
            : p->profile ? "the log ends"
                         : "a gap in the log, then a checkpoint");
}

void report_program(struct report *r, const struct report_program *p)
{
    unsigned cycles[KINDS];
    if (!r->file)
        return;
    read_cycles(p, cycles);
    if (r->json)
        program_json(r->file, p, cycles);
    else
        program_text(r->file, p, cycles);
}
