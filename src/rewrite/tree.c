#include "rewrite/tree.h"

#include <clang-c/Index.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct tree {
    CXIndex index;
    CXTranslationUnit unit;
    struct tree_node *nodes;
    CXCursor *cursors;
    size_t count, room;
    char *text;
    size_t size;
    char **names; /* that tree_place has given away */
    size_t name_count, name_room;
    int *buckets; /* declarations by the hash of their cursor */
    int *chain;
    size_t bucket_count;
};

/* ---- names ---- */

static const char *tree_keep(struct tree *t, const char *name)
{
    for (size_t i = t->name_count; i-- > 0 && i + 16 > t->name_count;)
        if (strcmp(t->names[i], name) == 0)
            return t->names[i];
    t->names = memory_grow(t->names, &t->name_room, t->name_count, sizeof *t->names);
    return t->names[t->name_count++] = memory_string(name);
}

static const char *keep_string(struct tree *t, CXString s)
{
    const char *text = clang_getCString(s);
    const char *kept = tree_keep(t, text ? text : "");
    clang_disposeString(s);
    return kept;
}

/* ---- kinds ---- */

static enum node_kind tree_kind_of(enum CXCursorKind k)
{
    switch (k) {
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction: return NODE_FUNCTION;
    case CXCursor_VarDecl: return NODE_VARIABLE;
    case CXCursor_ParmDecl: return NODE_PARAMETER;
    case CXCursor_CompoundStmt: return NODE_COMPOUND;
    case CXCursor_NullStmt: return NODE_EMPTY;
    case CXCursor_IfStmt: return NODE_IF;
    case CXCursor_SwitchStmt: return NODE_SWITCH;
    case CXCursor_WhileStmt: return NODE_WHILE;
    case CXCursor_DoStmt: return NODE_DO;
    case CXCursor_ForStmt: return NODE_FOR;
    case CXCursor_LabelStmt: return NODE_LABEL;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt: return NODE_CASE;
    case CXCursor_ContinueStmt: return NODE_CONTINUE;
    case CXCursor_BreakStmt:
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt: return NODE_LEAVE;
    case CXCursor_ReturnStmt: return NODE_RETURN;
    case CXCursor_DeclStmt: return NODE_DECLARATIONS;
    case CXCursor_AsmStmt: return NODE_ASM;
    case CXCursor_ParenExpr: return NODE_PARENTHESES;
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXFunctionalCastExpr: return NODE_CAST;
    case CXCursor_BinaryOperator: return NODE_BINARY;
    case CXCursor_CompoundAssignOperator: return NODE_ASSIGN_OPERATION;
    case CXCursor_UnaryOperator: return NODE_UNARY;
    case CXCursor_UnaryExpr: return NODE_SIZEOF;
    case CXCursor_ConditionalOperator: return NODE_CONDITIONAL;
    case CXCursor_ArraySubscriptExpr: return NODE_SUBSCRIPT;
    case CXCursor_MemberRefExpr: return NODE_MEMBER;
    case CXCursor_DeclRefExpr: return NODE_REFERENCE;
    case CXCursor_CallExpr: return NODE_CALL;
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral: return NODE_LITERAL;
    default: return NODE_OTHER;
    }
}

static enum operator binary_operator(CXCursor c)
{
    switch (clang_getCursorBinaryOperatorKind(c)) {
    case CXBinaryOperator_And:
    case CXBinaryOperator_AndAssign: return OPERATOR_AND;
    case CXBinaryOperator_Or:
    case CXBinaryOperator_OrAssign: return OPERATOR_OR;
    case CXBinaryOperator_Xor:
    case CXBinaryOperator_XorAssign: return OPERATOR_XOR;
    case CXBinaryOperator_Shl: return OPERATOR_LEFT;
    case CXBinaryOperator_Shr: return OPERATOR_RIGHT;
    case CXBinaryOperator_Add: return OPERATOR_ADD;
    case CXBinaryOperator_Sub: return OPERATOR_SUBTRACT;
    case CXBinaryOperator_EQ: return OPERATOR_EQUAL;
    case CXBinaryOperator_NE: return OPERATOR_DIFFERENT;
    case CXBinaryOperator_LT: return OPERATOR_LESS;
    case CXBinaryOperator_LE: return OPERATOR_AT_MOST;
    case CXBinaryOperator_GT: return OPERATOR_GREATER;
    case CXBinaryOperator_GE: return OPERATOR_AT_LEAST;
    case CXBinaryOperator_LAnd: return OPERATOR_BOTH;
    case CXBinaryOperator_LOr: return OPERATOR_EITHER;
    case CXBinaryOperator_Assign: return OPERATOR_ASSIGN;
    case CXBinaryOperator_Comma: return OPERATOR_COMMA;
    default: return OPERATOR_OTHER;
    }
}

static enum operator unary_operator(CXCursor c)
{
    switch (clang_getCursorUnaryOperatorKind(c)) {
    case CXUnaryOperator_LNot: return OPERATOR_NOT;
    case CXUnaryOperator_Not: return OPERATOR_COMPLEMENT;
    case CXUnaryOperator_AddrOf: return OPERATOR_ADDRESS;
    case CXUnaryOperator_Deref: return OPERATOR_FOLLOW;
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec: return OPERATOR_STEP;
    default: return OPERATOR_OTHER;
    }
}

/* ---- from cursors to nodes ---- */

static uint32_t offset_of(CXSourceLocation l)
{
    unsigned offset;
    clang_getFileLocation(l, NULL, NULL, NULL, &offset);
    return offset;
}

static bool tree_is_signed(CXType type)
{
    switch (type.kind) {
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong: return true;
    default: return false;
    }
}

/* 0: not known, or more than `most`. Classes of C++ are not asked: it fails with some. */
static unsigned tree_size_of(CXType type, unsigned most)
{
    bool plain = type.kind == CXType_Enum || type.kind == CXType_Pointer || type.kind == CXType_Record ||
                 (type.kind >= CXType_Bool && type.kind <= CXType_Int128) || type.kind == CXType_Float ||
                 type.kind == CXType_Double;
    if (!plain)
        return 0;
    if (type.kind == CXType_Record && clang_getCursorLanguage(clang_getTypeDeclaration(type)) != CXLanguage_C)
        return 0;
    long long size = clang_Type_getSizeOf(type);
    return size > 0 && size <= most ? (unsigned)size : 0;
}

static void describe_type(struct tree_node *n, CXCursor c)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(c));
    n->is_volatile = clang_isVolatileQualifiedType(type);
    n->is_void = type.kind == CXType_Void;
    n->is_pointer = type.kind == CXType_Pointer;
    n->is_signed = tree_is_signed(type);
    n->boolean = type.kind == CXType_Bool;
    n->integer = (type.kind >= CXType_Bool && type.kind <= CXType_Int128) || type.kind == CXType_Enum;
    n->is_record = type.kind == CXType_Record;
    n->is_array = type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray;
    n->size = (uint8_t)tree_size_of(type, 255);
    CXType to = n->is_pointer ? clang_getPointeeType(type) : n->is_array ? clang_getArrayElementType(type) : type;
    n->points_to_volatile = n->is_pointer && clang_isVolatileQualifiedType(clang_getCanonicalType(to));
    n->points_to_record = n->is_pointer && clang_getCanonicalType(to).kind == CXType_Record;
    n->pointee = n->is_pointer || n->is_array ? (uint16_t)tree_size_of(clang_getCanonicalType(to), 0xffff) : 0;
}

static bool is_reference(CXType type)
{
    return clang_getCanonicalType(type).kind == CXType_LValueReference;
}

/* Whether a reference of the type is one to the register itself that the expression names, rather than to a copy. */
static bool binds(CXType type, CXCursor expression)
{
    if (!is_reference(type))
        return false;
    CXType to = clang_getCanonicalType(clang_getPointeeType(clang_getCanonicalType(type)));
    return clang_isVolatileQualifiedType(to) && to.kind == clang_getCanonicalType(clang_getCursorType(expression)).kind;
}

/* What a class that lies over registers has not: a variable that is not volatile (arrays may be gaps). */
static enum CXVisitorResult find_plain(CXCursor field, CXClientData data)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(field));
    bool array = type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray;
    *(bool *)data |= !array && !clang_isVolatileQualifiedType(type);
    return *(bool *)data ? CXVisit_Break : CXVisit_Continue;
}

static void describe_member(struct tree_node *n, CXCursor c)
{
    CXCursor field = clang_getCursorReferenced(c);
    long long offset = clang_Cursor_getOffsetOfField(field);
    n->bit_offset = (uint32_t)(offset > 0 ? offset : 0);
    n->is_bit_field = clang_Cursor_isBitField(field);
    n->bit_width = (uint16_t)(n->is_bit_field ? clang_getFieldDeclBitWidth(field) : 8 * n->size);
    bool plain = !n->is_volatile;
    if (n->is_volatile)
        clang_Type_visitFields(clang_getCursorType(clang_getCursorSemanticParent(field)), find_plain, &plain);
    n->is_overlay = !plain;
}

static bool is_wanted(enum CXCursorKind k)
{
    return clang_isDeclaration(k) || clang_isStatement(k) || clang_isExpression(k);
}

static int tree_add(struct tree *t, CXCursor c, int parent)
{
    if (t->count == t->room) {
        t->room = 2 * t->room + 1024;
        t->nodes = memory_resize(t->nodes, t->room, sizeof *t->nodes);
        t->cursors = memory_resize(t->cursors, t->room, sizeof *t->cursors);
    }
    int number = (int)t->count++;
    t->cursors[number] = c;
    struct tree_node *n = &t->nodes[number];
    *n = (struct tree_node){.parent = parent, .child = -1, .next = -1, .declaration = -1, .fixed_address = -1};
    n->kind = tree_kind_of(clang_getCursorKind(c));
    CXSourceRange r = clang_getCursorExtent(c);
    n->start = offset_of(clang_getRangeStart(r));
    n->end = offset_of(clang_getRangeEnd(r));
    if (n->kind == NODE_BINARY || n->kind == NODE_ASSIGN_OPERATION)
        n->operator= binary_operator(c);
    else if (n->kind == NODE_UNARY)
        n->operator= unary_operator(c);
    if (clang_isExpression(clang_getCursorKind(c)) || n->kind == NODE_VARIABLE || n->kind == NODE_PARAMETER)
        describe_type(n, c);
    if (n->kind == NODE_MEMBER)
        describe_member(n, c);
    if (n->kind == NODE_VARIABLE || n->kind == NODE_PARAMETER)
        n->is_reference = is_reference(clang_getCursorType(c));
    if (n->kind == NODE_REFERENCE || n->kind == NODE_MEMBER)
        n->is_reference = is_reference(clang_getCursorType(clang_getCursorReferenced(c)));
    if (n->kind == NODE_CALL)
        n->is_reference = is_reference(clang_getCursorResultType(clang_getCursorReferenced(c)));
    bool declaration = n->kind == NODE_FUNCTION || n->kind == NODE_VARIABLE || n->kind == NODE_PARAMETER;
    if (declaration || n->kind == NODE_REFERENCE || n->kind == NODE_CALL || n->kind == NODE_MEMBER)
        n->name = keep_string(t, clang_getCursorSpelling(c));
    if (declaration) {
        enum CX_StorageClass storage = clang_Cursor_getStorageClass(c);
        n->is_static = storage == CX_SC_Static;
        if (n->kind == NODE_FUNCTION) /* a static member of a class is known in other files, too */
            n->is_static = clang_getCursorLinkage(c) == CXLinkage_Internal;
        n->is_extern = storage == CX_SC_Extern;
        n->is_inline = n->kind == NODE_FUNCTION && clang_Cursor_isFunctionInlined(c);
        n->is_of_system = n->kind == NODE_FUNCTION && clang_Location_isInSystemHeader(clang_getCursorLocation(c));
        if (clang_getCursorKind(c) == CXCursor_FunctionTemplate) /* it stands for several functions, each by its name */
            n->is_static = n->is_inline = false;
    }
    return number;
}

struct visit {
    struct tree *t;
    int parent, last;
    CXType bound; /* of a constructor's member, which what comes next is for */
};

static void link_child(struct tree *t, struct visit *v, int child)
{
    if (v->last < 0 && v->parent >= 0)
        t->nodes[v->parent].child = child;
    else if (v->last >= 0)
        t->nodes[v->last].next = child;
    v->last = child;
}

/* asm("0x0070"): the headers of older compilers for the MSP430 say so where a register lies. */
static void describe_label(struct visit *v, CXCursor c)
{
    if (v->parent < 0 || v->t->nodes[v->parent].kind != NODE_VARIABLE)
        return;
    CXString label = clang_getCursorSpelling(c);
    const char *text = clang_getCString(label);
    char *end;
    long address = text && text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 0) : -1;
    if (address >= 0 && address <= 0xffff && *end == '\0')
        v->t->nodes[v->parent].fixed_address = (int32_t)address;
    clang_disposeString(label);
}

static enum CXChildVisitResult tree_visit(CXCursor c, CXCursor parent, CXClientData data);

/* Of a structure that is declared in a function or with a variable only functions count. */
static enum CXChildVisitResult visit_methods(CXCursor c, CXCursor parent, CXClientData data)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    if (tree_kind_of(k) == NODE_FUNCTION)
        return tree_visit(c, parent, data);
    if (k == CXCursor_StructDecl || k == CXCursor_UnionDecl || k == CXCursor_ClassDecl)
        clang_visitChildren(c, visit_methods, data);
    return CXChildVisit_Continue;
}

/* Whether functions of the structure are known beside those of the file. */
static bool is_scope(enum CXCursorKind k)
{
    return k == CXCursor_TranslationUnit || k == CXCursor_LinkageSpec || k == CXCursor_Namespace ||
           k == CXCursor_ClassDecl || k == CXCursor_StructDecl || k == CXCursor_ClassTemplate;
}

static enum CXChildVisitResult tree_visit(CXCursor c, CXCursor parent, CXClientData data)
{
    struct visit *v = data;
    enum CXCursorKind k = clang_getCursorKind(c);
    bool structure = k == CXCursor_StructDecl || k == CXCursor_UnionDecl || k == CXCursor_ClassDecl;
    if (k == CXCursor_UnexposedExpr || k == CXCursor_LinkageSpec || k == CXCursor_Namespace ||
        structure) { /* what it holds belongs to its parent */
        bool whole = !structure || (k != CXCursor_UnionDecl && is_scope(clang_getCursorKind(parent)));
        clang_visitChildren(c, whole ? tree_visit : visit_methods, v);
        return CXChildVisit_Continue;
    }
    if (k == CXCursor_AsmLabelAttr)
        describe_label(v, c);
    if (k == CXCursor_MemberRef)
        v->bound = clang_getCursorType(clang_getCursorReferenced(c));
    if (!is_wanted(k))
        return CXChildVisit_Continue;
    int number = tree_add(v->t, c, v->parent);
    link_child(v->t, v, number);
    v->t->nodes[number].is_bound = binds(v->bound, c);
    v->bound = (CXType){.kind = CXType_Invalid};
    struct visit below = {.t = v->t, .parent = number, .last = -1};
    clang_visitChildren(c, tree_visit, &below);
    return CXChildVisit_Continue;
}

/* ---- references ---- */

static void index_declarations(struct tree *t)
{
    t->bucket_count = 2 * t->count + 1;
    t->buckets = memory_array(t->bucket_count, sizeof *t->buckets);
    t->chain = memory_array(t->count + 1, sizeof *t->chain);
    memset(t->buckets, -1, t->bucket_count * sizeof *t->buckets);
    for (size_t i = 0; i < t->count; i++) {
        enum node_kind k = t->nodes[i].kind;
        if (k != NODE_FUNCTION && k != NODE_VARIABLE && k != NODE_PARAMETER)
            continue;
        size_t b = clang_hashCursor(clang_getCanonicalCursor(t->cursors[i])) % t->bucket_count;
        t->chain[i] = t->buckets[b];
        t->buckets[b] = (int)i;
    }
    for (size_t i = 0; i < t->count; i++) {
        enum node_kind k = t->nodes[i].kind;
        if (k != NODE_REFERENCE && k != NODE_CALL && k != NODE_FUNCTION)
            continue;
        CXCursor to =
            clang_getCanonicalCursor(k == NODE_FUNCTION ? t->cursors[i] : clang_getCursorReferenced(t->cursors[i]));
        if (clang_Cursor_isNull(to))
            continue;
        int best = -1;
        for (int d = t->buckets[clang_hashCursor(to) % t->bucket_count]; d >= 0; d = t->chain[d])
            if (clang_equalCursors(clang_getCanonicalCursor(t->cursors[d]), to))
                best = d; /* the first of the text */
        t->nodes[i].declaration = best;
    }
}

/* ---- references of C++ ---- */

/* An expression that begins and ends there, below the node. */
static int child_at(const struct tree *t, int node, CXCursor c)
{
    CXSourceRange r = clang_getCursorExtent(c);
    uint32_t start = offset_of(clang_getRangeStart(r)), end = offset_of(clang_getRangeEnd(r));
    for (int child = t->nodes[node].child; child >= 0; child = t->nodes[child].next)
        if (t->nodes[child].start == start && t->nodes[child].end == end)
            return child;
    return -1;
}

static void bind(struct tree *t, int node, CXType type)
{
    if (node >= 0)
        t->nodes[node].is_bound = binds(type, t->cursors[node]);
}

static void bind_arguments(struct tree *t, int call)
{
    CXCursor c = t->cursors[call];
    CXType function = clang_getCursorType(clang_getCursorReferenced(c));
    int count = clang_Cursor_getNumArguments(c);
    for (int i = 0; i < count; i++)
        bind(t, child_at(t, call, clang_Cursor_getArgument(c, (unsigned)i)), clang_getArgType(function, (unsigned)i));
}

/* const_cast<T &>(x) */
static bool casts_to_reference(const struct tree *t, int node)
{
    enum CXCursorKind k = clang_getCursorKind(t->cursors[node]);
    const struct tree_node *n = &t->nodes[node];
    if (k != CXCursor_CXXConstCastExpr && k != CXCursor_CXXReinterpretCastExpr && k != CXCursor_CXXStaticCastExpr)
        return false;
    const char *open = memchr(t->text + n->start, '(', n->end - n->start);
    return open && memchr(t->text + n->start, '&', (size_t)(open - t->text) - n->start);
}

static void find_bound(struct tree *t)
{
    for (int i = 0; i < (int)t->count; i++) {
        const struct tree_node *n = &t->nodes[i];
        int function = n->kind == NODE_RETURN ? tree_function(t, i) : -1, last = tree_last_child(t, i);
        if (n->kind == NODE_VARIABLE)
            bind(t, last, clang_getCursorType(t->cursors[i]));
        else if (n->kind == NODE_CALL)
            bind_arguments(t, i);
        else if (function >= 0)
            bind(t, n->child, clang_getCursorResultType(t->cursors[function]));
        else if (last >= 0 && casts_to_reference(t, i))
            t->nodes[last].is_bound = true;
    }
}

/* ---- life ---- */

static bool read_text(struct tree *t, const char *path, struct motet_error *e)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return error_set(e, "cannot read %s", path);
    size_t room = 0;
    for (;;) {
        t->text = memory_grow(t->text, &room, t->size + 65536, 1);
        size_t got = fread(t->text + t->size, 1, room - t->size - 1, f);
        if (!got)
            break;
        t->size += got;
    }
    fclose(f);
    t->text[t->size] = '\0';
    return true;
}

static bool understood(struct tree *t, struct motet_error *e)
{
    for (unsigned i = 0; i < clang_getNumDiagnostics(t->unit); i++) {
        CXDiagnostic d = clang_getDiagnostic(t->unit, i);
        CXString what = clang_getDiagnosticSpelling(d);
        bool operand = strstr(clang_getCString(what), "for constraint") ||  /* of code the compiler may leave out */
                       strstr(clang_getCString(what), "in naked function"); /* which avr-gcc takes */
        bool bad = clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error && !operand;
        if (bad) {
            CXString file;
            unsigned line, column;
            clang_getPresumedLocation(clang_getDiagnosticLocation(d), &file, &line, &column);
            error_set(e, "%s:%u:%u: %s (the analysis could not read this; the compiler itself was not asked yet)",
                      clang_getCString(file), line, column, clang_getCString(what));
            clang_disposeString(file);
        }
        clang_disposeString(what);
        clang_disposeDiagnostic(d);
        if (bad)
            return false;
    }
    return true;
}

struct tree *tree_parse(const char *path, const char *target, bool cpp, const char *const *types, struct motet_error *e)
{
    enum { ARGUMENTS = 20, MOST_TYPES = 8 };
    struct tree *t = memory_new(sizeof *t);
    char triple[64];
    snprintf(triple, sizeof triple, "--target=%s", target);
    /* Words that GCC for these targets knows and clang does not. */
    const char *arguments[] = {triple,
                               "-x",
                               cpp ? "c++" : "c",
                               cpp ? "-std=gnu++17" : "-std=gnu11",
                               "-w",
                               "-ffreestanding",
                               "-fsyntax-only",
                               "-Wno-implicit-function-declaration",
                               "-Wno-int-conversion",
                               "-Wno-incompatible-function-pointer-types",
                               "-D__int24=long",
                               "-D__uint24=unsigned long",
                               "-D__flash=",
                               "-D__flash1=",
                               "-D__flash2=",
                               "-D__flash3=",
                               "-D__flash4=",
                               "-D__flash5=",
                               "-D__memx=",
                               cpp ? "-w" : "-ffixed-point",
                               [ARGUMENTS + MOST_TYPES - 1] = NULL};
    int count = ARGUMENTS;
    for (; types && *types && count < ARGUMENTS + MOST_TYPES; types++)
        arguments[count++] = *types;
    t->index = clang_createIndex(0, 0);
    enum CXErrorCode code =
        clang_parseTranslationUnit2(t->index, path, arguments, count, NULL, 0, CXTranslationUnit_KeepGoing, &t->unit);
    bool good = code == CXError_Success || error_set(e, "%s: the analysis could not read this file", path);
    good = good && understood(t, e) && read_text(t, path, e);
    if (!good) {
        tree_free(t);
        return NULL;
    }
    struct visit top = {.t = t, .parent = -1, .last = -1};
    clang_visitChildren(clang_getTranslationUnitCursor(t->unit), tree_visit, &top);
    index_declarations(t);
    if (cpp)
        find_bound(t);
    return t;
}

void tree_free(struct tree *t)
{
    if (!t)
        return;
    if (t->unit)
        clang_disposeTranslationUnit(t->unit);
    clang_disposeIndex(t->index);
    for (size_t i = 0; i < t->name_count; i++)
        free(t->names[i]);
    free(t->names);
    free(t->nodes);
    free(t->cursors);
    free(t->text);
    free(t->buckets);
    free(t->chain);
    free(t);
}

/* ---- looking ---- */

size_t tree_count(const struct tree *t)
{
    return t->count;
}

struct tree_node *tree_at(const struct tree *t, int node)
{
    return &t->nodes[node];
}

const char *tree_text(const struct tree *t, size_t *size)
{
    *size = t->size;
    return t->text;
}

bool tree_constant(struct tree *t, int node, int64_t *value)
{
    struct tree_node *n = &t->nodes[node];
    if (!n->constant_known) {
        n->constant_known = true;
        CXEvalResult r = n->integer ? clang_Cursor_Evaluate(t->cursors[node]) : NULL;
        if (r && clang_EvalResult_getKind(r) == CXEval_Int) {
            n->constant = true;
            n->value = clang_EvalResult_isUnsignedInt(r) ? (int64_t)clang_EvalResult_getAsUnsigned(r)
                                                         : clang_EvalResult_getAsLongLong(r);
        }
        if (r)
            clang_EvalResult_dispose(r);
    }
    *value = n->value;
    return n->constant;
}

const char *tree_place(const struct tree *t, int node, unsigned *line, unsigned *column)
{
    CXString file;
    clang_getPresumedLocation(clang_getRangeStart(clang_getCursorExtent(t->cursors[node])), &file, line, column);
    return keep_string((struct tree *)t, file);
}

/* ---- signatures ---- */

bool tree_is_length(const char *name)
{
    static const char *const names[] = {"length", "len", "size", "count", "n", "bytes", "nbytes", "num"};
    const char *last = strrchr(name, '_') ? strrchr(name, '_') + 1 : name;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(last, names[i]) == 0)
            return true;
    return false;
}

static bool tree_is_integer(CXType type)
{
    return (type.kind >= CXType_UChar && type.kind <= CXType_Int128) || type.kind == CXType_Char_S ||
           type.kind == CXType_Char_U;
}

static bool tree_is_scalar(CXType type)
{
    return tree_is_integer(type) || type.kind == CXType_Bool || type.kind == CXType_Enum || type.kind == CXType_Pointer;
}

static bool tree_is_byte(CXType type)
{
    return type.kind == CXType_Void || type.kind == CXType_Char_S || type.kind == CXType_Char_U ||
           type.kind == CXType_SChar || type.kind == CXType_UChar;
}

struct tree_members {
    struct tree *t;
    struct tree_parameter *to;
};

static enum CXVisitorResult tree_member(CXCursor field, CXClientData data)
{
    struct tree_members *m = data;
    CXType type = clang_getCanonicalType(clang_getCursorType(field));
    const char *name = keep_string(m->t, clang_getCursorSpelling(field));
    bool bytes = type.kind == CXType_Pointer && tree_is_byte(clang_getCanonicalType(clang_getPointeeType(type)));
    if (bytes && !m->to->bytes)
        m->to->bytes = name;
    if (!m->to->length && tree_is_integer(type) && tree_is_length(name))
        m->to->length = name;
    return CXVisit_Continue;
}

static void tree_describe_parameter(struct tree *t, CXType spelled, struct tree_parameter *to)
{
    CXType type = clang_getCanonicalType(spelled);
    to->type = keep_string(t, clang_getTypeSpelling(spelled));
    to->is_integer = tree_is_integer(type);
    to->is_pointer = type.kind == CXType_Pointer;
    to->is_scalar = tree_is_scalar(type);
    to->size = tree_size_of(type, 255);
    if (!to->is_pointer)
        return;
    CXType of = clang_getCanonicalType(clang_getPointeeType(type));
    to->to_function = of.kind == CXType_FunctionProto || of.kind == CXType_FunctionNoProto;
    to->to_bytes = tree_is_byte(of);
    to->to_object = !to->to_function && !to->to_bytes && clang_Type_getSizeOf(of) > 0;
    struct tree_members m = {t, to};
    if (of.kind == CXType_Record && to->to_object)
        clang_Type_visitFields(of, tree_member, &m);
    if (!to->bytes || !to->length)
        to->bytes = to->length = NULL;
}

struct tree_names {
    struct tree *t;
    struct tree_signature *s;
    unsigned next;
};

/* Parameters of a pointer to functions have their names where it is declared. */
static enum CXChildVisitResult tree_name_parameter(CXCursor c, CXCursor parent, CXClientData data)
{
    struct tree_names *n = data;
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_ParmDecl && n->next < n->s->count && n->next < TREE_PARAMETERS)
        n->s->parameters[n->next++].name = keep_string(n->t, clang_getCursorSpelling(c));
    return CXChildVisit_Continue;
}

bool tree_signature(struct tree *t, int node, struct tree_signature *s)
{
    CXCursor c = t->cursors[node];
    CXType type = clang_getCursorType(c), canonical = clang_getCanonicalType(type);
    if (canonical.kind == CXType_Pointer) {
        canonical = clang_getCanonicalType(clang_getPointeeType(canonical));
        type = canonical;
    }
    *s = (struct tree_signature){.count = 0};
    if (canonical.kind != CXType_FunctionProto && canonical.kind != CXType_FunctionNoProto)
        return false;
    bool function = t->nodes[node].kind == NODE_FUNCTION;
    CXType result = function ? clang_getCursorResultType(c) : clang_getResultType(type);
    int count = clang_getNumArgTypes(canonical);
    s->result = keep_string(t, clang_getTypeSpelling(result));
    s->returns = clang_getCanonicalType(result).kind != CXType_Void;
    s->result_is_scalar = tree_is_scalar(clang_getCanonicalType(result));
    s->result_size = tree_size_of(clang_getCanonicalType(result), 255);
    s->variadic = clang_isFunctionTypeVariadic(canonical) && canonical.kind == CXType_FunctionProto;
    s->count = count < 0 ? 0 : (unsigned)count;
    for (unsigned i = 0; i < s->count && i < TREE_PARAMETERS; i++) {
        CXCursor parameter = function ? clang_Cursor_getArgument(c, i) : clang_getNullCursor();
        tree_describe_parameter(t, function ? clang_getCursorType(parameter) : clang_getArgType(type, i),
                                &s->parameters[i]);
        s->parameters[i].name = function ? keep_string(t, clang_getCursorSpelling(parameter)) : "";
    }
    struct tree_names names = {t, s, 0};
    if (!function)
        clang_visitChildren(clang_getCursorReferenced(c), tree_name_parameter, &names);
    return true;
}

unsigned long tree_elements(const struct tree *t, int node)
{
    long long count = clang_getArraySize(clang_getCanonicalType(clang_getCursorType(t->cursors[node])));
    return count > 0 ? (unsigned long)count : 0;
}

int tree_child(const struct tree *t, int node, unsigned n)
{
    int child = t->nodes[node].child;
    while (child >= 0 && n--)
        child = t->nodes[child].next;
    return child;
}

int tree_last_child(const struct tree *t, int node)
{
    int child = t->nodes[node].child;
    while (child >= 0 && t->nodes[child].next >= 0)
        child = t->nodes[child].next;
    return child;
}

int tree_part_of_for(const struct tree *t, int loop, unsigned part)
{
    const struct tree_node *n = &t->nodes[loop];
    size_t size, at = n->start;
    const char *text = tree_text(t, &size);
    unsigned passed = 0;
    for (int child = n->child; child >= 0 && tree_at(t, child)->next >= 0; child = tree_at(t, child)->next) {
        for (; at < tree_at(t, child)->start; at++)
            passed += text[at] == ';';
        if (passed == part)
            return child;
        at = tree_at(t, child)->end;
        passed += text[at - 1] == ';'; /* a declaration has its own */
    }
    return -1;
}

int tree_before(const struct tree *t, int node)
{
    int before = -1, parent = t->nodes[node].parent;
    for (int child = parent < 0 ? node : t->nodes[parent].child; child >= 0 && child != node;
         child = t->nodes[child].next)
        before = child;
    return before;
}

int tree_inner(const struct tree *t, int node)
{
    while (node >= 0 && t->nodes[node].kind == NODE_PARENTHESES)
        node = t->nodes[node].child;
    return node;
}

int tree_above(const struct tree *t, int node)
{
    int above = t->nodes[node].parent;
    while (above >= 0 && t->nodes[above].kind == NODE_PARENTHESES)
        above = t->nodes[above].parent;
    return above;
}

int tree_function(const struct tree *t, int node)
{
    while (node >= 0 && t->nodes[node].kind != NODE_FUNCTION)
        node = t->nodes[node].parent;
    return node;
}
