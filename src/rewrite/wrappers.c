#include "rewrite/wrappers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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

static const char *const wrapper_prefixes[] = {
    [WRAPPER_IN] = "motet_in_", [WRAPPER_OUT] = "motet_out_", [WRAPPER_VIA] = "motet_via_"};

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
static void wrapper_name(const struct wrapper *w, char *name, size_t size)
{
    if (w->kind == WRAPPER_VIA)
        snprintf(name, size, "motet_via_%u", w->number);
    else
        snprintf(name, size, "%s%s", wrapper_prefixes[w->kind], w->name);
}

static const char *wrapper_id(const struct wrapper *w, char *text, size_t size)
{
    snprintf(text, size, "(unsigned char)(unsigned)(motet_ids_here+%u)", w->number);
    return text;
}

static void wrapper_head(struct wrapper_work *k, bool declaration)
{
    char name[300];
    const char *tuned = pass_is_avr(k->p) ? "noinline,noclone,optimize(\"Os\")" : "noinline";
    wrapper_name(k->w, name, sizeof name);
    if (declaration && k->w->shared)
        fprintf(k->out, "__attribute__((weak,used,%s,section(\".text.motet.%s\")))", tuned, name);
    else if (declaration)
        fprintf(k->out, "%s__attribute__((used,%s))", k->w->exported ? "" : "static ", tuned);
    else if (!k->w->shared && !k->w->exported)
        fprintf(k->out, "static ");
    fprintf(k->out, " __typeof__(%s) %s(", k->s.result, name);
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

static bool wrapper_fits(const struct wrapper_work *k, unsigned size, bool scalar)
{
    return scalar && (size == 1 || size == 2 || (size == 4 && k->w->kind != WRAPPER_IN));
}

static const char *wrapper_word(unsigned size)
{
    return size == 1 ? "unsigned char" : size == 2 ? "unsigned" : "unsigned long";
}

/* Reserves room for an event and fills it. */
static void wrapper_event(struct wrapper_work *k, bool is_return)
{
    static const char *const calls[] = {"in", "out", "out"};
    char id[80];
    bool in = k->w->kind == WRAPPER_IN, pointer = !is_return && k->w->kind == WRAPPER_VIA;
    for (size_t i = 0; i < k->buffer_count; i++) {
        const struct wrapper_buffer *b = &k->buffers[i];
        if (is_return ? b->at_return : b->at_call)
            fprintf(k->out, "const void*motet_q%zu=(const void*)%s;unsigned motet_s%zu=motet_q%zu?%s:0;", i, b->address,
                    i, i, b->size);
    }
    fprintf(k->out, "unsigned char*motet_m=motet_%s_%s(%s,0%s", is_return ? "return" : "call", calls[k->w->kind],
            wrapper_id(k->w, id, sizeof id), pointer ? "+sizeof motet_to" : "");
    for (unsigned i = 0; !is_return && i < k->s.count; i++)
        fprintf(k->out, "+sizeof %s", k->names[i]);
    if (is_return && k->s.returns)
        fprintf(k->out, "+sizeof motet_result");
    for (size_t i = 0; i < k->buffer_count; i++)
        if (is_return ? k->buffers[i].at_return : k->buffers[i].at_call)
            fprintf(k->out, "+motet_s%zu%s", i, k->buffers[i].whole ? "" : "+4");
    fprintf(k->out, ");if(motet_m){");
    if (pointer)
        fprintf(k->out, "__builtin_memcpy(motet_m,&motet_to,sizeof motet_to);motet_m+=sizeof motet_to;");
    for (unsigned i = 0; !is_return && i < k->s.count; i++)
        fprintf(k->out, "__builtin_memcpy(motet_m,&%s,sizeof %s);motet_m+=sizeof %s;", k->names[i], k->names[i],
                k->names[i]);
    if (is_return && k->s.returns)
        fprintf(k->out, "__builtin_memcpy(motet_m,&motet_result,sizeof motet_result);motet_m+=sizeof motet_result;");
    for (size_t i = 0; i < k->buffer_count; i++) {
        const struct wrapper_buffer *b = &k->buffers[i];
        if (!(is_return ? b->at_return : b->at_call))
            continue;
        fprintf(k->out, "motet_m=motet_%s(motet_m,motet_q%zu,motet_s%zu);", b->whole ? "copy" : "put", i, i);
        if (in != is_return)
            fprintf(k->out, "motet_know(motet_q%zu,motet_s%zu);", i, i);
    }
    fprintf(k->out, "}");
}

/* ---- with one parameter of a simple type, or none: functions of the logger that take it ---- */

static bool wrapper_is_simple(const struct wrapper_work *k)
{
    return !k->buffer_count && k->w->kind != WRAPPER_VIA && k->s.count <= 1 &&
           (!k->s.count || wrapper_fits(k, k->s.parameters[0].size, k->s.parameters[0].is_scalar)) &&
           (!k->s.returns || wrapper_fits(k, k->s.result_size, k->s.result_is_scalar));
}

static void wrapper_simple(struct wrapper_work *k)
{
    char id[80];
    const char *side = k->w->kind == WRAPPER_IN ? "in" : "out";
    wrapper_id(k->w, id, sizeof id);
    if (k->s.count)
        fprintf(k->out, "motet_call_%s%u(%s,(%s)%s);", side, k->s.parameters[0].size, id,
                wrapper_word(k->s.parameters[0].size), k->names[0]);
    else
        fprintf(k->out, "motet_call_%s0(%s);", side, id);
    const char *argument = k->s.count ? k->names[0] : "";
    if (k->s.returns)
        fprintf(k->out, "return(__typeof__(%s))motet_return_%s%u(%s,(%s)%s(%s));}\n", k->s.result, side,
                k->s.result_size, id, wrapper_word(k->s.result_size), k->w->name, argument);
    else
        fprintf(k->out, "%s(%s);motet_return_%s0(%s);}\n", k->w->name, argument, side, id);
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
    wrapper_name(k->w, name, sizeof name);
    if (k->w->kind == WRAPPER_IN)
        snprintf(name, sizeof name, "%s%s", k->w->exported ? "motet_real_" : "", k->w->name);
    fprintf(k->out,
            "__asm__ __volatile__(\"1:\\n\\t.pushsection .motet.crossings.%%=,\\\"\\\",@progbits\\n2:\\t.long "
            "%s, .Lmotet_ids+%u\\n\\t.ascii \\\"%c\\\"\\n\\t.asciz \\\"",
            name, k->w->number, kinds[k->w->kind]);
    wrapper_line(k);
    fprintf(k->out, "\\\"\\n\\t.popsection%s\"::);", pass_is_avr(k->p) ? "\\n\\t.reloc 1b, R_AVR_NONE, 2b" : "");
}

static void wrapper_body(struct wrapper_work *k)
{
    fprintf(k->out, "{");
    wrapper_crossing(k);
    if (wrapper_is_simple(k)) {
        wrapper_simple(k);
        return;
    }
    fprintf(k->out, "{");
    wrapper_event(k, false);
    fprintf(k->out, "}");
    if (k->s.returns)
        fprintf(k->out, "__typeof__(%s) motet_result=", k->s.result);
    fprintf(k->out, "%s(", k->w->kind == WRAPPER_VIA ? "motet_to" : k->w->name);
    for (unsigned i = 0; i < k->s.count; i++)
        fprintf(k->out, "%s%s", i ? "," : "", k->names[i]);
    fprintf(k->out, ");{");
    wrapper_event(k, true);
    fprintf(k->out, "}");
    if (k->s.returns)
        fprintf(k->out, "return motet_result;");
    fprintf(k->out, "}\n");
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
    return true;
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
    "extern const char motet_ids_here[] __asm__(\".Lmotet_ids\");"
    "unsigned char *motet_call_in(unsigned char,unsigned);unsigned char *motet_call_out(unsigned char,unsigned);"
    "unsigned char *motet_return_in(unsigned char,unsigned);unsigned char *motet_return_out(unsigned char,unsigned);"
    "void motet_call_in0(unsigned char);void motet_call_in1(unsigned char,unsigned char);"
    "void motet_call_in2(unsigned char,unsigned);"
    "void motet_call_out0(unsigned char);void motet_call_out1(unsigned char,unsigned char);"
    "void motet_call_out2(unsigned char,unsigned);void motet_call_out4(unsigned char,unsigned long);"
    "void motet_return_in0(unsigned char);unsigned char motet_return_in1(unsigned char,unsigned char);"
    "unsigned motet_return_in2(unsigned char,unsigned);"
    "void motet_return_out0(unsigned char);unsigned char motet_return_out1(unsigned char,unsigned char);"
    "unsigned motet_return_out2(unsigned char,unsigned);unsigned long motet_return_out4(unsigned char,unsigned long);"
    "unsigned char *motet_put(unsigned char*,const void*,unsigned);"
    "unsigned char *motet_copy(unsigned char*,const void*,unsigned);void motet_know(const void*,unsigned);"
    "unsigned char motet_seen1(const volatile void*,unsigned char);unsigned motet_seen2(const volatile void*,unsigned);"
    "unsigned long motet_seen4(const volatile void*,unsigned long);"
    "void motet_seen(const volatile void*,void*,unsigned char);void motet_look(const void*,unsigned);\n";

void wrappers_begin(struct pass *p)
{
    edits_add(&p->edits, 0, EDIT_OPEN, "%s", wrappers_declarations);
}

void wrappers_end(struct pass *p, unsigned count)
{
    if (!count)
        return;
    edits_add(
        &p->edits, (uint32_t)p->size, EDIT_OPEN,
        "__asm__(\".pushsection .motet.ids,\\\"\\\",@progbits\\n.Lmotet_ids:\\n\\t.space %u\\n\\t.popsection\");\n",
        count);
}

bool wrappers_fold(const char *assembly, struct motet_error *e)
{
    static const char begins[] = ".text.motet.motet_out_";
    char *text = NULL, line[4096], name[600];
    size_t size;
    FILE *in = fopen(assembly, "r"), *to = memory_must(open_memstream(&text, &size));
    while (in && fgets(line, sizeof line, in)) {
        const char *at = strstr(line, ".section") ? strstr(line, begins) : NULL;
        if (at && sscanf(at, "%599[^, \t\n\"]", name) == 1)
            fprintf(to, "\t.section\t%s,\"axG\",@progbits,%s,comdat\n", name, name + strlen(".text.motet."));
        else
            fputs(line, to);
    }
    memory_written(to);
    if (in)
        fclose(in);
    FILE *out = in ? fopen(assembly, "w") : NULL;
    bool good = out && fwrite(text, 1, size, out) == size;
    good = (!out || fclose(out) == 0) && good;
    free(text);
    return good || error_set(e, "cannot write %s", assembly);
}
