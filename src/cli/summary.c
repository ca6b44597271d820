/* How a run went, for a person and as JSON. */
#include <inttypes.h>
#include <stdio.h>

#include "json.h"
#include "stage.h"

const char *run_reason_name(enum run_reason r)
{
    static const char *const names[] = {
        [RUN_TIME] = "time", [RUN_INTERRUPTED] = "interrupted", [RUN_FAULT] = "fault",    [RUN_FIRMWARE] = "exit",
        [RUN_HALT] = "halt", [RUN_SCRIPT] = "script",           [RUN_SCENARIO] = "ended", [RUN_BROKEN] = "error",
    };
    return names[r];
}

/* How far the firmware of a node has come: devices that went on sending after its end do not count. */
static void summary_reached(const motet_node *n, uint64_t *ticks, uint64_t *cycles)
{
    if (motet_node_ended(n, ticks, cycles))
        return;
    *ticks = motet_node_now(n);
    *cycles = motet_node_cycles(n);
}

/* When the run was over: where nodes ended it, the end of the last of them. */
static double summary_seconds(const struct stage *s, const struct result *r)
{
    uint64_t end = 0, tick, cycles;
    bool by_nodes = r->reason == RUN_FIRMWARE || r->reason == RUN_HALT || r->reason == RUN_FAULT;
    for (size_t i = 0; by_nodes && i < motet_network_count(s->network); i++) {
        const motet_node *n = motet_network_at(s->network, i);
        bool counts = r->reason != RUN_FAULT || motet_node_exit(n) == MOTET_EXIT_FAULT;
        bool ended = motet_node_ended(n, &tick, &cycles);
        uint64_t time = ended ? motet_network_time(s->network, n, tick) : motet_network_now(s->network);
        end = counts && time > end ? time : end;
    }
    return (double)(by_nodes ? end : motet_network_now(s->network)) / (double)MOTET_SECOND;
}

/* The first that is not 0, by the order of nodes. */
static unsigned summary_status(const struct stage *s)
{
    for (size_t i = 0; i < motet_network_count(s->network); i++) {
        const motet_node *n = motet_network_at(s->network, i);
        if (motet_node_exit(n) == MOTET_EXIT_FIRMWARE && motet_node_exit_status(n))
            return motet_node_exit_status(n);
    }
    return 0;
}

static void summary_reason(const struct stage *s, const struct result *r, bool alone)
{
    static const char *const reasons[] = {
        [RUN_TIME] = "time limit reached",
        [RUN_INTERRUPTED] = "interrupted",
        [RUN_FAULT] = "stopped at the fault",
        [RUN_FIRMWARE] = "all nodes have ended",
        [RUN_HALT] = "all nodes sleep for good",
        [RUN_SCRIPT] = "a script ended the run",
        [RUN_SCENARIO] = "the scenario ended the run",
        [RUN_BROKEN] = "broken off",
    };
    if (alone && r->reason == RUN_FIRMWARE)
        fprintf(stderr, "motet: the firmware ended the run with status %u", summary_status(s));
    else if (alone && r->reason == RUN_HALT)
        fprintf(stderr, "motet: the firmware has stopped for good, nothing can wake it");
    else
        fprintf(stderr, "motet: %s", reasons[r->reason]);
}

static void summary_of_node(const motet_node *n)
{
    uint64_t ticks, cycles;
    uint32_t resets = motet_node_resets(n);
    summary_reached(n, &ticks, &cycles);
    fprintf(stderr, ", %" PRIu64 " cycles, %" PRIu64 " instructions", cycles, motet_node_instructions(n));
    if (resets)
        fprintf(stderr, ", %" PRIu32 " reset%s", resets, resets > 1 ? "s" : "");
}

static const char *summary_stack_check(const motet_node *n)
{
    struct motet_firmware f;
    motet_machine_firmware(motet_node_machine(n), &f);
    return f.ram_used_by;
}

/* For each firmware once. */
static void summary_unchecked_stacks(const motet_network *network)
{
    for (size_t i = 0; i < motet_network_count(network); i++) {
        const motet_node *n = motet_network_at(network, i);
        size_t first = 0;
        while (motet_node_machine(motet_network_at(network, first)) != motet_node_machine(n))
            first++;
        if (first == i && !summary_stack_check(n))
            fprintf(stderr,
                    "motet: %s: the stack was not checked against variables, since nothing says where they end; an "
                    "ELF file does\n",
                    motet_machine_path(motet_node_machine(n)));
    }
}

void summary_print(const struct stage *s, const struct result *r)
{
    size_t nodes = motet_network_count(s->network);
    char digest[MOTET_DIGEST_TEXT];
    struct motet_report report;
    if (!s->o->quiet) {
        summary_reason(s, r, nodes == 1);
        if (nodes > 1)
            fprintf(stderr, "; %zu nodes, ", nodes);
        else
            fprintf(stderr, "; ");
        fprintf(stderr, "%.6f s simulated in %.3f s", summary_seconds(s, r), r->wall_seconds);
        if (nodes == 1)
            summary_of_node(motet_network_at(s->network, 0));
        if (nodes > 1 || motet_network_transmissions(s->network))
            fprintf(stderr, ", %" PRIu64 " transmissions", motet_network_transmissions(s->network));
        fprintf(stderr, "\n");
        for (size_t i = 0; s->scenario && motet_scenario_report(s->scenario, i, &report); i++)
            fprintf(stderr, "motet: %s = %.9g\n", report.name, report.value);
        summary_unchecked_stacks(s->network);
    }
    if (s->o->digest) {
        motet_network_digest(s->network, digest);
        fprintf(stderr, "motet: digest %s\n", digest);
    }
}

/* ---- JSON ---- */

static void summary_member(const char *name, const char *text)
{
    printf(", \"%s\": ", name);
    json_print(text);
}

static void summary_fault(const motet_network *network, const motet_node *n, const struct motet_fault *f)
{
    const motet_machine *m = motet_node_machine(n);
    char text[8192];
    printf(", \"fault\": {\"kind\": ");
    json_print(motet_fault_name(f->kind));
    summary_member("place", motet_machine_place(m, f->pc, text, sizeof text));
    printf(", \"pc\": %" PRIu32 ", \"address\": %" PRIu32 ", \"sp\": %" PRIu32 ", \"value\": %" PRIu32, f->pc,
           f->address, f->sp, f->value);
    if (f->kind == MOTET_FAULT_TRAP)
        summary_member("cause", motet_trap_name(f->cause));
    if (f->kind == MOTET_FAULT_TRAP && f->bound)
        printf(", \"index\": %" PRId64 ", \"bound\": %" PRIu32, f->index, f->bound);
    printf(", \"tick\": %" PRIu64 ", \"time\": %.9f", f->tick,
           (double)motet_network_time(network, n, f->tick) / (double)MOTET_SECOND);
    motet_node_explain(n, f, text, sizeof text);
    summary_member("explanation", text);
    putchar('}');
}

/* A node that has not ended was ended by what ended the run. */
static enum run_reason summary_node_reason(const motet_node *n, enum run_reason of_run)
{
    switch (motet_node_exit(n)) {
    case MOTET_EXIT_FAULT: return RUN_FAULT;
    case MOTET_EXIT_FIRMWARE: return RUN_FIRMWARE;
    case MOTET_EXIT_HALT: return RUN_HALT;
    default: return of_run;
    }
}

static void summary_node(const struct stage *s, size_t number, enum run_reason of_run)
{
    const motet_node *n = motet_network_at(s->network, number);
    const motet_machine *m = motet_node_machine(n);
    const struct motet_fault *fault = motet_node_fault(n);
    enum run_reason reason = summary_node_reason(n, of_run);
    uint64_t ticks, cycles;
    summary_reached(n, &ticks, &cycles);
    printf("%s{\"id\": %" PRIu32, number ? ", " : "", motet_node_id(n));
    summary_member("firmware", motet_machine_path(m));
    summary_member("board", motet_machine_board(m));
    summary_member("chip", motet_machine_chip(m));
    printf(", \"hz\": %" PRIu64 ", \"ticks\": %" PRIu64 ", \"cycles\": %" PRIu64 ", \"instructions\": %" PRIu64,
           motet_machine_hz(m), ticks, cycles, motet_node_instructions(n));
    summary_member("exit_reason", run_reason_name(reason));
    printf(", \"exit_status\": %u, \"resets\": %" PRIu32 ", \"faults\": %lu",
           reason == RUN_FIRMWARE ? motet_node_exit_status(n) : 0, motet_node_resets(n), s->seats[number].faults);
    if (batteries_empty(s->batteries, number) != MOTET_NEVER)
        printf(", \"battery_empty\": %.9f", (double)batteries_empty(s->batteries, number) / (double)MOTET_SECOND);
    if (summary_stack_check(n))
        summary_member("stack_check", summary_stack_check(n));
    else
        printf(", \"stack_check\": null");
    if (fault)
        summary_fault(s->network, n, fault);
    else
        printf(", \"fault\": null");
    putchar('}');
}

/* What a scenario reported. */
static void summary_reports(const struct stage *s)
{
    struct motet_report r;
    if (!s->scenario)
        return;
    printf(", \"reports\": {");
    for (size_t i = 0; motet_scenario_report(s->scenario, i, &r); i++)
        printf("%s\"%s\": %.17g", i ? ", " : "", r.name, r.value);
    printf("}");
}

void summary_json(const struct stage *s, const struct result *r)
{
    size_t count = motet_network_count(s->network);
    char digest[MOTET_DIGEST_TEXT];
    unsigned long faults = 0;
    uint64_t instructions = 0;
    for (size_t i = 0; i < count; i++) {
        faults += s->seats[i].faults;
        instructions += motet_node_instructions(motet_network_at(s->network, i));
    }
    motet_network_digest(s->network, digest);
    printf("{\"seed\": %" PRIu64 ", \"time\": %.9f, \"wall_time\": %.6f", s->o->seed, summary_seconds(s, r),
           r->wall_seconds);
    printf(", \"instructions\": %" PRIu64 ", \"transmissions\": %" PRIu64, instructions,
           motet_network_transmissions(s->network));
    printf(", \"digest\": \"%s\", \"exit_reason\": \"%s\", \"exit_status\": %u", digest, run_reason_name(r->reason),
           summary_status(s));
    printf(", \"faults\": %lu, \"checks_failed\": %zu, \"nodes\": [", faults, r->checks_failed);
    for (size_t i = 0; i < count; i++)
        summary_node(s, i, r->reason);
    printf("]");
    summary_reports(s);
    printf("}\n");
}
