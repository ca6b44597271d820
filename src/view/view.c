#include "motet/view.h"

#include <assert.h>

#include "api/merge.h"
#include "view/model.h"

motet_view *motet_view_new(const struct motet_view_options *o)
{
    motet_view *v = memory_new(sizeof *v);
    v->title = memory_string(o->title ? o->title : "");
    v->debug = o->debug ? memory_string(o->debug) : NULL;
    v->then = o->then ? memory_string(o->then) : NULL;
    v->variables = memory_array(o->variable_count + 1, sizeof *v->variables);
    for (; v->variable_count < o->variable_count; v->variable_count++)
        v->variables[v->variable_count] = memory_string(o->variables[v->variable_count]);
    return v;
}

static void view_node_free(struct view_node *n, size_t variables)
{
    if (n->node)
        view_node_drop(n);
    bars_free(&n->sleep);
    bars_free(&n->interrupts);
    bars_free(&n->radio);
    bars_free(&n->tasks);
    bars_free(&n->sent);
    bars_free(&n->missed);
    for (size_t i = 0; i < n->pin_count; i++)
        bars_free(&n->pins[i].bars);
    for (size_t i = 0; n->variables && i < variables; i++)
        free(n->variables[i].series.list);
    free(n->variables);
    free(n->energy.list);
    free(n->pins);
    free(n->sends);
    free(n->receives);
    free(n->lines);
    free(n->notes);
    free(n->texts);
    free(n->board);
    free(n->chip);
}

void motet_view_free(motet_view *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->node_count; i++)
        view_node_free(&v->nodes[i], v->variable_count);
    for (size_t i = 0; i < v->variable_count; i++)
        free(v->variables[i]);
    for (size_t i = 0; i < v->word_count; i++)
        free(v->words[i].text);
    for (size_t i = 0; i < v->file_count; i++) {
        free(v->files[i].name);
        free(v->files[i].text);
        free(v->files[i].lines);
    }
    free(v->variables);
    free(v->words);
    free(v->files);
    free(v->frames);
    free(v->heard);
    free(v->nodes);
    free(v->machines);
    free(v->title);
    free(v->debug);
    free(v->then);
    free(v->story);
    free(v->about);
    free(v);
}

static uint32_t view_machine(motet_view *v, const motet_machine *m)
{
    for (uint32_t i = 0; i < v->machine_count; i++)
        if (v->machines[i] == m)
            return i;
    v->machines = memory_grow(v->machines, &v->machine_room, v->machine_count, sizeof *v->machines);
    v->machines[v->machine_count] = m;
    return (uint32_t)v->machine_count++;
}

/* Each variable on the nodes that have it. */
static bool view_follow(motet_view *v, struct motet_error *e)
{
    for (size_t i = 0; i < v->variable_count; i++) {
        bool found = false;
        for (size_t k = 0; k < v->node_count; k++)
            found |= view_node_follow(&v->nodes[k], i, e);
        if (!found)
            return false;
    }
    return true;
}

bool motet_view_attach(motet_view *v, motet_network *network, struct motet_error *e)
{
    v->network = network;
    v->node_count = motet_network_count(network);
    v->nodes = memory_array(v->node_count + 1, sizeof *v->nodes);
    for (uint32_t i = 0; i < v->node_count; i++) {
        struct view_node *n = &v->nodes[i];
        n->view = v;
        n->node = motet_network_at(network, i);
        n->machine = motet_node_machine(n->node);
        n->number = i;
        n->id = motet_node_id(n->node);
        n->machine_number = view_machine(v, n->machine);
        n->board = memory_string(motet_machine_board(n->machine));
        n->chip = memory_string(motet_machine_chip(n->machine));
        motet_network_position(network, n->node, n->place);
        n->variables = memory_array(v->variable_count + 1, sizeof *n->variables);
        view_node_attach(n);
    }
    return view_follow(v, e);
}

void motet_view_tell(motet_view *v, const motet_merge *m)
{
    size_t size;
    FILE *text = memory_must(open_memstream(&v->story, &size));
    story_write_data(m->story, (struct story_range){0, UINT64_MAX}, text);
    memory_written(text);
}

void motet_view_about(motet_view *v, const char *text)
{
    free(v->about);
    v->about = memory_string(text);
}

static void view_layer(struct view_node *n)
{
    bars_layer(&n->sleep);
    bars_layer(&n->interrupts);
    bars_layer(&n->radio);
    bars_layer(&n->tasks);
    bars_layer(&n->sent);
    bars_layer(&n->missed);
    for (size_t i = 0; i < n->pin_count; i++)
        bars_layer(&n->pins[i].bars);
}

void motet_view_finish(motet_view *v)
{
    assert(v->network);
    v->end = motet_network_now(v->network);
    motet_network_digest(v->network, v->digest);
    for (size_t i = 0; i < v->node_count; i++)
        view_node_close(&v->nodes[i]);
    view_name(v);
    view_join_frames(v);
    for (size_t i = 0; i < v->node_count; i++) {
        view_layer(&v->nodes[i]);
        view_node_drop(&v->nodes[i]);
    }
    v->network = NULL;
}

static size_t view_bars_of(const struct view_node *n)
{
    size_t count = n->sleep.count + n->interrupts.count + n->radio.count + n->tasks.count;
    for (size_t i = 0; i < n->pin_count; i++)
        count += n->pins[i].bars.count;
    return count;
}

void motet_view_summary(const motet_view *v, struct motet_view_summary *s)
{
    *s = (struct motet_view_summary){.nodes = v->node_count, .frames = v->frame_count, .end = v->end};
    memcpy(s->digest, v->digest, sizeof s->digest);
    for (size_t i = 0; i < v->node_count; i++)
        s->bars += view_bars_of(&v->nodes[i]);
}
