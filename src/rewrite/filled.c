#include "rewrite/filled.h"

#include <stdio.h>
#include <string.h>

#include "rewrite/live.h"

/* What is written to a register of the channel, where it is written whole: the node, -1 for |= and the like. */
static bool filled_is_write(const struct pass *p, int node, uint16_t address, int *value)
{
    struct place at;
    if (!pass_is_register(p, node, &at) || pass_is_unevaluated(p, node) || at.address != address)
        return false;
    enum use use = live_use(p->t, node);
    if (use == USE_READ || use == USE_NONE)
        return false;
    int above = tree_above(p->t, node);
    *value = use == USE_WRITE ? tree_child(p->t, above, 1) : -1;
    return true;
}

/* The object whose address the expression is: &object, array, &array[0], with casts around it; -1: another. */
static int filled_object(const struct pass *p, int node)
{
    bool addressed = false;
    for (;;) {
        node = tree_inner(p->t, node);
        const struct tree_node *n = tree_at(p->t, node);
        int64_t index;
        if (n->kind == NODE_CAST) {
            node = tree_last_child(p->t, node);
        } else if (n->kind == NODE_UNARY && n->operator== OPERATOR_ADDRESS && !addressed) {
            addressed = true;
            node = n->child;
        } else if (n->kind == NODE_SUBSCRIPT && addressed && tree_constant(p->t, tree_child(p->t, node, 1), &index) &&
                   index == 0) {
            int of = tree_inner(p->t, n->child);
            if (of < 0 || !tree_at(p->t, of)->is_array)
                return -1;
            node = of;
        } else {
            return n->kind == NODE_REFERENCE && (addressed || n->is_array) ? n->declaration : -1;
        }
        if (node < 0)
            return -1;
    }
}

/* Bytes of an object of integers of one or two bytes that no other file can name; 0: it is another. */
static unsigned long filled_bytes(const struct pass *p, int declaration)
{
    const struct tree_node *d = tree_at(p->t, declaration);
    if (d->kind != NODE_VARIABLE || !d->is_static || tree_function(p->t, declaration) >= 0 || d->fixed_address >= 0)
        return 0;
    if (!d->is_array)
        return d->integer && d->size <= 2 ? d->size : 0;
    return d->pointee <= 2 ? d->pointee * tree_elements(p->t, declaration) : 0;
}

/* What an operation in place may change of a control. */
static bool filled_leaves(const struct pass *p, int node, const struct fact_dma *d)
{
    int64_t number;
    int above = tree_above(p->t, node);
    const struct tree_node *a = tree_at(p->t, above);
    if (a->kind != NODE_ASSIGN_OPERATION || !tree_constant(p->t, tree_child(p->t, above, 1), &number))
        return false;
    if (a->operator== OPERATOR_AND)
        number = ~number;
    return (a->operator== OPERATOR_AND || a->operator== OPERATOR_OR) && !(number & (d->way | d->byte));
}

/* Bytes that each transfer may write, one after the other; 0: the file does not say. */
static unsigned filled_width(const struct pass *p, const struct fact_dma *d)
{
    unsigned width = 1;
    for (size_t i = 0; i < tree_count(p->t); i++) {
        int value;
        int64_t number;
        if (!filled_is_write(p, (int)i, d->control, &value) || (value < 0 && filled_leaves(p, (int)i, d)))
            continue;
        if (value < 0 || !tree_constant(p->t, value, &number) || (number & d->way) == d->backward)
            return 0;
        if (!(number & d->byte))
            width = 2;
    }
    return width;
}

/* The most transfers that the file asks for; 0: it does not say. */
static unsigned long filled_transfers(const struct pass *p, const struct fact_dma *d)
{
    unsigned long most = 0;
    for (size_t i = 0; i < tree_count(p->t); i++) {
        int value;
        int64_t number;
        if (!filled_is_write(p, (int)i, d->count, &value))
            continue;
        if (value < 0 || !tree_constant(p->t, value, &number) || number < 1 || number > 0xffff)
            return 0;
        if ((unsigned long)number > most)
            most = (unsigned long)number;
    }
    return most;
}

/* Marks the objects of a channel. NULL, or why it is not known. */
static const char *filled_find_channel(struct pass *p, const struct fact_dma *d)
{
    unsigned long bytes = filled_width(p, d) * filled_transfers(p, d);
    bool any = false;
    for (size_t i = 0; i < tree_count(p->t); i++) {
        int value, object;
        if (!filled_is_write(p, (int)i, d->into, &value))
            continue;
        object = value < 0 ? -1 : filled_object(p, value);
        unsigned long room = object < 0 ? 0 : filled_bytes(p, object);
        if (!room)
            return "where it writes is not a static array of this file, of integers of one or two bytes";
        if (!bytes)
            return "how much it writes, and which way, is not constant";
        if (bytes > room)
            return "it may write more than the array holds";
        p->filled[object] = any = true;
        p->quiet[value] = true;
    }
    return any ? NULL : "where it writes is not set in this file";
}

void filled_find(struct pass *p)
{
    const struct facts *f = &p->o->registers->facts;
    for (unsigned i = 0; i < f->dma_count && !p->says_filled; i++)
        p->filled_why[i] = filled_find_channel(p, &f->dma[i]);
}

bool filled_is_known(const struct pass *p, const struct place *control, const char **why)
{
    const struct facts *f = &p->o->registers->facts;
    *why = "";
    for (unsigned i = 0; i < f->dma_count; i++)
        if (control->address == f->dma[i].control) {
            *why = p->filled_why[i];
            return !*why;
        }
    return false;
}

/* The object that a node names, -1 if it is none of these. */
static int filled_named(const struct pass *p, int node)
{
    const struct tree_node *n = node < 0 ? NULL : tree_at(p->t, node);
    return n && n->kind == NODE_REFERENCE && n->declaration >= 0 && p->filled[n->declaration] ? n->declaration : -1;
}

bool filled_is_read(const struct pass *p, int node, struct place *at)
{
    const struct tree_node *n = tree_at(p->t, node);
    int object = filled_named(p, n->kind == NODE_SUBSCRIPT ? tree_inner(p->t, n->child) : node);
    if (object < 0 || !n->integer || n->size > 2 || live_use(p->t, node) == USE_ADDRESS)
        return false;
    *at = (struct place){.in_file = true, .is = {.size = n->size, .class = REGISTER_DATA, .bits = 0xffff}};
    snprintf(at->name, sizeof at->name, "%s", tree_at(p->t, object)->name);
    return true;
}

/* Within the address that goes to the channel. */
static bool filled_is_destination(const struct pass *p, int node)
{
    for (; node >= 0; node = tree_at(p->t, node)->parent)
        if (p->quiet[node])
            return true;
    return false;
}

bool filled_visit_reference(struct pass *p, int node)
{
    struct place at;
    int above = tree_above(p->t, node);
    if (filled_named(p, node) < 0 || filled_is_destination(p, node) || filled_is_read(p, node, &at) ||
        (above >= 0 && filled_is_read(p, above, &at)))
        return true;
    return pass_refuse(p, node,
                       "%s is filled by DMA, and what is read of it here cannot be recorded: read its elements by "
                       "their indices, or include motet.h and call motet_filled(bytes, size) where it is complete",
                       tree_at(p->t, node)->name);
}

bool filled_check_file(struct pass *p)
{
    bool good = true;
    for (size_t i = 0; good && i < tree_count(p->t); i++)
        good = filled_named(p, (int)i) < 0 || tree_function(p->t, (int)i) >= 0 || pass_is_unevaluated(p, (int)i) ||
               filled_visit_reference(p, (int)i);
    return good;
}

void filled_add_map(struct pass *p)
{
    for (size_t i = 0; i < tree_count(p->t); i++)
        if (p->filled[i])
            edits_add(
                &p->edits, (uint32_t)p->size, EDIT_OPEN,
                "\n__asm__(\".pushsection .motet.filled,\\\"\\\",@progbits\\n.long %s\\n.long %lu\\n.popsection\");\n",
                tree_at(p->t, (int)i)->name, filled_bytes(p, (int)i));
}
