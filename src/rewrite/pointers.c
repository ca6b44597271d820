#include "rewrite/pointers.h"

#include <string.h>

/* Functions that copy, and record what they copy from registers (reads.c). */
static const char *const pointers_copying[] = {"memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove", NULL};

/* The register that a number stands for, if it changes by itself. */
static bool pointers_number(const struct pass *p, int cast, struct chip_register *is)
{
    int from = tree_last_child(p->t, cast);
    int64_t address;
    return from >= 0 && tree_at(p->t, from)->integer && tree_constant(p->t, from, &address) && address > 0 &&
           address < p->o->registers->limit && registers_covering(p->o->registers, (uint32_t)address, 1, is) &&
           is->class != REGISTER_FIXED;
}

static bool pointers_keeps_volatile(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    return n->is_pointer && n->points_to_volatile;
}

/* Whether what takes the pointer follows it at once, copies from it, only compares it, or takes it as volatile. */
static bool pointers_is_harmless(const struct pass *p, int user, int pointer)
{
    const struct tree_node *u = tree_at(p->t, user);
    switch (u->kind) {
    case NODE_UNARY: return u->operator== OPERATOR_FOLLOW || u->operator== OPERATOR_NOT;
    case NODE_SUBSCRIPT:
    case NODE_MEMBER:
    case NODE_SIZEOF: return true;
    case NODE_CALL:
        return tree_inner(p->t, u->child) == pointer || pass_is_named(u, pointers_copying) ||
               strncmp(u->name, "eeprom_", 7) == 0;
    case NODE_VARIABLE: return pointers_keeps_volatile(p, user);
    case NODE_BINARY:
        if (u->operator== OPERATOR_ASSIGN)
            return pointers_keeps_volatile(p, u->child);
        return u->operator!= OPERATOR_ADD && u->operator!= OPERATOR_SUBTRACT && u->operator!= OPERATOR_COMMA;
    default: return false;
    }
}

bool pointers_visit_cast(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    struct chip_register is;
    if (!n->is_pointer || n->points_to_volatile || n->points_to_record || pass_is_unevaluated(p, node) ||
        !pointers_number(p, node, &is))
        return true; /* members of a structure over registers may be volatile themselves */
    int at = node, user;
    for (; (user = tree_above(p->t, at)) >= 0; at = user) {
        const struct tree_node *u = tree_at(p->t, user);
        if (u->kind == NODE_CAST && (!u->is_pointer || u->points_to_volatile))
            return true; /* a number again, or volatile */
        if (u->kind != NODE_CAST && (u->kind != NODE_BINARY || !u->is_pointer || u->operator== OPERATOR_ASSIGN))
            break;
    }
    if (user >= 0 && pointers_is_harmless(p, user, at))
        return true;
    return pass_refuse(
        p, node,
        "the number of register %s becomes a pointer that is not volatile; what is read through it could "
        "not be recorded; make it a pointer to volatile",
        is.name);
}

bool pointers_visit_reference(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    int user = n->parent;
    if (strncmp(n->name, "eeprom_read_", 12) != 0 && strncmp(n->name, "eeprom_update_", 14) != 0)
        return true;
    if (user >= 0 && tree_at(p->t, user)->kind == NODE_CALL && tree_at(p->t, user)->child == node)
        return true;
    return pass_refuse(
        p, node, "%s is used otherwise than to call it by its name, so what it reads could not be recorded", n->name);
}

bool pointers_check_file(struct pass *p)
{
    bool good = true;
    for (int i = 0; good && i < (int)tree_count(p->t); i++) {
        enum node_kind kind = tree_at(p->t, i)->kind;
        if (tree_function(p->t, i) >= 0)
            continue;
        if (kind == NODE_CAST)
            good = pointers_visit_cast(p, i);
        else if (kind == NODE_REFERENCE)
            good = pointers_visit_reference(p, i);
    }
    return good;
}
