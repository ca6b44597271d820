/* How a component replay went, in words. */
#include <inttypes.h>
#include <stdio.h>

#include "interface/print.h"
#include "interface/replay_internal.h"
#include "isa/isa.h"

static bool component_crashed(const struct node *n, const struct component_state *s)
{
    return s->end == COMPONENT_GOES_ON && n->state->exit == NODE_EXIT_FAULT;
}

/* The log has events after those that were replayed. */
static bool component_has_more(const struct component_replay *r, const struct component_state *s)
{
    struct component_place after;
    struct interface_event e;
    return component_read(r, &s->place, &e, &after);
}

void component_replay_status(const struct node *n, struct component_replay_status *to)
{
    const struct component_state *s = device_state(n, n->machine->log);
    bool crashed = component_crashed(n, s);
    *to = (struct component_replay_status){
        .events = s->events,
        .interrupts = s->interrupts,
        .ended = s->end != COMPONENT_GOES_ON || crashed,
        .deviates = s->end == COMPONENT_DEVIATES || (crashed && component_has_more(n->machine->log->config, s)),
    };
}

/* An event in words, without its bytes. */
static void component_words(const struct component_replay *r, const struct component_place *p, char *text, size_t size)
{
    struct component_place after;
    struct interface_event e;
    if (!component_read(r, p, &e, &after)) {
        snprintf(text, size, "nothing");
        return;
    }
    const char *kind = interface_kind_name(e.kind);
    if (interface_is_call(&e) || interface_is_return(&e))
        snprintf(text, size, "%s %s (%.6f s)", kind, r->log.header.functions[e.function].name,
                 r->log.header.hertz ? (double)e.time / (double)r->log.header.hertz : 0);
    else
        snprintf(text, size, "%s", kind);
}

static void component_explain_value(const struct component_replay *r, const struct component_state *s, char *text,
                                    size_t size)
{
    struct component_place after;
    struct interface_event e;
    component_read(r, &s->before, &e, &after);
    const struct interface_function *f = &r->log.header.functions[e.function];
    const char *kind = interface_kind_name(e.kind);
    if (s->deviation == COMPONENT_OTHER_BYTES)
        snprintf(text, size,
                 "event %" PRIu64 ", %s %s: byte %" PRIu32 " of `%s` is 0x%02" PRIx64 " here and 0x%02" PRIx64
                 " in the log",
                 s->events, kind, f->name, s->at, f->buffers[e.bytes[s->index].buffer].expression, s->found, s->said);
    else
        snprintf(text, size, "event %" PRIu64 ", %s %s: %s is %" PRIu64 " here and %" PRIu64 " in the log", s->events,
                 kind, f->name, interface_is_return(&e) ? "the result" : f->parameters[s->index].name, s->found,
                 s->said);
}

static void component_explain_deviation(const struct node *n, const struct component_replay *r,
                                        const struct component_state *s, char *text, size_t size)
{
    char next[200], place[200];
    component_words(r, &s->place, next, sizeof next);
    image_place(n->machine->image, n->machine->chip->isa->pc(n), place, sizeof place);
    switch ((enum component_deviation)s->deviation) {
    case COMPONENT_OTHER_CALL:
        snprintf(text, size, "after event %" PRIu64 " the component calls %s, but the log has %s", s->events,
                 r->boundary->header.functions[s->at].name, next);
        break;
    case COMPONENT_OTHER_RETURN:
        snprintf(text, size, "after event %" PRIu64 " the component returns from %s, but the log has %s", s->events,
                 r->log.header.functions[s->frames[s->frame_count - 1].function].name, next);
        break;
    case COMPONENT_OTHER_VALUE:
    case COMPONENT_OTHER_BYTES: component_explain_value(r, s, text, size); break;
    case COMPONENT_OTHER_STATE:
        snprintf(text, size,
                 "event %" PRIu64 ": the component's variables are not those of the node; something outside has "
                 "changed them",
                 s->events);
        break;
    case COMPONENT_SILENT:
        snprintf(text, size, "after event %" PRIu64 " the log has %s, which the component never reaches (now at %s)",
                 s->events, next, place);
        break;
    case COMPONENT_NO_ORDER:
        snprintf(text, size, "after event %" PRIu64 " the log has %s, which cannot come there", s->events, next);
        break;
    }
}

/* A node that crashed leaves a log that ends where it was: inside the component, or in what that had called. */
static void component_explain_end(const struct component_replay *r, const struct component_state *s, char *text,
                                  size_t size)
{
    const struct component_frame *top = s->frame_count ? &s->frames[s->frame_count - 1] : NULL;
    const char *function = top ? r->log.header.functions[top->function].name : "";
    int used = snprintf(text, size, "the log ends after %" PRIu64 " events", s->events);
    if (s->cut && s->at != UINT32_MAX)
        used += snprintf(text + used, size - (size_t)used,
                         ", inside %s: the component goes on to call %s, which the node did not", function,
                         r->boundary->header.functions[s->at].name);
    else if (s->cut)
        used += snprintf(text + used, size - (size_t)used,
                         ", inside %s: the component goes on to return, which the node did not", function);
    else if (top)
        used += snprintf(text + used, size - (size_t)used, ", outside the component, in %s", function);
    if (s->others)
        snprintf(text + used, size - (size_t)used,
                 "; others had changed its variables at %" PRIu32 " reads, first %s at event %" PRIu64, s->others,
                 r->log.header.variables[s->other_variable].name, s->other_event);
}

/* A fault inside: the node crashed there, too, if its log has nothing after it. */
static void component_explain_crash(const struct component_replay *r, const struct component_state *s, char *text,
                                    size_t size)
{
    const struct component_frame *top = s->frame_count ? &s->frames[s->frame_count - 1] : NULL;
    const char *function = top ? r->log.header.functions[top->function].name : "nothing";
    char next[200];
    component_words(r, &s->place, next, sizeof next);
    if (component_has_more(r, s))
        snprintf(text, size,
                 "the component crashes after event %" PRIu64 ", inside %s, which the node did not: the log has %s",
                 s->events, function, next);
    else
        snprintf(text, size,
                 "the component crashes after event %" PRIu64 ", inside %s, where the log ends: so did the node",
                 s->events, function);
}

char *component_replay_explain(const struct node *n, char *text, size_t size)
{
    const struct component_state *s = device_state(n, n->machine->log);
    const struct component_replay *r = n->machine->log->config;
    text[0] = 0;
    if (s->end == COMPONENT_LOG_ENDED)
        component_explain_end(r, s, text, size);
    else if (s->end == COMPONENT_DEVIATES)
        component_explain_deviation(n, r, s, text, size);
    else if (component_crashed(n, s))
        component_explain_crash(r, s, text, size);
    return text;
}
