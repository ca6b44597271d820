#include "slice/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ir/ir.h"

enum { REGISTERS = 0 }; /* the first object */

static int objects_add(struct objects *o, enum object_kind kind, LLVMValueRef value, LLVMTypeRef type, int function)
{
    o->list = memory_grow(o->list, &o->room, o->count, sizeof *o->list);
    bool sized = type && LLVMTypeIsSized(type);
    o->list[o->count] = (struct object){.kind = kind,
                                        .value = value,
                                        .type = sized ? type : NULL,
                                        .size = sized ? LLVMABISizeOfType(o->p->layout, type) : 1,
                                        .function = function,
                                        .cells = -1,
                                        .collapsed = !sized};
    return (int)o->count++;
}

void objects_make(struct objects *o, const struct program *p)
{
    *o = (struct objects){.p = p};
    objects_add(o, OBJECT_REGISTERS, NULL, NULL, -1);
    o->list[REGISTERS].collapsed = false;
    o->list[REGISTERS].size = UINT64_C(1) << 32;
}

void objects_free(struct objects *o)
{
    free(o->list);
    free(o->locations);
    free(o->cells);
    map_free(&o->of_value);
    map_free(&o->of_location);
    map_free(&o->of_cell);
    *o = (struct objects){0};
}

int objects_of(struct objects *o, LLVMValueRef value)
{
    int known = map_get(&o->of_value, (uintptr_t)value, 0);
    if (known >= 0)
        return known;
    int number = program_number(o->p, value), function = number < 0 ? -1 : program_function_of(o->p, number);
    int made;
    if (LLVMIsAFunction(value))
        made = objects_add(o, OBJECT_FUNCTION, value, NULL, program_function(o->p, value));
    else if (LLVMIsAGlobalVariable(value))
        made = objects_add(o, OBJECT_VARIABLE, value, LLVMGlobalGetValueType(value), -1);
    else if (LLVMIsAAllocaInst(value))
        made = objects_add(o, OBJECT_LOCAL, value, LLVMGetAllocatedType(value), function);
    else
        made = objects_add(o, OBJECT_ALLOCATED, value, NULL, function);
    map_put(&o->of_value, (uintptr_t)value, 0, made);
    return made;
}

/* ---- inside of types ---- */

/* The scalar at an offset: where it begins, with all indices of arrays 0, and its size. *inner is the offset itself, so
 * reduced. */
static void objects_scalar(const struct program *p, LLVMTypeRef type, uint64_t offset, uint64_t *start, uint64_t *inner,
                           uint64_t *size)
{
    *start = *inner = 0;
    for (;;) {
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if (kind == LLVMArrayTypeKind && LLVMGetArrayLength2(type)) {
            type = LLVMGetElementType(type);
            uint64_t element = LLVMABISizeOfType(p->layout, type);
            offset = element ? offset % element : 0;
        } else if (kind == LLVMStructTypeKind && LLVMCountStructElementTypes(type) &&
                   offset < LLVMABISizeOfType(p->layout, type)) {
            unsigned member = LLVMElementAtOffset(p->layout, type, offset);
            uint64_t begin = LLVMOffsetOfElement(p->layout, type, member);
            offset -= begin;
            *start += begin;
            type = LLVMStructGetTypeAtIndex(type, member);
        } else {
            *inner = *start + offset;
            *size = LLVMABISizeOfType(p->layout, type);
            if (*size == 0 || offset >= *size) /* padding, or an array without length at the end */
                *size = offset + 1;
            return;
        }
    }
}

/* Whether a step of so many bytes stays among the elements of an array that the offset is in. */
static bool objects_in_array(const struct program *p, LLVMTypeRef type, uint64_t offset, uint64_t stride)
{
    for (;;) {
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if (kind == LLVMArrayTypeKind) {
            type = LLVMGetElementType(type);
            uint64_t element = LLVMABISizeOfType(p->layout, type);
            if (element && stride % element == 0)
                return true;
            offset = element ? offset % element : 0;
        } else if (kind == LLVMStructTypeKind && LLVMCountStructElementTypes(type) &&
                   offset < LLVMABISizeOfType(p->layout, type)) {
            unsigned member = LLVMElementAtOffset(p->layout, type, offset);
            offset -= LLVMOffsetOfElement(p->layout, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
        } else {
            return false;
        }
    }
}

/* ---- locations and cells ---- */

int objects_location(struct objects *o, int object, int64_t offset)
{
    struct object *at = &o->list[object];
    if (offset < 0 || (uint64_t)offset > at->size)
        return -1;
    uint64_t reduced = at->collapsed ? 0 : (uint64_t)offset, start, size;
    if (!at->collapsed && at->type)
        objects_scalar(o->p, at->type, (uint64_t)offset, &start, &reduced, &size);
    int known = map_get(&o->of_location, (uintptr_t)object, reduced);
    if (known >= 0)
        return known;
    o->locations = memory_grow(o->locations, &o->location_room, o->location_count, sizeof *o->locations);
    o->locations[o->location_count] = (struct location){object, (uint32_t)reduced};
    map_put(&o->of_location, (uintptr_t)object, reduced, (int)o->location_count);
    return (int)o->location_count++;
}

static int objects_cell(struct objects *o, int object, uint64_t offset, uint64_t *end)
{
    struct object *at = &o->list[object];
    uint64_t start = 0, inner = 0, size = 1;
    *end = UINT64_MAX;
    if (at->kind == OBJECT_REGISTERS && !at->collapsed) {
        start = offset;
        *end = offset + 1;
    } else if (!at->collapsed) {
        objects_scalar(o->p, at->type, offset, &start, &inner, &size);
        *end = offset - (inner - start) + size;
    }
    int known = map_get(&o->of_cell, (uintptr_t)object, start);
    if (known >= 0)
        return known;
    o->cells = memory_grow(o->cells, &o->cell_room, o->cell_count, sizeof *o->cells);
    o->cells[o->cell_count] =
        (struct cell){object, (uint32_t)start, (uint32_t)(at->collapsed ? at->size : size), at->cells};
    at->cells = (int)o->cell_count;
    map_put(&o->of_cell, (uintptr_t)object, start, (int)o->cell_count);
    return (int)o->cell_count++;
}

int objects_next_cell(struct objects *o, int location, uint64_t size, uint64_t *at)
{
    struct location l = o->locations[location];
    const struct object *object = &o->list[l.object];
    if (object->kind == OBJECT_FUNCTION)
        return -1;
    uint64_t whole = object->kind == OBJECT_REGISTERS ? l.offset + (size ? size : 1) : object->size;
    uint64_t end = size && l.offset + size < whole ? l.offset + size : whole;
    if (!size || *at >= 4096)
        end = whole;
    if (l.offset + *at >= end && *at)
        return -1;
    uint64_t next;
    int cell = objects_cell(o, l.object, l.offset + *at, &next);
    *at = next == UINT64_MAX ? UINT64_MAX - l.offset : next - l.offset;
    return cell;
}

static void objects_collapse(struct objects *o, int object)
{
    struct object *at = &o->list[object];
    if (at->collapsed)
        return;
    at->collapsed = true;
    uint64_t end;
    int one = objects_cell(o, object, 0, &end);
    o->cells[one].size = at->kind == OBJECT_REGISTERS ? 1 : (uint32_t)at->size;
    for (int c = o->list[object].cells; c >= 0; c = o->cells[c].before)
        if (c != one)
            o->merged(o->context, one, c);
}

int objects_move(struct objects *o, int location, int64_t bytes, const uint64_t *strides)
{
    struct location l = o->locations[location];
    for (; *strides; strides++) {
        const struct object *at = &o->list[l.object];
        bool stays = at->collapsed || (at->type && objects_in_array(o->p, at->type, l.offset, *strides)) ||
                     (at->type && bytes > 0 && objects_in_array(o->p, at->type, l.offset + (uint64_t)bytes, *strides));
        if (!stays)
            objects_collapse(o, l.object);
    }
    if (o->list[l.object].collapsed)
        return objects_location(o, l.object, 0);
    return objects_location(o, l.object, (int64_t)l.offset + bytes);
}

/* ---- constants ---- */

int64_t objects_gep(const struct program *p, LLVMValueRef gep, uint64_t strides[OBJECTS_STRIDES + 1])
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    int64_t bytes = 0;
    unsigned count = (unsigned)LLVMGetNumOperands(gep), used = 0;
    for (unsigned i = 1; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        bool constant = LLVMIsAConstantInt(index) != NULL;
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            bytes += (int64_t)LLVMOffsetOfElement(p->layout, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        uint64_t size = LLVMABISizeOfType(p->layout, type);
        if (constant)
            bytes += (int64_t)size * LLVMConstIntGetSExtValue(index);
        else if (used < OBJECTS_STRIDES)
            strides[used++] = size ? size : 1;
    }
    strides[used] = 0;
    return bytes;
}

int objects_constant(struct objects *o, LLVMValueRef constant)
{
    if (LLVMIsAFunction(constant) || LLVMIsAGlobalVariable(constant))
        return objects_location(o, objects_of(o, constant), 0);
    if (LLVMIsAGlobalAlias(constant))
        return objects_constant(o, LLVMAliasGetAliasee(constant));
    if (!LLVMIsAConstantExpr(constant))
        return -1;
    uint64_t strides[OBJECTS_STRIDES + 1];
    LLVMValueRef of = LLVMGetOperand(constant, 0);
    switch (LLVMGetConstOpcode(constant)) {
    case LLVMIntToPtr:
        if (LLVMIsAConstantInt(of))
            return objects_location(o, REGISTERS, (int64_t)(LLVMConstIntGetZExtValue(of) & UINT32_MAX));
        return objects_constant(o, of);
    case LLVMGetElementPtr: {
        int base = objects_constant(o, of);
        return base < 0 ? -1 : objects_move(o, base, objects_gep(o->p, constant, strides), strides);
    }
    case LLVMPtrToInt:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMTrunc: return objects_constant(o, of);
    case LLVMAdd:
    case LLVMSub: {
        int first = objects_constant(o, of), second = objects_constant(o, LLVMGetOperand(constant, 1));
        static const uint64_t any[] = {1, 0};
        return first >= 0 && second < 0 ? objects_move(o, first, 0, any) : -1;
    }
    default: return -1;
    }
}

void objects_name(const struct objects *o, int object, uint32_t offset, char *name, size_t size)
{
    char own[256] = "";
    const struct object *at = &o->list[object];
    if (at->kind == OBJECT_VARIABLE || at->kind == OBJECT_FUNCTION)
        ir_name(at->value, own, sizeof own);
    if (at->kind == OBJECT_REGISTERS)
        snprintf(name, size, "register 0x%x", (unsigned)offset);
    else if (at->kind == OBJECT_LOCAL)
        snprintf(name, size, "local %s of %s", LLVMGetValueName(at->value), o->p->functions[at->function].name);
    else if (at->kind == OBJECT_ALLOCATED)
        snprintf(name, size, "memory allocated in %s", o->p->functions[at->function].name);
    else if (at->type && LLVMGetTypeKind(at->type) == LLVMStructTypeKind && !at->collapsed)
        snprintf(name, size, "%s+%u", own, (unsigned)offset);
    else
        snprintf(name, size, "%s", own);
}
