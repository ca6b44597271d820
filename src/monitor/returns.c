/* returns: who overwrites return addresses.
 *
 * Each call and interrupt leaves a return address on the stack, which nothing writes until it is taken back. A write to
 * one is reported with the instruction that writes and the function that will return to a wrong place. What lies below
 * the stack pointer is free: a push there is none of it.
 */
#include "monitor/calls.h"
#include "monitor/records.h"

struct returns {
    struct records records;
    const struct monitor_site *site;
    struct motet_stack_use use;
    struct calls calls;
    uint32_t first, size; /* of RAM */
    uint16_t *frames;     /* of each byte of RAM: the call whose return address it is a part of, plus 1 */
};

static const char *const columns[] = {"writer", "victim", "address", "old", "value", NULL};

/* The bytes of the return address of the call on top. */
static uint32_t returns_slot(const struct returns *r)
{
    const struct call *top = calls_top(&r->calls);
    return top->sp + r->use.gap + (top->line == CALLS_NO_LINE ? 0 : r->use.interrupt);
}

static void returns_set(struct returns *r, size_t frame)
{
    uint32_t slot = returns_slot(r) - r->first;
    for (unsigned i = 0; i < r->use.return_size; i++)
        if (slot + i < r->size)
            r->frames[slot + i] = (uint16_t)frame;
}

static void returns_begun(void *context, struct calls *c)
{
    struct returns *r = context;
    if (c->count == 1) /* a reset */
        memset(r->frames, 0, r->size * sizeof *r->frames);
    else if (!calls_top(c)->tail && c->count < UINT16_MAX)
        returns_set(r, c->count);
}

static void returns_ending(void *context, struct calls *c)
{
    struct returns *r = context;
    if (c->count > 1 && !calls_top(c)->tail)
        returns_set(r, 0);
}

static void returns_written(void *context, const motet_node *n, const struct motet_access *a)
{
    struct returns *r = context;
    char writer[256], victim[256];
    unsigned i = 0;
    while (i < a->size && (a->address + i - r->first >= r->size || !r->frames[a->address + i - r->first]))
        i++;
    if (i == a->size || a->address + i < motet_node_sp(n) + r->use.gap || a->value == a->old)
        return;
    size_t frame = r->frames[a->address + i - r->first];
    if (frame > r->calls.count)
        return;
    const struct call *call = &r->calls.list[frame - 1];
    motet_machine_place(r->site->machine, a->pc, writer, sizeof writer);
    snprintf(victim, sizeof victim, "%s", calls_name(&r->calls, call));
    records_add(&r->records, monitor_time(r->site, motet_node_now(n)),
                "%s overwrites the return address of %s at 0x%04" PRIx32 ": 0x%02" PRIx32 " becomes 0x%02" PRIx32,
                writer, victim, a->address, a->old, a->value);
    records_text(&r->records, writer);
    records_text(&r->records, victim);
    records_integer(&r->records, a->address);
    records_integer(&r->records, a->old);
    records_integer(&r->records, a->value);
}

static void *returns_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct returns *r = memory_new(sizeof *r);
    struct motet_firmware f;
    (void)e;
    motet_machine_firmware(site->machine, &f);
    r->site = site;
    r->use = motet_machine_stack_use(site->machine);
    r->first = f.ram_start;
    r->size = f.ram_size;
    r->frames = memory_array(r->size, sizeof *r->frames);
    records_begin(&r->records, site, "returns", columns);
    calls_follow(&r->calls, site->node, returns_begun, returns_ending, r);
    motet_watch(site->node, r->first, r->first + r->size - 1, MOTET_WRITE | MOTET_BEFORE, returns_written, r);
    return r;
}

static void returns_end(void *state)
{
    struct returns *r = state;
    calls_free(&r->calls);
    records_end(&r->records);
    free(r->frames);
    free(r);
}

static const struct monitor_format formats[] = {RECORD_FORMATS, {NULL, NULL, NULL, false}};

extern const struct monitor monitor_returns;
const struct monitor monitor_returns = {
    .name = "returns",
    .about = "who overwrites return addresses on the stack, and whose",
    .formats = formats,
    .attach = returns_attach,
    .free = returns_end,
    .together = records_write,
};
