#include "native/layout.h"

uint64_t layout_pointers(LLVMTypeRef type)
{
    uint64_t count = 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind: return 1;
    case LLVMArrayTypeKind: return LLVMGetArrayLength2(type) * layout_pointers(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        if (LLVMIsOpaqueStruct(type))
            return 0;
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            count += layout_pointers(LLVMStructGetTypeAtIndex(type, i));
        return count;
    default: return 0;
    }
}

uint64_t layout_target_size(LLVMTargetDataRef target, LLVMTypeRef type)
{
    return LLVMTypeIsSized(type) ? LLVMABISizeOfType(target, type) : 0;
}

uint64_t layout_native_size(LLVMTargetDataRef target, LLVMTypeRef type)
{
    return layout_target_size(target, type) + POINTER_GROWTH * layout_pointers(type);
}

uint64_t layout_native_offset(LLVMTargetDataRef target, LLVMTypeRef structure, unsigned element)
{
    uint64_t pointers = 0;
    for (unsigned i = 0; i < element; i++)
        pointers += layout_pointers(LLVMStructGetTypeAtIndex(structure, i));
    return LLVMOffsetOfElement(target, structure, element) + POINTER_GROWTH * pointers;
}

static uint64_t layout_map_in_struct(LLVMTargetDataRef target, LLVMTypeRef type, uint64_t offset)
{
    unsigned count = LLVMCountStructElementTypes(type), element = 0;
    if (!count)
        return offset;
    while (element + 1 < count && LLVMOffsetOfElement(target, type, element + 1) <= offset)
        element++;
    uint64_t inside = offset - LLVMOffsetOfElement(target, type, element);
    return layout_native_offset(target, type, element) +
           layout_map_offset(target, LLVMStructGetTypeAtIndex(type, element), inside);
}

uint64_t layout_map_offset(LLVMTargetDataRef target, LLVMTypeRef type, uint64_t offset)
{
    uint64_t size = layout_target_size(target, type);
    if (offset >= size) /* the end, or padding after it */
        return layout_native_size(target, type) + offset - size;
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMStructTypeKind)
        return layout_map_in_struct(target, type, offset);
    if (kind != LLVMArrayTypeKind)
        return offset;
    LLVMTypeRef element = LLVMGetElementType(type);
    uint64_t each = layout_target_size(target, element);
    if (!each)
        return offset;
    return offset / each * layout_native_size(target, element) + layout_map_offset(target, element, offset % each);
}
