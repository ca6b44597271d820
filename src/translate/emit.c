#include "translate/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "isa/slice.h"

bool emit_usable(LLVMModuleRef operations, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(operations, name);
    if (!function)
        return false;
    /* One that only says that it is for the loop is a block that returns address | HEAT_LOOP. */
    LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(function);
    LLVMValueRef first = LLVMGetFirstInstruction(block), last = LLVMGetLastInstruction(block);
    return LLVMGetNextBasicBlock(block) || LLVMGetInstructionOpcode(first) != LLVMOr ||
           LLVMGetNextInstruction(first) != last;
}

/* ---- what an operation writes ---- */

enum { EMIT_REGISTERS = 128 }; /* bytes of registers, at most */
enum { PARAMETER_LIVE, PARAMETER_REGISTERS, PARAMETER_NODE, PARAMETER_INSN };

/* The value of an index that is a constant, or a byte of the instruction; false: it is something else. */
static bool emit_index(LLVMValueRef operation, LLVMValueRef index, const uint8_t *insn, uint64_t *value)
{
    if (LLVMIsAConstantInt(index)) {
        *value = LLVMConstIntGetZExtValue(index);
        return true;
    }
    LLVMValueRef load = LLVMIsAZExtInst(index) ? LLVMGetOperand(index, 0) : index;
    if (!LLVMIsALoadInst(load) || LLVMGetIntTypeWidth(LLVMTypeOf(load)) != 8)
        return false;
    LLVMValueRef at = LLVMGetOperand(load, 0);
    if (!LLVMIsAGetElementPtrInst(at) || LLVMGetOperand(at, 0) != LLVMGetParam(operation, PARAMETER_INSN) ||
        LLVMGetNumOperands(at) != 2 || !LLVMIsAConstantInt(LLVMGetOperand(at, 1)))
        return false;
    *value = insn[LLVMConstIntGetZExtValue(LLVMGetOperand(at, 1))];
    return true;
}

/* Whether an address lies in what the parameter points to; then, where. Only what clang makes of `parameter[index]`. */
static bool emit_element(LLVMValueRef operation, LLVMValueRef address, const uint8_t *insn, uint64_t *offset)
{
    LLVMValueRef base = LLVMGetParam(operation, PARAMETER_REGISTERS);
    *offset = 0;
    if (address == base)
        return true;
    LLVMTypeRef element = LLVMIsAGetElementPtrInst(address) ? LLVMGetGEPSourceElementType(address) : NULL;
    if (!element || LLVMGetOperand(address, 0) != base || LLVMGetNumOperands(address) != 2 ||
        LLVMGetTypeKind(element) != LLVMIntegerTypeKind ||
        !emit_index(operation, LLVMGetOperand(address, 1), insn, offset))
        return false;
    *offset *= LLVMGetIntTypeWidth(element) / 8;
    return true;
}

/* Whether the address is certainly none of a register: it is made from another parameter, or loaded. */
static bool emit_is_elsewhere(LLVMValueRef operation, LLVMValueRef address)
{
    while (LLVMIsAGetElementPtrInst(address))
        address = LLVMGetOperand(address, 0);
    return LLVMIsALoadInst(address) ||
           (LLVMIsAArgument(address) && address != LLVMGetParam(operation, PARAMETER_REGISTERS));
}

/* Marks the bytes of registers that the operation may write, all if it is hard to tell. */
static void emit_written(LLVMValueRef operation, const uint8_t *insn, size_t size, bool written[EMIT_REGISTERS])
{
    memset(written, 0, EMIT_REGISTERS * sizeof *written);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(operation); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsAStoreInst(i) || emit_is_elsewhere(operation, LLVMGetOperand(i, 1)))
                continue;
            LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
            uint64_t at = 0, bytes = size;
            if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
                emit_element(operation, LLVMGetOperand(i, 1), insn, &at))
                bytes = LLVMGetIntTypeWidth(type) / 8;
            for (uint64_t k = at; k < at + bytes && k < size; k++)
                written[k] = true;
        }
}

struct emitter {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    const struct heat_code *code;
    const struct plan *plan;
    LLVMValueRef function, live, registers, fixed; /* `live` and `registers` are the function's own */
    LLVMBasicBlockRef *blocks;                     /* by step, where it begins; a check has its check there */
    LLVMTypeRef i8, i32, i64, pointer;
};

static LLVMValueRef emit_u32(const struct emitter *e, uint64_t value)
{
    return LLVMConstInt(e->i32, value, false);
}

static LLVMValueRef emit_bytes(const struct emitter *e, const void *bytes, size_t size, const char *name)
{
    LLVMValueRef text = LLVMConstStringInContext2(e->context, bytes, size, true);
    LLVMValueRef global = LLVMAddGlobal(e->module, LLVMTypeOf(text), name);
    LLVMSetInitializer(global, text);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetAlignment(global, 8);
    return global;
}

static void emit_copy(const struct emitter *e, LLVMValueRef to, LLVMValueRef from, size_t size)
{
    LLVMBuildMemCpy(e->builder, to, 8, from, 8, LLVMConstInt(e->i64, size, false));
}

/* Registers are kept twice: as values, and in memory, so that a way out has nothing to do for them. */
static void emit_keep(const struct emitter *e, const bool written[EMIT_REGISTERS])
{
    uint64_t unit = e->code->register_unit ? e->code->register_unit : 1;
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, (unsigned)(8 * unit));
    for (uint64_t i = 0; i < e->code->register_size; i += unit) {
        if (!memchr(written + i, true, unit))
            continue;
        LLVMValueRef at = LLVMConstInt(e->i64, i, false);
        LLVMValueRef from = LLVMBuildGEP2(e->builder, e->i8, e->registers, &at, 1, "");
        LLVMValueRef to = LLVMBuildGEP2(e->builder, e->i8, LLVMGetParam(e->function, 2), &at, 1, "");
        LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, type, from, ""), to);
    }
}

static void emit_leave(const struct emitter *e, LLVMValueRef next)
{
    emit_copy(e, LLVMGetParam(e->function, 1), e->live, e->code->live_size);
    LLVMBuildRet(e->builder, next);
}

static LLVMBasicBlockRef emit_block(const struct emitter *e)
{
    return LLVMAppendBasicBlockInContext(e->context, e->function, "");
}

static void emit_weigh(const struct emitter *e, LLVMValueRef jump, const uint32_t *weights, unsigned count)
{
    LLVMMetadataRef parts[2 + 64];
    if (count > 64)
        return;
    parts[0] = LLVMMDStringInContext2(e->context, "branch_weights", 14);
    for (unsigned i = 0; i < count; i++)
        parts[1 + i] = LLVMValueAsMetadata(emit_u32(e, weights[i]));
    LLVMMetadataRef node = LLVMMDNodeInContext2(e->context, parts, 1 + count);
    LLVMSetMetadata(jump, LLVMGetMDKindIDInContext(e->context, "prof", 4), LLVMMetadataAsValue(e->context, node));
}

/* Goes on only if the slice covers the longest way to the next check. `left` begins what is live. */
static void emit_check(const struct emitter *e, const struct plan_step *s)
{
    int64_t most = SLICE_CYCLES((int64_t)s->cycles + 1);
    LLVMBasicBlockRef on = emit_block(e), out = emit_block(e);
    LLVMValueRef left = LLVMBuildLoad2(e->builder, e->i64, e->live, "left");
    LLVMValueRef enough =
        LLVMBuildICmp(e->builder, LLVMIntSGT, left, LLVMConstInt(e->i64, (uint64_t)most, true), "enough");
    LLVMValueRef jump = LLVMBuildCondBr(e->builder, enough, on, out);
    emit_weigh(e, jump, (uint32_t[]){2000, 1}, 2);
    LLVMPositionBuilderAtEnd(e->builder, out);
    emit_leave(e, emit_u32(e, s->at | HEAT_LOOP));
    LLVMPositionBuilderAtEnd(e->builder, on);
}

static void emit_step(const struct emitter *e, uint32_t number)
{
    const struct plan_step *s = &e->plan->steps[number];
    const struct heat_code *c = e->code;
    LLVMPositionBuilderAtEnd(e->builder, e->blocks[number]);
    if (s->check)
        emit_check(e, s);
    const uint8_t *bytes = (const uint8_t *)c->insn + (size_t)s->at * c->insn_size;
    LLVMValueRef operation = LLVMGetNamedFunction(e->module, c->operation(c->machine, s->at));
    LLVMValueRef arguments[] = {
        e->live,  e->registers,      LLVMGetParam(e->function, 0), emit_bytes(e, bytes, c->insn_size, "insn"),
        e->fixed, emit_u32(e, s->at)};
    LLVMValueRef next = LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(operation), operation, arguments, 6, "next");
    bool written[EMIT_REGISTERS];
    emit_written(operation, bytes, c->register_size, written);
    for (size_t i = 0; c->writes && i < c->register_size; i++)
        written[i] &= c->writes(c->machine, s->at) >> i / c->register_unit & 1;
    LLVMBasicBlockRef out = emit_block(e);
    LLVMValueRef jump = LLVMBuildSwitch(e->builder, next, out, s->way_count);
    uint32_t *weights = memory_array(s->way_count + 1, sizeof *weights);
    weights[0] = 1;
    for (uint32_t i = 0; i < s->way_count; i++) {
        const struct plan_way *w = &e->plan->ways[s->first_way + i];
        LLVMBasicBlockRef way = emit_block(e);
        LLVMAddCase(jump, emit_u32(e, e->plan->steps[w->to].at), way);
        weights[1 + i] = 16 * w->times;
        LLVMPositionBuilderAtEnd(e->builder, way);
        emit_keep(e, written);
        LLVMBuildBr(e->builder, e->blocks[w->to]);
    }
    emit_weigh(e, jump, weights, s->way_count + 1);
    free(weights);
    LLVMPositionBuilderAtEnd(e->builder, out);
    emit_keep(e, written);
    emit_leave(e, next);
}

static void emit_entry(struct emitter *e)
{
    LLVMBasicBlockRef entry = emit_block(e), nowhere = emit_block(e);
    LLVMPositionBuilderAtEnd(e->builder, entry);
    e->live = LLVMBuildAlloca(e->builder, LLVMArrayType2(e->i8, e->code->live_size), "live");
    LLVMSetAlignment(e->live, 8);
    emit_copy(e, e->live, LLVMGetParam(e->function, 1), e->code->live_size);
    e->registers = LLVMBuildAlloca(e->builder, LLVMArrayType2(e->i8, e->code->register_size), "registers");
    LLVMSetAlignment(e->registers, 8);
    emit_copy(e, e->registers, LLVMGetParam(e->function, 2), e->code->register_size);
    LLVMValueRef jump = LLVMBuildSwitch(e->builder, LLVMGetParam(e->function, 3), nowhere, e->plan->step_count);
    uint32_t number = 0;
    for (uint32_t i = 0; i < e->plan->step_count; i++) {
        e->blocks[i] = emit_block(e);
        if (e->plan->steps[i].check)
            LLVMAddCase(jump, emit_u32(e, number++), e->blocks[i]);
    }
    LLVMPositionBuilderAtEnd(e->builder, nowhere);
    LLVMBuildUnreachable(e->builder);
}

LLVMValueRef emit_function(LLVMModuleRef module, const struct heat_code *code, const struct plan *p, const char *name)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct emitter e = {.context = context,
                        .module = module,
                        .builder = LLVMCreateBuilderInContext(context),
                        .code = code,
                        .plan = p,
                        .blocks = memory_array(p->step_count + 1, sizeof *e.blocks),
                        .i8 = LLVMInt8TypeInContext(context),
                        .i32 = LLVMInt32TypeInContext(context),
                        .i64 = LLVMInt64TypeInContext(context),
                        .pointer = LLVMPointerTypeInContext(context, 0)};
    LLVMTypeRef parameters[] = {e.pointer, e.pointer, e.pointer, e.i32};
    e.function = LLVMAddFunction(module, name, LLVMFunctionType(e.i32, parameters, 4, false));
    LLVMAttributeRef alone = LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("noalias", 7), 0);
    LLVMAddAttributeAtIndex(e.function, 2, alone);
    LLVMAddAttributeAtIndex(e.function, 3, alone);
    e.fixed = emit_bytes(&e, code->fixed, sizeof code->fixed, "fixed");
    emit_entry(&e);
    for (uint32_t i = 0; i < p->step_count; i++)
        emit_step(&e, i);
    LLVMDisposeBuilder(e.builder);
    free(e.blocks);
    return e.function;
}

/* ---- what is not changed ---- */

/* Which byte of the caller's struct (parameter 1) an address is; false: it is none of it. */
static bool emit_offset(LLVMValueRef function, LLVMValueRef address, uint64_t *offset)
{
    LLVMValueRef live = LLVMGetParam(function, 1);
    *offset = 0;
    if (address == live)
        return true;
    if (!LLVMIsAGetElementPtrInst(address) || LLVMGetOperand(address, 0) != live || LLVMGetNumOperands(address) != 2)
        return false;
    LLVMValueRef by = LLVMGetOperand(address, 1);
    if (!LLVMIsAConstantInt(by) || LLVMGetTypeKind(LLVMGetGEPSourceElementType(address)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(address)) != 8)
        return false;
    *offset = LLVMConstIntGetZExtValue(by);
    return true;
}

static bool emit_is_unchanged(LLVMValueRef function, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0);
    uint64_t to, from;
    return LLVMIsALoadInst(value) && emit_offset(function, LLVMGetOperand(store, 1), &to) &&
           emit_offset(function, LLVMGetOperand(value, 0), &from) && to == from;
}

void emit_drop_unchanged(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsAStoreInst(i) && emit_is_unchanged(function, i))
                LLVMInstructionEraseFromParent(i);
        }
}
