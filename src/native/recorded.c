/* What a program with a log has besides its own code. */
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ir/ir.h"
#include "native/layout.h"
#include "native/retarget.h"

static const char *recorded_base(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

bool retarget_is_at(LLVMValueRef global, const struct native_place *p)
{
    char name[200];
    unsigned line;
    const char *file = ir_file(global, &line);
    ir_name(global, name, sizeof name);
    const char *dot = strrchr(name, '.'); /* a static variable of a function is FUNCTION.NAME */
    bool named = strcmp(name, p->name) == 0 || (dot && strcmp(dot + 1, p->name) == 0);
    return named && line == p->line && strcmp(recorded_base(file), recorded_base(p->file)) == 0;
}

/* ---- steps ---- */

static void recorded_count(struct retarget *r, LLVMValueRef f)
{
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f));
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    LLVMMetadataRef scope = LLVMGetSubprogram(f);
    LLVMPositionBuilderBefore(r->builder, first);
    LLVMSetCurrentDebugLocation2(
        r->builder,
        scope ? LLVMDIBuilderCreateDebugLocation(r->context, LLVMDISubprogramGetLine(scope), 0, scope, NULL) : NULL);
    retarget_call_feeder(r, "motet_entered", NULL, 0);
}

void retarget_entries(struct retarget *r)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(r->module); r->recorded && f; f = LLVMGetNextFunction(f))
        for (size_t i = 0; !LLVMIsDeclaration(f) && i < r->recorded->function_count; i++)
            if (retarget_is_at(f, &r->recorded->functions[i])) {
                recorded_count(r, f);
                break;
            }
}

/* ---- handlers ---- */

enum { VECTORS = 128 };

static LLVMValueRef recorded_function(struct retarget *r, const char *name)
{
    char other[208];
    LLVMValueRef f = LLVMGetNamedFunction(r->module, name);
    snprintf(other, sizeof other, "\01%s", name);
    return f ? f : LLVMGetNamedFunction(r->module, other);
}

/* The handler of a vector: motet cc gives those of gcc another name, and lists clang's in assembly. */
static LLVMValueRef recorded_handler(struct retarget *r, const char *assembly, unsigned vector)
{
    char text[64], name[200];
    snprintf(text, sizeof text, "__vector_%u_motet", vector);
    LLVMValueRef f = recorded_function(r, text);
    snprintf(text, sizeof text, ".set motet_handler_%u, ", 2 * vector);
    const char *at = f ? NULL : strstr(assembly, text);
    if (at && sscanf(at + strlen(text), "%199[A-Za-z0-9_$.]", name) == 1)
        f = recorded_function(r, name);
    return f;
}

static void recorded_array(struct retarget *r, const char *name, LLVMValueRef *values, unsigned count)
{
    LLVMValueRef made = LLVMConstArray2(r->pointer, values, count);
    LLVMValueRef array = LLVMAddGlobal(r->module, LLVMTypeOf(made), name);
    LLVMSetInitializer(array, made);
}

static LLVMValueRef recorded_address(struct retarget *r, LLVMValueRef global)
{
    if (!global)
        return LLVMConstNull(r->pointer);
    return LLVMTypeOf(global) == r->pointer ? global : LLVMConstAddrSpaceCast(global, r->pointer);
}

void retarget_table(struct retarget *r, const char *name, LLVMValueRef *globals, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        globals[i] = recorded_address(r, globals[i]);
    recorded_array(r, name, globals, count);
}

void retarget_handlers(struct retarget *r, const char *assembly)
{
    LLVMValueRef all[VECTORS];
    for (unsigned i = 0; r->recorded && i < VECTORS; i++)
        all[i] = recorded_address(r, recorded_handler(r, assembly, i));
    if (r->recorded)
        recorded_array(r, "motet_handlers", all, VECTORS);
}

/* ---- variables ---- */

void retarget_variables(struct retarget *r)
{
    if (!r->recorded)
        return;
    size_t count = r->recorded->variable_count;
    LLVMValueRef *all = memory_array(count + 1, sizeof *all);
    for (size_t i = 0; i <= count; i++)
        all[i] = LLVMConstNull(r->pointer);
    for (size_t n = 0; n < r->variable_count; n++)
        for (size_t i = 0; i < count; i++)
            if (LLVMGetInitializer(r->variables[n].is) &&
                retarget_is_at(r->variables[n].is, &r->recorded->variables[i]))
                all[i] = recorded_address(r, r->variables[n].is);
    recorded_array(r, "motet_variables", all, (unsigned)count + 1);
    free(all);
}

/* ---- accesses ---- */

void retarget_find_shared(struct retarget *r)
{
    const struct native_recorded *recorded = r->recorded;
    for (size_t i = 0; recorded && recorded->shared && i < recorded->variable_count; i++)
        for (size_t n = 0; recorded->shared[i] && n < r->variable_count; n++)
            if (!r->variables[n].shared && retarget_is_at(r->variables[n].is, &recorded->variables[i])) {
                r->variables[n].shared = true;
                r->shared_count++;
            }
}

/* Whether a pointer may lead to one of them. */
static bool recorded_may_be_shared(const struct retarget *r, LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer) || LLVMIsAConstantExpr(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    for (size_t n = 0; LLVMIsAGlobalVariable(pointer) && n < r->variable_count; n++)
        if (r->variables[n].is == pointer)
            return r->variables[n].shared;
    return !LLVMIsAGlobalVariable(pointer) && !LLVMIsAAllocaInst(pointer);
}

static LLVMValueRef recorded_plain_pointer(struct retarget *r, LLVMValueRef pointer)
{
    return LLVMTypeOf(pointer) == r->pointer ? pointer : LLVMBuildAddrSpaceCast(r->builder, pointer, r->pointer, "");
}

void retarget_count_copy(struct retarget *r, LLVMValueRef pointer, LLVMValueRef size, bool writes)
{
    if (!r->shared_count || !recorded_may_be_shared(r, pointer))
        return;
    LLVMValueRef arguments[] = {recorded_plain_pointer(r, pointer), size, LLVMConstNull(r->pointer)};
    retarget_call_feeder(r, writes ? "motet_was_written" : "motet_was_read", arguments, writes ? 2 : 3);
}

/* The value that was read goes through memory, where the feeder can change bytes of it. */
static void recorded_count_load(struct retarget *r, LLVMValueRef load, LLVMValueRef pointer, LLVMValueRef size)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(load)));
    LLVMPositionBuilderBefore(r->builder, LLVMGetFirstInstruction(entry));
    LLVMValueRef value = LLVMBuildAlloca(r->builder, LLVMTypeOf(load), "");
    LLVMPositionBuilderBefore(r->builder, LLVMGetNextInstruction(load));
    LLVMValueRef again = LLVMBuildLoad2(r->builder, LLVMTypeOf(load), value, "");
    LLVMReplaceAllUsesWith(load, again);
    LLVMPositionBuilderBefore(r->builder, again);
    LLVMBuildStore(r->builder, load, value);
    LLVMValueRef arguments[] = {recorded_plain_pointer(r, pointer), size, value};
    retarget_call_feeder(r, "motet_was_read", arguments, 3);
}

void retarget_count_access(struct retarget *r, LLVMValueRef i)
{
    bool load = LLVMIsALoadInst(i);
    LLVMTypeRef type = LLVMTypeOf(load ? i : LLVMGetOperand(i, 0));
    LLVMValueRef pointer = LLVMGetOperand(i, load ? 0 : 1);
    LLVMValueRef size = LLVMConstInt(r->bits64, layout_native_size(r->target, type), false);
    if (!r->shared_count || !recorded_may_be_shared(r, pointer))
        return;
    if (load && LLVMGetTypeKind(type) == LLVMIntegerTypeKind) {
        recorded_count_load(r, i, pointer, size);
        return;
    }
    if (!load) {
        LLVMPositionBuilderBefore(r->builder, i);
        LLVMValueRef arguments[] = {recorded_plain_pointer(r, pointer), size};
        retarget_call_feeder(r, "motet_is_written", arguments, 2);
    }
    LLVMPositionBuilderBefore(r->builder, LLVMGetNextInstruction(i));
    retarget_count_copy(r, pointer, size, !load);
}

/* ---- a trace ---- */

static int recorded_number(const struct native_recorded *r, LLVMValueRef f)
{
    for (size_t i = 0; i < r->traced_count; i++)
        if (retarget_is_at(f, &r->traced[i]))
            return (int)i;
    return -1;
}

/* The chip's library, and checks of invariants. */
static bool recorded_is_motet(LLVMValueRef f)
{
    unsigned line;
    size_t length;
    if (strncmp(LLVMGetValueName2(f, &length), "motet_", 6) == 0)
        return true;
    const char *file = ir_file(f, &line), *end = "native/library.c";
    return strlen(file) >= strlen(end) && strcmp(file + strlen(file) - strlen(end), end) == 0;
}

static void recorded_empty(struct retarget *r, LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i; (i = LLVMGetLastInstruction(b));) {
            if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                LLVMReplaceAllUsesWith(i, LLVMGetUndef(LLVMTypeOf(i)));
            LLVMInstructionEraseFromParent(i);
        }
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f), other;
    while ((other = LLVMGetNextBasicBlock(entry)))
        LLVMDeleteBasicBlock(other);
    LLVMSetSubprogram(f, NULL);
    LLVMPositionBuilderAtEnd(r->builder, entry);
    LLVMSetCurrentDebugLocation2(r->builder, NULL);
    retarget_call_feeder(r, "motet_trace_outside", NULL, 0);
    LLVMBuildUnreachable(r->builder);
}

void retarget_leave_out(struct retarget *r)
{
    if (!r->recorded || !r->recorded->traced)
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(r->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && recorded_number(r->recorded, f) < 0 && !recorded_is_motet(f))
            recorded_empty(r, f);
}

void retarget_traced(struct retarget *r)
{
    if (!r->recorded || !r->recorded->traced)
        return;
    size_t count = r->recorded->traced_count;
    LLVMValueRef *all = memory_array(count + 1, sizeof *all);
    for (size_t i = 0; i <= count; i++)
        all[i] = LLVMConstNull(r->pointer);
    for (LLVMValueRef f = LLVMGetFirstFunction(r->module); f; f = LLVMGetNextFunction(f)) {
        int number = LLVMIsDeclaration(f) ? -1 : recorded_number(r->recorded, f);
        if (number >= 0 && LLVMIsNull(all[number]))
            all[number] = recorded_address(r, f);
    }
    recorded_array(r, "motet_functions", all, (unsigned)count + 1);
    free(all);
}
