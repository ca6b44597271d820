/* Taps on a node, and what they add to the model. */
#include "view/model.h"

#include <string.h>

#include "monitor/packet_frame.h"
#include "motet/log.h"

enum { VIEW_LINE = 512, VIEW_SAMPLE_HZ = 100 };

static uint64_t view_time(struct view_node *n, uint64_t tick)
{
    uint64_t time = motet_network_time(n->view->network, n->node, tick);
    n->last = time > n->last ? time : n->last;
    return time;
}

/* ---- texts ---- */

static size_t view_keep(struct view_node *n, const char *text)
{
    size_t at = n->text_count, size = strlen(text) + 1;
    if (at + size > n->text_room) {
        n->text_room = 2 * (at + size);
        n->texts = memory_resize(n->texts, n->text_room, 1);
    }
    memcpy(n->texts + at, text, size);
    n->text_count += size;
    return at;
}

const char *view_text(const struct view_node *n, size_t at)
{
    return n->texts + at;
}

static void view_note(struct view_node *n, uint64_t time, enum view_note_kind kind, const char *text)
{
    n->notes = memory_grow(n->notes, &n->note_room, n->note_count, sizeof *n->notes);
    n->notes[n->note_count++] = (struct view_note){time, kind, view_keep(n, text)};
}

/* ---- values over time ---- */

/* A list that is full keeps every second value from then on. */
static void view_series_add(struct view_series *s, size_t most, uint64_t time, double value)
{
    if (s->stride > 1 && ++s->skipped % s->stride)
        return;
    if (s->count == most) {
        for (size_t i = 0; i < most / 2; i++)
            s->list[i] = s->list[2 * i];
        s->count = most / 2;
        s->stride = s->stride ? 2 * s->stride : 2;
    }
    s->list = memory_grow(s->list, &s->room, s->count, sizeof *s->list);
    s->list[s->count++] = (struct view_value){time, value};
}

static void view_on_variable(void *context, size_t number, uint64_t tick, double value)
{
    struct view_variable *v = context;
    (void)number;
    view_series_add(&v->series, VIEW_VALUES, view_time(v->node, tick), value);
}

static void view_on_sample(void *context, const motet_node *node, uint64_t due)
{
    struct view_node *n = context;
    (void)node;
    view_series_add(&n->energy, VIEW_SAMPLES, view_time(n, due), motet_meter_millijoules(n->meter));
}

/* ---- code ---- */

static void view_call_begun(void *context, struct calls *c)
{
    struct view_node *n = context;
    struct call *top = calls_top(c);
    top->tag = view_time(n, top->tick); /* now: a node that is switched off and on counts its ticks anew */
    if (top->line != CALLS_NO_LINE)
        n->handlers++;
    else if (!n->handlers && c->count <= VIEW_DEPTH)
        n->since[c->count - 1] = top->tag;
}

/* A call of main's, or of its callees': a task, if it is found at the right level in the end. */
static void view_task_ends(struct view_node *n, size_t level, uint64_t end)
{
    const struct call *c = &n->calls.list[level];
    if (level > 0 && level < VIEW_DEPTH && !n->asleep)
        bars_add(&n->levels[level], n->logged ? end : n->since[level], end, (uint32_t)c->function);
}

/* Sleep is no work: tasks that are under way are cut there. */
static void view_tasks_pause(struct view_node *n, uint64_t time)
{
    for (size_t i = 1; i < n->calls.count && n->calls.list[i].line == CALLS_NO_LINE; i++)
        view_task_ends(n, i, time);
}

static void view_tasks_resume(struct view_node *n, uint64_t time)
{
    for (size_t i = 0; i < VIEW_DEPTH; i++)
        n->since[i] = time;
}

static void view_call_ending(void *context, struct calls *c)
{
    struct view_node *n = context;
    const struct call *top = calls_top(c);
    size_t level = c->count - 1;
    uint64_t now = motet_network_time(n->view->network, n->node, motet_node_now(n->node));
    uint64_t end = n->logged ? top->tag : now < n->last ? n->last : now;
    if (top->unnamed)
        return;
    if (top->line != CALLS_NO_LINE) {
        bars_add(&n->interrupts, top->tag, end, (uint32_t)top->function);
        n->handlers--;
    } else if (!n->handlers) {
        view_task_ends(n, level, end);
    }
}

static void view_on_instruction(void *context, const motet_node *node, uint32_t pc, bool after)
{
    struct view_node *n = context;
    (void)after;
    if (pc / 2 >= n->executed_room)
        n->executed = monitor_reaching(n->executed, &n->executed_room, pc / 2, sizeof *n->executed);
    if (!n->executed[pc / 2].count++)
        n->executed[pc / 2].first = view_time(n, motet_node_now(node));
}

static uint32_t view_sleep_place(struct view_node *n, uint32_t pc, const char *mode)
{
    for (size_t i = 0; i < n->sleep_count; i++)
        if (n->sleeps[i].pc == pc && strcmp(n->sleeps[i].mode, mode) == 0)
            return (uint32_t)i;
    n->sleeps = memory_grow(n->sleeps, &n->sleep_room, n->sleep_count, sizeof *n->sleeps);
    n->sleeps[n->sleep_count] = (struct view_sleep){pc, mode};
    return (uint32_t)n->sleep_count++;
}

static void view_wake(struct view_node *n, uint64_t time)
{
    if (!n->asleep)
        return;
    bars_add(&n->sleep, n->asleep_since, time, n->asleep_at);
    n->asleep = false;
    view_tasks_resume(n, time);
}

static void view_on_sleep(struct view_node *n, const struct motet_happened *h)
{
    uint64_t time = view_time(n, h->tick);
    view_wake(n, time);
    if (h->what == MOTET_ON_WAKE)
        return;
    const char *mode = motet_node_doing(n->node, NULL);
    view_tasks_pause(n, time);
    n->asleep = true;
    n->asleep_since = time;
    n->asleep_at = view_sleep_place(n, h->pc, mode ? mode : "asleep");
}

/* ---- radio ---- */

static void view_describe(const struct motet_happened *h, char *text, size_t size)
{
    struct packet_frame f;
    if (!packet_frame_read(&f, h->radio.bytes, h->radio.frame) || !f.known) {
        snprintf(text, size, "%zu bytes", h->radio.count);
        return;
    }
    int used = snprintf(text, size, "%s", packet_frame_kind(f.kind));
    if (f.sequence >= 0)
        used += snprintf(text + used, size - (size_t)used, " #%d", f.sequence);
    if (f.from_size)
        used += snprintf(text + used, size - (size_t)used, " from %" PRIu64, f.from);
    if (f.to_size == 2 && f.to == UINT16_MAX)
        used += snprintf(text + used, size - (size_t)used, " to all");
    else if (f.to_size)
        used += snprintf(text + used, size - (size_t)used, " to %" PRIu64, f.to);
    if (f.type >= 0)
        snprintf(text + used, size - (size_t)used, ", type %d", f.type);
}

static void view_on_send(struct view_node *n, const struct motet_happened *h)
{
    char text[160], hex[2 * 256 + 1] = "";
    size_t count = h->radio.count < 256 ? h->radio.count : 256;
    view_describe(h, text, sizeof text);
    for (size_t i = 0; i < count; i++)
        snprintf(hex + 2 * i, 3, "%02x", h->radio.bytes[i]);
    size_t at = view_keep(n, text);
    view_keep(n, hex);
    n->sends = memory_grow(n->sends, &n->send_room, n->send_count, sizeof *n->sends);
    n->sends[n->send_count++] = (struct view_send){
        .begin = view_time(n, h->radio.begun), .end = view_time(n, h->tick), h->radio.transmission, at};
}

static void view_on_receive(struct view_node *n, const struct motet_happened *h)
{
    uint32_t outcome = h->what == MOTET_ON_RADIO_RECEIVE ? 0 : VIEW_LOST + (uint32_t)h->radio.why;
    n->receives = memory_grow(n->receives, &n->receive_room, n->receive_count, sizeof *n->receives);
    n->receives[n->receive_count++] =
        (struct view_receive){view_time(n, h->tick), h->radio.sender, h->radio.transmission, outcome};
}

static void view_radio_enters(struct view_node *n, uint64_t time, uint32_t state)
{
    if (n->in_radio && n->radio_state != MOTET_RADIO_OFF)
        bars_add(&n->radio, n->radio_since, time, n->radio_state);
    n->in_radio = true;
    n->radio_state = state;
    n->radio_since = time;
}

/* ---- pins, serial ports, faults ---- */

static struct view_pin *view_pin(struct view_node *n, unsigned pin)
{
    struct motet_led led;
    for (size_t i = 0; i < n->pin_count; i++)
        if (n->pins[i].pin == pin)
            return &n->pins[i];
    n->pins = memory_grow(n->pins, &n->pin_room, n->pin_count, sizeof *n->pins);
    struct view_pin *p = &n->pins[n->pin_count++];
    *p = (struct view_pin){.pin = pin, .led = -1, .bars = {.most = n->sleep.most}};
    for (size_t i = 0; motet_machine_led(n->machine, i, &led); i++)
        if (led.pin == pin) {
            p->led = (int)i;
            snprintf(p->name, sizeof p->name, "%.15s", led.name);
        }
    if (p->led < 0)
        motet_machine_pin_name(n->machine, pin, p->name);
    return p;
}

static void view_pin_set(struct view_pin *p, uint64_t time, bool on)
{
    if (p->on && !on)
        bars_add(&p->bars, p->since, time, 0);
    if (on && !p->on)
        p->since = time;
    p->on = on;
}

static void view_on_pin(struct view_node *n, const struct motet_happened *h)
{
    struct view_pin *p = view_pin(n, h->pin.pin);
    view_pin_set(p, view_time(n, h->tick), p->led >= 0 ? motet_node_led(n->node, (size_t)p->led) : h->pin.level);
}

static void view_line_ends(struct view_node *n, unsigned port)
{
    struct view_output *o = &n->outputs[port];
    if (!o->count)
        return;
    o->text[o->count] = 0;
    n->lines = memory_grow(n->lines, &n->line_room, n->line_count, sizeof *n->lines);
    n->lines[n->line_count++] = (struct view_line){o->begin, port, view_keep(n, o->text)};
    o->count = 0;
}

static void view_on_serial(struct view_node *n, const struct motet_happened *h)
{
    unsigned port = h->serial.line % VIEW_PORTS, c = h->serial.frame & 0xff;
    struct view_output *o = &n->outputs[port];
    uint64_t time = view_time(n, h->tick);
    if (!o->text)
        o->text = memory_bytes(o->room = VIEW_LINE + 8);
    if (c == '\n' || c == '\r') {
        view_line_ends(n, port);
        return;
    }
    if (!o->count)
        o->begin = time;
    if ((c >= 0x20 && c < 0x7f) || c == '\t')
        o->text[o->count++] = (char)c;
    else
        o->count += (size_t)snprintf(o->text + o->count, 5, "\\x%02x", c);
    if (o->count >= VIEW_LINE)
        view_line_ends(n, port);
}

static void view_on_fault(struct view_node *n, const struct motet_happened *h)
{
    char text[4096];
    motet_node_explain(n->node, h->fault, text, sizeof text);
    view_note(n, view_time(n, h->tick), VIEW_FAULT, text);
}

/* Everything under way ends. The calls end by themselves. */
static void view_on_reset(struct view_node *n, const struct motet_happened *h)
{
    uint64_t before = n->last;
    view_wake(n, before);
    for (size_t i = 0; i < n->pin_count; i++)
        view_pin_set(&n->pins[i], before, false);
    n->handlers = 0;
    view_note(n, view_time(n, h->tick), VIEW_RESET, h->reset);
}

static void view_on_mark(struct view_node *n, const struct motet_happened *h)
{
    char text[64];
    snprintf(text, sizeof text, "marker %u", h->mark);
    view_note(n, view_time(n, h->tick), VIEW_MARKER, text);
}

static void view_on_part(struct view_node *n, const struct motet_happened *h)
{
    char text[400];
    if (!h->part.report)
        return;
    snprintf(text, sizeof text, "%.60s: %.300s", h->part.name, h->part.report);
    view_note(n, view_time(n, h->tick), VIEW_PART, text);
}

static void view_told(void *context, const motet_node *node, const struct motet_happened *h)
{
    struct view_node *n = context;
    (void)node;
    switch (h->what) {
    case MOTET_ON_SLEEP:
    case MOTET_ON_WAKE: view_on_sleep(n, h); break;
    case MOTET_ON_RADIO_SEND: view_on_send(n, h); break;
    case MOTET_ON_RADIO_RECEIVE:
    case MOTET_ON_RADIO_LOSS: view_on_receive(n, h); break;
    case MOTET_ON_RADIO_STATE: view_radio_enters(n, view_time(n, h->tick), h->state); break;
    case MOTET_ON_PIN: view_on_pin(n, h); break;
    case MOTET_ON_SERIAL: view_on_serial(n, h); break;
    case MOTET_ON_PART: view_on_part(n, h); break;
    case MOTET_ON_MARK: view_on_mark(n, h); break;
    case MOTET_ON_FAULT: view_on_fault(n, h); break;
    case MOTET_ON_RESET: view_on_reset(n, h); break;
    default: break;
    }
}

/* ---- beginning and end ---- */

static void view_limit(struct view_node *n)
{
    size_t share = VIEW_BARS / VIEW_TRACKS / n->view->node_count, most = share < VIEW_SHARE ? share : VIEW_SHARE;
    struct bars *all[] = {&n->sleep, &n->interrupts, &n->radio, &n->sent, &n->missed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i]->most = most;
    for (size_t i = 0; i < VIEW_DEPTH; i++)
        n->levels[i].most = most;
}

void view_node_attach(struct view_node *n)
{
    const uint32_t what = MOTET_ON(SLEEP) | MOTET_ON(WAKE) | MOTET_ON(RADIO_SEND) | MOTET_ON(RADIO_RECEIVE) |
                          MOTET_ON(RADIO_LOSS) | MOTET_ON(RADIO_STATE) | MOTET_ON(PIN) | MOTET_ON(SERIAL) |
                          MOTET_ON(PART) | MOTET_ON(MARK) | MOTET_ON(FAULT) | MOTET_ON(RESET);
    struct motet_error none;
    uint64_t period = motet_machine_hz(n->machine) / VIEW_SAMPLE_HZ, events, bytes;
    view_limit(n);
    motet_hook(n->node, what, view_told, n); /* before the calls: a reset ends what is under way when it happens */
    calls_follow(&n->calls, n->node, view_call_begun, view_call_ending, n);
    motet_probe(n->node, MOTET_EVERYWHERE, MOTET_BEFORE, view_on_instruction, n);
    n->logged = motet_node_logged(n->node, &events, &bytes);
    n->meter = n->logged ? NULL : motet_meter_new(n->node, NULL, &none);
    if (n->meter)
        motet_alarm(n->node, MOTET_TICKS, period, period, view_on_sample, n);
}

bool view_node_follow(struct view_node *n, size_t variable, struct motet_error *e)
{
    struct view_variable *v = &n->variables[variable];
    const char *const *expression = (const char *const *)&n->view->variables[variable];
    v->node = n;
    v->sampler = sampler_of(n->node, expression, 1, view_on_variable, v, e);
    return v->sampler != NULL;
}

/* The calls that stay open are those of the loop that never ends: its callees are the tasks. */
static size_t view_task_level(const struct view_node *n)
{
    size_t level = 0;
    while (level < n->calls.count && n->calls.list[level].line == CALLS_NO_LINE &&
           n->calls.list[level].tag <= n->view->end / 2)
        level++;
    return level ? level : 1;
}

void view_node_close(struct view_node *n)
{
    uint64_t end = n->view->end;
    size_t level = view_task_level(n);
    n->last = end;
    view_wake(n, end);
    view_radio_enters(n, end, MOTET_RADIO_OFF);
    for (size_t i = 0; i < n->pin_count; i++)
        view_pin_set(&n->pins[i], end, false);
    for (unsigned i = 0; i < VIEW_PORTS; i++)
        view_line_ends(n, i);
    calls_end(&n->calls);
    if (n->meter) {
        n->energy.stride = 0;
        view_series_add(&n->energy, VIEW_SAMPLES + 1, end, motet_meter_millijoules(n->meter));
    }
    if (level < VIEW_DEPTH) {
        n->tasks = n->levels[level];
        n->levels[level] = (struct bars){.list = NULL};
    }
}

void view_node_drop(struct view_node *n)
{
    for (unsigned i = 0; i < VIEW_PORTS; i++)
        free(n->outputs[i].text);
    for (size_t i = 0; i < VIEW_DEPTH; i++)
        bars_free(&n->levels[i]);
    for (size_t i = 0; i < n->view->variable_count; i++)
        sampler_free(n->variables[i].sampler);
    if (n->meter)
        meter_drop(n->meter);
    calls_free(&n->calls);
    free(n->sleeps);
    free(n->executed);
    n->node = NULL;
    n->machine = NULL;
}
