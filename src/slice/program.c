#include "slice/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ir/ir.h"
#include "rewrite/stated.h"

/* ---- numbering ---- */

static void program_add_blocks(struct program *p, int number)
{
    struct function *f = &p->functions[number];
    f->first_block = p->block_count;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->value); b; b = LLVMGetNextBasicBlock(b)) {
        struct block *block = &p->blocks[p->block_count];
        *block = (struct block){.value = b, .function = number, .first = p->instruction_count};
        map_put(&p->block_numbers, (uintptr_t)b, 0, p->block_count);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            map_put(&p->numbers, (uintptr_t)i, 0, p->instruction_count);
            p->instructions[p->instruction_count++] =
                (struct instruction){.value = i, .opcode = LLVMGetInstructionOpcode(i), .block = p->block_count};
        }
        block->count = p->instruction_count - block->first;
        p->block_count++;
        f->blocks++;
    }
}

static void program_add_parameters(struct program *p, struct function *f)
{
    f->first_parameter = p->instruction_count + p->parameter_count;
    f->parameters = (int)LLVMCountParams(f->value);
    for (int i = 0; i < f->parameters; i++)
        map_put(&p->numbers, (uintptr_t)LLVMGetParam(f->value, (unsigned)i), 0, f->first_parameter + i);
    p->parameter_count += f->parameters;
}

static void program_count(struct program *p, size_t *functions, size_t *blocks, size_t *instructions)
{
    *functions = *blocks = *instructions = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f)) {
        ++*functions;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            ++*blocks;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                ++*instructions;
        }
    }
}

/* A start-up routine has a section of its own, .init3 for example; without a main, everything that others see may run.
 */
static bool program_starts_alone(const struct function *f, bool has_main)
{
    const char *section = LLVMGetSection(f->value);
    return f->is_handler || strcmp(f->name, "main") == 0 || (section && strstr(section, ".init")) ||
           (!has_main && LLVMGetLinkage(f->value) != LLVMInternalLinkage);
}

/* A handler that is assembly, and calls a function for its work: INTERRUPT_WAKING of target/msp430. That function is
 * the handler then. */
static bool program_calls_by_assembly(const struct program *p, const struct function *f, const char *name)
{
    size_t length = strlen(name);
    for (int b = f->first_block; b < f->first_block + f->blocks; b++)
        for (int i = p->blocks[b].first; i < p->blocks[b].first + p->blocks[b].count; i++) {
            LLVMValueRef v = p->instructions[i].value;
            if (p->instructions[i].opcode != LLVMCall || !LLVMIsAInlineAsm(LLVMGetCalledValue(v)))
                continue;
            const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(v), &(size_t){0});
            const char *at = strstr(text, "call #");
            if (at && strncmp(at + 6, name, length) == 0 && strchr(" \t\n;", at[6 + length]))
                return true;
        }
    return false;
}

static void program_find_called_handlers(struct program *p)
{
    unsigned naked = LLVMGetEnumAttributeKindForName("naked", 5);
    for (int h = 0; h < p->function_count; h++) {
        struct function *handler = &p->functions[h];
        if (!handler->is_handler || !LLVMGetEnumAttributeAtIndex(handler->value, LLVMAttributeFunctionIndex, naked))
            continue;
        for (int f = 0; f < p->function_count; f++)
            if (p->functions[f].blocks && program_calls_by_assembly(p, handler, p->functions[f].name)) {
                p->functions[f].is_handler = p->functions[f].is_root = true;
                handler->is_handler = false;
            }
    }
}

static void program_find_groups(struct program *p)
{
    struct map first = {0};
    for (int i = 0; i < p->function_count; i++) {
        struct function *f = &p->functions[i];
        f->group = i;
        uint64_t hash = UINT64_C(0xcbf29ce484222325);
        for (const char *c = f->name; *c; c++)
            hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        for (const char *c = f->file; *c; c++)
            hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        int known = f->line ? map_get(&first, (uintptr_t)hash, f->line) : -1;
        if (known >= 0)
            f->group = known;
        else if (f->line)
            map_put(&first, (uintptr_t)hash, f->line, i);
    }
    map_free(&first);
}

void program_make(struct program *p, LLVMModuleRef module)
{
    size_t functions, blocks, instructions;
    *p = (struct program){.module = module, .layout = LLVMGetModuleDataLayout(module)};
    program_count(p, &functions, &blocks, &instructions);
    p->functions = memory_array(functions, sizeof *p->functions);
    p->blocks = memory_array(blocks, sizeof *p->blocks);
    p->instructions = memory_array(instructions, sizeof *p->instructions);
    bool has_main =
        LLVMGetNamedFunction(module, "main") && LLVMGetFirstBasicBlock(LLVMGetNamedFunction(module, "main"));
    for (LLVMValueRef v = LLVMGetFirstFunction(module); v; v = LLVMGetNextFunction(v)) {
        char name[512];
        struct function *f = &p->functions[p->function_count];
        ir_name(v, name, sizeof name);
        f->value = v;
        f->name = memory_string(name);
        f->file = ir_file(v, &f->line);
        f->is_handler = LLVMGetFirstBasicBlock(v) && ir_is_handler(v);
        f->is_root = LLVMGetFirstBasicBlock(v) && program_starts_alone(f, has_main);
        map_put(&p->function_numbers, (uintptr_t)v, 0, p->function_count);
        program_add_blocks(p, p->function_count++);
    }
    for (int i = 0; i < p->function_count; i++)
        program_add_parameters(p, &p->functions[i]);
    program_find_called_handlers(p);
    program_find_groups(p);
}

void program_free(struct program *p)
{
    for (int i = 0; i < p->function_count; i++)
        free(p->functions[i].name);
    free(p->functions);
    free(p->blocks);
    free(p->instructions);
    map_free(&p->numbers);
    map_free(&p->function_numbers);
    map_free(&p->block_numbers);
    *p = (struct program){0};
}

/* ---- questions ---- */

int program_number(const struct program *p, LLVMValueRef value)
{
    return map_get(&p->numbers, (uintptr_t)value, 0);
}

int program_function(const struct program *p, LLVMValueRef function)
{
    return map_get(&p->function_numbers, (uintptr_t)function, 0);
}

int program_block(const struct program *p, LLVMBasicBlockRef block)
{
    return map_get(&p->block_numbers, (uintptr_t)block, 0);
}

int program_function_of(const struct program *p, int number)
{
    if (number < p->instruction_count)
        return p->blocks[p->instructions[number].block].function;
    int low = 0, high = p->function_count - 1;
    while (low < high) { /* the last function whose parameters begin at or before the number, and that has some */
        int middle = (low + high + 1) / 2;
        if (p->functions[middle].first_parameter <= number)
            low = middle;
        else
            high = middle - 1;
    }
    while (low > 0 && p->functions[low].parameters == 0)
        low--;
    return low;
}

int program_callee(const struct program *p, int call)
{
    return program_function(p, LLVMGetCalledValue(p->instructions[call].value));
}

bool program_loops(const struct program *p, int function)
{
    const struct function *f = &p->functions[function];
    bool found = false;
    char *state = memory_array((size_t)f->blocks + 1, 1); /* 1: on the path, 2: done */
    int *path = memory_array((size_t)f->blocks + 1, sizeof *path), depth = 0;
    unsigned *next = memory_array((size_t)f->blocks + 1, sizeof *next);
    if (f->blocks) {
        path[depth++] = 0;
        state[0] = 1;
    }
    while (depth && !found) {
        int at = path[depth - 1];
        const struct block *b = &p->blocks[f->first_block + at];
        LLVMValueRef end = p->instructions[b->first + b->count - 1].value;
        if (next[depth - 1] == LLVMGetNumSuccessors(end)) {
            state[at] = 2;
            depth--;
            continue;
        }
        int to = program_block(p, LLVMGetSuccessor(end, next[depth - 1]++)) - f->first_block;
        found = state[to] == 1;
        if (!state[to]) {
            state[to] = 1;
            next[depth] = 0;
            path[depth++] = to;
        }
    }
    free(state);
    free(path);
    free(next);
    return found;
}

bool program_forwards(const struct program *p, int function)
{
    const struct function *f = &p->functions[function];
    int calls = 0;
    bool nesc = strchr(f->name, '$') || (f->name[0] != '_' && strstr(f->name, "__"));
    if (f->blocks == 0 || f->is_root || !nesc)
        return false;
    for (int b = f->first_block; b < f->first_block + f->blocks; b++)
        for (int i = p->blocks[b].first; i < p->blocks[b].first + p->blocks[b].count; i++) {
            LLVMOpcode opcode = p->instructions[i].opcode;
            if (opcode == LLVMCall)
                calls++;
            bool passes = opcode == LLVMCall || opcode == LLVMRet || opcode == LLVMTrunc || opcode == LLVMZExt ||
                          opcode == LLVMSExt || opcode == LLVMBitCast || opcode == LLVMAddrSpaceCast ||
                          (opcode == LLVMBr && !LLVMIsConditional(p->instructions[i].value));
            if (!passes || calls > 1)
                return false;
        }
    return calls == 1;
}

int program_find(const struct program *p, const char *file, const char *name, int from)
{
    for (int i = from; i < p->function_count; i++)
        if (p->functions[i].blocks && stated_is_name(p->functions[i].name, name) &&
            (!file || stated_is_file(p->functions[i].file, file)))
            return i;
    return -1;
}
