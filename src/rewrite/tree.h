/* Syntax trees: a preprocessed C file as nodes with places in its text, made by libclang.
 *
 * Nodes lie in one array in the order of the text; a node's children follow it. Invariant: places are offsets into
 * `text`, which is exactly what the compiler will get but for what is inserted; implicit conversions are left out of
 * the tree (their effect shows in the types), and so is everything that is neither declaration, statement nor
 * expression. Only this module knows libclang.
 */
#ifndef REWRITE_TREE_H
#define REWRITE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum node_kind {
    NODE_OTHER,
    /* declarations */
    NODE_FUNCTION,
    NODE_VARIABLE,
    NODE_PARAMETER,
    /* statements */
    NODE_COMPOUND,
    NODE_EMPTY,
    NODE_IF,
    NODE_SWITCH,
    NODE_WHILE,
    NODE_DO,
    NODE_FOR,
    NODE_LABEL,
    NODE_CASE, /* or default; the last child is the statement */
    NODE_CONTINUE,
    NODE_LEAVE, /* break, goto */
    NODE_RETURN,
    NODE_DECLARATIONS, /* a statement that declares */
    NODE_ASM,
    /* expressions */
    NODE_PARENTHESES,
    NODE_CAST,
    NODE_BINARY,
    NODE_ASSIGN_OPERATION, /* |= and the like */
    NODE_UNARY,
    NODE_SIZEOF,
    NODE_CONDITIONAL,
    NODE_SUBSCRIPT,
    NODE_MEMBER,
    NODE_REFERENCE,
    NODE_CALL,
    NODE_LITERAL,
};

enum operator{
    OPERATOR_OTHER,
    OPERATOR_AND,
    OPERATOR_OR,
    OPERATOR_XOR,
    OPERATOR_LEFT,
    OPERATOR_RIGHT,
    OPERATOR_ADD,
    OPERATOR_SUBTRACT,
    OPERATOR_EQUAL,
    OPERATOR_DIFFERENT,
    OPERATOR_LESS,
    OPERATOR_AT_MOST, /* <= */
    OPERATOR_GREATER,
    OPERATOR_AT_LEAST, /* >= */
    OPERATOR_BOTH,     /* && */
    OPERATOR_EITHER,   /* || */
    OPERATOR_ASSIGN,
    OPERATOR_COMMA,
    OPERATOR_NOT,        /* ! */
    OPERATOR_COMPLEMENT, /* ~ */
    OPERATOR_ADDRESS,
    OPERATOR_FOLLOW, /* unary * */
    OPERATOR_STEP,   /* ++ and -- */
};

struct tree_node {
    enum node_kind kind;
    enum operator operator;
    uint32_t start, end;     /* of its text */
    int parent, child, next; /* -1: none */
    /* of an expression, a variable or a parameter: its type */
    uint8_t size;          /* bytes; 0: not known, or no object */
    bool integer, boolean; /* boolean is integer too */
    bool is_signed;
    bool is_volatile, is_void, is_pointer, is_record, is_array;
    bool is_reference; /* declared as a reference of C++; of a name, a member or a call: what that was declared as */
    bool is_bound;     /* a reference is made to it: not its value is taken, but its address */
    bool points_to_volatile, points_to_record;
    uint16_t pointee; /* of a pointer or an array: bytes of what it leads to, 0 if not known */
    /* of a member: where it begins in what holds it, and its width, in bits */
    uint32_t bit_offset;
    uint16_t bit_width;
    bool is_bit_field;
    bool is_overlay; /* of the object whose function it stands in, and that may lie over registers: all of it is
                        volatile */
    /* of a variable: the number its name has for the assembler, asm("0x0070"); -1: none */
    int32_t fixed_address;
    /* of a declaration or a reference */
    const char *name;
    int declaration; /* of a reference or a function: its first declaration, -1 if that is not here */
    bool is_static, is_inline, is_extern;
    bool is_of_system; /* of a function: its declaration stands in a header of the compiler or its library */
    /* of an expression the compiler can work out; see tree_constant */
    bool constant_known, constant;
    int64_t value;
};

struct tree;

/* Parses preprocessed text that stands in a file, for a target ("avr", "msp430") and with options that are about types.
 * The error names the first place that is not understood. */
struct tree *tree_parse(const char *path, const char *target, bool cpp, const char *const *types,
                        struct motet_error *e);
void tree_free(struct tree *t);

size_t tree_count(const struct tree *t);
struct tree_node *tree_at(const struct tree *t, int node);
const char *tree_text(const struct tree *t, size_t *size);

/* Whether an integer expression is constant, and its value. */
bool tree_constant(struct tree *t, int node, int64_t *value);

/* The user's file and line of a node, as #line marks say. The name lives as long as the tree. */
const char *tree_place(const struct tree *t, int node, unsigned *line, unsigned *column);

/* The type of a function, or of what a call calls, as C spells it. */
enum { TREE_PARAMETERS = 16 };
struct tree_parameter {
    const char *type; /* "const struct link *" */
    const char *name; /* "" if it has none */
    bool is_integer, is_pointer;
    bool is_scalar;                        /* integer, enumeration, bool or pointer */
    unsigned size;                         /* bytes; 0: not known */
    bool to_function, to_bytes, to_object; /* of a pointer: to void or a byte; to what has a size, and is no byte */
    const char *bytes, *length;            /* of a structure that it leads to: members with bytes, and their number */
};
struct tree_signature {
    const char *result; /* its type */
    bool returns;       /* not void */
    bool result_is_scalar;
    unsigned result_size;
    bool variadic;
    unsigned count; /* of parameters; more than TREE_PARAMETERS: only those are known */
    struct tree_parameter parameters[TREE_PARAMETERS];
};
bool tree_signature(struct tree *t, int node, struct tree_signature *s);

/* Whether a name, with a type of an integer, is that of how many there are: "len", "packet_size". */
bool tree_is_length(const char *name);

/* Elements of the array that a node is, or declares; 0: not known. */
unsigned long tree_elements(const struct tree *t, int node);

/* The n-th child from 0, -1 if there are fewer. */
int tree_child(const struct tree *t, int node, unsigned n);

int tree_last_child(const struct tree *t, int node);

/* Of a for loop, what stands before the first semicolon (0), the second (1) and after it (2); -1: nothing. */
int tree_part_of_for(const struct tree *t, int loop, unsigned part);

/* The sibling before the node, -1 if it is the first. */
int tree_before(const struct tree *t, int node);

/* The node itself, or what is in the parentheses that it is. */
int tree_inner(const struct tree *t, int node);

/* The node, without parentheses and casts to other integers around it being part of it: the innermost parent that is
 * no pair of parentheses. */
int tree_above(const struct tree *t, int node);

/* The function definition around a node, -1 if there is none. */
int tree_function(const struct tree *t, int node);

#endif
