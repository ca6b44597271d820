#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "native/layout.h"
#include "native/retarget.h"

static bool constant_is_whole(uint64_t bits)
{
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static LLVMTypeRef constant_bytes(struct retarget *r, uint64_t count)
{
    return LLVMArrayType2(r->byte, count);
}

/* Members and the padding between them, in order. */
struct members {
    LLVMTypeRef *types;
    LLVMValueRef *values;
    size_t count, room, value_room;
};

static void constant_add(struct members *m, LLVMTypeRef type, LLVMValueRef value)
{
    m->types = memory_grow(m->types, &m->room, m->count, sizeof *m->types);
    m->values = memory_grow(m->values, &m->value_room, m->count, sizeof *m->values);
    m->types[m->count] = type;
    m->values[m->count++] = value;
}

static void constant_pad(struct retarget *r, struct members *m, uint64_t from, uint64_t to)
{
    if (to > from)
        constant_add(m, constant_bytes(r, to - from), LLVMConstNull(constant_bytes(r, to - from)));
}

/* The members of a struct; with their values, where there is a constant. */
static void constant_members(struct retarget *r, LLVMTypeRef type, LLVMValueRef constant, LLVMValueRef at,
                             struct members *m)
{
    uint64_t end = 0;
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
        LLVMTypeRef element = LLVMStructGetTypeAtIndex(type, i);
        uint64_t offset = layout_native_offset(r->target, type, i);
        constant_pad(r, m, end, offset);
        LLVMValueRef value = constant ? retarget_initial(r, LLVMGetAggregateElement(constant, i), element, at) : NULL;
        constant_add(m, value ? LLVMTypeOf(value) : retarget_type(r, element), value);
        end = offset + layout_native_size(r->target, element);
    }
    constant_pad(r, m, end, layout_native_size(r->target, type));
}

LLVMTypeRef retarget_type(struct retarget *r, LLVMTypeRef type)
{
    struct members m = {0};
    LLVMTypeRef element, made;
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        if (constant_is_whole(LLVMGetIntTypeWidth(type)))
            return type;
        return constant_bytes(r, layout_target_size(r->target, type));
    case LLVMArrayTypeKind:
        element = LLVMGetElementType(type);
        made = retarget_type(r, element);
        return made == element ? type : LLVMArrayType2(made, LLVMGetArrayLength2(type));
    case LLVMStructTypeKind:
        if (LLVMIsOpaqueStruct(type))
            return r->byte;
        constant_members(r, type, NULL, NULL, &m);
        made = LLVMStructTypeInContext(r->context, m.types, (unsigned)m.count, true);
        free(m.types);
        free(m.values);
        return made;
    default: return type;
    }
}

LLVMTypeRef retarget_type_of_variable(const struct retarget *r, LLVMValueRef is)
{
    for (size_t i = 0; i < r->variable_count; i++)
        if (r->variables[i].is == is || r->variables[i].old == is)
            return r->variables[i].type;
    return NULL;
}

/* ---- expressions ---- */

/* Symbols that stand for a number: sizes of objects with pointers (sizes.h), the first site of a file. */
static bool constant_number(LLVMValueRef symbol, uint64_t *number)
{
    size_t length;
    unsigned target, native;
    const char *name = LLVMIsAGlobalVariable(symbol) ? LLVMGetValueName2(symbol, &length) : "";
    if (*name == '\01')
        name++;
    if (sscanf(name, RETARGET_SIZE "%u.%u", &target, &native) == 2) {
        *number = native;
        return true;
    }
    if (sscanf(name, RETARGET_SITES "%u", &native) == 1) {
        *number = native;
        return true;
    }
    return false;
}

static bool constant_is_gep(LLVMValueRef value)
{
    return LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr;
}

/* The offset of one constant GEP in bytes of the target. */
static int64_t constant_step(struct retarget *r, LLVMValueRef gep)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    int64_t offset = LLVMConstIntGetSExtValue(LLVMGetOperand(gep, 1)) * (int64_t)layout_target_size(r->target, type);
    for (int i = 2; i < LLVMGetNumOperands(gep); i++) {
        int64_t index = LLVMConstIntGetSExtValue(LLVMGetOperand(gep, (unsigned)i));
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            offset += (int64_t)LLVMOffsetOfElement(r->target, type, (unsigned)index);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)index);
        } else {
            type = LLVMGetElementType(type);
            offset += index * (int64_t)layout_target_size(r->target, type);
        }
    }
    return offset;
}

/* Of a GEP and those inside it; the object in *base. */
static int64_t constant_offset(struct retarget *r, LLVMValueRef gep, LLVMValueRef *base)
{
    int64_t offset = 0;
    for (*base = gep; constant_is_gep(*base); *base = LLVMGetOperand(*base, 0))
        offset += constant_step(r, *base);
    return offset;
}

static LLVMValueRef constant_gep(struct retarget *r, LLVMValueRef gep, LLVMValueRef at)
{
    LLVMValueRef base;
    int64_t offset = constant_offset(r, gep, &base);
    LLVMTypeRef type = retarget_type_of_variable(r, base);
    if (type && offset >= 0)
        offset = (int64_t)layout_map_offset(r->target, type, (uint64_t)offset);
    LLVMValueRef index = LLVMConstInt(r->bits64, (uint64_t)offset, true), to = retarget_constant(r, base, at);
    return LLVMConstGEP2(r->byte, to, &index, 1);
}

static LLVMValueRef constant_number_of(struct retarget *r, LLVMValueRef constant, LLVMValueRef at)
{
    uint64_t number;
    LLVMValueRef of = LLVMGetOperand(constant, 0);
    int64_t offset = constant_offset(r, of, &of);
    if (constant_number(of, &number))
        return LLVMConstInt(LLVMTypeOf(constant), number + (uint64_t)offset, false);
    if (LLVMIsAConstantPointerNull(of))
        return LLVMConstNull(LLVMTypeOf(constant));
    retarget_refuse(r, at, "the address of an object becomes a number; a pointer of this computer does not fit there");
    return LLVMConstNull(LLVMTypeOf(constant));
}

/* A number made a pointer: that of a register. */
static LLVMValueRef constant_register(struct retarget *r, LLVMValueRef constant)
{
    LLVMValueRef number = LLVMGetOperand(constant, 0);
    if (!LLVMIsAConstantInt(number))
        return NULL;
    uint64_t address = LLVMConstIntGetZExtValue(number);
    LLVMValueRef index = LLVMConstInt(r->bits64, address & 0xffff, false);
    LLVMValueRef made = address ? LLVMConstGEP2(r->byte, r->registers, &index, 1) : LLVMConstNull(r->pointer);
    LLVMTypeRef type = LLVMTypeOf(constant);
    return LLVMTypeOf(made) == type ? made : LLVMConstAddrSpaceCast(made, type);
}

static LLVMValueRef constant_expression(struct retarget *r, LLVMValueRef c, LLVMValueRef at)
{
    LLVMValueRef made = NULL, first = LLVMGetOperand(c, 0), second;
    switch (LLVMGetConstOpcode(c)) {
    case LLVMGetElementPtr: return constant_gep(r, c, at);
    case LLVMPtrToInt: return constant_number_of(r, c, at);
    case LLVMIntToPtr: made = constant_register(r, c); break;
    case LLVMAddrSpaceCast: return LLVMConstAddrSpaceCast(retarget_constant(r, first, at), LLVMTypeOf(c));
    case LLVMTrunc: return LLVMConstTrunc(retarget_constant(r, first, at), LLVMTypeOf(c));
    case LLVMAdd:
    case LLVMSub:
        second = retarget_constant(r, LLVMGetOperand(c, 1), at);
        first = retarget_constant(r, first, at);
        return LLVMGetConstOpcode(c) == LLVMAdd ? LLVMConstAdd(first, second) : LLVMConstSub(first, second);
    default: break;
    }
    if (!made) {
        retarget_refuse(r, at, "a constant is computed from addresses of the chip");
        made = LLVMConstNull(LLVMTypeOf(c));
    }
    return made;
}

LLVMValueRef retarget_constant(struct retarget *r, LLVMValueRef constant, LLVMValueRef at)
{
    return LLVMIsAConstantExpr(constant) ? constant_expression(r, constant, at) : constant;
}

/* ---- initial values ---- */

static LLVMValueRef constant_integer_bytes(struct retarget *r, LLVMValueRef constant, LLVMTypeRef type)
{
    LLVMValueRef bytes[16];
    uint64_t size = layout_target_size(r->target, type), value = LLVMConstIntGetZExtValue(constant);
    for (uint64_t i = 0; i < size; i++)
        bytes[i] = LLVMConstInt(r->byte, i < 8 ? value >> 8 * i : 0, false);
    return LLVMConstArray2(r->byte, bytes, size);
}

static LLVMValueRef constant_array(struct retarget *r, LLVMValueRef constant, LLVMTypeRef type, LLVMValueRef at)
{
    LLVMTypeRef element = LLVMGetElementType(type), made = retarget_type(r, element);
    uint64_t count = LLVMGetArrayLength2(type);
    LLVMValueRef *values = memory_array(count ? count : 1, sizeof *values);
    for (uint64_t i = 0; i < count; i++)
        values[i] = retarget_initial(r, LLVMGetAggregateElement(constant, (unsigned)i), element, at);
    LLVMValueRef array = LLVMConstArray2(made, values, count);
    free(values);
    return array;
}

LLVMValueRef retarget_initial(struct retarget *r, LLVMValueRef constant, LLVMTypeRef type, LLVMValueRef at)
{
    struct members m = {0};
    LLVMTypeRef made = retarget_type(r, type);
    if (LLVMIsNull(constant) || LLVMIsUndef(constant))
        return LLVMConstNull(made);
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        if (made == type || !LLVMIsAConstantInt(constant))
            return retarget_constant(r, constant, at);
        return constant_integer_bytes(r, constant, type);
    case LLVMArrayTypeKind:
        if (made == type && LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
            LLVMIsAConstantDataSequential(constant))
            return constant;
        return constant_array(r, constant, type, at);
    case LLVMStructTypeKind:
        constant_members(r, type, constant, at, &m);
        constant = LLVMConstStructInContext(r->context, m.values, (unsigned)m.count, true);
        free(m.types);
        free(m.values);
        return constant;
    default: return retarget_constant(r, constant, at);
    }
}
