#include "node/node.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pages.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/events.h"
#include "node/fetch.h"
#include "node/holds.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/stops.h"
#include "node/taps.h"
#include "node/uses.h"

/* ---- power-on, reset ---- */

static uint8_t mark_of(const struct region *r)
{
    switch (r->kind) {
    case REGION_CORE:
    case REGION_REGISTERS: return PAGE_REGISTERS;
    case REGION_RAM: return PAGE_PLAIN;
    case REGION_ALIAS: return PAGE_ALIAS;
    default: return PAGE_PROGRAM;
    }
}

static void mark_pages(struct node *n)
{
    const struct machine *m = n->machine;
    memset(n->page, PAGE_ABSENT, (m->slot_count >> PAGE_BITS) + 1);
    for (size_t i = 0; i < m->map_count; i++) {
        uint32_t slot = map_slot(m, m->map[i].first);
        memset(n->page + (slot >> PAGE_BITS), mark_of(&m->map[i]), (m->map[i].size + PAGE_MASK) >> PAGE_BITS);
    }
}

static bool node_is_silent(const struct machine *m, const struct device *d)
{
    return m->log && d != m->log && !d->type->core;
}

static void reset_device(struct node *n, const struct device *d, enum reset_cause cause)
{
    for (unsigned e = 0; e < d->type->events; e++)
        event_cancel(n, d, e);
    if (d->type->reset)
        d->type->reset(n, d, cause);
    for (unsigned e = 0; node_is_silent(n->machine, d) && e < d->type->events; e++)
        event_cancel(n, d, e);
}

/* Levels of what is outside the chip are there before it looks for edges. */
static void reset_devices(struct node *n, enum reset_cause cause)
{
    const struct machine *m = n->machine;
    for (size_t i = 0; i < m->device_count && cause == RESET_POWER_ON; i++)
        if (m->devices[i].part)
            reset_device(n, &m->devices[i], cause);
    interrupts_clear(n);
    for (size_t i = 0; i < m->device_count; i++)
        if (!m->devices[i].part)
            reset_device(n, &m->devices[i], cause);
}

static void node_reset(struct node *n, enum reset_cause cause)
{
    struct node_state *s = n->state;
    s->reset_pending = 0;
    interrupts_reset(n);
    s->sleeping = 0;
    s->stall = 0;
    s->halt_at = 0;
    s->starting = n->setting_count > 0;
    if (cause != RESET_POWER_ON)
        s->resets++;
    memset(n->data, 0, n->machine->register_size);
    n->time = s->now;
    reset_devices(n, cause);
    if (n->machine->log) /* no flag of a silent device asks for anything */
        interrupts_clear(n);
    n->machine->chip->isa->reset(n);
    if (taps_wanted(n, MOTET_ON(RESET)))
        taps_reset(n, cause);
}

static void power_on(struct node *n, uint64_t random)
{
    n->changed = true;
    n->state->random = random;
    for (unsigned i = 0; i < CLOCK_LIMIT; i++)
        n->state->clocks[i].period = CLOCK_ONE;
    events_init(n);
    node_reset(n, RESET_POWER_ON);
}

struct node *node_new(const struct machine *m, uint32_t id, uint64_t seed)
{
    size_t size = (sizeof(struct node) + (m->slot_count >> PAGE_BITS) + FETCH_LINE) / FETCH_LINE * FETCH_LINE;
    struct node *n = memset(memory_aligned(FETCH_LINE, size), 0, size);
    n->machine = m;
    n->id = id;
    n->arena = memory_aligned(64, (m->arena_size + 63) / 64 * 64);
    memset(n->arena, 0, m->arena_size);
    n->state = (struct node_state *)n->arena;
    n->cpu = n->arena + m->cpu_offset;
    n->data = n->arena + m->data_offset;
    n->code = m->code;
    n->alarm = NEVER;
    n->air_memo = &n->air_remembered;
    n->pages = memory_array(m->pages_count + 1, sizeof *n->pages);
    for (size_t i = 0; i < m->pages_count; i++)
        n->pages[i] = pages_share(m->pages[i]);
    mark_pages(n);
    power_on(n, seed * UINT64_C(0x9e3779b97f4a7c15) + id);
    return n;
}

void node_power_cycle(struct node *n)
{
    for (size_t i = 0; i < n->machine->device_count; i++) {
        const struct device *d = &n->machine->devices[i];
        if (d->type->power_fails)
            d->type->power_fails(n, d);
    }
    uses_all_written(n);
    uint64_t random = n->state->random, instructions = n->state->instructions;
    void *ordinals = holds_keep(n);
    memset(n->arena, 0, n->machine->arena_size);
    power_on(n, random);
    holds_put_back(n, ordinals);
    n->state->instructions = instructions;
    n->disturbed = 0;
    n->cut = false;
}

/* ---- variables set from outside ---- */

static void apply_settings(struct node *n)
{
    for (size_t i = 0; i < n->setting_count; i++)
        for (unsigned b = 0; b < n->settings[i].size; b++)
            n->data[map_place(n->machine, n->settings[i].address + b)] = (uint8_t)(n->settings[i].value >> 8 * b);
}

bool node_set_variable(struct node *n, const char *symbol, uint64_t value, struct motet_error *e)
{
    const char *path = image_path(n->machine->image);
    struct node_setting s = {.value = value};
    if (n->machine->main_address == UINT32_MAX)
        return error_set(e, "%s has no symbol 'main', so Motet cannot know when to set '%s'", path, symbol);
    if (!machine_variable(n->machine, symbol, &s.address, &s.size, e)) {
        if (!image_symbol_named(n->machine->image, symbol))
            machine_suggest_variable(n->machine, symbol, e);
        return false;
    }
    if (s.size != 1 && s.size != 2 && s.size != 4 && s.size != 8)
        return error_set(e, "%s: '%s' has %u bytes; only numbers of 1, 2, 4 or 8 can be set", path, symbol, s.size);
    if (s.size < 8 && value >> 8 * s.size)
        return error_set(e, "%s: %llu does not fit the %u byte%s of '%s'", path, (unsigned long long)value, s.size,
                         s.size > 1 ? "s" : "", symbol);
    n->settings = memory_resize(n->settings, n->setting_count + 1, sizeof s);
    n->settings[n->setting_count++] = s;
    n->state->starting = 1;
    n->changed = true;
    return true;
}

void node_free(struct node *n)
{
    if (!n)
        return;
    taps_free(n);
    uses_end(n);
    for (size_t i = 0; i < n->machine->pages_count; i++)
        pages_free(n->pages[i]);
    free(n->code_own);
    free(n->heat.burst);
    free(n->settings);
    stops_free(n);
    free(n->pages);
    free(n->arena);
    free(n);
}

/* ---- the loop ---- */

/* Lets the CPU wait out cycles it owes, up to the tick. */
static void wait_stall(struct node *n, uint64_t until)
{
    struct node_state *s = n->state;
    struct clock *c = &s->clocks[CLOCK_CPU];
    if (c->period == CLOCK_ONE) {
        uint64_t gone = until - s->now < s->stall ? until - s->now : s->stall;
        s->stall -= gone;
        s->now += gone;
        return;
    }
    uint64_t from = clock_cycle_at(c, s->now), to = clock_cycle_at(c, until);
    if (clock_tick_of(c, to) < until)
        to++;
    uint64_t cycles = to - from < s->stall ? to - from : s->stall;
    s->stall -= cycles;
    s->now = clock_tick_of(c, from + cycles);
}

/* The CPU has ended for good: time goes on for the devices only, and not for long. */
static void halted_until(struct node *n, uint64_t tick)
{
    struct node_state *s = n->state;
    s->now = tick < s->halt_at ? tick : s->halt_at;
    if (s->now == s->halt_at) {
        s->exit = s->halt_reason;
        s->halt_at = 0;
    }
}

/* Until the firmware reaches main, one instruction at a time; there, variables get their values. */
static void start_up(struct node *n)
{
    if (n->machine->chip->isa->pc(n) == n->machine->main_address) {
        apply_settings(n);
        n->state->starting = 0;
    } else {
        n->horizon = n->state->now + 1;
    }
}

/* The log's device looks at the next instruction, which is then executed alone. False if the run ends there. */
static bool node_unsure(struct node *n)
{
    const struct device *log = n->machine->log;
    assert(log); /* nothing else is unsure */
    log->type->before(n, log);
    if (n->horizon > n->state->now + 1)
        n->horizon = n->state->now + 1;
    return !n->state->exit;
}

/* What comes before instructions: what is due, then an interrupt, or sleep. True if the CPU is to run up to the
 * horizon.
 */
static bool node_prepare(struct node *n, uint64_t until)
{
    const struct isa *isa = n->machine->chip->isa;
    struct node_state *s = n->state;
    n->horizon = 0; /* nothing runs, so nothing needs cutting short */
    n->time = s->now;
    if (n->alarm <= s->now && !s->exit) {
        n->changed = true;
        alarms_run(n);
    }
    events_run(n, s->now);
    n->time = s->now;
    if (s->exit)
        return false;
    if (s->reset_pending) {
        n->changed = true;
        node_reset(n, (enum reset_cause)(s->reset_pending - 1));
        return false;
    }
    if (n->machine->log && !s->stall && !s->asking && !s->halt_at && stops_due(n)) {
        const struct device *log = n->machine->log;
        n->changed = true;
        if (log->type->due(n, log))
            return false;
    }
    if (s->asking && s->stall == 0 && !s->halt_at && isa->interrupt(n)) {
        n->changed = true;
        return false;
    }
    uint64_t next = events_next(n);
    n->horizon = next < until ? next : until;
    if (n->taps && n->taps->cycle_alarms)
        alarms_renew(n);
    uint64_t wait = n->alarm < n->horizon ? n->alarm : n->horizon; /* in instructions, the loop itself pauses there */
    if (s->halt_at) {
        n->changed = true;
        halted_until(n, wait);
        return false;
    }
    if (s->sleeping) { /* a node that only waits for an event is what it was */
        n->changed |= s->asking || n->machine->log;
        if (n->horizon == NEVER)
            node_exit(n, NODE_EXIT_HALT, 0);
        else
            s->now = wait;
        return false;
    }
    n->changed = true;
    if (s->stall) {
        wait_stall(n, wait);
        return false;
    }
    if (s->starting)
        start_up(n);
    if (n->heat.burst && n->horizon > s->now + 1)
        n->horizon = s->now + 1;
    return !n->unsure || node_unsure(n);
}

/* As the next round would begin, where nothing but events is in its way. What else there is to see to, node_prepare
 * does: it finds everything as it was but for the events that are over. */
bool node_goes_on(struct node *n)
{
    struct node_state *s = n->state;
    bool plain = !n->cut && !n->stopped && !n->taps && !n->machine->log && !n->heat.burst && !n->unsure;
    if (!plain || s->now < n->horizon || s->now >= n->until || s->sleeping || s->asking || s->starting)
        return false;
    n->waits_until = 0;
    n->horizon = 0;
    n->executing = false;
    events_run(n, s->now);
    uint64_t next = events_next(n);
    n->horizon = next < n->until ? next : n->until;
    if (s->asking || s->stall || s->exit || s->reset_pending || s->halt_at || n->stopped || n->taps || s->sleeping)
        return false;
    n->cut = false;
    n->executing = true;
    return true;
}

/* One round: what is due, then an interrupt, or sleep, or instructions up to the horizon. */
static void round_until(struct node *n, uint64_t until)
{
    n->waits_until = 0;
    n->until = until;
    bool ready = node_prepare(n, until);
    n->stopped_between = n->stopped;
    if (!ready || n->stopped)
        return;
    n->cut = n->stopped_before = false;
    if (__builtin_expect(n->taps != NULL, 0) && n->taps->code_due)
        code_choose(n);
    n->executing = true;
    n->machine->chip->isa->run(n);
    n->executing = false;
}

/* A node that sleeps, with nothing that could wake it before that time. */
static bool node_dozes(const struct node *n, uint64_t until)
{
    const struct node_state *s = n->state;
    bool at_rest = s->sleeping && !s->asking && !s->reset_pending && !s->halt_at && !s->exit && !n->stopped;
    return at_rest && !n->machine->log && !(n->taps && n->taps->cycle_alarms) && s->now < until && n->alarm >= until &&
           events_next(n) >= until && until != NEVER;
}

/* Nothing but events, sleep and interrupts is to be seen to. */
static bool node_is_plain(const struct node *n)
{
    const struct node_state *s = n->state;
    return !n->taps && !n->machine->log && !s->exit && !s->reset_pending && !s->halt_at && !n->stopped;
}

/* A node that sleeps: on from event to event, until one wakes the CPU and it has entered the handler. Its rounds would
 * come to the same, and look at much that is not there. */
static void node_sleep_on(struct node *n, uint64_t until)
{
    const struct isa *isa = n->machine->chip->isa;
    struct node_state *s = n->state;
    n->waits_until = n->horizon = 0;
    do {
        if (events_next(n) <= s->now) {
            events_run_due(n, s->now);
            if (!node_is_plain(n)) {
                node_prepare(n, until);
                break;
            }
        }
        n->time = s->now;
        uint64_t next = events_next(n);
        if (s->asking && !s->stall && isa->interrupt(n)) {
            n->changed = true;
            if (!s->stall || !node_is_plain(n))
                break;
        } else if (s->sleeping && next < until) {
            n->changed |= s->asking != 0;
            s->now = next;
        } else if (s->stall && !s->sleeping) {
            n->changed = true;
            wait_stall(n, next < until ? next : until);
        } else {
            if (s->sleeping)
                node_prepare(n, until);
            break;
        }
    } while (s->now < until);
    n->stopped_between = n->stopped;
}

enum node_exit node_run(struct node *n, uint64_t until)
{
    if (node_dozes(n, until)) { /* what its rounds would come to */
        n->state->now = n->horizon = until;
        n->stopped_between = false;
    }
    while (n->state->now < until && !n->state->exit && !n->stopped)
        if (n->state->sleeping && node_is_plain(n))
            node_sleep_on(n, until);
        else
            round_until(n, until);
    n->time = n->state->now; /* what is done to the node from outside happens now */
    return (enum node_exit)n->state->exit;
}

enum node_exit node_run_past(struct node *n, uint64_t until, uint64_t past)
{
    n->past = past;
    enum node_exit exit = node_run(n, until);
    n->past = 0;
    return exit;
}

void node_fetch(const struct node *n)
{
    fetch(n, offsetof(struct node, agenda.pending));
    fetch(n->page, 1);
}

void node_fetch_cpu(const struct node *n)
{
    fetch(n->state, 2 * FETCH_LINE); /* and the CPU's clock */
    fetch(&n->state->sleeping, 1);
    fetch(n->cpu, 1);
    fetch(n->data, 2 * FETCH_LINE); /* the CPU's registers */
}

void node_fetch_radio(const struct node *n)
{
    const struct device *radio = n->machine->radio;
    fetch(n->state, sizeof *n->state);
    fetch(n->agenda.pending, 1);
    if (!radio)
        return;
    fetch(device_state(n, radio), 1);
    fetch((struct event_slot *)(n->arena + n->machine->events_offset) + radio->first_event,
          radio->type->events * sizeof(struct event_slot));
}

uint64_t node_next(const struct node *n)
{
    const struct node_state *s = n->state;
    if (s->exit)
        return NEVER;
    bool waits =
        (s->sleeping && !s->asking && !s->reset_pending && !n->machine->log) || s->halt_at; /* a log wakes it */
    if (!waits)
        return s->now;
    uint64_t next = events_next(n);
    return s->halt_at && s->halt_at < next ? s->halt_at : next;
}

uint64_t node_resumes(const struct node *n)
{
    const struct node_state *s = n->state;
    uint64_t next = node_next(n), events = events_next(n);
    bool waits = n->waits_until > s->now && !s->sleeping && !s->asking && !s->stall && !s->reset_pending &&
                 !s->halt_at && !s->exit && !s->starting && !n->stopped && n->alarm == NEVER;
    if (!waits || next != s->now)
        return next;
    uint64_t until = n->waits_until - s->now < n->machine->hz ? n->waits_until : s->now + n->machine->hz;
    return events < until ? events : until;
}

bool node_settle(struct node *n, uint64_t until)
{
    struct node_state *s = n->state;
    bool ready = false;
    while (!s->exit && !ready) {
        bool waits = (s->sleeping && !s->reset_pending) || s->halt_at || s->stall;
        if (waits && s->now >= until)
            break;
        ready = node_prepare(n, s->now < until ? until : s->now + 1);
    }
    n->time = s->now;
    return ready;
}

bool node_ready(struct node *n, uint64_t until)
{
    bool ready = false;
    while (n->state->now < until && !n->state->exit && !ready)
        ready = node_prepare(n, until);
    n->time = n->state->now;
    return ready;
}

enum node_exit node_step(struct node *n)
{
    struct node_state *s = n->state;
    uint64_t instructions = s->instructions, now = s->now;
    while (!s->exit && s->instructions == instructions) {
        bool asleep = s->sleeping || s->halt_at;
        round_until(n, asleep ? NEVER : s->now + 1);
        if (asleep && s->now != now)
            break;
    }
    n->time = s->now;
    return (enum node_exit)s->exit;
}

void node_show(const struct node *n)
{
    if (n->glance.slice)
        n->machine->chip->isa->show((struct node *)(uintptr_t)n);
}

/* ---- what devices ask for ---- */

struct pages *device_pages(const struct node *n, const struct device *d)
{
    assert(d->pages != 0xff);
    return n->pages[d->pages];
}

struct pages *node_program_memory(const struct node *n)
{
    const struct device *d = n->machine->instructions[INSTRUCTION_PROGRAM].device;
    return d && d->pages != 0xff ? device_pages(n, d) : NULL;
}

struct pages *node_eeprom(const struct node *n)
{
    for (size_t i = 0; i < n->machine->device_count; i++) {
        const struct device *d = &n->machine->devices[i];
        if (d->type->memory == MEMORY_EEPROM && d->pages != 0xff)
            return device_pages(n, d);
    }
    return NULL;
}

uint64_t node_ticks(const struct node *n, double seconds)
{
    return (uint64_t)(seconds * (double)n->machine->hz + 0.5);
}

void node_change_clock(struct node *n, unsigned clock, uint64_t period)
{
    clock_set(&n->state->clocks[clock], n->time, period);
    if (n->state->pending[clock])
        events_reclock(n, clock);
    n->cut = true;
}

void node_join_clock(struct node *n, unsigned clock, unsigned with)
{
    clock_join(&n->state->clocks[clock], &n->state->clocks[with], n->time);
    events_reclock(n, with);
    events_reclock(n, clock);
    n->cut = true;
}

/* Interrupts are the log's alone, or may be held. */
static bool node_keeps_line(struct node *n, unsigned line, bool level)
{
    return n->machine->log || holds_take(n, line, level);
}

void node_irq(struct node *n, unsigned line, bool level)
{
    if (__builtin_expect(n->machine->keeps_lines, 0) && node_keeps_line(n, line, level))
        return;
    if (n->machine->chip->isa->line) {
        n->machine->chip->isa->line(n, line, level);
        return;
    }
    if (!interrupts_set(n, line, level) || !level)
        return;
    n->cut = true;
    if (taps_wanted(n, MOTET_ON(INTERRUPT_POST)))
        taps_interrupt_posted(n, line);
}

void node_sleeping(struct node *n, bool asleep)
{
    if (n->state->sleeping == asleep)
        return;
    n->state->sleeping = asleep;
    if (taps_wanted(n, MOTET_ON(SLEEP) | MOTET_ON(WAKE)))
        taps_slept(n, asleep ? MOTET_ON_SLEEP : MOTET_ON_WAKE);
}

void node_request_reset(struct node *n, enum reset_cause cause)
{
    n->state->reset_pending = (uint8_t)(1 + cause);
    n->cut = n->changed = true;
}

void node_halt(struct node *n, enum node_exit why, uint8_t status)
{
    struct node_state *s = n->state;
    if (s->halt_at || s->exit)
        return;
    s->halt_at = n->time + node_ticks(n, 0.020); /* two frames at 1200 baud */
    s->halt_reason = (uint8_t)why;
    s->exit_status = status;
    s->ended_tick = n->time;
    s->ended_cycle = clock_cycle_at(&s->clocks[CLOCK_CPU], n->time);
    n->cut = true;
}

void node_exit(struct node *n, enum node_exit why, uint8_t status)
{
    n->state->exit = (uint8_t)why;
    n->state->exit_status = status;
    n->state->ended_tick = NEVER;
    n->cut = n->changed = true;
}

void node_stall(struct node *n, uint64_t cycles)
{
    n->state->stall += cycles;
    n->cut = true;
}

bool node_report(struct node *n, const struct fault *f)
{
    enum fault_action action = n->fault_action[f->kind];
    if (action == FAULT_DEFAULT)
        action = f->kind == FAULT_UNSPECIFIED ? FAULT_WARN : FAULT_STOP;
    if (action == FAULT_IGNORE)
        return false;
    n->fault = *f;
    n->fault.tick = n->time;
    if (action == FAULT_STOP)
        node_exit(n, NODE_EXIT_FAULT, 0);
    if (n->fault_keeper)
        n->fault_keeper(n->handle, n, &n->fault);
    return action == FAULT_STOP;
}

bool node_fault(struct node *n, enum fault_kind kind, uint32_t pc, uint32_t address, uint32_t value)
{
    uint32_t sp = n->machine->chip->isa->sp(n);
    return node_report(n, &(struct fault){.kind = kind, .pc = pc, .address = address, .value = value, .sp = sp});
}

void node_unspecified(struct node *n, const struct device *d, unsigned which)
{
    uint32_t number = (uint32_t)(d - n->machine->devices);
    node_fault(n, FAULT_UNSPECIFIED, n->machine->chip->isa->pc(n), number, (uint16_t)which);
}

uint32_t node_random(struct node *n)
{
    /* splitmix64: a counter with a good finaliser, so that the state is one word. */
    uint64_t z = n->state->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

bool node_watchdog_runs(const struct node *n)
{
    const struct device *d = n->machine->instructions[INSTRUCTION_WATCHDOG_RESET].device;
    return d && event_pending(n, d, 0);
}
