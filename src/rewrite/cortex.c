#include "rewrite/cortex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/live.h"
#include "rewrite/pass.h"

bool cc_is_cortex(const struct run *r)
{
    return strcmp(r->c.target, "arm") == 0;
}

bool cortex_allows(struct run *r)
{
    const struct cc_options *o = r->o;
    if (!o->record || o->log_interface || o->plan || o->invariant_count)
        return error_set(&r->e, "firmware for Cortex-M can be recorded; invariants, interface logs and traces are not "
                                "there for it yet");
    if (o->stamp && strcmp(o->stamp, "dwt") != 0)
        return error_set(&r->e,
                         "--stamp %s: on Cortex-M positions of interrupts are counted by the cycle counter of the DWT, "
                         "--stamp dwt, which is the default",
                         o->stamp);
    if (o->codec || o->profile)
        return error_set(&r->e, "--%s %s: the recorder for Cortex-M has one codec and one profile; leave this out",
                         o->codec ? "codec" : "profile", o->codec ? o->codec : o->profile);
    const char *compiler = strrchr(r->c.arguments[0], '/');
    compiler = compiler ? compiler + 1 : r->c.arguments[0];
    if (!cc_starts(compiler, "arm-none-eabi-"))
        return error_set(&r->e, "%s: for Cortex-M recording knows arm-none-eabi-gcc alone", r->c.arguments[0]);
    if (!o->chip)
        return error_set(&r->e, "the command does not name the chip; give --board BOARD");
    for (size_t i = 1; i < r->c.count; i++)
        if (r->c.is_source[i] && command_is_cpp(&r->c, r->c.arguments[i]))
            return error_set(&r->e, "%s: C++ cannot be recorded on Cortex-M yet", r->c.arguments[i]);
    return true;
}

/* ---- loads ---- */

static const char cortex_declarations[] =
    "unsigned motet_load8(const volatile void*);unsigned motet_load16(const volatile void*);"
    "unsigned motet_load32(const volatile void*);void motet_block(volatile void*,unsigned);void motet_boot(void);"
    "static inline __attribute__((always_inline,unused)) unsigned motet_load(const volatile void*p,unsigned size)"
    "{return size==1?motet_load8(p):size==2?motet_load16(p):motet_load32(p);}\n";

/* Whether an lvalue is reached through a pointer, and not of a variable of the program. */
static bool cortex_is_behind_pointer(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    int base = n->child < 0 ? -1 : tree_inner(p->t, n->child);
    if (n->kind == NODE_UNARY)
        return n->operator== OPERATOR_FOLLOW;
    if (base < 0 || (n->kind != NODE_MEMBER && n->kind != NODE_SUBSCRIPT))
        return false;
    int index = n->kind == NODE_SUBSCRIPT ? tree_inner(p->t, tree_child(p->t, node, 1)) : -1; /* or i[p] */
    return tree_at(p->t, base)->is_pointer || (index >= 0 && tree_at(p->t, index)->is_pointer) ||
           cortex_is_behind_pointer(p, base);
}

static bool cortex_is_load(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    return n->is_volatile && !n->is_record && !n->is_array && cortex_is_behind_pointer(p, node);
}

static bool cortex_has_size(const struct tree_node *n)
{
    return (n->integer || n->is_pointer) && (n->size == 1 || n->size == 2 || n->size == 4) &&
           !(n->kind == NODE_MEMBER && n->is_bit_field);
}

/* Not RAM, and not program memory: of a register, whichever chip it is. */
static bool cortex_is_device(uint32_t address)
{
    return address >= 0x40000000 || (address >= 0x10000000 && address < 0x20000000);
}

static void cortex_record_load(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    char *text = pass_flat(p, n->start, n->end), name[24];
    uint32_t address;
    bool known = address_of_lvalue(p->t, node, &address);
    snprintf(name, sizeof name, known ? "0x%x" : "*pointer", (unsigned)address);
    pass_site(p, node, name, REGISTER_WHOLE, 0xffff, known ? "register read" : "the run decides where it points");
    edits_add(&p->edits, n->start, EDIT_OPEN, "((__typeof__(%s))motet_load(&(", text);
    edits_add(&p->edits, n->end, EDIT_CLOSE, "),sizeof(%s)))", text);
    free(text);
}

/* L op= X: a load, the operation, and a store. */
static bool cortex_record_update(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    int left = n->child, right = left < 0 ? -1 : tree_at(p->t, left)->next;
    int lvalue = left < 0 ? -1 : tree_inner(p->t, left);
    if (right < 0 || !cortex_is_load(p, lvalue) || !cortex_has_size(tree_at(p->t, lvalue)))
        return true;
    char operator[4] = "";
    uint32_t at = pass_behind_space(p, tree_at(p->t, left)->end);
    for (unsigned i = 0; i < 3 && at < p->size && p->text[at] != '='; i++)
        operator[i] = p->text[at++];
    char *text = pass_flat(p, tree_at(p->t, left)->start, tree_at(p->t, left)->end);
    pass_site(p, lvalue, "*pointer", REGISTER_WHOLE, 0xffff, "changed in place");
    p->quiet[lvalue] = true;
    edits_add(&p->edits, n->start, EDIT_OPEN, "({__typeof__(%s)*motet_p=&(", text);
    edits_add(&p->edits, tree_at(p->t, left)->end, EDIT_CLOSE,
              ");__auto_type motet_v=(__typeof__(%s))((__typeof__(%s))motet_load(motet_p,sizeof*motet_p)%s(/*", text,
              text, operator);
    edits_add(&p->edits, tree_at(p->t, right)->start, EDIT_OPEN, "*/");
    edits_add(&p->edits, n->end, EDIT_CLOSE, "));*motet_p=motet_v;motet_v;})");
    free(text);
    return true;
}

static bool cortex_check_write(struct pass *p, int node, const struct cortex_chip *chip)
{
    uint32_t address;
    const struct cortex_register *r =
        address_of_lvalue(p->t, node, &address) ? cortex_chip_register(chip, address) : NULL;
    if (r && r->write == CORTEX_PROGRAMS)
        return pass_refuse(p, node,
                           "writing %s changes program memory, where the log is; what is there after the next start is "
                           "not recorded, so this cannot be replayed",
                           r->name);
    if (r && r->write == CORTEX_OWN)
        return pass_refuse(p, node, "writing %s: the recorder needs it itself", r->name);
    if (r && r->write == CORTEX_FILLS && !p->says_filled)
        return pass_refuse(p, node,
                           "writing %s lets hardware fill memory (DMA), which is not recorded by itself; include "
                           "motet.h and call motet_filled(bytes, size) in this file where it is complete, before the "
                           "bytes are read",
                           r->name);
    return true;
}

static bool cortex_visit_lvalue(struct pass *p, int node, const struct cortex_chip *chip)
{
    const struct tree_node *n = tree_at(p->t, node);
    uint32_t address;
    if (p->quiet[node] || pass_is_unevaluated(p, node) || !cortex_is_load(p, node))
        return true;
    enum use use = live_use(p->t, node);
    if ((use == USE_WRITE || use == USE_UPDATE) && !cortex_check_write(p, node, chip))
        return false;
    bool known = address_of_lvalue(p->t, node, &address) && cortex_is_device(address);
    int above = tree_above(p->t, node);
    const struct tree_node *a = above < 0 ? NULL : tree_at(p->t, above);
    bool steps = a && a->kind == NODE_UNARY && a->operator== OPERATOR_STEP;
    if (use == USE_WRITE || use == USE_ADDRESS)
        return true;
    if (known && (steps || use == USE_UPDATE))
        return pass_refuse(p, node,
                           "register 0x%x is changed in place in a way that cannot be recorded; write it as a "
                           "read and an assignment",
                           (unsigned)address);
    if (known && !cortex_has_size(n))
        return pass_refuse(p, node,
                           "this read of register 0x%x is of a bit-field, or not of 1, 2 or 4 bytes, and "
                           "cannot be recorded; read it as an integer",
                           (unsigned)address);
    if (a && a->kind == NODE_ASM) {
        return !known ||
               pass_refuse(p, node, "inline assembly gets register 0x%x itself; give it a variable", (unsigned)address);
    }
    if (!steps && use != USE_UPDATE && cortex_has_size(n))
        cortex_record_load(p, node);
    return true;
}

static bool cortex_visit_function(struct pass *p, int node)
{
    uint32_t after;
    int body = pass_body_of(p, node);
    if (body < 0)
        return true;
    p->r->functions++;
    if (pass_has_attribute(p, node, "constructor", &after))
        return pass_refuse(p, node, "%s runs before main begins, where nothing is recorded", tree_at(p->t, node)->name);
    if (strcmp(tree_at(p->t, node)->name, "main") == 0)
        edits_add(&p->edits, tree_at(p->t, body)->start + 1, EDIT_OPEN, "motet_boot();");
    return true;
}

static void cortex_visit_call(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (strcmp(n->name, "motet_filled") != 0)
        return;
    pass_site(p, node, "motet_filled", REGISTER_DATA, 0xff, "the program says so");
    edits_add(&p->edits, n->start, EDIT_OPEN, "motet_block/*");
    edits_add(&p->edits, tree_at(p->t, n->child)->end, EDIT_CLOSE, "*/");
}

static bool cortex_visit(struct pass *p, int node, const struct cortex_chip *chip)
{
    switch (tree_at(p->t, node)->kind) {
    case NODE_FUNCTION: return cortex_visit_function(p, node);
    case NODE_CALL: cortex_visit_call(p, node); return true;
    case NODE_ASSIGN_OPERATION:
        return pass_is_unevaluated(p, node) ||
               (cortex_check_write(p, tree_inner(p->t, tree_at(p->t, node)->child), chip) &&
                cortex_record_update(p, node));
    case NODE_UNARY:
    case NODE_SUBSCRIPT:
    case NODE_MEMBER: return cortex_visit_lvalue(p, node, chip);
    default: return true;
    }
}

bool cortex_instrument(const char *path, const struct instrument_options *given, const struct cortex_chip *chip,
                       struct instrumented *i, struct motet_error *e)
{
    struct instrument_options o = *given;
    struct pass p;
    o.target = "thumbv7em-none-eabi"; /* as clang names it */
    if (!pass_open(&p, path, &o, i, e))
        return false;
    edits_add(&p.edits, 0, EDIT_OPEN, "# 1 \"<motet>\"\n%s", cortex_declarations);
    for (size_t n = 0; n < tree_count(p.t); n++)
        p.says_filled |=
            tree_at(p.t, (int)n)->kind == NODE_CALL && strcmp(tree_at(p.t, (int)n)->name, "motet_filled") == 0;
    bool good = true;
    for (size_t n = 0; good && n < tree_count(p.t); n++)
        good = (tree_at(p.t, (int)n)->kind != NODE_FUNCTION && tree_function(p.t, (int)n) < 0) ||
               cortex_visit(&p, (int)n, chip);
    return pass_close(&p, good);
}

/* ---- sleep, in the compiler's assembly ---- */

/* Whether a line has that instruction, alone; *other: in a form that is not known here. */
static bool cortex_is_sleep(const char *line, const char *name, bool *other)
{
    const char *at = strstr(line, name);
    while (at && at > line && (at[-1] != ' ' && at[-1] != '\t' && at[-1] != ';'))
        at = strstr(at + 1, name);
    if (!at || strchr("@\"", line[strspn(line, " \t")]))
        return false;
    size_t length = strlen(name);
    length += strncmp(at + length, ".n", 2) == 0 || strncmp(at + length, ".w", 2) == 0 ? 2 : 0;
    bool alone = at == line + strspn(line, " \t") && line[strcspn(line, ";@")] != ';';
    bool ends = strchr(" \t\r\n@;", at[length]) != NULL;
    if (!ends) /* a conditional form, or another word */
        *other = strlen(at) > length + 1 && strchr(" \t\r\n@;", at[length + 2]) != NULL && line[0] == '\t';
    else
        *other = !alone;
    return ends && alone;
}

bool cortex_sleeps(const char *assembly, struct motet_error *e)
{
    char line[4096], *text = NULL;
    size_t size;
    bool good = true, other = false;
    FILE *from = fopen(assembly, "r"), *to = memory_must(open_memstream(&text, &size));
    while (good && from && fgets(line, sizeof line, from)) {
        bool wfi = cortex_is_sleep(line, "wfi", &other), wfe = !other && !wfi && cortex_is_sleep(line, "wfe", &other);
        if (other)
            good = error_set(e,
                             "assembly has WFI or WFE in a form that cannot be recorded, conditional or beside "
                             "another instruction: %.60s",
                             line);
        else if (wfi || wfe)
            fprintf(to, "\tpush {lr}\n\tbl motet_%s\n\tpop {lr}\n", wfi ? "wfi" : "wfe");
        else
            fputs(line, to);
    }
    if (from)
        fclose(from);
    memory_written(to);
    FILE *f = good && from ? fopen(assembly, "w") : NULL;
    good = good && f && fputs(text, f) >= 0;
    good = (!f || fclose(f) == 0) && good;
    free(text);
    if (!good && !e->text[0])
        error_set(e, "cannot write %s", assembly);
    return good;
}
