#include "rewrite/address.h"

#include <stdio.h>

struct search {
    struct tree *t;
    const struct registers *r;
    int64_t address;
    bool computed;
};

static bool of_pointer(struct search *s, int node);

static bool address_move(struct search *s, int index, unsigned unit, bool back)
{
    int64_t n;
    if (!unit)
        return false;
    if (tree_constant(s->t, index, &n))
        s->address += back ? -n * unit : n * unit;
    else
        s->computed = true;
    return true;
}

/* A variable that a header declares to be a register. */
static bool of_variable(struct search *s, int node)
{
    const struct tree_node *n = tree_at(s->t, node);
    const struct tree_node *d = n->declaration < 0 ? n : tree_at(s->t, n->declaration);
    if (d->kind != NODE_VARIABLE || !d->is_volatile)
        return false;
    const struct chip_register *known =
        d->is_extern && tree_function(s->t, n->declaration) < 0 ? registers_named(s->r, n->name) : NULL;
    if (!known && d->fixed_address < 0)
        return false;
    s->address = known ? known->address : d->fixed_address;
    return true;
}

static bool of_lvalue(struct search *s, int node)
{
    node = tree_inner(s->t, node);
    if (node < 0)
        return false;
    const struct tree_node *n = tree_at(s->t, node);
    switch (n->kind) {
    case NODE_REFERENCE: return of_variable(s, node);
    case NODE_UNARY: return n->operator== OPERATOR_FOLLOW && of_pointer(s, n->child);
    case NODE_SUBSCRIPT: {
        int base = tree_inner(s->t, n->child);
        bool array = base >= 0 && tree_at(s->t, base)->is_array;
        return base >= 0 && (array ? of_lvalue(s, base) : of_pointer(s, base)) &&
               address_move(s, tree_child(s->t, node, 1), tree_at(s->t, base)->pointee, false);
    }
    case NODE_MEMBER: {
        int base = tree_inner(s->t, n->child);
        if (base < 0 || !(tree_at(s->t, base)->is_pointer ? of_pointer(s, base) : of_lvalue(s, base)))
            return false;
        s->address += n->bit_offset / 8;
        return true;
    }
    default: return false;
    }
}

static bool of_pointer(struct search *s, int node)
{
    node = tree_inner(s->t, node);
    if (node < 0)
        return false;
    const struct tree_node *n = tree_at(s->t, node);
    switch (n->kind) {
    case NODE_CAST: {
        int from = tree_last_child(s->t, node); /* the type may come first */
        return n->is_pointer && from >= 0 && (tree_constant(s->t, from, &s->address) || of_pointer(s, from));
    }
    case NODE_UNARY: return n->operator== OPERATOR_ADDRESS && of_lvalue(s, n->child);
    case NODE_BINARY: {
        if (n->operator!= OPERATOR_ADD && n->operator!= OPERATOR_SUBTRACT)
            return false;
        int base = n->child, index = tree_child(s->t, node, 1);
        if (!tree_at(s->t, tree_inner(s->t, base))->is_pointer)
            base = index, index = n->child;
        return of_pointer(s, base) &&
               address_move(s, index, tree_at(s->t, tree_inner(s->t, base))->pointee, n->operator== OPERATOR_SUBTRACT);
    }
    default: return false;
    }
}

static unsigned address_bytes_of(const struct tree_node *n)
{
    return n->kind == NODE_MEMBER && n->is_bit_field ? (n->bit_offset % 8 + n->bit_width + 7) / 8 : n->size;
}

bool address_of_register(struct tree *t, const struct registers *r, int node, struct place *at)
{
    const struct tree_node *n = tree_at(t, node);
    *at = (struct place){0};
    if (n->kind != NODE_REFERENCE && n->kind != NODE_UNARY && n->kind != NODE_SUBSCRIPT && n->kind != NODE_MEMBER)
        return false;
    if (!n->integer && !n->is_record && !n->is_pointer)
        return false;
    struct search s = {.t = t, .r = r};
    if (!of_lvalue(&s, node))
        return false;
    const struct area *area = s.address >= 0 ? registers_area(r, (uint32_t)s.address) : NULL;
    if (area && n->integer && n->size <= 2) {
        at->is = (struct chip_register){.class = REGISTER_DATA, .bits = n->size == 1 ? 0xff : 0xffff, .size = n->size};
        at->in_file = true;
        at->computed = s.computed;
        at->address = (int32_t)s.address;
        snprintf(at->name, sizeof at->name, "%s", area->name);
        return true;
    }
    /* Beyond the registers only what is volatile, and not where memory begins. */
    if (s.address < 0 || (s.address >= r->limit && (s.computed || !n->is_volatile || s.address >= 0x1000)))
        return false;
    at->address = (int32_t)s.address;
    at->computed = s.computed;
    if (n->kind == NODE_MEMBER && n->is_bit_field)
        at->shift = n->bit_offset % 8;
    at->in_file = registers_covering(r, (uint32_t)s.address, address_bytes_of(n), &at->is);
    if (at->in_file || registers_covering(r, (uint32_t)s.address, 1, &at->is))
        snprintf(at->name, sizeof at->name, "%s", at->is.name);
    else
        snprintf(at->name, sizeof at->name, "0x%llx", (long long)s.address);
    return true;
}

bool address_leads_to_register(struct tree *t, const struct registers *r, int node)
{
    struct search s = {.t = t, .r = r};
    return of_pointer(&s, node) && s.address >= 0 &&
           (s.address < r->limit || registers_area(r, (uint32_t)s.address) != NULL);
}

bool address_of_lvalue(struct tree *t, int node, uint32_t *address)
{
    static const struct registers none;
    struct search s = {.t = t, .r = &none};
    bool found = of_lvalue(&s, node) && !s.computed && s.address >= 0 && s.address <= UINT32_MAX;
    *address = found ? (uint32_t)s.address : 0;
    return found;
}
