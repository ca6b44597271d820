/* usage: ir-list TARGET-FILES CHIP|- DATABASE|- [FILE...] [-- COMMAND...]
 * Prints what the module of these sources has: each function and variable with its place, and which are handlers. */
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"

static const char *given(const char *word)
{
    return strcmp(word, "-") == 0 ? NULL : word;
}

static void print(const char *kind, LLVMValueRef value)
{
    char name[200];
    unsigned line;
    ir_name(value, name, sizeof name);
    const char *file = ir_file(value, &line), *slash = strrchr(file, '/');
    printf("%s %s %s:%u\n", kind, name, slash ? slash + 1 : file, line);
}

static unsigned with_line(LLVMModuleRef module, unsigned *calls)
{
    unsigned count = 0, line;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                *calls += LLVMIsACallInst(i) != NULL;
                count += LLVMIsACallInst(i) && ir_file(i, &line)[0] && line;
            }
    return count;
}

int main(int argc, char **argv)
{
    int own = 4;
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    struct motet_error e = {""};
    struct ir_input in = {.target_files = argv[1],
                          .chip = given(argv[2]),
                          .database = given(argv[3]),
                          .files = argv + 4,
                          .file_count = (size_t)(own - 4),
                          .command = argv + own + 1,
                          .command_count = own < argc ? (size_t)(argc - own - 1) : 0};
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = ir_make(context, &in, &e);
    if (!module || !ir_promote(module, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 2;
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMGetFirstBasicBlock(f))
            print(ir_is_handler(f) ? "handler" : "function", f);
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        print("variable", g);
    unsigned calls = 0, lines = with_line(module, &calls);
    printf("calls %u, with a line %u\n", calls, lines);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
