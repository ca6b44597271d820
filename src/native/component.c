#include "native/component.h"

#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ir/ir.h"

#define COMPONENT_REAL "motet_kept_" /* then the number of a function inside */

/* ---- text ---- */

/* "motet_seen2(motet_p,(unsigned)*motet_p)": the length of such a read; 0: it is none. */
static size_t component_read_at(const char *at)
{
    static const char begins[] = "motet_seen", pointer[] = "(motet_p,(", ends[] = ")*motet_p)";
    const char *end = at + strlen(begins);
    if (strncmp(at, begins, strlen(begins)) != 0 || !isdigit((unsigned char)*end))
        return 0;
    end += strcspn(end, "(");
    if (strncmp(end, pointer, strlen(pointer)) != 0)
        return 0;
    end += strlen(pointer);
    end += strcspn(end, ")");
    return strncmp(end, ends, strlen(ends)) == 0 ? (size_t)(end - at) + strlen(ends) : 0;
}

/* How many functions the source has: ".Lmotet_ids:", then ".space COUNT". */
static unsigned component_count(const char *text)
{
    const char *at = strstr(text, ".Lmotet_ids:");
    at = at ? strstr(at, ".space ") : NULL;
    return at ? (unsigned)strtoul(at + strlen(".space "), NULL, 10) : 0;
}

/* After a crossing ".long NAME, .Lmotet_ids+NUMBER", then the kind in quotes, of a function inside: keeps the function
 * under its number. */
static void component_keep(FILE *f, const char *text, unsigned first)
{
    static const char real[] = "motet_real_";
    char name[300];
    unsigned number;
    for (const char *at = text; (at = strstr(at, ".long "));) {
        at += strlen(".long ");
        const char *kind = strstr(at, ".ascii \\\"");
        if (sscanf(at, "%299[^,], .Lmotet_ids+%u", name, &number) != 2 || !kind || kind[strlen(".ascii \\\"")] != 'i')
            continue;
        fprintf(f, "\nvoid(*const " COMPONENT_REAL "%u)(void)=(void(*)(void))%s;\n", first + number,
                strncmp(name, real, strlen(real)) == 0 ? name + strlen(real) : name);
    }
}

unsigned component_source(struct source *s, unsigned first)
{
    static const char label[] = ".Lmotet_ids+", read[] = "({const volatile __typeof__(", look[] = "motet_look";
    char *text, *end;
    size_t size;
    unsigned count = component_count(s->text);
    FILE *f = memory_must(open_memstream(&text, &size));
    for (const char *at = s->text; *at;) {
        size_t length = component_read_at(at);
        if (length) {
            fputs("(motet_look((const void*)motet_p,sizeof*motet_p),*motet_p)", f);
            at += length;
        } else if (strncmp(at, read, strlen(read)) == 0) { /* volatile as the object is, and no more */
            fputs("({const __typeof__(", f);
            at += strlen(read);
        } else if (strncmp(at, look, strlen(look)) == 0 && isdigit((unsigned char)at[strlen(look)]) &&
                   strncmp(at + strlen(look) + 1, "((", 2) == 0) {
            fputs(look, f);
            at += strlen(look) + 1;
        } else if (strncmp(at, label, strlen(label)) == 0) {
            unsigned number = (unsigned)strtoul(at + strlen(label), &end, 10);
            fprintf(f, "%s%u", label, first + number);
            at = end;
        } else {
            fputc(*at++, f);
        }
    }
    component_keep(f, s->text, first);
    memory_written(f);
    free(s->text);
    s->text = text;
    s->size = size;
    return count;
}

/* ---- wrappers ---- */

/* What a statement of assembly says of its wrapper: ".long NAME, .Lmotet_ids+NUMBER", then the kind in quotes. */
static bool component_crossing(LLVMValueRef i, struct component_wrapper *w)
{
    size_t length;
    LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    const char *text = called && LLVMIsAInlineAsm(called) ? LLVMGetInlineAsmAsmString(called, &length) : "";
    const char *at = strstr(text, ".motet.crossings") ? strstr(text, ".Lmotet_ids+") : NULL;
    const char *kind = at ? strstr(at, ".ascii \"") : NULL;
    if (!kind || sscanf(at, ".Lmotet_ids+%u", &w->number) != 1 || w->number >= COMPONENT_FUNCTIONS)
        return false;
    w->kind = kind[strlen(".ascii \"")];
    return true;
}

static bool component_is_wrapper(LLVMValueRef f, struct component_wrapper *w)
{
    *w = (struct component_wrapper){.is = f};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (component_crossing(i, w))
                return true;
    return false;
}

/* The function inside that a wrapper stands for. */
static LLVMValueRef component_real(LLVMModuleRef module, unsigned number)
{
    char name[60];
    snprintf(name, sizeof name, COMPONENT_REAL "%u", number);
    LLVMValueRef kept = LLVMGetNamedGlobal(module, name), f = kept ? LLVMGetInitializer(kept) : NULL;
    while (f && LLVMIsAConstantExpr(f))
        f = LLVMGetOperand(f, 0);
    if (kept)
        LLVMDeleteGlobal(kept);
    return f && LLVMIsAFunction(f) ? f : NULL;
}

/* A function of the same name and type with nothing in it. */
static void component_empty(LLVMModuleRef module, struct component_wrapper *w)
{
    size_t length;
    LLVMValueRef old = w->is;
    char *name = memory_string(LLVMGetValueName2(old, &length));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMSetValueName2(old, "", 0);
    w->is = LLVMAddFunction(module, name, LLVMGlobalGetValueType(old));
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(LLVMGetModuleContext(module), w->is, ""));
    LLVMBuildUnreachable(builder);
    LLVMReplaceAllUsesWith(old, w->is);
    LLVMDeleteFunction(old);
    LLVMDisposeBuilder(builder);
    free(name);
}

static void component_find(LLVMModuleRef module, struct component_program *c)
{
    struct component_wrapper w;
    c->count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module), after; f; f = after) {
        after = LLVMGetNextFunction(f);
        if (!LLVMIsDeclaration(f) && c->count < COMPONENT_FUNCTIONS && component_is_wrapper(f, &w))
            c->list[c->count++] = w;
    }
    for (size_t i = 0; i < c->count; i++) {
        component_empty(module, &c->list[i]);
        if (c->list[i].kind == 'i')
            c->list[i].real = component_real(module, c->list[i].number);
    }
}

/* ---- what is outside ---- */

static bool component_is_kept(const struct component_program *c, LLVMValueRef f)
{
    for (size_t i = 0; i < c->count; i++)
        if (f == c->list[i].is || f == c->list[i].real)
            return true;
    return false;
}

static void component_drop_list(LLVMModuleRef module, const char *name)
{
    LLVMValueRef g = LLVMGetNamedGlobal(module, name);
    if (g)
        LLVMDeleteGlobal(g);
}

static bool component_drop_outside(LLVMModuleRef module, const struct component_program *c, struct motet_error *e)
{
    component_drop_list(module, "llvm.used");
    component_drop_list(module, "llvm.compiler.used");
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMSetLinkage(f, component_is_kept(c, f) ? LLVMExternalLinkage : LLVMInternalLinkage);
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g))
            LLVMSetLinkage(g, LLVMInternalLinkage);
    return ir_run_passes(module, "globaldce", e);
}

/* Variables of other files: the log has what the component reads of them. */
static void component_define(LLVMModuleRef module, const struct native_recorded *recorded)
{
    unsigned address;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        size_t length;
        const char *name = LLVMGetValueName2(g, &length);
        name += *name == '\01';
        if (!LLVMIsDeclaration(g) || strncmp(name, "motet", 5) == 0 || !LLVMTypeIsSized(LLVMGlobalGetValueType(g)) ||
            recorded->address(recorded->context, name, &address))
            continue;
        LLVMSetInitializer(g, LLVMConstNull(LLVMGlobalGetValueType(g)));
        LLVMSetGlobalConstant(g, false);
    }
}

bool component_prepare(LLVMModuleRef module, const struct native_recorded *recorded, struct component_program *c,
                       struct motet_error *e)
{
    component_find(module, c);
    if (!c->count)
        return error_set(e, "the sources in the firmware's file have no wrappers of a component");
    if (!component_drop_outside(module, c, e))
        return false;
    component_define(module, recorded);
    return true;
}

/* ---- bodies ---- */

static LLVMValueRef component_to_wide(struct retarget *r, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        if (type != r->pointer)
            value = LLVMBuildAddrSpaceCast(r->builder, value, r->pointer, "");
        return LLVMBuildPtrToInt(r->builder, value, r->bits64, "");
    }
    if (LLVMGetTypeKind(type) == LLVMFloatTypeKind)
        value = LLVMBuildBitCast(r->builder, value, r->bits32, "");
    else if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind)
        value = LLVMBuildBitCast(r->builder, value, r->bits64, "");
    return LLVMBuildIntCast2(r->builder, value, r->bits64, false, "");
}

static LLVMValueRef component_from_wide(struct retarget *r, LLVMValueRef wide, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        LLVMValueRef pointer = LLVMBuildIntToPtr(r->builder, wide, r->pointer, "");
        return type == r->pointer ? pointer : LLVMBuildAddrSpaceCast(r->builder, pointer, type, "");
    }
    if (LLVMGetTypeKind(type) == LLVMFloatTypeKind)
        return LLVMBuildBitCast(r->builder, LLVMBuildIntCast2(r->builder, wide, r->bits32, false, ""), type, "");
    if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind)
        return LLVMBuildBitCast(r->builder, wide, type, "");
    return LLVMBuildIntCast2(r->builder, wide, type, false, "");
}

/* Numbers and pointers go through 64 bits; structures do not. */
static bool component_fits(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind || kind == LLVMFloatTypeKind ||
           kind == LLVMDoubleTypeKind;
}

static bool component_check(struct retarget *r, LLVMValueRef f)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f), result = LLVMGetReturnType(type);
    bool good = LLVMGetTypeKind(result) == LLVMVoidTypeKind || component_fits(result);
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        good = good && component_fits(LLVMTypeOf(LLVMGetParam(f, i)));
    return good || retarget_refuse(r, f, "a structure by value crosses the boundary of the component");
}

/* Calls the feeder with the function's number and the arguments. */
static void component_out(struct retarget *r, const struct component_wrapper *w)
{
    unsigned count = LLVMCountParams(w->is);
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(w->is));
    LLVMTypeRef array = LLVMArrayType2(r->bits64, count + 1);
    LLVMDeleteBasicBlock(LLVMGetEntryBasicBlock(w->is));
    LLVMPositionBuilderAtEnd(r->builder, LLVMAppendBasicBlockInContext(r->context, w->is, ""));
    LLVMValueRef arguments = LLVMBuildAlloca(r->builder, array, "");
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef index = LLVMConstInt(r->bits64, i, false);
        LLVMBuildStore(r->builder, component_to_wide(r, LLVMGetParam(w->is, i)),
                       LLVMBuildGEP2(r->builder, r->bits64, arguments, &index, 1, ""));
    }
    LLVMValueRef given[] = {LLVMConstInt(r->bits64, w->number, false), arguments};
    if (LLVMTypeOf(arguments) != r->pointer)
        given[1] = LLVMBuildAddrSpaceCast(r->builder, arguments, r->pointer, "");
    LLVMValueRef wide = retarget_call_feeder(r, "motet_out", given, 2);
    if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(r->builder);
    else
        LLVMBuildRet(r->builder, component_from_wide(r, wide, result));
}

/* uint64_t motet_enter.N(const uint64_t *arguments): calls the function inside. */
static LLVMValueRef component_entry(struct retarget *r, const struct component_wrapper *w)
{
    char name[40];
    LLVMValueRef values[32];
    LLVMTypeRef type = LLVMGlobalGetValueType(w->real), result = LLVMGetReturnType(type);
    unsigned count = LLVMCountParams(w->real);
    snprintf(name, sizeof name, "motet_enter.%u", w->number);
    LLVMValueRef f = LLVMAddFunction(r->module, name, LLVMFunctionType(r->bits64, &r->pointer, 1, false));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(r->builder, LLVMAppendBasicBlockInContext(r->context, f, ""));
    for (unsigned i = 0; i < count && i < 32; i++) {
        LLVMValueRef index = LLVMConstInt(r->bits64, i, false);
        LLVMValueRef at = LLVMBuildGEP2(r->builder, r->bits64, LLVMGetParam(f, 0), &index, 1, "");
        values[i] =
            component_from_wide(r, LLVMBuildLoad2(r->builder, r->bits64, at, ""), LLVMTypeOf(LLVMGetParam(w->real, i)));
    }
    LLVMValueRef call = LLVMBuildCall2(r->builder, type, w->real, values, count, "");
    bool none = LLVMGetTypeKind(result) == LLVMVoidTypeKind;
    LLVMBuildRet(r->builder, none ? LLVMConstNull(r->bits64) : component_to_wide(r, call));
    return f;
}

/* Functions inside have another name for the linker. Debuggers are to show that of the source. */
void component_plain_names(char *text)
{
    static const char linkage[] = "linkageName: \"";
    for (char *at = text; (at = strstr(at, linkage));) {
        char *name = at + strlen(linkage), *end = strstr(name, "\", ");
        bool real = strncmp(name + (strncmp(name, "\\01", 3) == 0 ? 3 : 0), "motet_real_", 11) == 0;
        if (real && end)
            memset(at, ' ', (size_t)(end + 3 - at));
        at = name;
    }
}

/* ---- tables ---- */

static bool component_is_variable(LLVMValueRef v, const struct native_place *p)
{
    char name[200];
    unsigned line;
    const char *file = ir_file(v, &line);
    ir_name(v, name, sizeof name);
    return *file ? retarget_is_at(v, p) : strcmp(name + (*name == '\01'), p->name) == 0;
}

static void component_variables(struct retarget *r)
{
    size_t count = r->recorded->variable_count;
    LLVMValueRef *all = memory_array(count + 1, sizeof *all);
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < r->variable_count && !all[i]; n++)
            if (LLVMGetInitializer(r->variables[n].is) &&
                component_is_variable(r->variables[n].is, &r->recorded->variables[i]))
                all[i] = r->variables[n].is;
    retarget_table(r, "motet_variables", all, (unsigned)count + 1);
    free(all);
}

static void component_functions(struct retarget *r)
{
    size_t count = r->recorded->function_count;
    LLVMValueRef *all = memory_array(count + 1, sizeof *all);
    for (LLVMValueRef f = LLVMGetFirstFunction(r->module); f; f = LLVMGetNextFunction(f))
        for (size_t i = 0; i < count && !LLVMIsDeclaration(f); i++) {
            char name[200];
            ir_name(f, name, sizeof name);
            if (!all[i] && strcmp(name + (*name == '\01'), r->recorded->functions[i].name) == 0)
                all[i] = f;
        }
    retarget_table(r, "motet_functions", all, (unsigned)count + 1);
    free(all);
}

void component_finish(struct retarget *r, const struct component_program *c)
{
    LLVMValueRef entries[COMPONENT_FUNCTIONS] = {NULL};
    LLVMSetCurrentDebugLocation2(r->builder, NULL);
    component_functions(r);
    for (size_t i = 0; i < c->count; i++) {
        const struct component_wrapper *w = &c->list[i];
        if (w->real && component_check(r, w->real))
            entries[w->number] = component_entry(r, w);
        if (component_check(r, w->is)) /* of one in, only the address is used */
            component_out(r, w);
    }
    retarget_table(r, "motet_entries", entries, COMPONENT_FUNCTIONS);
    component_variables(r);
}
