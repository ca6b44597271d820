/* indirect: calls through pointers that do not lead to the beginning of a function. */
#include "monitor/functions.h"
#include "monitor/handler.h"
#include "monitor/records.h"

struct indirect {
    struct records records;
    const struct monitor_site *site;
    struct functions functions;
};

static const char *const columns[] = {"caller", "target", "address", NULL};

/* A direct call has its target in the instruction: an address, a distance or a number. */
static bool indirect_is(const motet_machine *m, uint32_t from)
{
    struct motet_instruction i;
    if (!motet_machine_instruction(m, from, &i))
        return false;
    const char *operand = strchr(i.text, ' ');
    return !operand || (operand[1] != '.' && operand[1] != '#' && strncmp(operand + 1, "0x", 2) != 0);
}

/* Also a jump to a function, as linkers put it where a pointer is too short. */
static bool indirect_to_function(const struct indirect *x, uint32_t to)
{
    uint32_t through = handler_behind(x->site->machine, to);
    return x->functions.list[functions_at(&x->functions, to)].address == to ||
           (through != to && x->functions.list[functions_at(&x->functions, through)].address == through);
}

static void indirect_called(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct indirect *x = context;
    char caller[256], target[256];
    (void)n;
    if (indirect_to_function(x, h->call.to) || !indirect_is(x->site->machine, h->call.from))
        return;
    motet_machine_place(x->site->machine, h->call.from, caller, sizeof caller);
    motet_machine_place(x->site->machine, h->call.to, target, sizeof target);
    records_add(&x->records, monitor_time(x->site, h->tick), "%s calls %s, where no function begins", caller, target);
    records_text(&x->records, caller);
    records_text(&x->records, target);
    records_integer(&x->records, h->call.to);
}

static void *indirect_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct indirect *x = memory_new(sizeof *x);
    (void)e;
    x->site = site;
    functions_make(&x->functions, site->machine);
    records_begin(&x->records, site, "indirect", columns);
    if (x->functions.count > 1) /* else the file names none */
        motet_hook(site->node, MOTET_ON(CALL), indirect_called, x);
    return x;
}

static void indirect_end(void *state)
{
    struct indirect *x = state;
    functions_free(&x->functions);
    records_end(&x->records);
    free(x);
}

static const struct monitor_format formats[] = {RECORD_FORMATS, {NULL, NULL, NULL, false}};

extern const struct monitor monitor_indirect;
const struct monitor monitor_indirect = {
    .name = "indirect",
    .about = "calls through pointers to where no function begins",
    .formats = formats,
    .attach = indirect_attach,
    .free = indirect_end,
    .together = records_write,
};
