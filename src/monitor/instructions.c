/* instructions: every instruction that was executed, with its time, place and what it changed in registers. */
#include <strings.h>

#include "monitor/functions.h"
#include "monitor/monitor.h"

enum { REGISTERS = 64 };

struct record {
    uint64_t time; /* nanoseconds */
    uint32_t pc;
    uint32_t changes; /* the number of changed registers that follow it */
};

struct change {
    uint32_t number, value;
};

struct instructions {
    struct monitor_site site;
    uint64_t limit, from, missed;
    uint32_t first, last;
    bool registers;
    unsigned register_count;
    unsigned counter; /* the number of the program counter, which every instruction changes */
    uint32_t values[REGISTERS];
    struct spool records;  /* each with its changes */
    size_t count;          /* with the last one, */
    struct record pending; /* which is not among them yet: what it changes is not known before it was executed */
    struct change changes[REGISTERS];
};

static void put_pending(struct instructions *t)
{
    if (!t->count)
        return;
    spool_add(&t->records, &t->pending, sizeof t->pending);
    spool_add(&t->records, t->changes, t->pending.changes * sizeof *t->changes);
}

static void note_changes(struct instructions *t, const motet_node *n)
{
    for (unsigned i = 0; i < t->register_count && t->pending.changes < REGISTERS; i++) {
        uint32_t value = motet_node_register(n, i);
        if (value == t->values[i] || i == t->counter)
            continue;
        t->values[i] = value;
        t->changes[t->pending.changes++] = (struct change){i, value};
    }
}

static void instructions_executed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct instructions *t = context;
    uint64_t time = monitor_time(&t->site, motet_node_now(n));
    if (time < t->from)
        return;
    if (t->count == t->limit && !after) {
        t->missed++;
        return;
    }
    if (after) { /* of the record that was begun before it */
        if (t->count && t->pending.pc == pc && !t->missed)
            note_changes(t, n);
        return;
    }
    for (unsigned i = 0; t->registers && i < t->register_count; i++)
        t->values[i] = motet_node_register(n, i);
    put_pending(t);
    t->count++;
    t->pending = (struct record){.time = time, .pc = pc};
}

static bool instructions_set_up(struct instructions *t, struct motet_error *e)
{
    const char *name = monitor_option(&t->site, "function"), *registers = monitor_option(&t->site, "registers");
    const char *register_name;
    unsigned size;
    t->last = UINT32_MAX;
    t->limit = 100000;
    t->counter = REGISTERS;
    if (!monitor_number(&t->site, "limit", &t->limit, e) || !monitor_nanoseconds(&t->site, "from", &t->from, e))
        return false;
    if (registers && strcmp(registers, "yes") != 0 && strcmp(registers, "no") != 0)
        return monitor_sentence(e, "registers=%.40s: choose yes or no", registers);
    t->registers = registers && strcmp(registers, "yes") == 0;
    while (t->register_count < REGISTERS &&
           motet_machine_register(t->site.machine, t->register_count, &register_name, &size)) {
        if (strcasecmp(register_name, "pc") == 0)
            t->counter = t->register_count;
        t->register_count++;
    }
    if (!name)
        return true;
    struct functions functions;
    if (!motet_machine_find(t->site.machine, name, &t->first, 1, e))
        return false;
    functions_make(&functions, t->site.machine);
    t->last = functions.list[functions_at(&functions, t->first)].end - 1;
    functions_free(&functions);
    return true;
}

static void instructions_end(void *state)
{
    struct instructions *t = state;
    spool_end(&t->records);
    free(t);
}

static void *instructions_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct instructions *t = memory_new(sizeof *t);
    t->site = *site;
    spool_begin(&t->records, site->spool);
    if (!instructions_set_up(t, e)) {
        instructions_end(t);
        return NULL;
    }
    motet_probe(site->node, t->first, t->last, MOTET_BEFORE | (t->registers ? MOTET_AFTER : 0), instructions_executed,
                t);
    return t;
}

static void instructions_finish(void *state)
{
    put_pending(state);
}

static bool next_instruction(struct spool_reader *reader, struct record *r, struct change changes[REGISTERS])
{
    return spool_read(reader, r, sizeof *r) && spool_read(reader, changes, r->changes * sizeof *changes);
}

static const char *register_name_of(const struct instructions *t, uint32_t number, unsigned *size)
{
    const char *name = "?";
    motet_machine_register(t->site.machine, number, &name, size);
    return name;
}

static void instructions_write_text(void *state, FILE *out)
{
    const struct instructions *t = state;
    struct spool_reader reader;
    struct record r;
    struct change changes[REGISTERS];
    spool_reader_begin(&reader, &t->records);
    while (next_instruction(&reader, &r, changes)) {
        struct motet_instruction in = {.text = ""};
        uint64_t time = r.time;
        char place[256];
        motet_machine_instruction(t->site.machine, r.pc, &in);
        fprintf(out, "%3" PRIu64 ".%09" PRIu64 " %6" PRIx32 ": %-24s", time / MOTET_SECOND, time % MOTET_SECOND, r.pc,
                in.text);
        for (uint32_t k = 0; k < r.changes; k++) {
            unsigned size = 1;
            const char *name = register_name_of(t, changes[k].number, &size);
            fprintf(out, " %s=0x%0*" PRIx32, name, (int)(2 * size), changes[k].value);
        }
        fprintf(out, " ; %s\n", motet_machine_place(t->site.machine, r.pc, place, sizeof place));
    }
    spool_reader_end(&reader);
    if (t->missed)
        fprintf(out, "... and %" PRIu64 " more; see the options limit, from and function\n", t->missed);
}

static void instructions_write_json(void *state, FILE *out)
{
    const struct instructions *t = state;
    struct spool_reader reader;
    struct record r;
    struct change changes[REGISTERS];
    const char *comma = "";
    fprintf(out, ", \"instructions\": [");
    spool_reader_begin(&reader, &t->records);
    for (; next_instruction(&reader, &r, changes); comma = ", ") {
        struct motet_instruction in = {.text = ""};
        motet_machine_instruction(t->site.machine, r.pc, &in);
        fprintf(out, "%s{\"time\": %.9f, \"pc\": %" PRIu32 ", \"text\": ", comma, (double)r.time / 1e9, r.pc);
        monitor_json_string(out, in.text);
        for (uint32_t k = 0; k < r.changes; k++) {
            unsigned size;
            fprintf(out, "%s\"%s\": %" PRIu32, k ? ", " : ", \"registers\": {",
                    register_name_of(t, changes[k].number, &size), changes[k].value);
        }
        fprintf(out, "%s}", r.changes ? "}" : "");
    }
    spool_reader_end(&reader);
    fprintf(out, "], \"missed\": %" PRIu64, t->missed);
}

static const struct motet_monitor_option options[] = {
    {"function", "NAME", "only the instructions of this function"},
    {"registers", "yes", "also the registers that each changes"},
    {"from", "TIME", "leaves out what comes before: 10ms, 1.5s, @N for a tick"},
    {"limit", "N", "keeps so many instructions of a node, by default 100000"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    {"text", "a line for each instruction", instructions_write_text, false},
    {"json", "the same for machines", instructions_write_json, false},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_instructions;
const struct monitor monitor_instructions = {
    .name = "instructions",
    .about = "every instruction that was executed, with its time and place",
    .options = options,
    .formats = formats,
    .attach = instructions_attach,
    .finish = instructions_finish,
    .free = instructions_end,
};
