/* registers: every access of the firmware to a register of a device, with its time, value and place. */
#include <strings.h>

#include "monitor/monitor.h"

enum { OTHERS = 64 };

struct record {
    uint64_t time; /* nanoseconds */
    const char *name;
    uint32_t pc;
    uint32_t address, value, old;
    uint8_t size;
    bool write;
    uint8_t unused[6]; /* so that it has no bytes without a value */
};

struct registers {
    struct monitor_site site;
    const char *only;
    bool writes, reads;
    uint64_t limit, from, missed;
    struct spool records;
    size_t count;
    const char *others[OTHERS]; /* registers that were accessed, but not asked for */
    size_t other_count;
};

static void note_other(struct registers *t, const char *name)
{
    for (size_t i = 0; i < t->other_count; i++)
        if (t->others[i] == name)
            return;
    if (name && t->other_count < OTHERS)
        t->others[t->other_count++] = name;
}

/* A register of two bytes is asked for by its own name, or by that of one of its bytes. */
static bool monitor_registers_wanted(const char *only, const char *name)
{
    size_t length = strlen(only), whole = strlen(name);
    bool half = whole == length + 1 && strchr("LH", name[length]);
    return strncasecmp(only, name, length) == 0 && (whole == length || half);
}

static void monitor_registers_accessed(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct registers *t = context;
    const struct motet_access *a = &h->access;
    (void)n;
    uint64_t time = monitor_time(&t->site, h->tick);
    if (time < t->from || !(a->write ? t->writes : t->reads))
        return;
    if (t->only && !monitor_registers_wanted(t->only, a->name ? a->name : "")) {
        note_other(t, a->name);
        return;
    }
    if (t->count == t->limit) {
        t->missed++;
        return;
    }
    struct record r = {.time = time,
                       .name = a->name ? a->name : "",
                       .pc = a->pc,
                       .address = a->address,
                       .value = a->value,
                       .old = a->old,
                       .size = a->size,
                       .write = a->write};
    spool_add(&t->records, &r, sizeof r);
    t->count++;
}

static void monitor_registers_end(void *state)
{
    struct registers *t = state;
    spool_end(&t->records);
    free(t);
}

static void *monitor_registers_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct registers *t = memory_new(sizeof *t);
    const char *access = monitor_option(site, "access");
    bool known = !access || strcmp(access, "read") == 0 || strcmp(access, "write") == 0;
    t->site = *site;
    spool_begin(&t->records, site->spool);
    t->limit = 1000000;
    t->only = monitor_option(site, "name");
    t->reads = !access || strcmp(access, "read") == 0;
    t->writes = !access || strcmp(access, "write") == 0;
    if (!known)
        monitor_sentence(e, "access=%.40s: choose read or write", access);
    if (!known || !monitor_number(site, "limit", &t->limit, e) || !monitor_nanoseconds(site, "from", &t->from, e)) {
        monitor_registers_end(t);
        return NULL;
    }
    motet_hook(site->node, MOTET_ON(REGISTER), monitor_registers_accessed, t);
    return t;
}

static void monitor_registers_write_text(void *state, FILE *out)
{
    const struct registers *t = state;
    struct spool_reader reader;
    struct record r;
    spool_reader_begin(&reader, &t->records);
    while (spool_read(&reader, &r, sizeof r)) {
        uint64_t time = r.time;
        char place[256];
        fprintf(out, "%3" PRIu64 ".%09" PRIu64 " %s 0x%04x %-8s 0x%0*x", time / MOTET_SECOND, time % MOTET_SECOND,
                r.write ? "write" : "read ", r.address, r.name, 2 * r.size, r.value);
        if (r.write)
            fprintf(out, " (was 0x%0*x)", 2 * r.size, r.old);
        fprintf(out, " ; %s\n", motet_machine_place(t->site.machine, r.pc, place, sizeof place));
    }
    spool_reader_end(&reader);
    if (t->only && !t->count) {
        fprintf(out, "no access to a register '%s'%s", t->only, t->other_count ? "; there were some to" : "");
        for (size_t i = 0; i < t->other_count; i++)
            fprintf(out, "%s %s", i ? "," : "", t->others[i]);
        fprintf(out, "\n");
    }
    if (t->missed)
        fprintf(out, "... and %" PRIu64 " more; see the options limit, from, name and access\n", t->missed);
}

static void monitor_registers_write_json(void *state, FILE *out)
{
    const struct registers *t = state;
    struct spool_reader reader;
    struct record r;
    const char *comma = "";
    fprintf(out, ", \"accesses\": [");
    spool_reader_begin(&reader, &t->records);
    for (; spool_read(&reader, &r, sizeof r); comma = ", ") {
        fprintf(out, "%s{\"time\": %.9f, \"access\": \"%s\", \"address\": %u, \"name\": ", comma, (double)r.time / 1e9,
                r.write ? "write" : "read", r.address);
        monitor_json_string(out, r.name);
        fprintf(out, ", \"value\": %u, \"old\": %u, \"size\": %u, \"pc\": %" PRIu32 "}", r.value, r.old, r.size, r.pc);
    }
    spool_reader_end(&reader);
    fprintf(out, "], \"missed\": %" PRIu64, t->missed);
}

static void monitor_registers_write_csv(void *state, FILE *out)
{
    const struct registers *t = state;
    fprintf(out, "node,nanosecond,access,address,name,value,old,size,pc\n");
    struct spool_reader reader;
    struct record r;
    spool_reader_begin(&reader, &t->records);
    while (spool_read(&reader, &r, sizeof r))
        fprintf(out, "%" PRIu32 ",%" PRIu64 ",%s,%u,%s,%u,%u,%u,%" PRIu32 "\n", motet_node_id(t->site.node), r.time,
                r.write ? "write" : "read", r.address, r.name, r.value, r.old, r.size, r.pc);
    spool_reader_end(&reader);
}

static const struct motet_monitor_option options[] = {
    {"name", "REGISTER", "only this register"},
    {"access", "KIND", "only read, or only write"},
    {"from", "TIME", "leaves out what comes before: 10ms, 1.5s, @N for a tick"},
    {"limit", "N", "keeps so many accesses of a node, by default 1000000"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    {"text", "a line for each access", monitor_registers_write_text, false},
    {"json", "the same for machines", monitor_registers_write_json, false},
    {"csv", "the same as a table", monitor_registers_write_csv, true},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_registers;
const struct monitor monitor_registers = {
    .name = "registers",
    .about = "every read and write of a device's register by the firmware",
    .options = options,
    .formats = formats,
    .attach = monitor_registers_attach,
    .free = monitor_registers_end,
};
