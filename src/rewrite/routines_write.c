#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/routines_file.h"

/* The line with names of routines that have another one now. */
static void write_renamed(const struct routines_file *f, FILE *out, const char *line)
{
    while (*line) {
        size_t n = 0;
        while (isalnum((unsigned char)line[n]) || line[n] == '_' || line[n] == '.')
            n++;
        const struct routine *is = NULL;
        unsigned vector;
        for (unsigned i = 0; n && i < f->count; i++)
            if (!f->routines[i].macro && strlen(f->routines[i].name) == n && strncmp(f->routines[i].name, line, n) == 0)
                is = &f->routines[i];
        if (is && routines_is_whole(f, is))
            fprintf(out, "motet_routine_%s", is->name);
        else if (is && routines_vector(is, &vector))
            fprintf(out, "%s_motet", is->name);
        else
            fprintf(out, "%.*s", (int)(n ? n : 1), line);
        line += n ? n : 1;
    }
    fprintf(out, "\n");
}

static const char *late_section(const struct routines_file *f)
{
    return f->avr ? ".progmem.motet_late.assembly,\"ax\",@progbits" : ".hightext.assembly,\"ax\",@progbits";
}

static void routines_write_write_line(const struct routines_file *f, FILE *out, size_t number)
{
    const char *line = f->lines.list[number], *text = listing_trimmed(line);
    const char *name = listing_trimmed(text + strcspn(text, " \t"));
    bool push = listing_starts(text, ".pushsection"), names = push || listing_starts(text, ".section");
    if (listing_starts(text, ".text") && !isalnum((unsigned char)text[5]))
        fprintf(out, "\t.section %s\n", late_section(f));
    else if (names && listing_starts(name + (*name == '"'), ".text"))
        fprintf(out, "\t%s %s\n", push ? ".pushsection" : ".section", late_section(f));
    else if (*line == '#')
        fprintf(out, "%s\n", line);
    else
        write_renamed(f, out, line);
}

/* Under its own name, a call of the routine that passes its result to the recorder: registers r18 to r25, through
 * the stack. Other registers that it need not keep get the same value in every run. No interrupt comes between that
 * and the caller's next instruction (RETI lets none in before it). */
static const char avr_call[] =
    "\n\t.section .progmem.motet_late.%s,\"ax\",@progbits\n\t.p2align 1\n\t.global %s\n\t.type %s,@function\n"
    "%s:\n\tcall motet_routine_%s\n\tin r0,0x3f\n\tcli\n\t"
    "push r25\n\tpush r24\n\tpush r23\n\tpush r22\n\tpush r21\n\tpush r20\n\tpush r19\n\tpush r18\n\t"
    "in r24,0x3d\n\tin r25,0x3e\n\tadiw r24,1\n\tldi r22,8\n\tldi r23,0\n\t"
    "ldi r20,lo8(motet_site_%s)\n\tldi r21,hi8(motet_site_%s)\n\tcall motet_block\n\t"
    "pop r18\n\tpop r19\n\tpop r20\n\tpop r21\n\tpop r22\n\tpop r23\n\tpop r24\n\tpop r25\n\t"
    "clr r26\n\tclr r27\n\tclr r30\n\tclr r31\n\tsbrs r0,7\n\trjmp 1f\n\tclr r0\n\treti\n1:\tclr r0\n\tret\n\t"
    ".size %s,.-%s\n\t.global motet_site_%s\n\t.set motet_site_%s,.Lmotet_sites+%zu\n";
static const char avr_stub[] =
    "\n\t.section .text.motet_vectors,\"ax\",@progbits\n\t.global __vector_%u\n\t"
    ".type __vector_%u,@function\n__vector_%u:\n\tpush r24\n\tldi r24,%u\n\tcall motet_enter\n\t"
    "pop r24\n\tjmp __vector_%u_motet\n";

static void add_site(struct routines_file *f, const struct routine *r)
{
    struct instrumented *i = f->r;
    i->sites = memory_grow(i->sites, &i->site_room, i->site_count, sizeof *i->sites);
    struct site *s = &i->sites[i->site_count++];
    *s = (struct site){.class = REGISTER_DATA, .live = 0xff, .bits = 64, .why = "result of a routine in assembly"};
    routines_place(f, r->first, s->place, sizeof s->place);
    snprintf(s->name, sizeof s->name, "%.23s", r->name);
}

static void write_calls(struct routines_file *f, FILE *out)
{
    enum { CLASS_UNIT = 1 << 13 };
    for (unsigned i = 0; i < f->count; i++) {
        const struct routine *r = &f->routines[i];
        unsigned v;
        if (!r->macro && routines_vector(r, &v) && f->avr) {
            f->r->handlers++;
            fprintf(out, avr_stub, v, v, v, v, v);
        }
        if (!routines_is_whole(f, r))
            continue;
        size_t site = f->r->site_count + (size_t)REGISTER_DATA * CLASS_UNIT;
        const char *n = r->name;
        fprintf(out, avr_call, n, n, n, n, n, n, n, n, n, n, n, site);
        add_site(f, r);
    }
    for (size_t i = 0; i < f->r->site_count; i++) {
        const struct site *s = &f->r->sites[i];
        fprintf(out, "\t.section .motet.sites,\"\",@progbits\n\t.asciz \"%s\\t%s\\t%s\\t%u\\t0x%x\\t%s\"\n", s->place,
                s->name, register_class_name(s->class), s->bits, s->live, s->why);
    }
    if (f->r->site_count)
        fprintf(out, "\t.section .motet.sites.id,\"\",@progbits\n.Lmotet_sites:\n\t.space %zu\n", f->r->site_count);
}

void routines_write(struct routines_file *f)
{
    FILE *out = memory_must(open_memstream(&f->r->text, &f->r->size));
    fprintf(out, "\t.section %s\n\t.p2align 1\n", late_section(f));
    for (size_t i = 0; i <= f->lines.count; i++) {
        for (unsigned k = 0; k < f->count; k++)
            if (f->routines[k].end == i && routines_is_whole(f, &f->routines[k]))
                fprintf(out, "\t.type motet_routine_%s,@function\n\t.size motet_routine_%s,.-motet_routine_%s\n",
                        f->routines[k].name, f->routines[k].name, f->routines[k].name);
        if (i < f->lines.count)
            routines_write_write_line(f, out, i);
    }
    write_calls(f, out);
    memory_written(out);
}
