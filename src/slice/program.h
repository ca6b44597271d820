/* A program as the analysis sees it: functions, blocks and instructions of a module, numbered in the order of the
 * module.
 *
 * Invariant: every instruction of a defined function has a number; those of a block, and the blocks of a function, are
 * consecutive. A function that several sources hold a copy of (static inline, in a header) is several functions here,
 * and one in reports: its copies share a `group`.
 */
#ifndef SLICE_PROGRAM_H
#define SLICE_PROGRAM_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>

#include "slice/map.h"

struct function {
    LLVMValueRef value;
    char *name;
    const char *file; /* "" if not known */
    unsigned line;
    bool is_handler;
    bool is_root;            /* runs without a call that can be seen: main, handlers, what the linker places */
    bool is_reachable;       /* from a root; points.h finds out */
    int first_block, blocks; /* 0 blocks: only declared */
    int first_parameter, parameters;
    int group; /* the first of its copies */
};

struct block {
    LLVMBasicBlockRef value;
    int function;
    int first, count; /* instructions */
};

struct instruction {
    LLVMValueRef value;
    LLVMOpcode opcode;
    int block;
};

struct program {
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    struct function *functions;
    int function_count;
    struct block *blocks;
    int block_count;
    struct instruction *instructions;
    int instruction_count;
    int parameter_count;
    struct map numbers; /* of instructions; of parameters, after them; */
    struct map function_numbers, block_numbers;
};

void program_make(struct program *p, LLVMModuleRef module);
void program_free(struct program *p);

/* A value's number: an instruction's, or a parameter's (from instruction_count on). -1: it is a constant. */
int program_number(const struct program *p, LLVMValueRef value);
int program_function(const struct program *p, LLVMValueRef function); /* -1: none */
int program_block(const struct program *p, LLVMBasicBlockRef block);

/* The function that an instruction or a parameter is in. */
int program_function_of(const struct program *p, int number);

/* The function that is called, or -1 if it is not known before points.h has looked, or is assembly. */
int program_callee(const struct program *p, int call);

/* Whether a function has a loop. */
bool program_loops(const struct program *p, int function);

/* A function of nesC that only calls another one, with its own arguments or constants: of these it makes many. */
bool program_forwards(const struct program *p, int function);

/* Functions by name. nesC's names may be written with dots: Module.Interface.event. The first from `from` on, -1: none.
 * A file, if given, must be the function's: its whole path or the end of it. */
int program_find(const struct program *p, const char *file, const char *name, int from);

#endif
