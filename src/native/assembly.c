/* Inline assembly that firmware has in its C: what it does is known, or it is refused. */
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

#include "native/retarget.h"

/* One statement of assembly, and the feeder's function for it ("": nothing to do). */
static const struct {
    const char *text, *feeder;
} assembly_known[] = {
    {"", ""},
    {"nop", ""},
    {"wdr", ""},
    {"sei", "motet_enable"},
    {"eint", "motet_enable"},
    {"cli", "motet_disable"},
    {"dint", "motet_disable"},
    {"sleep", "motet_sleep"},
    {"mov r2, $0", "motet_status"},
    {"mov $0, r2", "motet_set_status"},
    {"bis $0, r2", "motet_status_on"},
    {"bic $0, r2", "motet_status_off"},
    {"call motet_step_far", ""},
    {"call #motet_step_far", ""},
};

enum { KNOWN = sizeof assembly_known / sizeof *assembly_known };

static int assembly_find(const char *text, size_t length)
{
    for (int i = 0; i < KNOWN; i++)
        if (strlen(assembly_known[i].text) == length && strncmp(assembly_known[i].text, text, length) == 0)
            return i;
    return -1;
}

static const char *assembly_skip(const char *at, const char *end)
{
    while (at < end && strchr(" \t\n;", *at))
        at++;
    return at;
}

static LLVMValueRef assembly_wide(struct retarget *r, LLVMValueRef value)
{
    return LLVMBuildIntCast2(r->builder, value, r->bits64, false, "");
}

/* The feeder's function for a statement; its result, if the statement has one. */
static LLVMValueRef assembly_call(struct retarget *r, LLVMValueRef call, const char *feeder, LLVMValueRef result)
{
    LLVMValueRef argument;
    bool takes = strstr(feeder, "status_") || strstr(feeder, "set_status");
    if (!*feeder)
        return result;
    if (takes && LLVMGetNumArgOperands(call) != 1)
        return result;
    if (takes)
        argument = assembly_wide(r, LLVMGetOperand(call, 0));
    LLVMValueRef made = retarget_call_feeder(r, feeder, &argument, takes);
    return strcmp(feeder, "motet_status") == 0 ? made : result;
}

static void assembly_finish(LLVMValueRef call, struct retarget *r, LLVMValueRef result)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        LLVMReplaceAllUsesWith(call,
                               result ? LLVMBuildIntCast2(r->builder, result, type, false, "") : LLVMConstNull(type));
    LLVMInstructionEraseFromParent(call);
}

/* A loop that polls, as motet cc marks it: replay gives the value that ends it. */
static bool assembly_poll(struct retarget *r, LLVMValueRef call, const char *text)
{
    const char *at = strstr(text, ".motet.polls");
    unsigned leave;
    at = at ? strstr(at, ".ascii \"$0 ") : NULL;
    if (!at || sscanf(at, ".ascii \"$0 %x", &leave) != 1)
        return false;
    assembly_finish(call, r, LLVMConstInt(r->bits64, leave, false));
    return true;
}

static bool assembly_is_step(const char *text)
{
    return strstr(text, "motet_count") && strstr(text, "motet_wrapped");
}

void retarget_assembly(struct retarget *r, LLVMValueRef call)
{
    size_t length;
    LLVMValueRef result = NULL;
    const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &length), *end = text + length;
    if (assembly_poll(r, call, text))
        return;
    for (const char *at = assembly_is_step(text) ? end : assembly_skip(text, end); at < end;
         at = assembly_skip(at, end)) {
        size_t statement = strcspn(at, "\n;");
        while (statement && (at[statement - 1] == ' ' || at[statement - 1] == '\t'))
            statement--;
        int known = assembly_find(at, statement);
        if (known < 0) {
            retarget_refuse(r, call, "assembly (%.*s) is not known to native programs", (int)statement, at);
            return;
        }
        result = assembly_call(r, call, assembly_known[known].feeder, result);
        at += statement;
    }
    assembly_finish(call, r, result);
}
