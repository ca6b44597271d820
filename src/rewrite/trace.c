#include "rewrite/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/edits.h"
#include "rewrite/stated.h"
#include "rewrite/tree.h"

/* The tracer itself is in every source that traces, and once in a program: the linker keeps one of each section. It is
 * frozen where motet_violated is set (checks.h). */
static const char tracer[] =
    "__attribute__((weak)) volatile unsigned char motet_violated;\n"
    "__attribute__((weak)) struct motet_trace_log { unsigned char at[2], full, ring[%u]; } motet_trace_log;\n"
    "__attribute__((weak, noinline, section(\".gnu.linkonce.t.motet_trace\"))) unsigned char motet_trace(unsigned char "
    "what)\n"
    "{\n"
    "    %s\n"
    "    if (!motet_violated) {\n"
    "        unsigned at = motet_trace_log.at[0] | motet_trace_log.at[1] << 8;\n"
    "        motet_trace_log.ring[at] = what;\n"
    "        if (++at == sizeof motet_trace_log.ring) { at = 0; motet_trace_log.full = 1; }\n"
    "        motet_trace_log.at[0] = at & 255; motet_trace_log.at[1] = at >> 8;\n"
    "    }\n"
    "    %s\n"
    "    return what;\n"
    "}\n"
    "__attribute__((weak, noinline, section(\".gnu.linkonce.t.motet_trace_left\"))) void motet_trace_left(unsigned "
    "char *number)\n"
    "{ motet_trace(*number | 128); }\n"
    "__attribute__((weak, noinline, section(\".gnu.linkonce.t.motet_trace_send\"))) void motet_trace_send(void "
    "(*put)(unsigned "
    "char))\n"
    "{ for (unsigned i = 0; i < sizeof motet_trace_log; i++) put(((unsigned char *)&motet_trace_log)[i]); }\n";

/* Interrupts off while the ring is written, and as they were afterwards. */
static const char avr_off[] =
    "unsigned char motet_sreg = *(volatile unsigned char *)0x5f; __asm__ volatile(\"cli\" ::: \"memory\");";
static const char avr_on[] = "*(volatile unsigned char *)0x5f = motet_sreg; __asm__ volatile(\"\" ::: \"memory\");";
static const char msp430_off[] =
    "unsigned motet_sr; __asm__ volatile(\"mov r2, %0\\n\\tdint\\n\\tnop\" : \"=r\"(motet_sr) :: \"memory\");";
static const char msp430_on[] = "__asm__ volatile(\"nop\\n\\tmov %0, r2\\n\\tnop\" :: \"r\"(motet_sr) : \"memory\");";

bool trace_load(struct trace *t, const char *path, unsigned ring, struct motet_error *e)
{
    *t = (struct trace){.ring = ring};
    FILE *f = fopen(path, "r");
    if (!f)
        return error_set(e, "cannot read the plan %s: %s", path, strerror(errno));
    struct trace_function new;
    bool good = true;
    for (int read; good && (read = fscanf(f, "%u %u %u %255s %1023[^\n]", &new.number, &new.level, &new.line, new.name,
                                          new.file)) != EOF;) {
        good = (read == 5 && new.number >= 1 && new.number <= TRACE_MOST) ||
               error_set(e, "%s is not a plan of motet slice: line %zu", path, t->count + 1);
        t->list = memory_grow(t->list, &t->room, t->count, sizeof *t->list);
        t->list[t->count++] = new;
    }
    fclose(f);
    return good;
}

void trace_free(struct trace *t)
{
    free(t->list);
    *t = (struct trace){0};
}

/* The function of the plan that is defined at a node, NULL: none. */
static const struct trace_function *trace_find(const struct trace *t, struct tree *tree, int node)
{
    unsigned line, column;
    const char *file = tree_place(tree, node, &line, &column);
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->list[i].name, tree_at(tree, node)->name) == 0 &&
            (stated_is_file(file, t->list[i].file) || stated_is_file(t->list[i].file, file)))
            return &t->list[i];
    return NULL;
}

static bool trace_write(const char *path, const char *text, size_t size, struct motet_error *e)
{
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(text, 1, size, f) == size;
    good = (!f || fclose(f) == 0) && good;
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}

static void trace_function(const struct trace_function *f, uint32_t inside, uint32_t end, struct edits *edits)
{
    edits_add(edits, inside, EDIT_OPEN,
              " __attribute__((cleanup(motet_trace_left), unused)) unsigned char motet_trace_number = motet_trace(%u);",
              f->number);
    edits_add(edits, end, EDIT_OPEN,
              "\n__asm__(\".pushsection .motet.trace,\\\"\\\",@progbits\\n\\t.asciz \\\"%u %u %u %s "
              "%s\\\"\\n\\t.popsection\");\n",
              f->number, f->level, f->line, f->name, f->file);
}

bool trace_place(const struct trace *t, const char *path, const char *target, bool cpp, const char *const *types,
                 struct motet_error *e)
{
    struct edits edits = {0};
    size_t size, functions = 0;
    struct tree *tree = tree_parse(path, target, cpp, types, e);
    if (!tree)
        return false;
    const char *text = tree_text(tree, &size);
    bool avr = strcmp(target, "avr") == 0, good = true;
    edits_add(&edits, 0, EDIT_OPEN, "# 1 \"<motet>\"\n%s", cpp ? "extern \"C\" {\n" : "");
    edits_add(&edits, 0, EDIT_OPEN, tracer, t->ring, avr ? avr_off : msp430_off, avr ? avr_on : msp430_on);
    edits_add(&edits, 0, EDIT_OPEN, "%s", cpp ? "}\n" : "");
    for (size_t i = 0; i < tree_count(tree); i++) {
        int last = tree_at(tree, (int)i)->kind == NODE_FUNCTION ? tree_last_child(tree, (int)i) : -1;
        const struct trace_function *f =
            last >= 0 && tree_at(tree, last)->kind == NODE_COMPOUND ? trace_find(t, tree, (int)i) : NULL;
        if (!f)
            continue;
        trace_function(f, tree_at(tree, last)->start + 1, (uint32_t)size, &edits);
        functions++;
    }
    if (functions) {
        size_t new_size;
        char *new = edits_apply(&edits, text, size, &new_size);
        good = trace_write(path, new, new_size, e);
        free(new);
    }
    edits_free(&edits);
    tree_free(tree);
    return good;
}
