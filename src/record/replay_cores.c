#include "record/replay_cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/node.h"
#include "node/stops.h"
#include "node/wiring.h"
#include "record/crc.h"
#include "record/replay_places.h"
#include "record/replay_stamps.h"

enum { EVENT_ARM, EVENT_MISSED, EVENT_SILENCE, EVENTS };

/* So long before its cycle the place of an interrupt is looked for, and so long after it is missed. */
enum { CORES_EARLY = 64, CORES_LATE = 64 };

/* Cores that are left without an event: the recorder gives up after so many. And ticks after which none will come. */
enum { CORES_SILENT = 0xffff };
#define CORES_SILENCE (UINT64_C(1) << 34)

/* ---- what the firmware has ---- */

static const struct {
    const char *name;
    enum entry entry;
} cores_entries[] = {
    {"motet_load8", ENTRY_READ8},  {"motet_load16", ENTRY_READ16}, {"motet_load32", ENTRY_POINTER16},
    {"motet_block", ENTRY_BLOCK},  {"motet_boot", ENTRY_BEGIN},    {"motet_wfi", ENTRY_IDLE},
    {"motet_wfe", ENTRY_IDLE},     {"motet_flush", ENTRY_FLUSH},   {"motet_freeze", ENTRY_FREEZE},
    {"motet_enter", ENTRY_VECTOR},
};

static uint32_t cores_symbol(const struct image *image, const char *name, const char *suffix)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", name, suffix);
    const struct image_symbol *s = image_symbol_named(image, whole);
    return s ? s->address & ~1u : 0;
}

bool replay_cores_find(struct replay *r, const struct image *image, struct motet_error *e)
{
    const struct image_symbol *own = image_symbol_named(image, "motet_recorder");
    for (size_t i = 0; i < sizeof cores_entries / sizeof *cores_entries; i++) {
        uint32_t core = cores_symbol(image, cores_entries[i].name, "_core");
        uint32_t end = cores_symbol(image, cores_entries[i].name, "_end");
        if (!core || !end)
            continue; /* the linker leaves out what is not called */
        r->places = memory_resize(r->places, r->place_count + 1, sizeof *r->places);
        r->places[r->place_count++] = (struct place){.address = core, .to = end, .entry = cores_entries[i].entry};
    }
    if (!own || !cores_symbol(image, "motet_boot", "_core"))
        return error_set(e, "%s does not record: it has no motet_boot; build it with motet cc --record",
                         image_path(image));
    size_t length;
    const uint8_t *facts = image_section(image, ".motet.log", 0, &length);
    char text[80] = "";
    unsigned first, end;
    if (facts && length < sizeof text)
        memcpy(text, facts, length);
    if (sscanf(text, "%*x %*x %x %x", &first, &end) != 2)
        return error_set(e, "%s: where its variables are cannot be read; build it again with this motet cc",
                         image_path(image));
    r->first = first;
    r->last = end;
    r->count = own->address;
    r->idle = own->address + own->size;
    return true;
}

/* ---- the log's device ---- */

static const struct replay *cores_config(const struct device *d)
{
    return d->config;
}

static struct replay_cores_state *cores_state(struct node *n, const struct device *d)
{
    return device_state(n, d);
}

static const struct place *cores_place(const struct replay *r, uint32_t pc)
{
    for (size_t i = 0; i < r->place_count; i++)
        if (r->places[i].address == pc)
            return &r->places[i];
    return NULL;
}

static void cores_end(struct node *n, struct replay_cores_state *s, enum replay_end why)
{
    s->all.end = (uint8_t)why;
    node_exit(n, NODE_EXIT_LOG, 0);
}

static void cores_differ(struct node *n, struct replay_cores_state *s, enum replay_difference what)
{
    if (s->all.end)
        return;
    s->all.difference = (uint8_t)what;
    cores_end(n, s, REPLAY_DIFFERS);
}

static void cores_tell_progress(struct node *n, struct replay_cores_state *s)
{
    s->all.decoder.events = s->reader.events;
    s->all.decoder.interrupts = s->reader.interrupts;
    s->all.decoder.at = s->reader.at;
    if (s->all.verified != s->reader.verified)
        s->all.verified_at = n->state->now;
    s->all.verified = s->reader.verified;
}

/* The log ends with a notice, after which it has a check of all that came before. */
static void cores_end_with_notice(struct node *n, const struct device *d, enum replay_end why)
{
    struct replay_cores_state *s = cores_state(n, d);
    struct words_reader after = s->reader;
    words_end(&after, cores_config(d)->part);
    if (after.kind == WORDS_IS_CHANGED) {
        cores_differ(n, s, REPLAY_CHANGED);
        return;
    }
    s->reader.verified = after.verified;
    cores_tell_progress(n, s);
    cores_end(n, s, why);
}

static void cores_tell(struct node *n, const struct device *d, const struct replay_heard *h)
{
    const struct replay *r = cores_config(d);
    if (r->listener)
        r->listener(r->listener_context, n, h);
}

static void cores_connect(const struct device *d, struct wiring *w)
{
    wire_log(w, d);
}

static void cores_set_traps(struct node *n, const struct device *d)
{
    const struct replay *r = cores_config(d);
    const struct replay_cores_state *s = cores_state(n, d);
    for (size_t i = 0; i < r->place_count; i++)
        stops_trap(n, r->places[i].address);
    stops_move_trap(n, s->armed ? s->reader.place.address : UINT32_MAX);
    n->stops->trap_pass = UINT64_MAX;
}

/* ---- the next interrupt ---- */

static void cores_arm(struct node *n, const struct device *d)
{
    struct replay_cores_state *s = cores_state(n, d);
    s->armed = 1;
    stops_move_trap(n, s->reader.place.address);
    n->cut = true;
}

static void cores_disarm(struct node *n, const struct device *d)
{
    struct replay_cores_state *s = cores_state(n, d);
    event_cancel(n, d, EVENT_ARM);
    event_cancel(n, d, EVENT_MISSED);
    if (s->armed)
        stops_move_trap(n, UINT32_MAX);
    s->armed = 0;
}

/* When to look for it: once as many cores were left as the log says. */
static void cores_schedule(struct node *n, const struct device *d)
{
    struct replay_cores_state *s = cores_state(n, d);
    const struct words_place *p = &s->reader.place;
    cores_disarm(n, d);
    bool interrupt = s->reader.kind == WORDS_IS_INTERRUPT;
    if (s->silent > (interrupt ? p->count : CORES_SILENT))
        cores_differ(n, s, REPLAY_NEVER_COMES);
    if (s->all.end || !interrupt || s->silent != p->count)
        return;
    uint64_t due = s->left + p->cycles - n->machine->chip->isa->cores->constant;
    if (due > stamp_now(n) + CORES_EARLY)
        event_at(n, d, EVENT_ARM, CLOCK_CPU, due - CORES_EARLY);
    else
        cores_arm(n, d);
    event_at(n, d, EVENT_MISSED, CLOCK_CPU, due + CORES_LATE);
}

/* Whether it comes here; *chained: right after another. */
static bool cores_comes(const struct node *n, const struct replay_cores_state *s, bool *chained)
{
    const struct words_place *p = &s->reader.place;
    const struct isa *isa = n->machine->chip->isa;
    if (!s->armed || isa->pc(n) != (p->address & ~1u) || isa->cores->frame(n) != p->sp)
        return false;
    uint64_t since = stamp_now(n) - s->left + isa->cores->constant;
    *chained = since == (uint64_t)p->cycles + isa->cores->chained && isa->cores->returned(n);
    return since == p->cycles || *chained;
}

static void cores_go_on(struct node *n, const struct device *d);

static void cores_raise(struct node *n, const struct device *d, bool chained)
{
    struct replay_cores_state *s = cores_state(n, d);
    const struct isa *isa = n->machine->chip->isa;
    unsigned vector = s->reader.place.vector;
    const struct replay *r = cores_config(d);
    interrupts_set(n, vector, true);
    if (!isa->interrupt(n) || isa->cores->exception(n) != vector) {
        interrupts_set(n, vector, false);
        cores_differ(n, s, REPLAY_NOT_ACCEPTED);
        return;
    }
    s->left += chained ? isa->cores->chained : 0;
    s->silent = 0;
    s->fresh = 1;
    cores_tell(n, d, &(struct replay_heard){.kind = REPLAY_HEARD_INTERRUPT, .vector = vector});
    words_take(&s->reader, r->part);
    cores_go_on(n, d);
    /* The next comes after the core of the stub that begins now, unless it came before its first instruction. */
    const struct words_place *next = &s->reader.place;
    if (s->reader.kind == WORDS_IS_INTERRUPT && (next->address != isa->pc(n) || next->sp != isa->cores->frame(n)))
        cores_disarm(n, d);
}

/* An event has been taken: what comes next. */
static void cores_go_on(struct node *n, const struct device *d)
{
    struct replay_cores_state *s = cores_state(n, d);
    cores_tell_progress(n, s);
    switch ((enum words_kind)s->reader.kind) {
    case WORDS_IS_END: cores_end(n, s, REPLAY_LOG_ENDED); break;
    case WORDS_IS_LOST: cores_end_with_notice(n, d, REPLAY_GAP); break;
    case WORDS_IS_DAMAGED: cores_differ(n, s, REPLAY_BAD_LOG); break;
    case WORDS_IS_CHANGED: cores_differ(n, s, REPLAY_CHANGED); break;
    default: cores_schedule(n, d);
    }
    if (!s->silent)
        event_in(n, d, EVENT_SILENCE, CLOCK_TICK, CORES_SILENCE);
}

static void cores_event(struct node *n, const struct device *d, unsigned which)
{
    if (which == EVENT_ARM)
        cores_arm(n, d);
    else
        cores_differ(n, cores_state(n, d), REPLAY_NEVER_COMES);
}

static void cores_acknowledge(struct node *n, const struct device *d, unsigned line)
{
    (void)d;
    interrupts_set(n, line, false);
}

/* ---- cores ---- */

static void cores_other_event(struct node *n, const struct device *d, const struct place *p)
{
    struct replay_cores_state *s = cores_state(n, d);
    s->all.asked = (uint8_t)p->entry;
    if (s->reader.kind == WORDS_IS_END) /* found only when what it has was asked for */
        cores_end(n, s, REPLAY_LOG_ENDED);
    else
        cores_differ(n, s, s->reader.kind == WORDS_IS_DAMAGED ? REPLAY_BAD_LOG : REPLAY_OTHER_EVENT);
}

static bool cores_fill(struct node *n, const struct device *d, uint32_t address, uint32_t size)
{
    struct replay_cores_state *s = cores_state(n, d);
    const struct region *ram = n->machine->ram;
    uint32_t at = address - ram->first;
    if (address < ram->first || at > ram->size || size > ram->size - at)
        return false;
    uint8_t *bytes = n->data + ram->backing + at;
    if (!words_block(&s->reader, cores_config(d)->part, bytes, size))
        return false;
    cores_tell(n, d, &(struct replay_heard){.kind = REPLAY_HEARD_BLOCK, .site = address, .size = size, .bytes = bytes});
    return true;
}

/* As motet_boot_work() does: the check of the variables, and all memory that is not initialised is cleared. */
static bool cores_begin(struct node *n, const struct device *d, uint32_t *result)
{
    const struct replay *r = cores_config(d);
    struct replay_cores_state *s = cores_state(n, d);
    const struct isa *isa = n->machine->chip->isa;
    const struct region *ram = n->machine->ram;
    uint8_t *data = n->data + ram->backing;
    uint32_t first = r->first - ram->first, last = r->last - ram->first, own = r->count - ram->first,
             after = r->idle - ram->first, sp = isa->sp(n) - ram->first;
    if (s->reader.kind != WORDS_IS_BEGIN || first > own || own > after || after > last || last > ram->size ||
        sp > ram->size)
        return false;
    if (crc16(crc16(0, data + first, own - first), data + after, last - after) != s->reader.begin) {
        cores_differ(n, s, REPLAY_OTHER_MEMORY);
        return true;
    }
    memset(data, 0, sp < first ? sp : first);
    uint32_t end = sp >= last ? sp : ram->size;
    memset(data + last, 0, end - last);
    s->all.begun = 1;
    *result = isa->cores->vectors(n);
    words_take(&s->reader, r->part);
    cores_tell(n, d, &(struct replay_heard){.kind = REPLAY_HEARD_BEGIN});
    return true;
}

static bool cores_load(struct node *n, const struct device *d, const struct place *p, uint32_t *result)
{
    struct replay_cores_state *s = cores_state(n, d);
    uint32_t address = n->machine->chip->isa->argument(n, 0), value;
    if (!words_read(&s->reader, cores_config(d)->part, address, &value))
        return false;
    cores_tell(n, d, &(struct replay_heard){.kind = REPLAY_HEARD_READ, .site = address, .value = value});
    *result = p->entry == ENTRY_READ8 ? (uint8_t)value : p->entry == ENTRY_READ16 ? (uint16_t)value : value;
    return true;
}

/* True if the log has what the core does. */
static bool cores_answer(struct node *n, const struct device *d, const struct place *p, uint32_t *result)
{
    struct replay_cores_state *s = cores_state(n, d);
    const struct isa *isa = n->machine->chip->isa;
    *result = 0;
    switch (p->entry) {
    case ENTRY_VECTOR: /* of one that was interrupted before its first instruction: recorded already */
        s->silent += !s->fresh;
        s->fresh = 0;
        return true;
    case ENTRY_IDLE:
    case ENTRY_FLUSH: s->silent++; return true;
    case ENTRY_BEGIN: return cores_begin(n, d, result);
    case ENTRY_BLOCK: return cores_fill(n, d, isa->argument(n, 0), isa->argument(n, 1));
    case ENTRY_FREEZE: return s->reader.kind == WORDS_IS_FROZEN;
    default: return cores_load(n, d, p, result);
    }
}

static void cores_pass(struct node *n, const struct device *d, const struct place *p)
{
    struct replay_cores_state *s = cores_state(n, d);
    uint64_t before = s->reader.events;
    uint32_t result;
    if (!s->all.begun && p->entry != ENTRY_BEGIN) {
        cores_differ(n, s, REPLAY_NOT_BEGUN);
        return;
    }
    if (!cores_answer(n, d, p, &result)) {
        cores_other_event(n, d, p);
        return;
    }
    if (p->entry == ENTRY_FREEZE) {
        cores_end_with_notice(n, d, REPLAY_FROZEN);
        return;
    }
    if (s->reader.events != before)
        s->silent = 0;
    n->machine->chip->isa->cores->leave(n, p->to, result);
    s->left = stamp_now(n);
    if (!s->all.end)
        cores_go_on(n, d);
}

static bool cores_due(struct node *n, const struct device *d)
{
    struct replay_cores_state *s = cores_state(n, d);
    const struct place *p = cores_place(cores_config(d), n->machine->chip->isa->pc(n));
    bool chained;
    if (s->all.end)
        return true;
    if (n->state->sleeping) { /* only SLEEPONEXIT leads here */
        cores_differ(n, s, REPLAY_OTHER_EVENT);
    } else if (cores_comes(n, s, &chained)) {
        cores_raise(n, d, chained);
    } else if (p) {
        cores_pass(n, d, p);
    } else {
        n->stops->trap_pass = n->state->instructions;
        return false;
    }
    return true;
}

/* A register of a device was read outside a core, or program memory written. */
static void cores_touched(struct node *n, const struct device *d, uint32_t address, unsigned size, bool write)
{
    struct replay_cores_state *s = cores_state(n, d);
    (void)size;
    if (s->all.end)
        return;
    s->unrecorded = address;
    s->writes = write;
    cores_differ(n, s, REPLAY_UNRECORDED);
}

static void cores_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct replay_cores_state *s = cores_state(n, d);
    if (cause != RESET_POWER_ON) {
        cores_end(n, s, REPLAY_RESET);
        return;
    }
    memset(s, 0, sizeof *s);
    words_begin(&s->reader, cores_config(d)->part);
    cores_set_traps(n, d);
}

static void cores_restored(struct node *n, const struct device *d)
{
    cores_set_traps(n, d);
}

const struct device_type replay_cores_type = {
    .name = "log",
    .state_size = sizeof(struct replay_cores_state),
    .events = EVENTS,
    .connect = cores_connect,
    .reset = cores_reset,
    .event = cores_event,
    .acknowledge = cores_acknowledge,
    .due = cores_due,
    .touched = cores_touched,
    .restored = cores_restored,
};

/* ---- in words ---- */

static void cores_has(const struct node *n, const struct replay_cores_state *s, char *text, size_t size)
{
    static const char *const kinds[] = {"its end",     "a read",   "",      "memory that hardware filled",
                                        "a beginning", "a freeze", "a gap", "nothing that could be an event",
                                        "a check"};
    const struct words_place *p = &s->reader.place;
    char place[200];
    if (s->reader.kind == WORDS_IS_INTERRUPT)
        snprintf(text, size, "exception %u at %s, %u cycles on", p->vector,
                 image_place(n->machine->image, p->address & ~1u, place, sizeof place), p->cycles);
    else
        snprintf(text, size, "%s", kinds[s->reader.kind]);
}

void replay_cores_explain(const struct node *n, char *text, size_t size)
{
    const struct replay_cores_state *s = device_state(n, n->machine->log);
    char has[400], place[200];
    unsigned long long events = s->reader.events;
    cores_has(n, s, has, sizeof has);
    image_place(n->machine->image, n->machine->chip->isa->pc(n), place, sizeof place);
    text[0] = 0;
    switch ((enum replay_difference)s->all.difference) {
    case REPLAY_OTHER_EVENT:
        if (n->state->sleeping)
            snprintf(text, size, "the CPU sleeps at the end of a handler (SLEEPONEXIT), which is not recorded");
        else
            snprintf(text, size, "after event %llu the log has %s, but execution is at %s", events, has, place);
        break;
    case REPLAY_NOT_ACCEPTED:
        snprintf(text, size, "after event %llu the log has %s, where the CPU accepts none", events, has);
        break;
    case REPLAY_NEVER_COMES:
        snprintf(text, size,
                 "after event %llu the log has %s, and execution is not there in that cycle (now at %s): the place is "
                 "not certain",
                 events, has, place);
        break;
    case REPLAY_UNRECORDED:
        if (s->writes)
            snprintf(text, size, "the firmware writes program memory at 0x%x, which is not recorded, near %s",
                     (unsigned)s->unrecorded, place);
        else
            snprintf(text, size,
                     "this read was not recorded: register 0x%x, near %s; compile that code with motet cc, and read "
                     "registers through volatile pointers",
                     (unsigned)s->unrecorded, place);
        break;
    default: break;
    }
}
