#include "rewrite/forwards.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "rewrite/live.h"
#include "rewrite/poll.h"
#include "rewrite/reads_loops.h"
#include "rewrite/stamp.h"

enum { MOST_LEVELS = 4 };

/* A call in a condition, what its function gives, and so on to a register. */
struct forwards {
    int calls[MOST_LEVELS];
    struct forward values[MOST_LEVELS];
    unsigned levels;
    int read;
    struct place at;
    uint32_t live;
};

/* The only call or register in an expression; -1: there are none, or several. */
static int forwards_only(const struct pass *p, int value, struct place *at)
{
    int found = -1;
    size_t count = pass_nodes_in(p, value);
    for (int i = value; i < value + (int)count; i++) {
        struct place here;
        bool reads = pass_is_register(p, i, &here), calls = tree_at(p->t, i)->kind == NODE_CALL;
        if (!reads && !calls)
            continue;
        if (found >= 0)
            return -1;
        found = i;
        *at = here;
        i += (int)pass_nodes_in(p, i) - 1;
    }
    return found;
}

static bool forwards_follow(const struct pass *p, int call, struct forwards *f)
{
    for (f->levels = 0; call >= 0 && tree_at(p->t, call)->kind == NODE_CALL; f->levels++) {
        if (f->levels == MOST_LEVELS || !poll_forwards(p->t, call, &f->values[f->levels]))
            return false;
        f->calls[f->levels] = call;
        call = forwards_only(p, f->values[f->levels].value, &f->at);
    }
    f->read = call;
    if (call < 0 || !f->levels || !f->at.in_file || f->at.computed || f->at.is.class != REGISTER_STATE ||
        tree_at(p->t, call)->kind == NODE_MEMBER || live_use(p->t, call) != USE_READ)
        return false;
    f->live = live_bits(p->t, call, tree_at(p->t, call)->size);
    return f->live && !(f->live & ~(uint32_t)f->at.is.bits);
}

static const char *forwards_type(const struct pass *p, const struct tree_node *n)
{
    if (n->boolean)
        return p->o->cpp ? "bool" : "_Bool";
    switch (n->size) {
    case 1: return n->is_signed ? "signed char" : "unsigned char";
    case 2: return n->is_signed ? "int" : "unsigned";
    default: return n->is_signed ? "long" : "unsigned long";
    }
}

/* The value of a call, with what its only call or read gives in the place of that. */
static char *forwards_text(const struct pass *p, const struct forwards *f, unsigned level, char *inner)
{
    const struct tree_node *call = tree_at(p->t, f->calls[level]), *value = tree_at(p->t, f->values[level].value);
    const struct tree_node *inside = tree_at(p->t, level + 1 < f->levels ? f->calls[level + 1] : f->read);
    int variable = f->values[level].variable;
    char *before = pass_flat(p, value->start, inside->start), *after = pass_flat(p, inside->end, value->end);
    char chosen[64] = "";
    if (f->values[level].chooses)
        snprintf(chosen, sizeof chosen, "?%lld:%lld", (long long)f->values[level].given[0],
                 (long long)f->values[level].given[1]);
    char *text =
        memory_format("((%s)(%s)((%s%s%s)%s))", forwards_type(p, call),
                      forwards_type(p, variable < 0 ? call : tree_at(p->t, variable)), before, inner, after, chosen);
    free(before);
    free(after);
    free(inner);
    return text;
}

static void forwards_replace(struct pass *p, const struct forwards *f, const struct poll *poll)
{
    const struct tree_node *call = tree_at(p->t, f->calls[0]), *read = tree_at(p->t, f->read);
    const char *type = read->size == 1 ? "char" : "int";
    char *mark = reads_mark_text(p, poll->leave, poll->stay, read->size, true);
    char *text = memory_format("({unsigned %s motet_v=(0x%x&*(volatile unsigned %s*)0x%x%s", type, (unsigned)f->live,
                               type, (unsigned)f->at.address, mark);
    free(mark);
    for (unsigned level = f->levels; level--;)
        text = forwards_text(p, f, level, text);
    edits_add(&p->edits, call->start, EDIT_OPEN, "(0?"); /* the call stays, and is never made */
    edits_add(&p->edits, call->end, EDIT_CLOSE, ":%s)", text);
    free(text);
}

void forwards_find(struct pass *p)
{
    bool apart = reads_polls_apart(p);
    for (size_t i = 0; (apart || !p->in_memory) && i < tree_count(p->t); i++) {
        struct forwards f;
        struct poll poll;
        int function = tree_at(p->t, (int)i)->kind == NODE_CALL ? tree_function(p->t, (int)i) : -1;
        if (function < 0 || !pass_is_in_use(p, function) || !poll_is_condition(p->t, (int)i, p->o->target) ||
            !forwards_follow(p, (int)i, &f) || !poll_through(p->t, (int)i, f.read, f.live, p->o->target, &poll))
            continue;
        if (apart) {
            reads_poll_apart(p, &poll, &f.at, tree_at(p->t, f.read)->size, f.live);
            continue;
        }
        p->skipped[poll.loop] = true;
        stamp_around_poll(p, poll.loop);
        forwards_replace(p, &f, &poll);
    }
}
