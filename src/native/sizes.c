#include "native/sizes.h"

#include <clang-c/Index.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "native/layout.h"
#include "native/retarget.h"
#include "rewrite/edits.h"

struct sizes_pass {
    CXTranslationUnit unit;
    struct edits edits;
    struct edits names; /* symbols, declared once each */
    struct refusals *refusals;
    bool fixed; /* inside what must be a constant for the compiler */
};

/* ---- pointers in types ---- */

struct sizes_sum {
    long long pointers;
    long long below; /* bits: only those that begin before */
    bool is_union;
};

static long long sizes_pointers(CXType type, long long below);

static enum CXVisitorResult sizes_field(CXCursor field, CXClientData into)
{
    struct sizes_sum *sum = into;
    long long at = clang_Cursor_getOffsetOfField(field);
    long long found = at < sum->below ? sizes_pointers(clang_getCursorType(field), sum->below - at) : 0;
    if (!sum->is_union)
        sum->pointers += found;
    else if (found > sum->pointers)
        sum->pointers = found;
    return CXVisit_Continue;
}

/* How many pointers begin in the first bits of a value of the type. */
static long long sizes_pointers(CXType type, long long below)
{
    CXType t = clang_getCanonicalType(type);
    struct sizes_sum sum = {.below = below};
    if (t.kind == CXType_Pointer)
        return below > 0;
    if (t.kind == CXType_ConstantArray) {
        CXType element = clang_getArrayElementType(t);
        long long count = clang_getArraySize(t), each = 8 * clang_Type_getSizeOf(element);
        for (long long i = 0; i < count && each > 0 && i * each < below; i++)
            sum.pointers += sizes_pointers(element, below - i * each);
        return sum.pointers;
    }
    if (t.kind != CXType_Record)
        return 0;
    sum.is_union = clang_getTypeDeclaration(t).kind == CXCursor_UnionDecl;
    clang_Type_visitFields(t, sizes_field, &sum);
    return sum.pointers;
}

static long long sizes_all_pointers(CXType type)
{
    return sizes_pointers(type, 1LL << 40);
}

/* ---- places ---- */

static unsigned sizes_offset(CXSourceLocation at)
{
    unsigned offset;
    clang_getFileLocation(at, NULL, NULL, NULL, &offset);
    return offset;
}

static void sizes_refuse(struct sizes_pass *p, CXCursor at, const char *why)
{
    CXString file;
    unsigned line;
    clang_getPresumedLocation(clang_getCursorLocation(at), &file, &line, NULL);
    refusals_add(p->refusals, clang_getCString(file), line, "%s", why);
    clang_disposeString(file);
}

static void sizes_symbol(struct sizes_pass *p, long long target, long long native, char *name, size_t size)
{
    snprintf(name, size, "motet_size_%lld_%lld", target, native);
    char *text = memory_format("extern char %s[]__asm__(\"" RETARGET_SIZE "%lld.%lld\");\n", name, target, native);
    bool known = false;
    for (size_t i = 0; i < p->names.count; i++)
        known = known || strcmp(p->names.list[i].text, text) == 0;
    if (!known)
        edits_add(&p->names, 0, EDIT_OPEN, "%s", text);
    free(text);
}

/* ---- sizeof, offsetof ---- */

struct sizes_operand {
    CXCursor cursor;
    bool is;
};

static enum CXChildVisitResult sizes_first(CXCursor child, CXCursor parent, CXClientData into)
{
    (void)parent;
    struct sizes_operand *o = into;
    *o = (struct sizes_operand){child, true};
    return CXChildVisit_Break;
}

/* The words of an expression, joined; to be freed. */
static char *sizes_words(struct sizes_pass *p, CXCursor cursor)
{
    CXToken *tokens;
    unsigned count;
    char *text = memory_string("");
    clang_tokenize(p->unit, clang_getCursorExtent(cursor), &tokens, &count);
    for (unsigned i = 0; i < count; i++) {
        CXString word = clang_getTokenSpelling(p->unit, tokens[i]);
        char *longer = memory_format("%s%s ", text, clang_getCString(word));
        free(text);
        text = longer;
        clang_disposeString(word);
    }
    clang_disposeTokens(p->unit, tokens, count);
    return text;
}

static bool sizes_value(CXCursor cursor, long long *value)
{
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    bool known = result && clang_EvalResult_getKind(result) == CXEval_Int;
    if (known)
        *value = clang_EvalResult_getAsLongLong(result);
    clang_EvalResult_dispose(result);
    return known;
}

/* The native size of what sizeof is asked for. Of a type's name libclang only has the struct or typedef in it; words
 * tell a pointer to it. */
static long long sizes_native(CXCursor cursor, const char *words, long long value)
{
    struct sizes_operand operand = {.is = false};
    clang_visitChildren(cursor, sizes_first, &operand);
    bool names_type = !operand.is || operand.cursor.kind == CXCursor_TypeRef;
    if (names_type && (strchr(words, '*') || strstr(words, ") ("))) /* pointers, or an array of them */
        return value / POINTER_TARGET * POINTER_NATIVE;
    if (!operand.is)
        return value;
    CXType type = clang_getCursorType(operand.cursor);
    long long each = clang_Type_getSizeOf(type);
    if (each <= 0)
        return value;
    return value / each * (each + POINTER_GROWTH * sizes_all_pointers(type));
}

/* Of offsetof: the member's place in the type's native layout. */
static long long sizes_native_offset(CXCursor cursor, long long value)
{
    struct sizes_operand operand = {.is = false};
    clang_visitChildren(cursor, sizes_first, &operand);
    if (!operand.is)
        return value;
    return value + POINTER_GROWTH * sizes_pointers(clang_getCursorType(operand.cursor), 8 * value);
}

static bool sizes_starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Other than conversions around it, which have no word of their own. */
static bool sizes_names_type(CXCursor cursor)
{
    struct sizes_operand operand = {.is = false};
    clang_visitChildren(cursor, sizes_first, &operand);
    return operand.is && operand.cursor.kind == CXCursor_TypeRef;
}

static void sizes_of(struct sizes_pass *p, CXCursor cursor)
{
    char *words = sizes_words(p, cursor), name[64];
    long long value, native;
    bool size = cursor.kind == CXCursor_UnaryExpr && sizes_starts(words, "sizeof");
    bool offset =
        cursor.kind != CXCursor_UnaryExpr && sizes_starts(words, "__builtin_offsetof") && sizes_names_type(cursor);
    if ((size || offset) && sizes_value(cursor, &value)) {
        native = size ? sizes_native(cursor, words, value) : sizes_native_offset(cursor, value);
        CXSourceRange extent = clang_getCursorExtent(cursor);
        if (native != value && p->fixed) {
            sizes_refuse(p, cursor, "a constant depends on the size of pointers, which is another on this computer");
        } else if (native != value) {
            sizes_symbol(p, value, native, name, sizeof name);
            edits_add(&p->edits, sizes_offset(clang_getRangeStart(extent)), EDIT_OPEN, "(0?");
            edits_add(&p->edits, sizes_offset(clang_getRangeEnd(extent)), EDIT_CLOSE, ":(__SIZE_TYPE__)%s)", name);
        }
    }
    free(words);
}

/* ---- operators ---- */

struct sizes_pair {
    CXCursor at[2];
    unsigned count;
};

static enum CXChildVisitResult sizes_two(CXCursor child, CXCursor parent, CXClientData into)
{
    (void)parent;
    struct sizes_pair *pair = into;
    if (pair->count < 2)
        pair->at[pair->count] = child;
    pair->count++;
    return CXChildVisit_Continue;
}

static CXCursor sizes_inner(CXCursor cursor)
{
    struct sizes_operand inner = {.is = false};
    while (cursor.kind == CXCursor_ParenExpr || cursor.kind == CXCursor_UnexposedExpr) {
        inner.is = false;
        clang_visitChildren(cursor, sizes_first, &inner);
        if (!inner.is)
            break;
        cursor = inner.cursor;
    }
    return cursor;
}

/* sizeof a / sizeof a[0] is the same everywhere. */
static bool sizes_is_count(CXCursor cursor)
{
    struct sizes_pair pair = {.count = 0};
    if (clang_getCursorBinaryOperatorKind(cursor) != CXBinaryOperator_Div)
        return false;
    clang_visitChildren(cursor, sizes_two, &pair);
    return pair.count == 2 && sizes_inner(pair.at[0]).kind == CXCursor_UnaryExpr &&
           sizes_inner(pair.at[1]).kind == CXCursor_UnaryExpr;
}

static void sizes_wrap(struct sizes_pass *p, CXCursor at, const char *before)
{
    CXSourceRange extent = clang_getCursorExtent(at);
    edits_add(&p->edits, sizes_offset(clang_getRangeStart(extent)), EDIT_OPEN, "%s(const volatile char*)(", before);
    edits_add(&p->edits, sizes_offset(clang_getRangeEnd(extent)), EDIT_CLOSE, ")");
}

/* The difference of pointers to objects that hold pointers. */
static void sizes_difference(struct sizes_pass *p, CXCursor cursor)
{
    struct sizes_pair pair = {.count = 0};
    char name[64];
    if (clang_getCursorBinaryOperatorKind(cursor) != CXBinaryOperator_Sub)
        return;
    clang_visitChildren(cursor, sizes_two, &pair);
    if (pair.count != 2)
        return;
    CXType left = clang_getCanonicalType(clang_getCursorType(pair.at[0]));
    CXType right = clang_getCanonicalType(clang_getCursorType(pair.at[1]));
    bool pointers =
        (left.kind == CXType_Pointer || left.kind == CXType_ConstantArray || left.kind == CXType_IncompleteArray) &&
        (right.kind == CXType_Pointer || right.kind == CXType_ConstantArray || right.kind == CXType_IncompleteArray);
    if (!pointers)
        return;
    CXType to = left.kind == CXType_Pointer ? clang_getPointeeType(left) : clang_getArrayElementType(left);
    long long size = clang_Type_getSizeOf(to), found = sizes_all_pointers(to);
    if (!found || size <= 0)
        return;
    sizes_symbol(p, size, size + POINTER_GROWTH * found, name, sizeof name);
    CXSourceRange extent = clang_getCursorExtent(cursor);
    edits_add(&p->edits, sizes_offset(clang_getRangeStart(extent)), EDIT_OPEN, "((");
    edits_add(&p->edits, sizes_offset(clang_getRangeEnd(extent)), EDIT_CLOSE, ")/(__PTRDIFF_TYPE__)(__SIZE_TYPE__)%s)",
              name);
    sizes_wrap(p, pair.at[0], "");
    sizes_wrap(p, pair.at[1], "");
}

/* ---- all ---- */

static enum CXChildVisitResult sizes_visit(CXCursor cursor, CXCursor parent, CXClientData into);

static void sizes_inside(struct sizes_pass *p, CXCursor cursor, bool fixed)
{
    bool was = p->fixed;
    p->fixed = fixed;
    clang_visitChildren(cursor, sizes_visit, p);
    p->fixed = was;
}

/* Bounds of arrays, values of enums and cases, widths of bit-fields. */
static bool sizes_is_fixed(CXCursor cursor, CXCursor parent)
{
    if (!clang_isExpression(cursor.kind))
        return false;
    if (parent.kind == CXCursor_VarDecl)
        return !clang_equalCursors(clang_Cursor_getVarDeclInitializer(parent), cursor);
    return parent.kind == CXCursor_EnumConstantDecl || parent.kind == CXCursor_FieldDecl ||
           parent.kind == CXCursor_TypedefDecl || parent.kind == CXCursor_CaseStmt;
}

static enum CXChildVisitResult sizes_visit(CXCursor cursor, CXCursor parent, CXClientData into)
{
    struct sizes_pass *p = into;
    bool fixed = p->fixed || sizes_is_fixed(cursor, parent);
    if (cursor.kind == CXCursor_StaticAssert || sizes_is_count(cursor))
        return CXChildVisit_Continue;
    if (cursor.kind == CXCursor_BinaryOperator)
        sizes_difference(p, cursor);
    bool was = p->fixed;
    p->fixed = fixed;
    if (cursor.kind == CXCursor_UnaryExpr || cursor.kind == CXCursor_UnexposedExpr)
        sizes_of(p, cursor);
    p->fixed = was;
    if (cursor.kind != CXCursor_UnaryExpr)
        sizes_inside(p, cursor, fixed);
    return CXChildVisit_Continue;
}

static bool sizes_write(struct sizes_pass *p, const char *path, struct motet_error *e)
{
    size_t size, names_size = 0, made_size;
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    bool good = f && fseek(f, 0, SEEK_END) == 0;
    if (good) {
        size = (size_t)ftell(f);
        rewind(f);
        text = memory_bytes(size + 1);
        good = fread(text, 1, size, f) == size;
    }
    if (f)
        fclose(f);
    f = good ? fopen(path, "wb") : NULL;
    if (f) {
        char *names = edits_apply(&p->names, "", 0, &names_size),
             *made = edits_apply(&p->edits, text, size, &made_size);
        good = fwrite(names, 1, names_size, f) == names_size && fwrite(made, 1, made_size, f) == made_size;
        good = fclose(f) == 0 && good;
        free(names);
        free(made);
    }
    free(text);
    return (f && good) || error_set(e, "cannot write %s: %s", path, strerror(errno));
}

bool sizes_rewrite(const char *path, const char *target, const char *const *types, struct refusals *refusals,
                   struct motet_error *e)
{
    enum { FIRST = 17, MOST = 28 };
    char triple[64];
    snprintf(triple, sizeof triple, "--target=%s", target);
    const char *arguments[MOST] = {triple,
                                   "-x",
                                   "c",
                                   "-std=gnu11",
                                   "-w",
                                   "-ffreestanding",
                                   "-undef",
                                   "-Wno-implicit-function-declaration",
                                   "-Wno-int-conversion",
                                   "-Wno-incompatible-function-pointer-types",
                                   "-D__int24=long",
                                   "-D__flash=",
                                   "-D__flash1=",
                                   "-D__flash2=",
                                   "-D__flash3=",
                                   "-D__memx=",
                                   "-ffixed-point"};
    int count = FIRST;
    for (; types && *types && count < MOST; types++)
        arguments[count++] = *types;
    CXIndex index = clang_createIndex(0, 0);
    struct sizes_pass p = {.refusals = refusals};
    bool good = clang_parseTranslationUnit2(index, path, arguments, count, NULL, 0, CXTranslationUnit_KeepGoing,
                                            &p.unit) == CXError_Success ||
                error_set(e, "%s: the analysis could not read this file", path);
    if (good) {
        clang_visitChildren(clang_getTranslationUnitCursor(p.unit), sizes_visit, &p);
        good = (!p.edits.count && !p.names.count) || sizes_write(&p, path, e);
        clang_disposeTranslationUnit(p.unit);
    }
    clang_disposeIndex(index);
    edits_free(&p.edits);
    edits_free(&p.names);
    return good;
}
