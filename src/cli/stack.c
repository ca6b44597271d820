/* motet stack: how deep a firmware's stack can get. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "firmware.h"
#include "json.h"
#include "memory.h"
#include "sentence.h"

enum { CALLS = 256 }; /* that can be given */

struct stack_options {
    struct motet_options machine;
    bool json;
    struct motet_pointer_call calls[CALLS];
    size_t call_count;
    char *texts[CALLS]; /* that their names are in */
    size_t text_count;
};

static bool cli_stack_set_json(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct stack_options *)into)->json = true;
}

static bool cli_stack_set_calls(void *into, const char *text, struct motet_error *e)
{
    struct stack_options *o = into;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return sentence(e, "--calls: '%s' is not of the form CALLER=FUNCTION,FUNCTION", text);
    if (o->text_count == CALLS)
        return sentence(e, "--calls can be given %d times at most", CALLS);
    char *names = o->texts[o->text_count++] = cli_text(text, strlen(text)), *rest = names + (equals - text);
    *rest++ = 0;
    for (char *name = strtok_r(rest, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (o->call_count == CALLS)
            return sentence(e, "--calls can name %d functions at most", CALLS);
        o->calls[o->call_count++] = (struct motet_pointer_call){names, name};
    }
    return true;
}

static const struct option options[] = {
    FIRMWARE_BOARD,
    {"calls", "CALLER=FUNCTION,...",
     "the calls through pointers in the function CALLER lead to these functions only; may be given several times",
     cli_stack_set_calls},
    {"json", NULL, "prints the result as one JSON object", cli_stack_set_json},
    {NULL, NULL, NULL, NULL},
};

/* ---- words ---- */

static const char *cli_stack_place(const motet_machine *m, uint32_t address, char text[256])
{
    return motet_machine_place(m, address, text, 256);
}

static const char *cli_stack_doubt_name(enum motet_doubt_kind kind)
{
    switch (kind) {
    case MOTET_DOUBT_RECURSION: return "recursion";
    case MOTET_DOUBT_GROWS: return "growing loop";
    case MOTET_DOUBT_STACK_POINTER: return "stack pointer";
    case MOTET_DOUBT_OTHER_STACK: return "other stack";
    case MOTET_DOUBT_RETURN: return "return";
    default: return "unknown target";
    }
}

static const char *cli_stack_doubt_sentence(enum motet_doubt_kind kind)
{
    switch (kind) {
    case MOTET_DOUBT_GROWS: return "a loop leaves more on the stack each time";
    case MOTET_DOUBT_STACK_POINTER:
        return "the stack pointer gets a value that the code does not show (alloca, a variable-length array, longjmp, "
               "a switch of threads)";
    case MOTET_DOUBT_OTHER_STACK: return "the stack pointer moves to another stack, which is not analysed";
    case MOTET_DOUBT_RETURN: return "a function returns with another stack pointer than it was called with";
    default: return "a call or jump through a pointer, and there is no function whose address is known to be taken";
    }
}

static void cli_stack_print_cycle(const motet_machine *m, const struct motet_doubt *d)
{
    char place[256];
    for (size_t i = 0; i < d->cycle_count; i++)
        printf("%s -> ", cli_stack_place(m, d->cycle[i], place));
    printf("%s\n", cli_stack_place(m, d->cycle[0], place));
}

/* ---- as text ---- */

static void cli_stack_print_verdict(const struct motet_stack *s)
{
    char room[64] = "", bytes[64];
    if (s->room)
        snprintf(room, sizeof room, " of %" PRIu32, s->room);
    snprintf(bytes, sizeof bytes, "%" PRIu32 "%s bytes", s->bytes, room);
    switch (s->verdict) {
    case MOTET_STACK_FITS: printf("fits: at most %s; %" PRIu32 " are left\n", bytes, s->room - s->bytes); break;
    case MOTET_STACK_OVERFLOWS:
        printf("may overflow: up to %s; %" PRIu32 " too many\n", bytes, s->bytes - s->room);
        break;
    case MOTET_STACK_UNBOUNDED: printf("unbounded: %s without what repeats\n", bytes); break;
    default: printf("unknown: %s, as far as the code shows\n", bytes); break;
    }
}

static void cli_stack_print_room(const struct motet_stack *s)
{
    if (s->room)
        printf("The stack begins at 0x%04" PRIx32 "; variables end at 0x%04" PRIx32 ".%s\n", s->top, s->variables_end,
               s->heap ? " What malloc takes in between is not counted." : "");
    else if (!s->variables_end)
        printf("The stack begins at 0x%04" PRIx32 "; the file does not say where variables end.\n", s->top);
    else
        printf("The stack begins at 0x%04" PRIx32 ", which is not above the variables in RAM.\n", s->top);
}

static void cli_stack_print_chain(const motet_machine *m, const motet_analysis *a)
{
    struct motet_stack_level l;
    char place[256];
    printf("\n%6s  deepest chain\n", "bytes");
    for (size_t i = 0; motet_analysis_level(a, i, &l); i++) {
        printf("%6" PRIu32 "  %s%s", l.bytes, i ? "" : "reset: ", cli_stack_place(m, l.at, place));
        if (l.jumped)
            printf(", jumped to from %s", l.jumped);
        if (l.interrupt != MOTET_NO_INTERRUPT)
            printf("  <- interrupt %" PRIu32, l.interrupt);
        printf("\n");
    }
}

static void cli_stack_print_entries(const motet_machine *m, const motet_analysis *a, const struct motet_stack *s)
{
    struct motet_stack_entry e;
    char place[256];
    printf("\n%6s  %-15s  entry point\n", "bytes", "interrupts on");
    for (size_t i = 0; motet_analysis_entry(a, i, &e); i++) {
        char open[32] = "never";
        if (e.opens)
            snprintf(open, sizeof open, "up to %" PRIu32, e.open);
        printf("%6" PRIu32 "  %-15s  ", e.bytes, open);
        if (e.interrupt == MOTET_NO_INTERRUPT)
            printf("reset");
        else
            printf("interrupt %" PRIu32 ": %s", e.interrupt, cli_stack_place(m, e.address, place));
        if (e.others)
            printf(", also of %u other%s", e.others, e.others == 1 ? "" : "s");
        printf("\n");
    }
    if (s->unused_vectors)
        printf("%u other vector%s: a restart or an endless loop\n", s->unused_vectors,
               s->unused_vectors == 1 ? "" : "s");
}

static void cli_stack_print_nesting(const motet_machine *m, const motet_analysis *a, const struct motet_stack *s)
{
    struct motet_stack_entry e;
    char place[256];
    if (s->nests)
        printf("A more urgent interrupt is taken in a handler: each handler is counted once, as if all were nested.\n");
    for (size_t i = 1; !s->nests && motet_analysis_entry(a, i, &e); i++)
        if (e.opens)
            printf("%s turns interrupts on: others can interrupt it. It is counted once; the bound does not hold if it "
                   "interrupts itself.\n",
                   cli_stack_place(m, e.address, place));
}

static void cli_stack_print_indirect(const motet_machine *m, const motet_analysis *a)
{
    uint32_t at, function;
    char place[256];
    if (!motet_analysis_indirect(a, 0, &at))
        return;
    printf("\nCalls through pointers:\n");
    for (size_t i = 0; motet_analysis_indirect(a, i, &at); i++)
        printf("  %s\n", cli_stack_place(m, at, place));
    printf("Each may lead to any function whose address is taken, unless --calls says otherwise:\n");
    for (size_t i = 0; motet_analysis_taken(a, i, &function); i++)
        printf("  %s\n", cli_stack_place(m, function, place));
}

static void cli_stack_print_doubts(const motet_machine *m, const motet_analysis *a)
{
    struct motet_doubt d;
    char place[256];
    for (size_t i = 0; motet_analysis_doubt(a, i, &d); i++) {
        printf("%s%s: ", i ? "" : "\n", cli_stack_place(m, d.at, place));
        if (d.kind != MOTET_DOUBT_RECURSION) {
            printf("%s\n", cli_stack_doubt_sentence(d.kind));
            continue;
        }
        printf(d.indirect ? "recursion, if a pointer leads there: " : "recursion: ");
        cli_stack_print_cycle(m, &d);
    }
}

static void cli_stack_print(const motet_machine *m, const motet_analysis *a, const struct motet_stack *s)
{
    cli_stack_print_verdict(s);
    cli_stack_print_room(s);
    cli_stack_print_nesting(m, a, s);
    cli_stack_print_doubts(m, a);
    cli_stack_print_chain(m, a);
    cli_stack_print_entries(m, a, s);
    cli_stack_print_indirect(m, a);
}

/* ---- as JSON ---- */

static const char *cli_stack_verdict_name(enum motet_stack_verdict v)
{
    static const char *const names[] = {"fits", "overflows", "unbounded", "unknown"};
    return names[v];
}

static void cli_stack_json_place(const motet_machine *m, const char *name, uint32_t address)
{
    char place[256];
    printf("\"%s\": ", name);
    json_print(cli_stack_place(m, address, place));
}

static void cli_stack_json_function(const char *key, const char *name)
{
    printf("\"%s\": ", key);
    if (name)
        json_print(name);
    else
        printf("null");
}

static void cli_stack_json_interrupt(uint32_t interrupt)
{
    if (interrupt == MOTET_NO_INTERRUPT)
        printf("\"interrupt\": null");
    else
        printf("\"interrupt\": %" PRIu32, interrupt);
}

static void cli_stack_json_chain(const motet_machine *m, const motet_analysis *a)
{
    struct motet_stack_level l;
    printf(", \"chain\": [");
    for (size_t i = 0; motet_analysis_level(a, i, &l); i++) {
        printf("%s{\"bytes\": %" PRIu32 ", ", i ? ", " : "", l.bytes);
        cli_stack_json_function("function", l.name);
        printf(", ");
        cli_stack_json_place(m, "at", l.at);
        printf(", ");
        cli_stack_json_interrupt(l.interrupt);
        if (l.jumped) {
            printf(", ");
            cli_stack_json_function("jumped_from", l.jumped);
        }
        printf("}");
    }
    printf("]");
}

static void cli_stack_json_entries(const motet_analysis *a)
{
    struct motet_stack_entry e;
    printf(", \"entries\": [");
    for (size_t i = 0; motet_analysis_entry(a, i, &e); i++) {
        printf("%s{", i ? ", " : "");
        cli_stack_json_interrupt(e.interrupt);
        printf(", ");
        cli_stack_json_function("function", e.name);
        printf(", \"bytes\": %" PRIu32 ", \"interrupts_on\": ", e.bytes);
        if (e.opens)
            printf("%" PRIu32, e.open);
        else
            printf("null");
        if (e.others)
            printf(", \"others\": %u", e.others);
        printf("}");
    }
    printf("]");
}

static void cli_stack_json_doubts(const motet_machine *m, const motet_analysis *a)
{
    struct motet_doubt d;
    char place[256];
    printf(", \"doubts\": [");
    for (size_t i = 0; motet_analysis_doubt(a, i, &d); i++) {
        printf("%s{\"kind\": \"%s\", ", i ? ", " : "", cli_stack_doubt_name(d.kind));
        cli_stack_json_place(m, "at", d.at);
        if (d.kind == MOTET_DOUBT_RECURSION) {
            printf(", \"indirect\": %s, \"cycle\": [", d.indirect ? "true" : "false");
            for (size_t k = 0; k < d.cycle_count; k++) {
                printf("%s", k ? ", " : "");
                json_print(cli_stack_place(m, d.cycle[k], place));
            }
            printf("]");
        }
        printf("}");
    }
    printf("]");
}

static void cli_stack_json_indirect(const motet_machine *m, const motet_analysis *a)
{
    uint32_t address;
    char place[256];
    printf(", \"indirect\": [");
    for (size_t i = 0; motet_analysis_indirect(a, i, &address); i++) {
        printf("%s", i ? ", " : "");
        json_print(cli_stack_place(m, address, place));
    }
    printf("], \"taken\": [");
    for (size_t i = 0; motet_analysis_taken(a, i, &address); i++) {
        printf("%s", i ? ", " : "");
        json_print(cli_stack_place(m, address, place));
    }
    printf("]");
}

static void cli_stack_json(const motet_machine *m, const motet_analysis *a, const struct motet_stack *s)
{
    printf("{\"verdict\": \"%s\", \"bytes\": %" PRIu32 ", \"top\": %" PRIu32, cli_stack_verdict_name(s->verdict),
           s->bytes, s->top);
    if (s->room)
        printf(", \"room\": %" PRIu32, s->room);
    if (s->variables_end)
        printf(", \"variables_end\": %" PRIu32, s->variables_end);
    printf(", \"heap\": %s", s->heap ? "true" : "false");
    cli_stack_json_chain(m, a);
    cli_stack_json_entries(a);
    cli_stack_json_doubts(m, a);
    cli_stack_json_indirect(m, a);
    printf("}\n");
}

static int cli_stack_analyse(const motet_machine *m, const struct stack_options *o)
{
    struct motet_error e = {""};
    struct motet_stack s;
    motet_analysis *a = motet_analysis_new(m, o->calls, o->call_count, &e);
    if (!a)
        return complain("%s", e.text);
    motet_analysis_stack(a, &s);
    (o->json ? cli_stack_json : cli_stack_print)(m, a, &s);
    motet_analysis_free(a);
    return s.verdict == MOTET_STACK_FITS ? 0 : STATUS_FAULT;
}

static int cli_stack_run(const struct verb *v, int argc, char **argv)
{
    struct stack_options o = {.machine = MOTET_OPTIONS_DEFAULT};
    struct motet_error e = {""};
    const char *file;
    int status;
    if (options_parse(v, argc, argv, &o, &file, 1, &status)) {
        motet_machine *m = motet_machine_load(file, &o.machine, &e);
        status = m ? cli_stack_analyse(m, &o) : complain("%s", e.text);
        motet_machine_free(m);
    }
    for (size_t i = 0; i < o.text_count; i++)
        free(o.texts[i]);
    return status;
}

extern const struct verb verb_stack;
const struct verb verb_stack = {
    .name = "stack",
    .operands = "FILE",
    .about = "bound a firmware's stack, without running it",
    .more = "Works out from the code how deep the stack can get, over all paths and with interrupts, and whether that "
            "fits between the variables and the end of RAM. Prints the deepest chain of calls. Exit status 0 means "
            "that the stack fits; 1, that it does not, or that the code does not show it.",
    .options = options,
    .run = cli_stack_run,
};
