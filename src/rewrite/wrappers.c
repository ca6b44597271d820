#include "rewrite/wrappers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/element_cost.h"

enum { WRAPPER_VALUES = 200 }; /* bytes; motet_begin_in() takes their number in one */

/* Bytes that are logged beside the parameters. */
struct wrapper_buffer {
    char *expression;
    char *address, *size; /* in C */
    bool at_call, at_return, content;
    bool whole; /* what a parameter points to: it has neither address nor size in the log */
};

struct wrapper_work {
    struct pass *p;
    const struct component *c;
    const struct wrapper *w;
    struct tree_signature s;
    const struct description *d;
    char names[TREE_PARAMETERS][64];
    struct wrapper_buffer buffers[INTERFACE_BYTES_MAX];
    size_t buffer_count;
    char *text;
    size_t size;
    FILE *out;
};

/* Several components may call the same function, each through its own wrapper. */
const char *wrapper_prefix(const struct pass *p, enum wrapper_kind kind)
{
    static const char *const outs[] = {"motet_out_", "motet_out1_", "motet_out2_", "motet_out3_"};
    return kind == WRAPPER_IN ? "motet_in_" : outs[p->o->component < 0 ? 0 : p->o->component];
}

const char *wrapper_is_target(const struct pass *p)
{
    static const char *const are[] = {"motet_target==0", "motet_target==1", "motet_target==2", "motet_target==3"};
    return p->o->component < 0 ? "" : are[p->o->component];
}

const char *wrapper_if_target(const struct pass *p)
{
    static const char *const ifs[] = {"if(motet_target==0)", "if(motet_target==1)", "if(motet_target==2)",
                                      "if(motet_target==3)"};
    return p->o->component < 0 ? "" : ifs[p->o->component];
}

/* ---- buffers ---- */

static bool wrapper_is_name(const char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

static bool wrapper_uses(const char *expression, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = expression; (at = strstr(at, name)); at += length) {
        bool begins = at == expression || (!isalnum((unsigned char)at[-1]) && at[-1] != '_' && at[-1] != '>');
        if (begins && !isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    }
    return false;
}

/* The bracket that opens the last one, which has how many there are; NULL: there is none. */
static const char *wrapper_last_bracket(const char *expression)
{
    size_t length = strlen(expression);
    unsigned depth = 0;
    if (!length || expression[length - 1] != ']')
        return NULL;
    for (const char *at = expression + length; at-- > expression;) {
        depth += *at == ']';
        depth -= *at == '[';
        if (!depth)
            return at;
    }
    return NULL;
}

static void wrapper_add_buffer(struct wrapper_work *k, const char *expression, bool at_call, bool at_return,
                               bool content)
{
    if (k->buffer_count == INTERFACE_BYTES_MAX)
        return;
    struct wrapper_buffer *b = &k->buffers[k->buffer_count++];
    const char *bracket = wrapper_last_bracket(expression);
    *b = (struct wrapper_buffer){
        .expression = memory_string(expression), .at_call = at_call, .at_return = at_return, .content = content};
    if (wrapper_uses(expression, "result"))
        b->at_call = !(b->at_return = true);
    if (bracket) {
        int length = (int)(bracket - expression);
        b->address = memory_format("(%.*s)", length, expression);
        b->size = memory_format("((%.*s)*sizeof*(%.*s))", (int)strlen(bracket) - 2, bracket + 1, length, expression);
    } else {
        b->address = memory_format("&(%s)", expression);
        b->size = memory_format("sizeof(%s)", expression);
        b->whole = expression[0] == '*' && wrapper_is_name(expression + 1) && strcmp(expression + 1, "result") != 0;
    }
}

static bool wrapper_said(const struct wrapper_work *k, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < k->buffer_count; i++) {
        const char *at = k->buffers[i].expression;
        at += strspn(at, "*( ");
        if (strncmp(at, name, length) == 0 && (!at[length] || strchr(" [)+", at[length])))
            return true;
    }
    return false;
}

static bool wrapper_has(const struct wrapper_work *k, const char *expression)
{
    for (size_t i = 0; i < k->buffer_count; i++)
        if (strcmp(k->buffers[i].expression, expression) == 0)
            return true;
    return false;
}

static bool wrapper_refuse_bytes(const struct wrapper_work *k, unsigned i)
{
    char list[300] = "";
    for (unsigned n = 0; n < k->s.count; n++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", n ? ", " : "", k->names[n]);
    return pass_refuse(
        k->p, k->w->node,
        "`%s` of %s points to bytes, and nothing says how many; write a line `log %s(%s): %s[SIZE]` in an "
        "interface file, with a size of 0 to leave them out",
        k->names[i], k->w->name, k->w->kind == WRAPPER_VIA ? "*" : k->w->name, list, k->names[i]);
}

/* As src/interface/buffers.c recognises them, but for what reads log by themselves: objects that a function outside
 * gets, and what is in any of them after the call. */
static bool wrapper_recognise(struct wrapper_work *k, unsigned i)
{
    bool in = k->w->kind == WRAPPER_IN;
    const struct tree_parameter *a = &k->s.parameters[i];
    const char *name = k->names[i];
    char text[300];
    if (!a->is_pointer || a->to_function)
        return true;
    if (!wrapper_said(k, name)) {
        const struct tree_parameter *next = i + 1 < k->s.count ? a + 1 : NULL;
        if (a->to_object && in) {
            snprintf(text, sizeof text, "*%s", name);
            wrapper_add_buffer(k, text, true, false, false);
        } else if (a->to_bytes && next && next->is_integer && (tree_is_length(k->names[i + 1]) || !*next->name)) {
            snprintf(text, sizeof text, "%s[%s]", name, k->names[i + 1]);
            wrapper_add_buffer(k, text, true, false, false);
        } else if (a->to_bytes) {
            return wrapper_refuse_bytes(k, i);
        }
    }
    if (!a->bytes)
        return true;
    snprintf(text, sizeof text, "%s->%s[%s->%s]", name, a->bytes, name, a->length);
    if (!wrapper_has(k, text))
        wrapper_add_buffer(k, text, true, false, false);
    return true;
}

static bool wrapper_find_buffers(struct wrapper_work *k)
{
    const struct description *d = k->d;
    for (uint32_t i = 0; d && i < d->buffer_count; i++)
        wrapper_add_buffer(k, d->buffers[i].expression, d->buffers[i].at_call, d->buffers[i].at_return,
                           d->buffers[i].content);
    for (unsigned i = 0; i < k->s.count; i++)
        if (!wrapper_recognise(k, i))
            return false;
    return true;
}

/* ---- names ---- */

static void wrapper_find_names(struct wrapper_work *k)
{
    const char *types[TREE_PARAMETERS];
    for (unsigned i = 0; i < k->s.count; i++)
        types[i] = k->s.parameters[i].type;
    k->d = descriptions_match(&k->c->descriptions, k->w->name, k->s.count, types);
    for (unsigned i = 0; i < k->s.count; i++) {
        const char *name = k->d && k->d->parameter_count != UINT32_MAX ? k->d->names[i] : k->s.parameters[i].name;
        if (*name)
            snprintf(k->names[i], sizeof k->names[i], "%s", name);
        else
            snprintf(k->names[i], sizeof k->names[i], "p%u", i + 1);
    }
}

/* ---- the function ---- */

/* "motet_out_radio_send" */
static void wrapper_name(const struct pass *p, const struct wrapper *w, char *name, size_t size)
{
    if (w->kind == WRAPPER_VIA)
        snprintf(name, size, "motet_via_%u", w->number);
    else
        snprintf(name, size, "%s%s", wrapper_prefix(p, w->kind), w->name);
}

static const char *wrapper_id(const struct wrapper *w, bool avr, char *text, size_t size)
{
    snprintf(
        text, size,
        avr ? "({unsigned char motet_i;__asm__ __volatile__(\"ldi %%0,lo8(.Lmotet_ids+%u)\":\"=d\"(motet_i));motet_i;})"
            : "(unsigned char)(unsigned)(motet_ids_here+%u)",
        w->number);
    return text;
}

/* In assembly, unless a buffer is logged at the return, or the firmware replays. */
static bool wrapper_is_element(const struct wrapper_work *k)
{
    for (size_t i = 0; i < k->buffer_count; i++)
        if (k->buffers[i].at_return)
            return false;
    return !k->p->o->fed && element_fits(&k->s, k->w->kind, pass_is_avr(k->p));
}

/* "(void(*motet_to)(int),int value)" */
static void wrapper_parameters(struct wrapper_work *k)
{
    fprintf(k->out, "(");
    if (k->w->kind == WRAPPER_VIA)
        fprintf(k->out, "__typeof__(%s) (*motet_to)(", k->s.result);
    for (unsigned i = 0; k->w->kind == WRAPPER_VIA && i < k->s.count; i++)
        fprintf(k->out, "%s__typeof__(%s)", i ? "," : "", k->s.parameters[i].type);
    if (k->w->kind == WRAPPER_VIA)
        fprintf(k->out, "%s)%s", k->s.count ? "" : "void", k->s.count ? "," : "");
    for (unsigned i = 0; i < k->s.count; i++)
        fprintf(k->out, "%s__typeof__(%s) %s", i ? "," : "", k->s.parameters[i].type, k->names[i]);
    fprintf(k->out, "%s)", k->s.count || k->w->kind == WRAPPER_VIA ? "" : "void");
}

static void wrapper_head(struct wrapper_work *k, bool declaration)
{
    char name[300];
    bool avr = pass_is_avr(k->p);
    const char *tuned = wrapper_is_element(k) ? (avr ? "naked,noinline,noclone" : "noinline")
                        : avr                 ? "noinline,noclone,optimize(\"Os\")"
                                              : "noinline";
    wrapper_name(k->p, k->w, name, sizeof name);
    if (declaration && k->w->shared)
        fprintf(k->out, "__attribute__((weak,used,%s,section(\".text.motet.%s\")))", tuned, name);
    else if (declaration)
        fprintf(k->out, "%s__attribute__((used,%s))", k->w->exported ? "" : "static ", tuned);
    else if (!k->w->shared && !k->w->exported)
        fprintf(k->out, "static ");
    fprintf(k->out, " __typeof__(%s) %s", k->s.result, name);
    wrapper_parameters(k);
}

/* What a value takes in an event. */
static const char *wrapper_space(const struct wrapper_work *k, const char *name, char *text, size_t size)
{
    snprintf(text, size, pass_is_avr(k->p) ? "sizeof %s" : "(sizeof %s+1&~1u)", name);
    return text;
}

static void wrapper_values(struct wrapper_work *k, bool is_return)
{
    char space[300];
    if (!is_return && k->w->kind == WRAPPER_VIA)
        fprintf(k->out, "__builtin_memcpy(motet_m,&motet_to,sizeof motet_to);motet_m+=sizeof motet_to;");
    for (unsigned i = 0; !is_return && i < k->s.count; i++)
        fprintf(k->out, "__builtin_memcpy(motet_m,&%s,sizeof %s);motet_m+=%s;", k->names[i], k->names[i],
                wrapper_space(k, k->names[i], space, sizeof space));
    if (is_return && k->s.returns)
        fprintf(k->out, "__builtin_memcpy(motet_m,&motet_result,sizeof motet_result);");
}

/* Bytes of buffers. The component knows those that it is called with, and those it gets back. */
static void wrapper_bytes(struct wrapper_work *k, bool is_return)
{
    bool known = (k->w->kind == WRAPPER_IN) != is_return;
    for (size_t i = 0; i < k->buffer_count; i++) {
        const struct wrapper_buffer *b = &k->buffers[i];
        if (is_return ? b->at_return : b->at_call)
            fprintf(k->out, "motet_%s%s((const void*)%s,%s);", b->whole ? "whole" : "put", known ? "" : "_out",
                    b->address, b->size);
    }
}

/* Reserves room for an event and fills it. */
static void wrapper_event(struct wrapper_work *k, bool is_return)
{
    static const char *const begins[][2] = {{"in", "end"}, {"out", "back"}, {"out", "back"}};
    char id[160], space[300];
    fprintf(k->out, "{unsigned char*motet_m=motet_begin_%s(%s,0%s", begins[k->w->kind][is_return],
            wrapper_id(k->w, pass_is_avr(k->p), id, sizeof id),
            !is_return && k->w->kind == WRAPPER_VIA ? "+sizeof motet_to" : "");
    for (unsigned i = 0; !is_return && i < k->s.count; i++)
        fprintf(k->out, "+%s", wrapper_space(k, k->names[i], space, sizeof space));
    if (is_return && k->s.returns)
        fprintf(k->out, "+%s", wrapper_space(k, "motet_result", space, sizeof space));
    fprintf(k->out, ");if(motet_m){");
    wrapper_values(k, is_return);
    wrapper_bytes(k, is_return);
    fprintf(k->out, "}}");
}

/* The line of an interface file that says the same. */
static void wrapper_line(struct wrapper_work *k)
{
    static const char *const roles[] = {"log", "send", "sent", "receive"};
    const struct description *d = k->d;
    const char *between = ": ";
    fprintf(k->out, "%s %s(", roles[d ? d->role : INTERFACE_ROLE_NONE], k->w->kind == WRAPPER_VIA ? "*" : k->w->name);
    if (k->w->kind == WRAPPER_VIA)
        fprintf(k->out, "motet_to%s", k->s.count ? ", " : "");
    for (unsigned i = 0; i < k->s.count; i++)
        fprintf(k->out, "%s%s", i ? ", " : "", k->names[i]);
    fprintf(k->out, ")");
    for (size_t i = 0; i < k->buffer_count; i++, between = "; ") {
        const struct wrapper_buffer *b = &k->buffers[i];
        fprintf(k->out, "%s%s%s%s", between, b->content ? "content " : "", b->expression,
                b->at_return ? (b->at_call ? " at both" : " at return") : "");
    }
    for (uint32_t i = 0; d && i < d->field_count; i++, between = "; ")
        fprintf(k->out, "%s%s=%s", between, d->fields[i].name, d->fields[i].expression);
}

/* What the host is to know of it. GNU ld drops sections without references: there is one from the wrapper. */
static void wrapper_crossing(struct wrapper_work *k)
{
    static const char kinds[] = {'i', 'o', 'v'};
    char name[300];
    wrapper_name(k->p, k->w, name, sizeof name);
    if (k->w->kind == WRAPPER_IN)
        snprintf(name, sizeof name, "%s%s", k->w->exported ? "motet_real_" : "", k->w->name);
    if (k->w->kind == WRAPPER_IN && k->p->o->fed)
        snprintf(name, sizeof name, "motet_enter_%u", k->w->number);
    fprintf(k->out,
            "__asm__ __volatile__(\"1:\\n\\t.pushsection .motet.crossings.%%=,\\\"\\\",@progbits\\n2:\\t.long "
            "%s, .Lmotet_ids+%u\\n\\t.ascii \\\"%c\\\"\\n\\t.asciz \\\"",
            name, k->w->number + (k->p->o->component > 0 ? (unsigned)k->p->o->component << 24 : 0), kinds[k->w->kind]);
    wrapper_line(k);
    fprintf(k->out, "\\\"\\n\\t.popsection%s\"::);", pass_is_avr(k->p) ? "\\n\\t.reloc 1b, R_AVR_NONE, 2b" : "");
}

/* ---- in a firmware that replays the component: a host answers (target/interface/replayer.c) ---- */

static void wrapper_ask_host(struct wrapper_work *k)
{
    char id[160];
    bool via = k->w->kind == WRAPPER_VIA;
    fprintf(k->out, "unsigned char motet_a[1%s", via ? "+sizeof motet_to" : "");
    for (unsigned i = 0; i < k->s.count; i++)
        fprintf(k->out, "+sizeof %s", k->names[i]);
    fprintf(k->out, "],*motet_m=motet_a;");
    if (via)
        fprintf(k->out, "__builtin_memcpy(motet_m,&motet_to,sizeof motet_to);motet_m+=sizeof motet_to;");
    for (unsigned i = 0; i < k->s.count; i++)
        fprintf(k->out, "__builtin_memcpy(motet_m,&%s,sizeof %s);motet_m+=sizeof %s;", k->names[i], k->names[i],
                k->names[i]);
    if (k->s.returns)
        fprintf(k->out, "__typeof__(%s) motet_result;", k->s.result);
    fprintf(k->out, "motet_outside(%s,motet_a,(unsigned char)(motet_m-motet_a),%s);%s}\n",
            wrapper_id(k->w, pass_is_avr(k->p), id, sizeof id),
            k->s.returns ? "(void*)&motet_result,sizeof motet_result" : "(void*)0,0",
            k->s.returns ? "return motet_result;" : "");
}

/* motet_enter_N() calls the function with arguments and a result in memory. */
static void wrapper_entry(struct wrapper_work *k)
{
    fprintf(k->out,
            "static __attribute__((used)) void motet_enter_%u(const unsigned char*motet_m,unsigned char*motet_r){",
            k->w->number);
    for (unsigned i = 0; i < k->s.count; i++)
        fprintf(k->out,
                "__typeof__(%s) motet_v%u;__builtin_memcpy((void*)&motet_v%u,motet_m,sizeof motet_v%u);"
                "motet_m+=sizeof motet_v%u;",
                k->s.parameters[i].type, i, i, i, i);
    if (k->s.returns)
        fprintf(k->out, "__typeof__(%s) motet_result=", k->s.result);
    fprintf(k->out, "%s(", k->w->name);
    for (unsigned i = 0; i < k->s.count; i++)
        fprintf(k->out, "%smotet_v%u", i ? "," : "", i);
    fprintf(k->out, ");%s(void)motet_m,(void)motet_r;}\n",
            k->s.returns ? "__builtin_memcpy(motet_r,&motet_result,sizeof motet_result);" : "");
}

static void wrapper_fed(struct wrapper_work *k)
{
    if (k->w->kind != WRAPPER_IN) {
        wrapper_ask_host(k);
        return;
    }
    fprintf(k->out, "%s%s(", k->s.returns ? "return " : "", k->w->name);
    for (unsigned i = 0; i < k->s.count; i++)
        fprintf(k->out, "%s%s", i ? "," : "", k->names[i]);
    fprintf(k->out, ");}\n");
    wrapper_entry(k);
}

/* A static function may be inlined into all its callers; this one calls it for assembly. */
static bool wrapper_is_reached(const struct wrapper_work *k)
{
    return k->w->kind == WRAPPER_OUT && !k->w->shared;
}

static void wrapper_reach(struct wrapper_work *k)
{
    fprintf(k->out, "static __attribute__((used,noinline%s)) __typeof__(%s) motet_to_%s",
            pass_is_avr(k->p) ? ",noclone" : "", k->s.result, k->w->name);
    wrapper_parameters(k);
    fprintf(k->out, "{%s%s(", k->s.returns ? "return " : "", k->w->name);
    for (unsigned i = 0; i < k->s.count; i++)
        fprintf(k->out, "%s%s", i ? "," : "", k->names[i]);
    fprintf(k->out, ");}\n");
}

/* Bytes and how many, and nothing else, of a call in: assembly hands them on as they are. */
static bool wrapper_is_direct(const struct wrapper_work *k)
{
    char text[200];
    if (k->w->kind != WRAPPER_IN || k->buffer_count != 1 || k->s.count != 2 || !k->s.parameters[0].to_bytes ||
        k->s.parameters[1].size > 2)
        return false;
    snprintf(text, sizeof text, "%s[%s]", k->names[0], k->names[1]);
    return strcmp(k->buffers[0].expression, text) == 0;
}

/* What assembly calls for the buffers; with the wrapper, where the linker keeps one of several. */
static void wrapper_bytes_function(struct wrapper_work *k)
{
    char name[300];
    wrapper_name(k->p, k->w, name, sizeof name);
    fprintf(k->out, "static __attribute__((used,noinline%s", pass_is_avr(k->p) ? ",noclone,optimize(\"Os\")" : "");
    if (k->w->shared)
        fprintf(k->out, ",section(\".text.motet.%s\")", name);
    fprintf(k->out, ")) void motet_bytes_%u", k->w->number);
    wrapper_parameters(k);
    fprintf(k->out, "{");
    wrapper_bytes(k, false);
    fprintf(k->out, "}\n");
}

/* For the report. */
static void wrapper_note(struct wrapper_work *k, const struct element_cost *c)
{
    static const char kinds[] = {[WRAPPER_IN] = 'i', [WRAPPER_OUT] = 'o', [WRAPPER_VIA] = 'v'};
    struct instrumented *r = k->p->r;
    r->elements = memory_grow(r->elements, &r->element_room, r->element_count, sizeof *r->elements);
    struct instrumented_element *e = &r->elements[r->element_count++];
    *e = (struct instrumented_element){.kind = kinds[k->w->kind], .cycles = c ? c->logged : 0, .most = c ? c->most : 0};
    snprintf(e->name, sizeof e->name, "%s", k->w->kind == WRAPPER_VIA ? "a pointer" : k->w->name);
    for (size_t i = 0; i < k->buffer_count; i++)
        e->buffers += k->buffers[i].at_call;
}

static void wrapper_in_assembly(struct wrapper_work *k)
{
    char symbol[300], bytes[40];
    bool via = k->w->kind == WRAPPER_VIA;
    struct element e = {.kind = k->w->kind,
                        .number = k->w->number,
                        .symbol = via ? NULL : symbol,
                        .bytes = k->buffer_count ? bytes : NULL,
                        .avr = pass_is_avr(k->p),
                        .timed = k->p->o->timed,
                        .component = k->p->o->component,
                        .count = k->s.count + via,
                        .sizes = {2},
                        .result = k->s.returns ? k->s.result_size : 0};
    for (unsigned i = 0; i < k->s.count; i++)
        e.sizes[i + via] = k->s.parameters[i].size;
    snprintf(symbol, sizeof symbol, "%s%s",
             k->w->exported          ? "motet_real_"
             : wrapper_is_reached(k) ? "motet_to_"
                                     : "",
             k->w->name);
    for (unsigned i = 0; !e.avr && i < k->s.count; i++) /* else the compiler leaves them away in calls */
        fprintf(k->out, "__asm__ __volatile__(\"\"::\"g\"(%s));", k->names[i]);
    if (!e.avr && via)
        fprintf(k->out, "__asm__ __volatile__(\"\"::\"g\"(motet_to));");
    if (!e.avr && e.result)
        fprintf(k->out, "__typeof__(%s) motet_result;", k->s.result);
    snprintf(bytes, sizeof bytes, "motet_bytes_%u", k->w->number);
    if ((e.direct = wrapper_is_direct(k)))
        snprintf(bytes, sizeof bytes, "motet_put_first");
    element_write(&e, k->out);
    struct element_cost cost;
    element_cost(&e, &cost);
    wrapper_note(k, &cost);
    fprintf(k->out, "%s}\n", !e.avr && e.result ? "return motet_result;" : "");
}

static void wrapper_call(struct wrapper_work *k)
{
    fprintf(k->out, "%s(", k->w->kind == WRAPPER_VIA ? "motet_to" : k->w->name);
    for (unsigned i = 0; i < k->s.count; i++)
        fprintf(k->out, "%s%s", i ? "," : "", k->names[i]);
    fprintf(k->out, ");");
}

static void wrapper_in_c(struct wrapper_work *k)
{
    bool in = k->w->kind == WRAPPER_IN;
    wrapper_note(k, NULL);
    if (k->p->o->component >= 0) {
        fprintf(k->out, "if(!(%s)){%s", wrapper_is_target(k->p), k->s.returns ? "return " : "");
        wrapper_call(k);
        fprintf(k->out, "%s}", k->s.returns ? "" : "return;");
    }
    if (in)
        fprintf(k->out, "__typeof__(motet_side) motet_was=motet_side;");
    wrapper_event(k, false);
    if (!in)
        fprintf(k->out, "motet_side=(__typeof__(motet_side))-1;");
    if (k->s.returns)
        fprintf(k->out, "__typeof__(%s) motet_result=", k->s.result);
    wrapper_call(k);
    wrapper_event(k, true);
    if (in)
        fprintf(k->out, "motet_side=motet_was;");
    if (k->s.returns)
        fprintf(k->out, "return motet_result;");
    fprintf(k->out, "}\n");
}

static void wrapper_body(struct wrapper_work *k)
{
    fprintf(k->out, "{");
    wrapper_crossing(k);
    if (k->p->o->fed)
        wrapper_fed(k);
    else if (wrapper_is_element(k))
        wrapper_in_assembly(k);
    else
        wrapper_in_c(k);
}

static bool wrapper_check(const struct wrapper_work *k)
{
    if (k->s.variadic)
        return pass_refuse(k->p, k->w->node,
                           "%s takes any number of parameters, which cannot be logged; name it in --log-interface, so "
                           "that it is inside",
                           k->w->name);
    if (k->s.count > TREE_PARAMETERS - 1)
        return pass_refuse(k->p, k->w->node, "%s has more parameters than can be logged (%d)", k->w->name,
                           TREE_PARAMETERS - 1);
    unsigned bytes = k->s.returns ? k->s.result_size : 0;
    for (unsigned i = 0; i < k->s.count; i++)
        bytes += k->s.parameters[i].size;
    return bytes <= WRAPPER_VALUES ||
           pass_refuse(k->p, k->w->node, "%s has %u bytes of parameters and results, and %d can be logged", k->w->name,
                       bytes, WRAPPER_VALUES);
}

bool wrapper_write(struct pass *p, const struct component *c, const struct wrapper *w)
{
    struct wrapper_work *k = memory_new(sizeof *k);
    *k = (struct wrapper_work){.p = p, .c = c, .w = w};
    bool good = tree_signature(p->t, w->node, &k->s) || pass_refuse(p, w->node, "%s has no type", w->name);
    good = good && wrapper_check(k);
    if (good) {
        wrapper_find_names(k);
        good = wrapper_find_buffers(k);
    }
    if (good) {
        k->out = memory_must(open_memstream(&k->text, &k->size));
        if (wrapper_is_element(k) && wrapper_is_reached(k))
            wrapper_reach(k);
        if (wrapper_is_element(k) && k->buffer_count && !wrapper_is_direct(k))
            wrapper_bytes_function(k);
        wrapper_head(k, true);
        fprintf(k->out, ";\n");
        wrapper_head(k, false);
        wrapper_body(k);
        memory_written(k->out);
        edits_add(&p->edits, (uint32_t)p->size, EDIT_OPEN, "%s", k->text);
    }
    for (size_t i = 0; i < k->buffer_count; i++) {
        free(k->buffers[i].expression);
        free(k->buffers[i].address);
        free(k->buffers[i].size);
    }
    free(k->text);
    free(k);
    return good;
}

/* ---- around them ---- */

/* target/interface/logger.h, for text that is preprocessed already. */
static const char wrappers_declarations[] =
    "extern const char motet_ids_here[] __asm__(\".Lmotet_ids\");extern volatile unsigned %smotet_side;"
    "extern volatile unsigned char motet_target;"
    "unsigned char *motet_begin_in(unsigned char,unsigned char);unsigned char *motet_begin_out(unsigned char,unsigned "
    "char);"
    "unsigned char *motet_begin_end(unsigned char,unsigned char);unsigned char *motet_begin_back(unsigned "
    "char,unsigned char);"
    "void motet_put(const void*,unsigned);void motet_whole(const void*,unsigned);"
    "void motet_put_out(const void*,unsigned);void motet_whole_out(const void*,unsigned);"
    "unsigned char motet_seen1(const volatile void*,unsigned char);unsigned motet_seen2(const volatile void*,unsigned);"
    "unsigned long motet_seen4(const volatile void*,unsigned long);"
    "void motet_outside(unsigned char,const unsigned char*,unsigned char,void*,unsigned char);"
    "unsigned char motet_seen1_here(const volatile void*,unsigned char);"
    "unsigned motet_seen2_here(const volatile void*,unsigned);"
    "void motet_seen(const volatile void*,void*,unsigned char);void motet_look(const void*,unsigned);\n";

/* Reads of one or two bytes that leave the compiler more registers than a call in C does: motet_seen1_in and so on. */
static void wrappers_add_reads(struct pass *p)
{
    static const char *const types[] = {"unsigned char", "unsigned"}, *const heres[] = {"", "_here"};
    for (unsigned i = 0; i < 4; i++)
        edits_add(&p->edits, 0, EDIT_OPEN,
                  "static inline __attribute__((always_inline,unused))%s motet_seen%u_in%s(const void*motet_p,%s "
                  "motet_v){register const void*motet_a __asm__(\"r24\")=motet_p;register %s motet_r "
                  "__asm__(\"r24\");(void)motet_v;__asm__ __volatile__(\"%%~call motet_seen%u_at%s\""
                  ":\"=r\"(motet_r):\"r\"(motet_a):\"r26\",\"r27\",\"r30\",\"r31\",\"memory\");return "
                  "motet_r;}",
                  types[i / 2], i / 2 + 1, heres[i % 2], types[i / 2], types[i / 2], i / 2 + 1, heres[i % 2]);
    for (unsigned i = 1; i <= 2; i++)
        edits_add(&p->edits, 0, EDIT_OPEN,
                  "static inline __attribute__((always_inline,unused))void motet_look%u(const void*motet_p,unsigned "
                  "motet_v){motet_seen%u_in(motet_p,motet_v);}",
                  i, i);
    edits_add(&p->edits, 0, EDIT_OPEN, "\n");
}

bool wrappers_spare(const struct pass *p)
{
    return pass_is_avr(p) && !p->o->fed;
}

void wrappers_begin(struct pass *p)
{
    edits_add(&p->edits, 0, EDIT_OPEN, wrappers_declarations, pass_is_avr(p) ? "char " : "");
    if (wrappers_spare(p))
        wrappers_add_reads(p);
}

void wrappers_end(struct pass *p, unsigned count)
{
    if (!count)
        return;
    edits_add(
        &p->edits, (uint32_t)p->size, EDIT_OPEN,
        "__asm__(\".pushsection .motet.ids,\\\"\\\",@progbits\\n.Lmotet_ids:\\n\\t.space %u\\n\\t.popsection\\n\\t"
        ".pushsection .motet.timed,\\\"\\\",@progbits\\n\\t.byte %u\\n\\t.popsection\");\n",
        count, p->o->timed);
}

/* A line of assembly that is an instruction. */
static bool wrappers_is_code(const char *line)
{
    return line[0] == '\t' && isalpha((unsigned char)line[1]);
}

/* What comes from a function's label to the beginning of an element, without code. */
struct wrappers_function {
    char *text;
    size_t size;
    FILE *all; /* the lines, */
    char *bare;
    size_t bare_size;
    FILE *without; /* and those that are no code */
};

static void wrappers_open_function(struct wrappers_function *f)
{
    *f = (struct wrappers_function){0};
    f->all = memory_must(open_memstream(&f->text, &f->size));
    f->without = memory_must(open_memstream(&f->bare, &f->bare_size));
}

static void wrappers_close_function(struct wrappers_function *f, bool element, FILE *to)
{
    memory_written(f->all);
    memory_written(f->without);
    fputs(element ? f->bare : f->text, to);
    free(f->text);
    free(f->bare);
    wrappers_open_function(f);
}

static void wrappers_fold_line(const char *line, struct wrappers_function *f, FILE *to)
{
    static const char begins[] = ".text.motet.motet_out";
    char name[600];
    const char *at = strstr(line, ".section") ? strstr(line, begins) : NULL;
    bool label = (isalpha((unsigned char)line[0]) || line[0] == '_') && strchr(line, ':'),
         element = strstr(line, ELEMENT_BEGINS) != NULL;
    if (label || element)
        wrappers_close_function(f, element, to);
    if (at && sscanf(at, "%599[^, \t\n\"]", name) == 1) {
        fprintf(f->all, "\t.section\t%s,\"axG\",@progbits,%s,comdat\n", name, name + strlen(".text.motet."));
        fprintf(f->without, "\t.section\t%s,\"axG\",@progbits,%s,comdat\n", name, name + strlen(".text.motet."));
        return;
    }
    fputs(line, f->all);
    if (!wrappers_is_code(line))
        fputs(line, f->without);
}

bool wrappers_fold(const char *assembly, struct motet_error *e)
{
    char *text = NULL, *line = NULL;
    size_t size, room = 0;
    struct wrappers_function f;
    FILE *in = fopen(assembly, "r"), *to = memory_must(open_memstream(&text, &size));
    wrappers_open_function(&f);
    while (in && getline(&line, &room, in) >= 0)
        wrappers_fold_line(line, &f, to);
    wrappers_close_function(&f, false, to);
    free(line);
    memory_written(f.all);
    memory_written(f.without);
    free(f.text);
    free(f.bare);
    memory_written(to);
    if (in)
        fclose(in);
    FILE *out = in ? fopen(assembly, "w") : NULL;
    bool good = out && fwrite(text, 1, size, out) == size;
    good = (!out || fclose(out) == 0) && good;
    free(text);
    return good || error_set(e, "cannot write %s", assembly);
}
