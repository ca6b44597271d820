/* Instructions of a function, one after the other. */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ir/ir.h"
#include "native/layout.h"
#include "native/retarget.h"

static void function_replace(LLVMValueRef old, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(old, by);
    LLVMInstructionEraseFromParent(old);
}

static LLVMValueRef function_wide(struct retarget *r, LLVMValueRef value, bool is_signed)
{
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind) {
        if (LLVMTypeOf(value) == r->pointer)
            return value;
        return LLVMBuildAddrSpaceCast(r->builder, value, r->pointer, "");
    }
    return LLVMBuildIntCast2(r->builder, value, r->bits64, is_signed, "");
}

/* ---- memory ---- */

static LLVMValueRef function_at(struct retarget *r, LLVMValueRef pointer, uint64_t offset)
{
    LLVMValueRef index = LLVMConstInt(r->bits64, offset, false);
    return offset ? LLVMBuildGEP2(r->builder, r->byte, pointer, &index, 1, "") : pointer;
}

static bool function_is_aggregate(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMStructTypeKind || LLVMGetTypeKind(type) == LLVMArrayTypeKind;
}

static unsigned function_count(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : LLVMGetArrayLength(type);
}

static LLVMTypeRef function_element(LLVMTypeRef type, unsigned i)
{
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i) : LLVMGetElementType(type);
}

static uint64_t function_offset(struct retarget *r, LLVMTypeRef type, unsigned i)
{
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        return layout_native_offset(r->target, type, i);
    return i * layout_native_size(r->target, LLVMGetElementType(type));
}

/* A struct that is loaded or stored at once is so member by member, since this computer would place them otherwise. */
static LLVMValueRef function_load(struct retarget *r, LLVMTypeRef type, LLVMValueRef from)
{
    if (!function_is_aggregate(type)) {
        LLVMValueRef value = LLVMBuildLoad2(r->builder, type, from, "");
        LLVMSetAlignment(value, 1);
        return value;
    }
    LLVMValueRef whole = LLVMGetUndef(type);
    for (unsigned i = 0; i < function_count(type); i++) {
        LLVMValueRef part =
            function_load(r, function_element(type, i), function_at(r, from, function_offset(r, type, i)));
        whole = LLVMBuildInsertValue(r->builder, whole, part, i, "");
    }
    return whole;
}

static void function_store(struct retarget *r, LLVMValueRef value, LLVMValueRef to)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!function_is_aggregate(type)) {
        LLVMSetAlignment(LLVMBuildStore(r->builder, value, to), 1);
        return;
    }
    for (unsigned i = 0; i < function_count(type); i++)
        function_store(r, LLVMBuildExtractValue(r->builder, value, i, ""),
                       function_at(r, to, function_offset(r, type, i)));
}

static void function_alloca(struct retarget *r, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMGetAllocatedType(i), made = retarget_type(r, type);
    LLVMValueRef count = LLVMGetOperand(i, 0);
    size_t length;
    if (made == type && LLVMIsAConstantInt(count))
        return;
    LLVMValueRef by = LLVMIsAConstantInt(count) ? LLVMBuildAlloca(r->builder, made, LLVMGetValueName2(i, &length))
                                                : LLVMBuildArrayAlloca(r->builder, made, function_wide(r, count, false),
                                                                       LLVMGetValueName2(i, &length));
    LLVMSetAlignment(by, LLVMGetAlignment(i));
    function_replace(i, by);
}

/* The address that a GEP computes, from the native offsets of what it steps over. */
static void function_gep(struct retarget *r, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(i);
    LLVMValueRef at = LLVMGetOperand(i, 0), sum = NULL;
    int64_t offset = 0;
    for (int n = 1; n < LLVMGetNumOperands(i); n++) {
        LLVMValueRef index = LLVMGetOperand(i, (unsigned)n);
        if (n > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            offset += (int64_t)layout_native_offset(r->target, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (n > 1)
            type = LLVMGetElementType(type);
        uint64_t each = layout_native_size(r->target, type);
        if (LLVMIsAConstantInt(index)) {
            offset += LLVMConstIntGetSExtValue(index) * (int64_t)each;
            continue;
        }
        LLVMValueRef step =
            LLVMBuildMul(r->builder, function_wide(r, index, true), LLVMConstInt(r->bits64, each, false), "");
        sum = sum ? LLVMBuildAdd(r->builder, sum, step, "") : step;
    }
    LLVMValueRef fixed = LLVMConstInt(r->bits64, (uint64_t)offset, true);
    sum = sum ? LLVMBuildAdd(r->builder, sum, fixed, "") : fixed;
    LLVMValueRef by = LLVMBuildGEP2(r->builder, r->byte, at, &sum, 1, "");
    function_replace(i, by);
}

/* ---- registers ---- */

/* The register of a pointer that is known here; -1: it is found when it is executed. */
static int64_t function_register(struct retarget *r, LLVMValueRef pointer)
{
    if (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMAddrSpaceCast)
        pointer = LLVMGetOperand(pointer, 0);
    if (pointer == r->registers)
        return 0;
    if (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr &&
        LLVMGetOperand(pointer, 0) == r->registers)
        return LLVMConstIntGetSExtValue(LLVMGetOperand(pointer, 1));
    return -1;
}

/* After a volatile store: the feeder looks whether it was a register. */
static void function_stored(struct retarget *r, LLVMValueRef store)
{
    LLVMValueRef pointer = LLVMGetOperand(store, 1);
    uint64_t size = layout_target_size(r->target, LLVMTypeOf(LLVMGetOperand(store, 0)));
    if (function_register(r, pointer) < 0 && (LLVMIsAGlobalVariable(pointer) || LLVMIsAAllocaInst(pointer)))
        return;
    LLVMPositionBuilderBefore(r->builder, LLVMGetNextInstruction(store));
    LLVMSetCurrentDebugLocation2(r->builder, LLVMInstructionGetDebugLoc(store));
    LLVMValueRef arguments[] = {function_wide(r, pointer, false), LLVMConstInt(r->bits64, size, false)};
    retarget_call_feeder(r, "motet_stored", arguments, 2);
}

/* Before a volatile load: likewise. */
static void function_loads(struct retarget *r, LLVMValueRef load)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    if (function_register(r, pointer) < 0)
        return;
    LLVMValueRef arguments[] = {function_wide(r, pointer, false),
                                LLVMConstInt(r->bits64, layout_target_size(r->target, LLVMTypeOf(load)), false)};
    retarget_call_feeder(r, "motet_loads", arguments, 2);
}

static bool function_is_access_of_pointer(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

/* What the object at a pointer is, as far as the instruction that made the pointer says it. */
static LLVMTypeRef function_object(struct retarget *r, LLVMValueRef pointer)
{
    if (LLVMIsAAllocaInst(pointer))
        return LLVMGetAllocatedType(pointer);
    if (LLVMIsAGlobalVariable(pointer))
        return retarget_type_of_variable(r, pointer);
    if (!LLVMIsAGetElementPtrInst(pointer))
        return NULL;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
    for (int n = 2; n < LLVMGetNumOperands(pointer); n++)
        type = LLVMGetTypeKind(type) == LLVMStructTypeKind
                   ? LLVMStructGetTypeAtIndex(type,
                                              (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(pointer, (unsigned)n)))
                   : LLVMGetElementType(type);
    return type;
}

/* A number read where a pointer is, or over one: unions, and structs that clang passes as numbers. */
static void function_check_access(struct retarget *r, LLVMValueRef i, LLVMTypeRef type, LLVMValueRef pointer)
{
    LLVMTypeRef object = function_object(r, pointer);
    if (!object || function_is_aggregate(type))
        return;
    uint64_t size = layout_target_size(r->target, type);
    if (function_is_access_of_pointer(type)) {
        while (function_is_aggregate(object) && function_count(object))
            object = function_element(object, 0);
        if (!function_is_access_of_pointer(object) && LLVMGetTypeKind(object) == LLVMIntegerTypeKind &&
            LLVMGetIntTypeWidth(object) != 8)
            retarget_refuse(r, i, "a pointer is kept where the source has a number");
    } else if (layout_map_offset(r->target, object, size) != size) {
        retarget_refuse(r, i, "a pointer is read or written as a number");
    }
}

/* ---- pointers and numbers ---- */

static void function_ptrtoint(struct retarget *r, LLVMValueRef i)
{
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
        if (!LLVMIsAICmpInst(LLVMGetUser(use)))
            retarget_refuse(r, i, "a pointer becomes a number; a pointer of this computer does not fit there");
    LLVMValueRef wide = LLVMBuildPtrToInt(r->builder, LLVMGetOperand(i, 0), r->bits64, "");
    function_replace(i, LLVMBuildIntCast2(r->builder, wide, LLVMTypeOf(i), false, ""));
}

/* A number that is computed, made a pointer: that of a register. */
static void function_inttoptr(struct retarget *r, LLVMValueRef i)
{
    LLVMValueRef number = function_wide(r, LLVMGetOperand(i, 0), false);
    LLVMValueRef at = LLVMBuildGEP2(r->builder, r->byte, r->registers, &number, 1, "");
    LLVMValueRef none = LLVMBuildICmp(r->builder, LLVMIntEQ, number, LLVMConstNull(r->bits64), "");
    LLVMValueRef by = LLVMBuildSelect(r->builder, none, LLVMConstNull(r->pointer), at, "");
    if (LLVMTypeOf(i) != r->pointer)
        by = LLVMBuildAddrSpaceCast(r->builder, by, LLVMTypeOf(i), "");
    function_replace(i, by);
}

/* ---- calls ---- */

static bool function_starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* How many bytes clang's own copy of an object has here. 0: it cannot be known. */
static uint64_t function_copied(struct retarget *r, LLVMValueRef to, LLVMValueRef from, uint64_t size)
{
    LLVMTypeRef object = function_object(r, to);
    if (!object && from)
        object = function_object(r, from);
    if (!object)
        return shapes_native_size(r->shapes, size);
    uint64_t each = layout_target_size(r->target, object);
    if (size <= each)
        return layout_map_offset(r->target, object, size);
    return size % each ? 0 : size / each * layout_native_size(r->target, object);
}

static void function_copy(struct retarget *r, LLVMValueRef call, const char *name)
{
    bool set = function_starts(name, "llvm.memset");
    LLVMValueRef to = LLVMGetOperand(call, 0), what = LLVMGetOperand(call, 1), size = LLVMGetOperand(call, 2);
    uint64_t native =
        LLVMIsAConstantInt(size) ? function_copied(r, to, set ? NULL : what, LLVMConstIntGetZExtValue(size)) : 0;
    if (LLVMIsAConstantInt(size) && !native && LLVMConstIntGetZExtValue(size))
        retarget_refuse(r, call, "a copy of an object that may hold pointers: its size on this computer is not known");
    LLVMValueRef count =
        LLVMIsAConstantInt(size) ? LLVMConstInt(r->bits64, native, false) : function_wide(r, size, false);
    if (set)
        LLVMBuildMemSet(r->builder, to, what, count, 1);
    else if (function_starts(name, "llvm.memmove"))
        LLVMBuildMemMove(r->builder, to, 1, what, 1, count);
    else
        LLVMBuildMemCpy(r->builder, to, 1, what, 1, count);
    if (!set)
        retarget_count_copy(r, what, count, false);
    retarget_count_copy(r, to, count, true);
    LLVMInstructionEraseFromParent(call);
}

static void function_call_recorder(struct retarget *r, LLVMValueRef call, const char *name)
{
    LLVMValueRef arguments[8];
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < count && i < 8; i++)
        arguments[i] = function_wide(r, retarget_constant(r, LLVMGetOperand(call, i), call), false);
    char *feeder = memory_format("%s_fed", name);
    LLVMValueRef by = retarget_call_feeder(r, feeder, arguments, count);
    free(feeder);
    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMIntegerTypeKind) {
        function_replace(call, LLVMBuildIntCast2(r->builder, by, LLVMTypeOf(call), false, ""));
        return;
    }
    LLVMInstructionEraseFromParent(call);
}

static LLVMValueRef function_text(struct retarget *r, const char *text)
{
    LLVMValueRef is = LLVMConstStringInContext2(r->context, text, strlen(text), false);
    LLVMValueRef global = LLVMAddGlobal(r->module, LLVMTypeOf(is), "");
    LLVMSetInitializer(global, is);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, true);
    return global;
}

/* What a check of clang's has found: __ubsan_handle_add_overflow_minimal. */
static void function_undefined(struct retarget *r, LLVMValueRef call, const char *name)
{
    static const char *const what[][2] = {{"add_overflow", "a signed sum overflows"},
                                          {"sub_overflow", "a signed difference overflows"},
                                          {"mul_overflow", "a signed product overflows"},
                                          {"negate_overflow", "a signed number has no negative"},
                                          {"divrem_overflow", "a division by zero, or one that overflows"},
                                          {"shift_out_of_bounds", "a shift by too many bits, or of a negative number"},
                                          {"out_of_bounds", "an index outside of an array"},
                                          {"load_invalid_value", "a bool or enum with a value that it cannot have"},
                                          {"float_cast_overflow", "a number too large for its new type"}};
    const char *says = "undefined behaviour";
    unsigned line;
    for (size_t i = 0; i < sizeof what / sizeof *what; i++)
        if (function_starts(name + strlen("__ubsan_handle_"), what[i][0]))
            says = what[i][1];
    const char *file = ir_file(call, &line);
    LLVMValueRef arguments[] = {function_text(r, says), function_text(r, file), LLVMConstInt(r->bits64, line, false)};
    retarget_call_feeder(r, "motet_undefined", arguments, 3);
    LLVMInstructionEraseFromParent(call);
}

static void function_call(struct retarget *r, LLVMValueRef call)
{
    LLVMValueRef called = LLVMGetCalledValue(call);
    size_t length;
    LLVMSetInstructionCallConv(call, LLVMCCallConv);
    retarget_attributes(r, call, LLVMGetCalledFunctionType(call), true);
    if (LLVMIsAInlineAsm(called)) {
        retarget_assembly(r, call);
        return;
    }
    const char *name = LLVMIsAFunction(called) && LLVMIsDeclaration(called) ? LLVMGetValueName2(called, &length) : "";
    if (function_starts(name, "llvm.memcpy") || function_starts(name, "llvm.memset") ||
        function_starts(name, "llvm.memmove"))
        function_copy(r, call, name);
    else if (function_starts(name, "llvm.va_"))
        retarget_refuse(r, call, "a function with a variable number of arguments");
    else if (function_starts(name, ".Lmotet_steady_") || function_starts(name, "\01.Lmotet_steady_"))
        function_replace(call, LLVMConstNull(LLVMTypeOf(call))); /* the log has what it reads */
    else if (function_starts(name, "__ubsan_handle_"))
        function_undefined(r, call, name);
    else if (function_starts(name, "motet_"))
        function_call_recorder(r, call, name);
    else if (*name && !function_starts(name, "llvm.") && LLVMGetLinkage(called) != LLVMExternalWeakLinkage)
        retarget_refuse(r, call, "%s is called, and no source here defines it", name);
}

/* ---- all ---- */

static void function_constants(struct retarget *r, LLVMValueRef i)
{
    for (int n = 0; n < LLVMGetNumOperands(i); n++) {
        LLVMValueRef operand = LLVMGetOperand(i, (unsigned)n);
        if (LLVMIsAConstantExpr(operand))
            LLVMSetOperand(i, (unsigned)n, retarget_constant(r, operand, i));
    }
}

static bool function_is_address(LLVMValueRef value)
{
    return LLVMIsAPtrToIntInst(value) || (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMPtrToInt);
}

static LLVMValueRef function_address(struct retarget *r, LLVMValueRef value, LLVMValueRef at)
{
    LLVMValueRef pointer = retarget_constant(r, LLVMGetOperand(value, 0), at);
    return LLVMBuildPtrToInt(r->builder, pointer, r->bits64, "");
}

/* A difference of two pointers is right whatever their size, in bytes. Its caller divides by the element's size. */
static bool function_difference(struct retarget *r, LLVMValueRef i)
{
    if (LLVMGetInstructionOpcode(i) != LLVMSub || !function_is_address(LLVMGetOperand(i, 0)) ||
        !function_is_address(LLVMGetOperand(i, 1)))
        return false;
    LLVMPositionBuilderBefore(r->builder, i);
    LLVMSetCurrentDebugLocation2(r->builder, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef first = function_address(r, LLVMGetOperand(i, 0), i),
                 second = function_address(r, LLVMGetOperand(i, 1), i);
    LLVMValueRef wide = LLVMBuildSub(r->builder, first, second, "");
    function_replace(i, LLVMBuildIntCast2(r->builder, wide, LLVMTypeOf(i), false, ""));
    return true;
}

/* Questions about types, while instructions still have the target's. */
static void function_check(struct retarget *r, LLVMValueRef i)
{
    if (LLVMIsALoadInst(i))
        function_check_access(r, i, LLVMTypeOf(i), LLVMGetOperand(i, 0));
    else if (LLVMIsAStoreInst(i))
        function_check_access(r, i, LLVMTypeOf(LLVMGetOperand(i, 0)), LLVMGetOperand(i, 1));
}

static void function_load_or_store(struct retarget *r, LLVMValueRef i)
{
    bool load = LLVMIsALoadInst(i);
    LLVMTypeRef type = LLVMTypeOf(load ? i : LLVMGetOperand(i, 0));
    retarget_count_access(r, i);
    LLVMPositionBuilderBefore(r->builder, i);
    if (function_is_aggregate(type)) {
        if (load)
            function_replace(i, function_load(r, type, LLVMGetOperand(i, 0)));
        else {
            function_store(r, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1));
            LLVMInstructionEraseFromParent(i);
        }
        return;
    }
    if (LLVMGetVolatile(i) && load)
        function_loads(r, i);
    else if (LLVMGetVolatile(i))
        function_stored(r, i);
}

/* The end of a naked handler: its assembly returned. */
static void function_unreachable(struct retarget *r, LLVMValueRef i)
{
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
    unsigned naked = LLVMGetEnumAttributeKindForName("naked", 5);
    if (!LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, naked))
        return;
    LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, naked);
    LLVMBuildRetVoid(r->builder);
    LLVMInstructionEraseFromParent(i);
}

static void function_instruction(struct retarget *r, LLVMValueRef i)
{
    LLVMPositionBuilderBefore(r->builder, i);
    LLVMSetCurrentDebugLocation2(r->builder, LLVMInstructionGetDebugLoc(i));
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAlloca: function_alloca(r, i); break;
    case LLVMGetElementPtr: function_gep(r, i); break;
    case LLVMPtrToInt: function_ptrtoint(r, i); break;
    case LLVMIntToPtr: function_inttoptr(r, i); break;
    case LLVMCall: function_call(r, i); break;
    case LLVMLoad:
    case LLVMStore: function_load_or_store(r, i); break;
    case LLVMUnreachable: function_unreachable(r, i); break;
    case LLVMVAArg: retarget_refuse(r, i, "a function with a variable number of arguments"); break;
    default: break;
    }
}

void retarget_function(struct retarget *r, LLVMValueRef function)
{
    LLVMValueRef *all = NULL;
    size_t count = 0, room = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            all = memory_grow(all, &room, count, sizeof *all);
            all[count++] = i;
        }
    for (size_t i = 0; i < count; i++)
        function_check(r, all[i]);
    for (size_t i = 0; i < count; i++)
        if (function_difference(r, all[i]))
            all[i] = NULL;
        else
            function_constants(r, all[i]);
    /* Copies ask what made their pointers, so they come first. */
    for (size_t i = 0; i < count; i++)
        if (all[i] && LLVMGetInstructionOpcode(all[i]) == LLVMCall) {
            function_instruction(r, all[i]);
            all[i] = NULL;
        }
    for (size_t i = 0; i < count; i++)
        if (all[i])
            function_instruction(r, all[i]);
    free(all);
}
