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
    {"reti", ""},
    {"bic #0xf0, 0(r1)", "motet_woken"},
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

/* Registers that a handler in assembly saves; a native program has them anyway. */
static bool assembly_saves(const char *text, size_t length)
{
    return length <= 8 && (strncmp(text, "push r", 6) == 0 || strncmp(text, "pop r", 5) == 0);
}

/* "call #name" of a function in C; NULL: it is none. */
static LLVMValueRef assembly_called(struct retarget *r, const char *text, size_t length)
{
    char name[200];
    size_t skip = strncmp(text, "call #", 6) == 0 ? 6 : strncmp(text, "call ", 5) == 0 ? 5 : 0;
    if (!skip || length - skip >= sizeof name)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)(length - skip), text + skip);
    return LLVMGetNamedFunction(r->module, name);
}

/* A delay that counts a register down to zero. */
static bool assembly_is_delay(const char *text)
{
    static const char *const delays[] = {"1:\tdec $0\n\tjnz 1b", "1: dec $0\n\tbrne 1b", "1: sbiw $0,1\n\tbrne 1b"};
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++)
        if (strncmp(text, delays[i], strlen(delays[i])) == 0)
            return true;
    return false;
}

/* avr-libc's wdt_enable and wdt_disable: a native program has no watchdog. */
static bool assembly_is_watchdog(const char *text)
{
    return strncmp(text, "in __tmp_reg__,__SREG__", 23) == 0 && strstr(text, "wdr");
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
    bool nothing = assembly_is_step(text) || assembly_is_delay(text) || assembly_is_watchdog(text);
    for (const char *at = nothing ? end : assembly_skip(text, end); at < end; at = assembly_skip(at, end)) {
        size_t statement = strcspn(at, "\n;");
        while (statement && (at[statement - 1] == ' ' || at[statement - 1] == '\t'))
            statement--;
        int known = assembly_saves(at, statement) ? 0 : assembly_find(at, statement);
        LLVMValueRef called = known < 0 ? assembly_called(r, at, statement) : NULL;
        if (called) {
            LLVMBuildCall2(r->builder, LLVMGlobalGetValueType(called), called, NULL, 0, "");
        } else if (known < 0) {
            retarget_refuse(r, call, "assembly (%.*s) is not known to native programs", (int)statement, at);
            return;
        }
        if (!called)
            result = assembly_call(r, call, assembly_known[known].feeder, result);
        at += statement;
    }
    assembly_finish(call, r, result);
}
