#include "ir/ir.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

#include "ir/build.h"

/* ---- loading ---- */

static void ir_note_error(LLVMDiagnosticInfoRef info, void *into)
{
    struct motet_error *e = into;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || e->text[0])
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    error_set(e, "the sources do not fit together: %s", text);
    LLVMDisposeMessage(text);
}

static LLVMModuleRef ir_load(LLVMContextRef context, const char *path, struct motet_error *e)
{
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module;
    char *why = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &why) != 0 ||
        LLVMParseIRInContext(context, buffer, &module, &why) != 0) {
        error_set(e, "cannot read %s: %s", path, why ? why : "it is no IR");
        LLVMDisposeMessage(why);
        return NULL;
    }
    return module;
}

static LLVMModuleRef ir_link(LLVMContextRef context, const struct build *b, struct motet_error *e)
{
    struct motet_error why = {""};
    LLVMModuleRef whole = NULL;
    LLVMContextSetDiagnosticHandler(context, ir_note_error, &why);
    for (size_t i = 0; i < b->count; i++) {
        LLVMModuleRef next = ir_load(context, b->files[i].path, e);
        bool good = next != NULL;
        if (!whole)
            whole = next;
        else if (good && LLVMLinkModules2(whole, next) != 0)
            good = error_set(e, "%s", why.text[0] ? why.text : "the sources cannot be linked");
        if (!good) {
            if (whole)
                LLVMDisposeModule(whole);
            whole = NULL;
            break;
        }
    }
    LLVMContextSetDiagnosticHandler(context, NULL, NULL);
    return whole;
}

/* ---- repairing ---- */

static unsigned ir_attribute(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* clang for the AVR says of structs that they are extended to the width of a register, as only integers can be. */
static void ir_repair_type(LLVMValueRef at, LLVMAttributeIndex index, LLVMTypeRef type, bool is_call)
{
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        return;
    static const char *const names[] = {"zeroext", "signext"};
    for (size_t i = 0; i < 2; i++) {
        if (is_call)
            LLVMRemoveCallSiteEnumAttribute(at, index, ir_attribute(names[i]));
        else
            LLVMRemoveEnumAttributeAtIndex(at, index, ir_attribute(names[i]));
    }
}

static void ir_repair_types(LLVMValueRef at, LLVMTypeRef function, bool is_call)
{
    unsigned count = LLVMCountParamTypes(function);
    LLVMTypeRef types[256];
    if (count > 256)
        return;
    LLVMGetParamTypes(function, types);
    ir_repair_type(at, LLVMAttributeReturnIndex, LLVMGetReturnType(function), is_call);
    for (unsigned i = 0; i < count; i++)
        ir_repair_type(at, i + 1, types[i], is_call);
}

static void ir_repair_function(LLVMValueRef f)
{
    LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, ir_attribute("optnone"));
    LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, ir_attribute("noinline"));
    ir_repair_types(f, LLVMGlobalGetValueType(f), false);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i))
                ir_repair_types(i, LLVMGetCalledFunctionType(i), true);
}

static bool ir_verify(LLVMModuleRef module, struct motet_error *e)
{
    char *why = NULL;
    bool good = LLVMVerifyModule(module, LLVMReturnStatusAction, &why) == 0 ||
                error_set(e, "clang has made IR that LLVM does not accept: %.300s", why);
    LLVMDisposeMessage(why);
    return good;
}

LLVMModuleRef ir_make(LLVMContextRef context, const struct ir_input *in, struct motet_error *e)
{
    struct build b = {0};
    LLVMModuleRef module = build_all(&b, in, e) ? ir_link(context, &b, e) : NULL;
    build_free(&b);
    if (!module)
        return NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        ir_repair_function(f);
    if (!ir_verify(module, e)) {
        LLVMDisposeModule(module);
        return NULL;
    }
    return module;
}

/* ---- variables in values ---- */

bool ir_promote(LLVMModuleRef module, struct motet_error *e)
{
    return ir_run_passes(module, "function(mem2reg)", e);
}

bool ir_run_passes(LLVMModuleRef module, const char *passes, struct motet_error *e)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    char *why = LLVMGetErrorMessage(error);
    error_set(e, "LLVM cannot work on these sources: %s", why);
    LLVMDisposeErrorMessage(why);
    return false;
}

/* A parameter's own memory is called NAME.addr, a second variable of the same name NAME5. */
static bool ir_is_local(LLVMValueRef alloca, const char *name)
{
    size_t length, wanted = strlen(name);
    const char *is = LLVMGetValueName2(alloca, &length);
    if (length < wanted || memcmp(is, name, wanted) != 0)
        return false;
    if (length == wanted + 5 && memcmp(is + wanted, ".addr", 5) == 0)
        return true;
    return strspn(is + wanted, "0123456789") == length - wanted;
}

static void ir_keep(LLVMModuleRef module, LLVMValueRef alloca)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef pointer = LLVMTypeOf(alloca);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, false);
    LLVMValueRef f = LLVMGetNamedFunction(module, IR_KEEP);
    if (!f)
        f = LLVMAddFunction(module, IR_KEEP, type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(alloca));
    LLVMBuildCall2(builder, type, f, &alloca, 1, "");
    LLVMDisposeBuilder(builder);
}

unsigned ir_keep_local(LLVMModuleRef module, LLVMValueRef function, const char *name)
{
    unsigned count = 0;
    LLVMBasicBlockRef entry = LLVMGetFirstBasicBlock(function);
    for (LLVMValueRef i = entry ? LLVMGetFirstInstruction(entry) : NULL; i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && ir_is_local(i, name)) {
            ir_keep(module, i);
            count++;
        }
    return count;
}

/* ---- names and places ---- */

void ir_name(LLVMValueRef global, char *name, size_t size)
{
    size_t length;
    const char *is = LLVMGetValueName2(global, &length);
    while (length && is[length - 1] >= '0' && is[length - 1] <= '9')
        length--;
    if (!length || is[length - 1] != '.')
        LLVMGetValueName2(global, &length);
    else
        length--;
    if (length >= size)
        length = size - 1;
    memcpy(name, is, length);
    name[length] = '\0';
}

static const char *ir_file_of_variable(LLVMValueRef variable, unsigned *line)
{
    size_t count;
    unsigned length;
    const char *file = "";
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(variable, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMMetadataRef m = LLVMValueMetadataEntriesGetMetadata(entries, (unsigned)i);
        if (LLVMGetMetadataKind(m) != LLVMDIGlobalVariableExpressionMetadataKind)
            continue;
        LLVMMetadataRef v = LLVMDIGlobalVariableExpressionGetVariable(m);
        LLVMMetadataRef f = LLVMDIVariableGetFile(v);
        *line = LLVMDIVariableGetLine(v);
        file = f ? LLVMDIFileGetFilename(f, &length) : "";
    }
    LLVMDisposeValueMetadataEntries(entries);
    return file;
}

const char *ir_file(LLVMValueRef value, unsigned *line)
{
    unsigned length;
    *line = 0;
    if (LLVMIsAGlobalVariable(value))
        return ir_file_of_variable(value, line);
    if (LLVMIsAFunction(value)) {
        LLVMMetadataRef s = LLVMGetSubprogram(value);
        LLVMMetadataRef f = s ? LLVMDIScopeGetFile(s) : NULL;
        *line = s ? LLVMDISubprogramGetLine(s) : 0;
        return f ? LLVMDIFileGetFilename(f, &length) : "";
    }
    if (!LLVMIsAInstruction(value) || !LLVMInstructionGetDebugLoc(value))
        return "";
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(value);
    LLVMMetadataRef f = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
    *line = LLVMDILocationGetLine(location);
    return f ? LLVMDIFileGetFilename(f, &length) : "";
}

/* On a Cortex-M a handler is a function like others: one that the table of vectors names, or by the names that tables
 * in assembly use (CMSIS, Contiki, RIOT, target/cortex). */
static bool ir_is_in_vectors(LLVMValueRef value, unsigned depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use && depth; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const char *section = LLVMIsAGlobalVariable(user) ? LLVMGetSection(user) : NULL;
        if (section && (strstr(section, "vector") || strstr(section, "isr")))
            return true;
        if (LLVMIsAConstant(user) && !LLVMIsAFunction(user) && !section && ir_is_in_vectors(user, depth - 1))
            return true;
    }
    return false;
}

static bool ir_is_cortex_handler(LLVMValueRef function, const char *name)
{
    enum { NESTING = 4 }; /* structures of tables, casts */
    size_t length = strlen(name);
    return (length > 8 && strcmp(name + length - 8, "_Handler") == 0) ||
           (length > 11 && strcmp(name + length - 11, "_IRQHandler") == 0) || strncmp(name, "isr_", 4) == 0 ||
           (strncmp(name, "interrupt_", 10) == 0 && strspn(name + 10, "0123456789") == strlen(name + 10)) ||
           ir_is_in_vectors(function, NESTING);
}

bool ir_is_handler(LLVMValueRef function)
{
    unsigned convention = LLVMGetFunctionCallConv(function);
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    if (strncmp(LLVMGetTarget(LLVMGetGlobalParent(function)), "thumb", 5) == 0)
        return ir_is_cortex_handler(function, name);
    return convention == LLVMAVRINTRCallConv || convention == LLVMAVRSIGNALCallConv ||
           convention == LLVMMSP430INTRCallConv || strncmp(name, "__vector_", 9) == 0 ||
           strncmp(name, "__isr_", 6) == 0;
}
