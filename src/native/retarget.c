#include "native/retarget.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ir/ir.h"
#include "native/component.h"
#include "native/layout.h"

bool retarget_refuse(struct retarget *r, LLVMValueRef at, const char *format, ...)
{
    unsigned line = 0;
    const char *file = at ? ir_file(at, &line) : "";
    va_list args;
    va_start(args, format);
    char *text = memory_format_list(format, args);
    va_end(args);
    refusals_add(r->refusals, file, line, "%s", text);
    free(text);
    return false;
}

LLVMValueRef retarget_call_feeder(struct retarget *r, const char *name, LLVMValueRef *arguments, unsigned count)
{
    LLVMTypeRef types[8];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMTypeRef type = LLVMFunctionType(r->bits64, types, count, false);
    LLVMValueRef f = LLVMGetNamedFunction(r->module, name);
    if (!f)
        f = LLVMAddFunction(r->module, name, type);
    return LLVMBuildCall2(r->builder, type, f, arguments, count, "");
}

/* ---- variables ---- */

static void retarget_copy_debug(LLVMValueRef from, LLVMValueRef to)
{
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(from, &count);
    for (unsigned i = 0; i < count; i++)
        LLVMGlobalSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, i),
                              LLVMValueMetadataEntriesGetMetadata(entries, i));
    LLVMDisposeValueMetadataEntries(entries);
}

static bool retarget_is_number(const char *name)
{
    name += *name == '\01';
    return strncmp(name, RETARGET_SIZE, strlen(RETARGET_SIZE)) == 0 ||
           strncmp(name, RETARGET_SITES, strlen(RETARGET_SITES)) == 0;
}

static void retarget_declare_variable(struct retarget *r, LLVMValueRef old)
{
    size_t length;
    char *name = memory_string(LLVMGetValueName2(old, &length));
    LLVMTypeRef type = LLVMGlobalGetValueType(old);
    LLVMSetValueName2(old, "", 0);
    LLVMValueRef is = LLVMAddGlobalInAddressSpace(r->module, retarget_type(r, type), name,
                                                  LLVMGetPointerAddressSpace(LLVMTypeOf(old)));
    LLVMSetLinkage(is, LLVMGetLinkage(old));
    LLVMSetAlignment(is, LLVMGetAlignment(old) ? LLVMGetAlignment(old) : 1);
    LLVMSetGlobalConstant(is, LLVMIsGlobalConstant(old));
    retarget_copy_debug(old, is);
    LLVMReplaceAllUsesWith(old, is);
    r->variables = memory_grow(r->variables, &r->variable_room, r->variable_count, sizeof *r->variables);
    r->variables[r->variable_count++] = (struct retarget_variable){.old = old, .is = is, .type = type};
    free(name);
}

static void retarget_drop(LLVMModuleRef module, const char *name)
{
    LLVMValueRef g = LLVMGetNamedGlobal(module, name);
    if (g)
        LLVMDeleteGlobal(g);
}

static void retarget_declare_variables(struct retarget *r)
{
    LLVMValueRef *all = NULL;
    size_t count = 0, room = 0, length;
    retarget_drop(r->module, "llvm.used");
    retarget_drop(r->module, "llvm.compiler.used");
    for (LLVMValueRef g = LLVMGetFirstGlobal(r->module); g; g = LLVMGetNextGlobal(g)) {
        all = memory_grow(all, &room, count, sizeof *all);
        if (g != r->registers && !retarget_is_number(LLVMGetValueName2(g, &length)))
            all[count++] = g;
    }
    for (size_t i = 0; i < count; i++)
        retarget_declare_variable(r, all[i]);
    free(all);
}

/* A register that the linker places. */
static void retarget_place(struct retarget *r, LLVMValueRef variable, unsigned address)
{
    LLVMValueRef index = LLVMConstInt(r->bits64, address, false);
    LLVMReplaceAllUsesWith(variable, LLVMConstGEP2(r->byte, r->registers, &index, 1));
}

static bool retarget_is_of_feeder(LLVMValueRef variable)
{
    const char *name = LLVMGetValueName2(variable, &(size_t){0});
    name += *name == '\01';
    return !LLVMGetInitializer(variable) && strncmp(name, "motet_", 6) == 0;
}

static void retarget_initialise_variables(struct retarget *r)
{
    for (size_t i = 0; i < r->variable_count; i++) {
        struct retarget_variable *v = &r->variables[i];
        LLVMValueRef initial = LLVMGetInitializer(v->old);
        unsigned address;
        const char *name = LLVMGetValueName2(v->is, &(size_t){0});
        name += *name == '\01';
        if (!initial && retarget_is_of_feeder(v->is))
            continue;
        if (!initial && r->recorded && r->recorded->address(r->recorded->context, name, &address))
            retarget_place(r, v->is, address);
        else if (initial)
            LLVMSetInitializer(v->is, retarget_initial(r, initial, v->type, v->is));
        else if (LLVMGetLinkage(v->is) == LLVMExternalLinkage && LLVMGetFirstUse(v->is))
            retarget_refuse(r, v->is, "%s is used, and no source here defines it",
                            LLVMGetValueName2(v->is, &(size_t){0}));
    }
    for (size_t i = 0; i < r->variable_count; i++) {
        LLVMDeleteGlobal(r->variables[i].old);
        r->variables[i].old = NULL;
    }
}

/* ---- names, attributes ---- */

static void retarget_rename(LLVMValueRef global)
{
    size_t length;
    const char *name = LLVMGetValueName2(global, &length);
    char *made = memory_format(RETARGET_PREFIX "%s", name + (*name == '\01'));
    LLVMSetValueName2(global, made, strlen(made));
    free(made);
}

static bool retarget_is_local(LLVMValueRef global)
{
    LLVMLinkage linkage = LLVMGetLinkage(global);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

static void retarget_rename_all(struct retarget *r)
{
    for (size_t i = 0; i < r->variable_count; i++)
        if (!retarget_is_local(r->variables[i].is) && !retarget_is_of_feeder(r->variables[i].is))
            retarget_rename(r->variables[i].is);
    for (LLVMValueRef f = LLVMGetFirstFunction(r->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !retarget_is_local(f))
            retarget_rename(f);
}

/* A type that an attribute names: what is passed through memory has the native size. */
static void retarget_type_attribute(struct retarget *r, LLVMValueRef at, LLVMAttributeIndex index, const char *name,
                                    bool is_call)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef old =
        is_call ? LLVMGetCallSiteEnumAttribute(at, index, kind) : LLVMGetEnumAttributeAtIndex(at, index, kind);
    if (!old)
        return;
    LLVMAttributeRef made = LLVMCreateTypeAttribute(r->context, kind, retarget_type(r, LLVMGetTypeAttributeValue(old)));
    if (is_call)
        LLVMAddCallSiteAttribute(at, index, made);
    else
        LLVMAddAttributeAtIndex(at, index, made);
}

void retarget_attributes(struct retarget *r, LLVMValueRef at, LLVMTypeRef function, bool is_call)
{
    for (unsigned i = 1; i <= LLVMCountParamTypes(function); i++) {
        retarget_type_attribute(r, at, i, "byval", is_call);
        retarget_type_attribute(r, at, i, "sret", is_call);
    }
}

static void retarget_signature(struct retarget *r, LLVMValueRef f)
{
    static const char *const chips[] = {"target-cpu", "target-features", "tune-cpu", "signal", "interrupt", "wakeup"};
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, chips[i], (unsigned)strlen(chips[i]));
    LLVMSetFunctionCallConv(f, LLVMCCallConv);
    LLVMSetSection(f, "");
    retarget_attributes(r, f, LLVMGlobalGetValueType(f), false);
    if (!LLVMIsDeclaration(f))
        LLVMAddAttributeAtIndex(
            f, LLVMAttributeFunctionIndex,
            LLVMCreateEnumAttribute(r->context, LLVMGetEnumAttributeKindForName("sanitize_address", 16), 0));
}

/* ---- the module ---- */

static bool retarget_set_triple(LLVMModuleRef module, struct refusals *refusals)
{
    LLVMInitializeNativeTarget();
    char *triple = LLVMGetDefaultTargetTriple(), *why = NULL;
    LLVMTargetRef target;
    bool good = LLVMGetTargetFromTriple(triple, &target, &why) == 0;
    if (good) {
        LLVMTargetMachineRef machine =
            LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelNone, LLVMRelocPIC, LLVMCodeModelDefault);
        LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
        LLVMSetTarget(module, triple);
        LLVMSetModuleDataLayout(module, layout);
        LLVMDisposeTargetData(layout);
        LLVMDisposeTargetMachine(machine);
    } else {
        refusals_add(refusals, "", 0, "LLVM does not know this computer: %s", why);
        LLVMDisposeMessage(why);
    }
    LLVMDisposeMessage(triple);
    return good;
}

static void retarget_begin(struct retarget *r)
{
    r->context = LLVMGetModuleContext(r->module);
    r->builder = LLVMCreateBuilderInContext(r->context);
    r->target = LLVMCreateTargetData(LLVMGetDataLayoutStr(r->module));
    r->byte = LLVMInt8TypeInContext(r->context);
    r->word = LLVMInt16TypeInContext(r->context);
    r->bits32 = LLVMInt32TypeInContext(r->context);
    r->bits64 = LLVMInt64TypeInContext(r->context);
    r->pointer = LLVMPointerTypeInContext(r->context, 0);
    r->registers = LLVMAddGlobal(r->module, LLVMArrayType2(r->byte, 0x10000), "motet_registers");
}

void retarget_module(LLVMModuleRef module, const struct shapes *shapes, const struct native_recorded *recorded,
                     const struct component_program *component, const char *assembly, struct refusals *refusals)
{
    struct retarget r = {.module = module, .shapes = shapes, .recorded = recorded, .refusals = refusals};
    retarget_begin(&r);
    LLVMSetModuleInlineAsm2(module, "", 0);
    retarget_leave_out(&r);
    retarget_declare_variables(&r);
    retarget_find_shared(&r);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        retarget_signature(&r, f);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            retarget_function(&r, f);
    retarget_initialise_variables(&r);
    if (component) {
        component_finish(&r, component);
    } else {
        retarget_entries(&r);
        retarget_handlers(&r, assembly);
        retarget_variables(&r);
        retarget_traced(&r);
    }
    retarget_rename_all(&r);
    retarget_set_triple(module, refusals);
    LLVMDisposeTargetData(r.target);
    LLVMDisposeBuilder(r.builder);
    free(r.variables);
}
