#include "rewrite/instrument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/calibrate.h"
#include "rewrite/calls.h"
#include "rewrite/filled.h"
#include "rewrite/forwards.h"
#include "rewrite/handlers.h"
#include "rewrite/measure.h"
#include "rewrite/pairs.h"
#include "rewrite/pass.h"
#include "rewrite/pointers.h"
#include "rewrite/reads.h"
#include "rewrite/reads_calls.h"
#include "rewrite/reads_loops.h"
#include "rewrite/sleep.h"
#include "rewrite/stamp.h"
#include "rewrite/steps.h"
#include "rewrite/unset.h"

/* What rewritten files say to the recorder, without any header: they are preprocessed already. Through motet_unset they
 * read variables that nothing was written to: compilers that saw that would warn, and -Werror would end the build. */
static const char declarations[] =
    "extern const char motet_sites_here[] __asm__(\".Lmotet_sites\");\n"
    "unsigned char motet_read8(unsigned char value, unsigned char live, unsigned site);\n"
    "unsigned motet_read16(unsigned value, unsigned live, unsigned site);\n"
    "unsigned motet_timer16(unsigned value, unsigned live, unsigned site, const volatile void *p);\n"
    "unsigned char motet_pointer8(const volatile void *p, unsigned site);\n"
    "unsigned motet_pointer16(const volatile void *p, unsigned site);\n"
    "void motet_block(volatile void *bytes, unsigned size, unsigned site);\n"
    "unsigned char motet_idle(void);\n"
    "extern volatile unsigned char motet_uncounted;\n"
    "void motet_boot(void);\n"
    "static inline __attribute__((always_inline,unused)) volatile void *motet_unset(volatile void *motet_p){"
    "__asm__(\"\":\"+r\"(motet_p));return motet_p;}\n";

/* On AVR constructors of C++ run in section .init6, so files in C++ begin the recorder before that. Of several such
 * files one does. */
static const char early_declaration[] = "extern const char motet_early[] __attribute__((__weak__));\n";
static const char early_code[] = "\n__asm__(\".pushsection .init5,\\\"axG\\\",@progbits,motet_early,comdat\\n"
                                 ".weak motet_early\\nmotet_early:\\n\\tcall motet_boot\\n.popsection\");\n";

static bool visit_function(struct pass *p, int node)
{
    int body = pass_body_of(p, node);
    if (body < 0)
        return true;
    const struct handler *h = pass_handler_of(p, node);
    uint32_t inside = tree_at(p->t, body)->start + 1;
    p->r->functions++;
    if (h && !stamp_check_handler(p, h))
        return false;
    if (h)
        handlers_add_stub(p, h);
    if (pass_is_naked(p, node) || h) {
        steps_note_none(p, node);
        return true;
    }
    if (p->whole[node] && p->o->stamp)
        return pass_refuse(p, node,
                           "%s measures the CPU's clock, and is recorded as a whole: how long it takes, stamps cannot "
                           "tell; record without --stamp",
                           tree_at(p->t, node)->name);
    if (p->whole[node]) {
        measure_write(p, node);
        return true;
    }
    if (strcmp(tree_at(p->t, node)->name, "main") == 0) {
        edits_add(&p->edits, inside, EDIT_OPEN, pass_is_avr(p) ? "if (!motet_early) motet_boot();" : "motet_boot();");
    } else {
        steps_visit_function(p, node, body);
    }
    if (reads_is_beginning(p, node))
        reads_record_kept(p, inside);
    return true;
}

static bool instrument_visit(struct pass *p, int node)
{
    struct place at;
    switch (tree_at(p->t, node)->kind) {
    case NODE_FUNCTION: return visit_function(p, node);
    case NODE_WHILE:
    case NODE_DO:
    case NODE_FOR: steps_visit_loop(p, node); return true;
    case NODE_LABEL: steps_visit_label(p, node); return true;
    case NODE_ASM: return sleep_visit_assembly(p, node);
    case NODE_CALL:
        steps_visit_call(p, node);
        if (reads_leads_anywhere(p, node))
            reads_visit_pointer(p, node);
        return stamp_check_call(p, node) && sleep_visit_call(p, node) && reads_visit_call(p, node);
    case NODE_UNARY:
    case NODE_SUBSCRIPT:
    case NODE_MEMBER:
    case NODE_REFERENCE:
        if (pass_is_unevaluated(p, node))
            return true;
        if (pass_is_register(p, node, &at))
            return stamp_check_register(p, node, &at) && reads_visit_register(p, node, &at);
        if (filled_is_read(p, node, &at))
            return reads_visit_register(p, node, &at);
        if (!filled_visit_reference(p, node))
            return false;
        if (reads_leads_anywhere(p, node))
            reads_visit_pointer(p, node);
        return tree_at(p->t, node)->kind != NODE_REFERENCE || pointers_visit_reference(p, node);
    case NODE_CAST: return pointers_visit_cast(p, node);
    default: return true;
    }
}

static void escape(const char *from, char *to, size_t room)
{
    size_t n = 0;
    for (; *from && n + 3 < room; from++) {
        if (*from == '"' || *from == '\\')
            to[n++] = '\\', to[n++] = '\\', to[n++] = '\\';
        if (n + 2 < room)
            to[n++] = *from;
    }
    to[n] = '\0';
}

static void add_site_map(struct pass *p)
{
    const struct instrumented *r = p->r;
    uint32_t end = (uint32_t)p->size;
    if (!r->site_count)
        return;
    edits_add(&p->edits, end, EDIT_OPEN,
              "\n__asm__(\".pushsection .motet.sites.id,\\\"\\\",@progbits\\n.Lmotet_sites:\\n.space "
              "%zu\\n.popsection\");\n",
              r->site_count);
    for (size_t i = 0; i < r->site_count; i++) {
        const struct site *s = &r->sites[i];
        char place[400];
        escape(s->place, place, sizeof place);
        edits_add(&p->edits, end, EDIT_OPEN,
                  "__asm__(\".pushsection .motet.sites,\\\"\\\",@progbits\\n.asciz "
                  "\\\"%s\\\\t%s\\\\t%s\\\\t%u\\\\t0x%x\\\\t%s\\\"\\n.popsection\");\n",
                  place, s->name, register_class_name(s->class), s->bits, s->live, s->why);
    }
}

/* Whether an option, or one function of the file, asks not to optimise. */
static bool is_in_memory(const struct pass *p)
{
    static const char *const words[] = {"\"O0\"", "optnone", "optimize off"};
    uint32_t after;
    bool told = !p->o->optimises;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        told |= pass_has_word(p, 0, (uint32_t)p->size, words[i], &after);
    return told;
}

bool instrument(const char *path, const struct instrument_options *o, struct instrumented *r, struct motet_error *e)
{
    struct pass p;
    if (!pass_open(&p, path, o, r, e))
        return false;
    p.in_memory = is_in_memory(&p);
    char *stamps = o->stamp ? stamp_declaration(&p) : NULL;
    edits_add(&p.edits, 0, EDIT_OPEN, "# 1 \"<motet>\"\n%s%s%s%s%s", o->cpp ? "extern \"C\" {\n" : "", declarations,
              pass_is_avr(&p) ? early_declaration : "", stamps ? stamps : steps_declaration(&p), o->cpp ? "}\n" : "");
    free(stamps);
    handlers_find(&p);
    calls_count(&p);
    reads_find_polls(&p);
    forwards_find(&p);
    measure_find(&p);
    reads_find_waits(&p);
    calibrate_find(&p);
    pairs_find(&p);
    unset_find(&p);
    filled_find(&p);
    bool good = reads_find_steady(&p) && reads_check_kept(&p) && reads_check_initial(&p) && pointers_check_file(&p) &&
                filled_check_file(&p);
    for (size_t i = 0; good && i < tree_count(p.t); i++)
        good = tree_function(p.t, (int)i) < 0 || !pass_is_in_use(&p, tree_function(p.t, (int)i)) ||
               instrument_visit(&p, (int)i);
    reads_leave_out_addresses(&p);
    add_site_map(&p);
    filled_add_map(&p);
    if (o->cpp && pass_is_avr(&p))
        edits_add(&p.edits, (uint32_t)p.size, EDIT_OPEN, "%s", early_code);
    return pass_close(&p, good);
}

void instrumented_free(struct instrumented *r)
{
    for (size_t i = 0; i < r->warning_count; i++)
        free(r->warnings[i]);
    free(r->warnings);
    free(r->elements);
    free(r->sites);
    free(r->text);
    *r = (struct instrumented){0};
}
