/* How a run went, for a person and as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "memory.h"
#include "motet/log.h"
#include "run.h"
#include "sentence.h"

const char *run_reason_name(enum run_reason r)
{
    static const char *const names[] = {
        [RUN_TIME] = "time", [RUN_INTERRUPTED] = "interrupted", [RUN_FAULT] = "fault",  [RUN_FIRMWARE] = "exit",
        [RUN_HALT] = "halt", [RUN_ENOUGH] = "script",           [RUN_BROKEN] = "error",
    };
    return names[r];
}

/* How far the firmware has come: devices that went on sending after its end do not count. */
static void progress_of(const motet_node *n, uint64_t *ticks, uint64_t *cycles)
{
    if (motet_node_ended(n, ticks, cycles))
        return;
    *ticks = motet_node_now(n);
    *cycles = motet_node_cycles(n);
}

static double seconds_of(const motet_node *n, uint64_t ticks)
{
    return (double)ticks / (double)motet_machine_hz(motet_node_machine(n));
}

void run_summarise(const struct run_options *o, const motet_node *n, const struct run_result *r)
{
    static const char *const reasons[] = {
        [RUN_TIME] = "time limit reached",
        [RUN_INTERRUPTED] = "interrupted",
        [RUN_FAULT] = "stopped at the fault",
        [RUN_FIRMWARE] = "the firmware ended the run",
        [RUN_HALT] = "the firmware has stopped for good, nothing can wake it",
        [RUN_ENOUGH] = "a script ended the run",
        [RUN_BROKEN] = "broken off",
    };
    uint64_t ticks, cycles;
    progress_of(n, &ticks, &cycles);
    char digest[MOTET_DIGEST_TEXT];
    if (!o->quiet) {
        fprintf(stderr, "motet: %s", reasons[r->reason]);
        if (r->reason == RUN_FIRMWARE)
            fprintf(stderr, " with status %u", motet_node_exit_status(n));
        fprintf(stderr, "; %.6f s simulated in %.3f s", seconds_of(n, ticks), r->wall_seconds);
        fprintf(stderr, ", %" PRIu64 " cycles, %" PRIu64 " instructions", cycles, motet_node_instructions(n));
        if (motet_node_resets(n))
            fprintf(stderr, ", %" PRIu32 " reset%s", motet_node_resets(n), motet_node_resets(n) > 1 ? "s" : "");
        fprintf(stderr, "\n");
    }
    if (o->digest) {
        motet_node_digest(n, digest);
        fprintf(stderr, "motet: digest %s\n", digest);
    }
}

/* ---- JSON ---- */

static void print_member(const char *name, const char *text)
{
    printf(", \"%s\": ", name);
    json_string(text);
}

static void print_fault(const motet_node *n, const struct motet_fault *f)
{
    const motet_machine *m = motet_node_machine(n);
    char text[8192];
    printf(", \"fault\": {\"kind\": ");
    json_string(motet_fault_name(f->kind));
    print_member("place", motet_machine_place(m, f->pc, text, sizeof text));
    printf(", \"pc\": %" PRIu32 ", \"address\": %" PRIu32 ", \"sp\": %" PRIu32 ", \"value\": %" PRIu32, f->pc,
           f->address, f->sp, f->value);
    if (f->kind == MOTET_FAULT_TRAP)
        print_member("cause", motet_trap_name(f->cause));
    if (f->kind == MOTET_FAULT_TRAP && f->bound)
        printf(", \"index\": %" PRId64 ", \"bound\": %" PRIu32, f->index, f->bound);
    printf(", \"tick\": %" PRIu64 ", \"time\": %.9f", f->tick, (double)f->tick / (double)motet_machine_hz(m));
    motet_node_explain(n, f, text, sizeof text);
    print_member("explanation", text);
    putchar('}');
}

bool run_save_flash(const struct run_options *o, const motet_node *n, uint32_t id, struct motet_error *e)
{
    for (size_t i = 0; i < o->node_flash_count; i++) {
        const struct node_flash *f = &o->node_flash[i];
        if (f->id != id)
            continue;
        size_t size = motet_node_flash(n, NULL, 0);
        if (!size)
            return sentence(e, "--save-flash: the board has no serial flash memory");
        FILE *file = fopen(f->path, "wb");
        if (!file)
            return sentence(e, "cannot write %s: %s", f->path, strerror(errno));
        void *bytes = cli_array(size, 1);
        motet_node_flash(n, bytes, size);
        bool written = fwrite(bytes, 1, size, file) == size;
        written = fclose(file) == 0 && written;
        free(bytes);
        if (!written)
            return sentence(e, "cannot write %s: %s", f->path, strerror(errno));
    }
    return true;
}

void run_json(const struct run_options *o, const motet_node *n, const struct run_result *r)
{
    const motet_machine *m = motet_node_machine(n);
    const struct motet_fault *fault = motet_node_fault(n);
    char digest[MOTET_DIGEST_TEXT];
    uint64_t ticks, cycles;
    progress_of(n, &ticks, &cycles);
    motet_node_digest(n, digest);
    printf("{\"firmware\": ");
    json_string(o->file);
    print_member("board", motet_machine_board(m));
    print_member("chip", motet_machine_chip(m));
    printf(", \"hz\": %" PRIu64 ", \"seed\": %" PRIu64, motet_machine_hz(m), o->seed);
    printf(", \"time\": %.9f, \"ticks\": %" PRIu64, seconds_of(n, ticks), ticks);
    printf(", \"cycles\": %" PRIu64 ", \"instructions\": %" PRIu64, cycles, motet_node_instructions(n));
    printf(", \"wall_time\": %.6f", r->wall_seconds);
    print_member("digest", digest);
    print_member("exit_reason", run_reason_name(r->reason));
    printf(", \"exit_status\": %u", r->reason == RUN_FIRMWARE ? motet_node_exit_status(n) : 0);
    printf(", \"resets\": %" PRIu32 ", \"faults\": %lu", motet_node_resets(n), r->faults);
    if (fault)
        print_fault(n, fault);
    else
        printf(", \"fault\": null");
    printf("}\n");
}
