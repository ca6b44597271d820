/* What a user sees while nodes run: output of their ports, traces, faults, what scripts say, how far the run is.
 *
 * A node that is the only one shows everything as it happens. Of several nodes lines are gathered in their threads and
 * printed in one order while nothing runs (lines.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "pace.h"
#include "stage.h"
#include "terminal.h"
#include "trace.h"

/* ---- one text at a time ---- */

void show_progress_end(struct stage *s)
{
    if (s->progress_shown)
        fprintf(stderr, "\r\033[K");
    s->progress_shown = false;
}

void show_progress(struct stage *s)
{
    double now = pace_clock(), simulated = (double)motet_network_now(s->network) / (double)MOTET_SECOND;
    if (!s->progress || now - s->progress_at < 0.25)
        return;
    s->progress_at = now;
    s->progress_shown = true;
    fprintf(stderr, "\r\033[Kmotet: %.1f s simulated, %.1f times as fast as real time", simulated,
            simulated / (now - s->started));
    fflush(stderr);
}

void show_line_end(struct stage *s)
{
    if (ports_within_line(s->ports) && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
        fputc('\n', stderr);
}

/* What was sent so far gets out before standard error says something. */
static void show_text(const struct seat *seat, uint64_t time, const char *text, bool of_its_own)
{
    struct stage *s = seat->stage;
    if (!*text)
        return;
    if (s->named) {
        lines_say(s->lines, seat->number, time, text);
        return;
    }
    show_progress_end(s);
    if (!ports_flush(s->ports, &s->error))
        s->broken = true;
    if (of_its_own)
        show_line_end(s);
    fputs(text, stderr);
}

void show_pending(struct stage *s, bool at_end)
{
    if (!s->named)
        return;
    if (lines_waiting(s->lines) || at_end)
        show_progress_end(s);
    lines_print(s->lines, at_end);
}

/* ---- observers, in the node's thread ---- */

static uint64_t show_time(const struct seat *seat, const motet_node *n, uint64_t tick)
{
    return motet_network_time(seat->stage->network, n, tick);
}

static struct trace_place show_place(const struct seat *seat, const motet_node *n, uint64_t tick)
{
    return (struct trace_place){n, show_time(seat, n, tick), .named = seat->stage->named};
}

static void show_pin(void *context, const motet_node *n, uint64_t tick, unsigned pin, bool level)
{
    const struct seat *seat = context;
    char text[TRACE_TEXT];
    trace_pin(text, seat->trace, show_place(seat, n, tick), pin, level);
    show_text(seat, show_time(seat, n, tick), text, false);
}

static void show_reset(void *context, const motet_node *n, uint64_t tick, const char *cause)
{
    const struct seat *seat = context;
    char text[TRACE_TEXT];
    trace_reset(text, seat->trace, show_place(seat, n, tick), cause);
    show_text(seat, show_time(seat, n, tick), text, false);
}

static void show_part(void *context, const motet_node *n, const struct motet_happened *h)
{
    const struct seat *seat = context;
    char text[TRACE_TEXT];
    trace_part(text, seat->trace, show_place(seat, n, h->tick), h->part.name,
               h->part.report ? h->part.report : h->part.doing);
    show_text(seat, show_time(seat, n, h->tick), text, false);
}

static void show_frame(const struct seat *seat, const motet_node *n, uint64_t tick, unsigned line, unsigned frame)
{
    char text[TRACE_TEXT];
    trace_serial(text, seat->trace, show_place(seat, n, tick), line, frame);
    show_text(seat, show_time(seat, n, tick), text, false);
}

/* A node that is booted again begins at tick 0 again: what counts is the time of the network. */
static bool show_is_new(struct seat *seat, uint64_t time, unsigned line)
{
    if (!seat->stage->again)
        return true;
    if (line >= RUN_LINES || time < seat->shown[line])
        return false;
    seat->shown[line] = time + 1;
    return true;
}

static void show_serial(void *context, const motet_node *n, uint64_t tick, unsigned line, unsigned frame)
{
    struct seat *seat = context;
    struct stage *s = seat->stage;
    uint64_t time = show_time(seat, n, tick);
    if (seat->trace & TRACE_SERIAL)
        show_frame(seat, n, tick, line, frame);
    if (frame & MOTET_FRAME_BREAK || !show_is_new(seat, time, line))
        return;
    if (s->scenario)
        motet_scenario_heard(s->scenario, seat->number, line, (uint8_t)frame);
    if (ports_put(s->ports, seat->number, line, (uint8_t)frame))
        return;
    if (s->o->view || (line != motet_machine_terminal(motet_node_machine(n)) && line != MOTET_CONSOLE))
        return;
    if (s->named) {
        lines_put(s->lines, seat->number, motet_node_id(n), time, (uint8_t)frame);
        return;
    }
    putchar((int)(frame & 0xff));
    if (frame == '\n')
        fflush(stdout);
}

static bool show_is_explained(struct seat *seat, const struct motet_fault *f)
{
    for (unsigned i = 0; i < seat->explained_count; i++)
        if (seat->explained[i].pc == f->pc && seat->explained[i].kind == f->kind)
            return true;
    if (seat->explained_count == STAGE_FAULTS)
        return true;
    if (!seat->explained)
        seat->explained = cli_array(STAGE_FAULTS, sizeof *seat->explained);
    seat->explained[seat->explained_count++] = (struct seat_fault){f->pc, f->kind};
    return false;
}

static void show_fault(void *context, const motet_node *n, const struct motet_fault *f)
{
    struct seat *seat = context;
    struct colours c = terminal_colours();
    char why[8192], text[sizeof why + 100], name[24] = "";
    seat->faults++;
    if (show_is_explained(seat, f))
        return;
    motet_node_explain(n, f, why, sizeof why);
    size_t title = strcspn(why, "\n");
    if (seat->stage->named)
        snprintf(name, sizeof name, "node %" PRIu32 ": ", motet_node_id(n));
    snprintf(text, sizeof text, "motet: %s%s%.*s%s%s", name, c.bad, (int)title, why, c.off, why + title);
    show_text(seat, show_time(seat, n, f->tick), text, true);
}

void show_said(void *context, const motet_node *n, uint64_t tick, const char *line)
{
    const struct seat *seat = context;
    char text[4096], name[16] = "";
    if (seat->stage->named)
        snprintf(name, sizeof name, "%" PRIu32 ": ", motet_node_id(n));
    snprintf(text, sizeof text, "%s%.4000s\n", name, line);
    show_text(seat, show_time(seat, n, tick), text, true);
}

/* ---- putting them on ---- */

static unsigned show_traced(const struct run_options *o, uint32_t id)
{
    unsigned what = 0;
    for (size_t i = 0; i < o->trace_count; i++)
        what |= which_is(o->traces[i].which, id) ? o->traces[i].what : 0;
    return what;
}

/* What is given for every node first, so that what is given for one counts. */
void show_set_faults(const struct run_options *o, motet_node *n)
{
    for (unsigned one = 0; one < 2; one++)
        for (size_t i = 0; i < o->fault_count; i++) {
            const struct fault_option *f = &o->faults[i];
            for (unsigned k = f->first; f->which.one == one && which_is(f->which, motet_node_id(n)) && k <= f->last;
                 k++)
                motet_node_on_fault(n, (enum motet_fault_kind)k, f->action);
        }
}

void stage_observe(struct stage *s)
{
    size_t count = motet_network_count(s->network);
    s->seats = cli_array(count, sizeof *s->seats);
    s->lines = lines_new(count);
    for (size_t i = 0; i < count; i++) {
        motet_node *n = motet_network_at(s->network, i);
        unsigned trace = show_traced(s->o, motet_node_id(n));
        s->seats[i] = (struct seat){.stage = s, .number = i, .trace = trace};
        struct motet_observer observer = {
            .context = &s->seats[i],
            .pin = trace & (TRACE_LEDS | TRACE_PINS) ? show_pin : NULL,
            .serial = show_serial,
            .fault = s->again && !s->explains ? NULL : show_fault,
            .reset = trace & TRACE_RESETS ? show_reset : NULL,
        };
        motet_node_observe(n, &observer);
        if (trace & TRACE_PARTS)
            motet_hook(n, MOTET_ON(PART), show_part, &s->seats[i]);
        show_set_faults(s->o, n);
    }
}
