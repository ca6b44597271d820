/* Frames: what one node sent and others heard, joined by the sender's id and its count of transmissions. */
#include "view/model.h"

/* A send, or what somebody heard of it. */
struct frames_part {
    uint32_t sender, transmission; /* id, count */
    uint64_t time;
    uint32_t node, number; /* of who sent or heard it, and in the list there */
    bool heard;
};

static int frames_by_name(const void *a, const void *b)
{
    const struct frames_part *x = a, *y = b;
    if (x->sender != y->sender)
        return x->sender < y->sender ? -1 : 1;
    if (x->transmission != y->transmission)
        return x->transmission < y->transmission ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->heard != y->heard ? x->heard - y->heard : (x->node > y->node) - (x->node < y->node);
}

static size_t frames_collect(const struct motet_view *v, struct frames_part **list)
{
    size_t count = 0;
    for (size_t i = 0; i < v->node_count; i++)
        count += v->nodes[i].send_count + v->nodes[i].receive_count;
    struct frames_part *p = *list = memory_array(count + 1, sizeof *p);
    for (uint32_t i = 0; i < v->node_count; i++) {
        const struct view_node *n = &v->nodes[i];
        for (uint32_t k = 0; k < n->send_count; k++)
            *p++ = (struct frames_part){n->id, n->sends[k].transmission, n->sends[k].begin, i, k, false};
        for (uint32_t k = 0; k < n->receive_count; k++)
            *p++ = (struct frames_part){
                n->receives[k].sender, n->receives[k].transmission, n->receives[k].end, i, k, true};
    }
    if (count)
        qsort(*list, count, sizeof **list, frames_by_name);
    return count;
}

/* With its time in front, so that the order needs nothing else. */
struct frames_order {
    uint64_t begin;
    struct view_frame frame;
};

static int frames_by_begin(const void *a, const void *b)
{
    const struct frames_order *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->frame.sender > y->frame.sender) - (x->frame.sender < y->frame.sender);
}

static void frames_sort(struct motet_view *v)
{
    struct frames_order *all = memory_array(v->frame_count + 1, sizeof *all);
    for (size_t i = 0; i < v->frame_count; i++)
        all[i] = (struct frames_order){v->nodes[v->frames[i].sender].sends[v->frames[i].send].begin, v->frames[i]};
    if (v->frame_count)
        qsort(all, v->frame_count, sizeof *all, frames_by_begin);
    for (size_t i = 0; i < v->frame_count; i++)
        v->frames[i] = all[i].frame;
    free(all);
}

/* What is heard belongs to the last send of that name before it: a sender that was switched off and on counts anew. */
void view_join_frames(struct motet_view *v)
{
    struct frames_part *list;
    size_t count = frames_collect(v, &list);
    const struct frames_part *sent = NULL;
    v->frames = memory_array(count + 1, sizeof *v->frames);
    v->heard = memory_array(count + 1, sizeof *v->heard);
    for (const struct frames_part *p = list; p < list + count; p++) {
        if (!p->heard) {
            const struct view_send *is = &v->nodes[p->node].sends[p->number];
            bars_add(&v->nodes[p->node].sent, is->begin, is->end, 0);
            sent = p;
            v->frames[v->frame_count++] = (struct view_frame){p->node, p->number, v->heard_count, 0};
        } else if (sent && sent->sender == p->sender && sent->transmission == p->transmission) {
            uint32_t outcome = v->nodes[p->node].receives[p->number].outcome;
            v->heard[v->heard_count++] = (struct view_heard){p->node, outcome, p->time};
            v->frames[v->frame_count - 1].count++;
            if (view_is_lost(outcome))
                bars_add(&v->nodes[p->node].missed, p->time, p->time, 0);
        }
    }
    free(list);
    frames_sort(v);
}
