#include "translate/translate.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "isa/layout.h"
#include "operations_avr.h"
#include "operations_cortex.h"
#include "operations_msp430.h"
#include "translate/emit.h"
#include "translate/plan.h"

/* From calls with constants to values: then a second look at what the ways out have to write, and at which way an
 * operation has gone, so that nobody asks again (jump-threading). */
static const char translate_first[] =
    "always-inline,function(instsimplify,sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>)";
static const char translate_second[] =
    "function(simplifycfg,early-cse<memssa>,jump-threading,dse,sink,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

static const struct {
    const char *isa;
    const char *bytes;
    size_t size;
} translate_operations[] = {{"avr", operations_avr, sizeof operations_avr - 1},
                            {"msp430", operations_msp430, sizeof operations_msp430 - 1},
                            {"cortex", operations_cortex, sizeof operations_cortex - 1}};

/* One for the process: LLVM's own, with all code it has made. */
static pthread_mutex_t translate_lock = PTHREAD_MUTEX_INITIALIZER;
static LLVMOrcLLJITRef translate_jit;
static unsigned translate_number;
static bool translate_over; /* the process ends, and holds the lock */

static bool translate_failed(LLVMErrorRef failed, struct motet_error *e)
{
    if (!failed)
        return false;
    char *text = LLVMGetErrorMessage(failed);
    error_set(e, "code cannot be translated: %s", text);
    LLVMDisposeErrorMessage(text);
    return true;
}

/* For any host of this kind: with all that this one can do, registers of its vector unit above all, LLVM takes more
 * than twice as long, and the code is no faster. */
static LLVMTargetMachineRef translate_host(struct motet_error *e)
{
    LLVMTargetRef target;
    LLVMTargetMachineRef host = NULL;
    char *triple = LLVMGetDefaultTargetTriple(), *text = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &text))
        error_set(e, "code cannot be translated: %s", text);
    else
        host = LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelLess, LLVMRelocDefault,
                                       LLVMCodeModelJITDefault);
    LLVMDisposeMessage(text);
    LLVMDisposeMessage(triple);
    return host;
}

/* LLVM 19 for x86 makes a load of a byte into the low part of a register one that clears the rest, also where the rest
 * is still used: `or (and x, -256), (zext byte)` loses x. tests/engine finds it. */
static void translate_mend(void)
{
#if defined(__x86_64__)
    static const char *const arguments[] = {"motet", "-fixup-byte-word-insts=0"};
    LLVMParseCommandLineOptions(2, arguments, NULL);
#endif
}

/* A process that ends, or forks, waits for the translation under way: LLVM must not go while it works. */
static void translate_hold(void)
{
    pthread_mutex_lock(&translate_lock);
}

static void translate_release(void)
{
    pthread_mutex_unlock(&translate_lock);
}

static void translate_exit(void)
{
    translate_hold();
    translate_over = true;
}

static __attribute__((constructor)) void translate_loaded(void)
{
    atexit(translate_exit);
    pthread_atfork(translate_hold, translate_release, translate_release);
}

static bool translate_begin(struct motet_error *e)
{
    if (translate_jit)
        return true;
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    translate_mend();
    LLVMTargetMachineRef host = translate_host(e);
    if (!host)
        return false;
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(host));
    return !translate_failed(LLVMOrcCreateLLJIT(&translate_jit, builder), e);
}

static LLVMModuleRef translate_load(LLVMContextRef context, const char *isa, struct motet_error *e)
{
    for (size_t i = 0; i < sizeof translate_operations / sizeof *translate_operations; i++) {
        if (strcmp(translate_operations[i].isa, isa) != 0)
            continue;
        LLVMModuleRef module;
        LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRange(translate_operations[i].bytes,
                                                                          translate_operations[i].size, isa, false);
        bool failed = LLVMParseBitcodeInContext2(context, bytes, &module);
        LLVMDisposeMemoryBuffer(bytes);
        if (!failed)
            return module;
    }
    error_set(e, "code for %s cannot be translated", isa);
    return NULL;
}

/* ---- a module for LLVM ---- */

struct translate_use {
    const struct heat_code *code;
    LLVMModuleRef module;
};

static bool translate_usable(const void *context, uint32_t at)
{
    const struct translate_use *u = context;
    const char *name = u->code->operation(u->code->machine, at);
    return name && emit_usable(u->module, name);
}

/* Operations become part of the function, and are gone. */
static void translate_inline(LLVMModuleRef module, LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (f == function || LLVMIsDeclaration(f))
            continue;
        LLVMSetLinkage(f, LLVMInternalLinkage);
        if (LLVMGetFirstUse(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(context, kind, 0));
        else
            LLVMDeleteFunction(f);
    }
}

static bool translate_optimise(LLVMModuleRef module, LLVMValueRef function, struct motet_error *e)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    translate_inline(module, function);
    bool good = !translate_failed(LLVMRunPasses(module, translate_first, NULL, options), e);
    if (good) {
        emit_drop_unchanged(function);
        good = !translate_failed(LLVMRunPasses(module, translate_second, NULL, options), e);
    }
    LLVMDisposePassBuilderOptions(options);
    return good;
}

/* ---- translations ---- */

static void translate_free(struct heat_made *made)
{
    LLVMOrcResourceTrackerRef tracker = made->context;
    if (translate_over)
        return;
    pthread_mutex_lock(&translate_lock);
    LLVMConsumeError(LLVMOrcResourceTrackerRemove(tracker));
    LLVMOrcReleaseResourceTracker(tracker);
    pthread_mutex_unlock(&translate_lock);
}

static bool translate_compile(LLVMOrcThreadSafeContextRef context, LLVMModuleRef module, const char *name,
                              struct heat_made *made, struct motet_error *e)
{
    LLVMOrcThreadSafeModuleRef safe = LLVMOrcCreateNewThreadSafeModule(module, context);
    LLVMOrcResourceTrackerRef tracker =
        LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(translate_jit));
    LLVMOrcExecutorAddress address = 0;
    made->context = tracker;
    if (translate_failed(LLVMOrcLLJITAddLLVMIRModuleWithRT(translate_jit, tracker, safe), e) ||
        translate_failed(LLVMOrcLLJITLookup(translate_jit, &address, name), e)) {
        LLVMOrcReleaseResourceTracker(tracker);
        return false;
    }
    void *function = (void *)(uintptr_t)address;
    memcpy(&made->run, &function, sizeof function);
    made->free = translate_free;
    return true;
}

static void translate_addresses(const struct plan *p, struct heat_made *made)
{
    made->entries = memory_array(p->step_count + 1, sizeof *made->entries);
    made->steps = memory_array(p->step_count + 1, sizeof *made->steps);
    for (uint32_t i = 0; i < p->step_count; i++)
        made->steps[made->step_count++] = p->steps[i].at;
    for (uint32_t i = 0; i < p->step_count; i++)
        if (p->steps[i].check)
            made->entries[made->entry_count++] = p->steps[i].at;
}

static bool translate_plan(const struct heat_code *code, const uint32_t *trace, size_t count, struct heat_made *made,
                           struct motet_error *e)
{
    LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContext();
    LLVMModuleRef module = translate_load(LLVMOrcThreadSafeContextGetContext(safe), code->isa, e);
    bool good = module;
    if (good) {
        char name[32];
        struct translate_use use = {code, module};
        struct plan *p = plan_new(code, trace, count, translate_usable, &use);
        snprintf(name, sizeof name, "hot_%u", translate_number++);
        LLVMValueRef function = emit_function(module, code, p, name);
        good = translate_optimise(module, function, e) && translate_compile(safe, module, name, made, e);
        if (good)
            translate_addresses(p, made);
        plan_free(p);
    }
    LLVMOrcDisposeThreadSafeContext(safe);
    return good;
}

uint64_t motet_translate_layout(void)
{
    return isa_layout();
}

bool motet_translate(const struct heat_code *code, const uint32_t *trace, size_t count, struct heat_made *made,
                     struct motet_error *e)
{
    pthread_mutex_lock(&translate_lock);
    bool good = translate_begin(e) && translate_plan(code, trace, count, made, e);
    pthread_mutex_unlock(&translate_lock);
    return good;
}
