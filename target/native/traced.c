/* The feeder of a trace: replays the traced functions of a firmware, natively, with the values that it noted in RAM
 * (target/trace/tracer.c, docs/slices.md).
 *
 * A function that was entered from outside is called here with its arguments and the table's cells as they were. What
 * it calls inside runs; in place of a skipped function its result and its changes of the table are given; handlers come
 * after the same number of references. Invariant: the program goes on only while each event it makes is the next of the
 * trace, and each cell that nothing outside writes has the node's value wherever control comes from outside; at the
 * violation all cells have. Else it says what differs, and ends with status 1.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum kind { STOP, ENTERED, BACK, VALUE, INTERRUPT, CHANGED, END, CALLED, LEFT, SETTLED };
enum writes { SHARED, OWN, INTERRUPTS }; /* outside too; inside alone; handlers that are skipped too */
enum { OTHER = 128, TRACED = 1, DATA = 1, CODE = 2, SPACE = 0x10000 };

struct event {
    unsigned kind, number, count; /* a change: address and value; a value: where it is in motet_trace_data, its bytes */
};

struct function {
    unsigned number, kind, is_handler, line;
    const char *name, *file;
};

/* Defined by what the trace was made into (src/api/native_trace.c), and by the program. */
extern const struct event motet_trace_events[];
extern const uint8_t motet_trace_data[];
extern const struct function motet_trace_plan[];
extern const unsigned motet_trace_table[][3]; /* cells: address, bytes, what writes it */
extern const unsigned motet_trace_code[][2];  /* pointers to functions of the plan: value there, entry of the plan */
extern const char motet_trace_left_out[];     /* names of arrays that are too large for the table */
extern const unsigned motet_trace_lost;       /* older events are */
extern const unsigned motet_bytes[][5];       /* variable, offset here, address there, mask, kind of pointer */
extern const unsigned motet_byte_count;
extern const char *const motet_names[];
extern uint8_t *const motet_variables[];
extern void (*const motet_functions[])(void);
extern uint8_t motet_registers[SPACE];

static const struct event *next;
static uint8_t node[SPACE];        /* the node's memory, as far as the trace tells it */
static int by_address[SPACE];      /* entry of motet_bytes, one more */
static uint8_t *beyond;            /* where pointers lead that are not known here */
static unsigned references;        /* since the last event of the task or handler that runs */
static int unknown = 1;            /* cells have values that nothing here has computed */
static unsigned interrupted;       /* handlers that came while inside and have not returned */
static unsigned outer;             /* the function that is called from outside, until it has begun */
static unsigned depth, stack[256]; /* functions that run, for messages */
static unsigned long crossings, skipped, anew;

static const struct function *plan_of(unsigned number)
{
    for (const struct function *f = motet_trace_plan; f->number; f++)
        if (f->number == number)
            return f;
    return NULL;
}

static const char *name_of(unsigned number)
{
    const struct function *f = plan_of(number);
    return f ? f->name : "an unknown function";
}

static const char *event_name(void)
{
    static char text[300];
    static const char *const kinds[] = {
        "its end",          "the call of %s from outside", "the return of %s",          "a value",
        "the interrupt %s", "changes of variables",        "violation of an invariant", "the call of %s",
        "%s returning",     "changes by handlers"};
    snprintf(text, sizeof text, kinds[next->kind], name_of(next->number));
    return text;
}

/* Where the program leaves the traced run. A breakpoint for debuggers. */
__attribute__((noinline)) void motet_trace_differs(const char *what, const char *name)
{
    fflush(stdout);
    fprintf(stderr, "motet: the native program differs from the trace after %ld events, in %s: ",
            (long)(next - motet_trace_events), depth ? name_of(stack[depth - 1]) : "no function");
    fprintf(stderr, what, name);
    fprintf(stderr, "; next in the trace is %s", event_name());
    if (motet_trace_lost && motet_trace_left_out[0])
        fprintf(stderr, "; older events are lost, so that %s had unknown contents: a larger --ring keeps more",
                motet_trace_left_out);
    fprintf(stderr, "\n");
    exit(1);
}

/* ---- pointers ---- */

static void *pointer_here(unsigned value, unsigned kind)
{
    if (!value)
        return NULL;
    for (unsigned i = 0; kind == CODE && motet_trace_code[i][0]; i++)
        if (motet_trace_code[i][0] == value)
            return (void *)motet_functions[motet_trace_code[i][1]];
    const unsigned *b = kind == DATA && by_address[value] ? motet_bytes[by_address[value] - 1] : NULL;
    if (b && motet_variables[b[0]])
        return motet_variables[b[0]] + b[1];
    return kind == DATA && value < 0x100 ? motet_registers + value : beyond + value;
}

static int is_beyond(const void *p)
{
    return (const uint8_t *)p >= beyond && (const uint8_t *)p < beyond + SPACE;
}

static void fell(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    if (is_beyond(info->si_addr))
        motet_trace_differs(
            "%s follows a pointer to memory that the trace does not have: a variable of a function that is not "
            "traced. Trace the next level",
            depth ? name_of(stack[depth - 1]) : "it");
    _exit(139);
}

/* ---- the table ---- */

/* Where older events are lost, arrays that are too large for the table have unknown contents, and what is computed from
 * them is set anew. */
static void differs_in(const unsigned *b)
{
    if (motet_trace_lost && motet_trace_left_out[0]) {
        anew++;
        return;
    }
    char text[400];
    snprintf(text, sizeof text, "%.200s, byte %u", motet_names[b[0]], b[1]);
    motet_trace_differs("%s has another value than on the node", text);
}

/* One byte, or a pointer: how many bytes there it was. */
static unsigned settle(unsigned address, int check)
{
    const unsigned *b = by_address[address] ? motet_bytes[by_address[address] - 1] : NULL;
    uint8_t *here = b && motet_variables[b[0]] ? motet_variables[b[0]] + b[1] : NULL;
    if (!here)
        return 1;
    if (!b[4]) {
        if (check && (*here ^ node[address]) & b[3])
            differs_in(b);
        *here = (uint8_t)((*here & ~b[3]) | (node[address] & b[3]));
        return 1;
    }
    void *is = pointer_here(node[address] | node[address + 1] << 8, b[4]), *was;
    memcpy(&was, here, sizeof was);
    if (check && was != is && !is_beyond(is))
        differs_in(b);
    memcpy(here, &is, sizeof is);
    return 2;
}

/* Takes the changes that come next; `all`: cells that code outside may have written are to be the node's too. What was
 * interrupted may have gone on a little further here than on the node, up to its next counted reference: so only cells
 * that handlers write are looked at. */
static void cross(int all)
{
    for (; next->kind == CHANGED; next++)
        node[next->number] = (uint8_t)next->count;
    for (unsigned i = 0; motet_trace_table[i][1]; i++) {
        if (interrupted && motet_trace_table[i][2] != INTERRUPTS)
            continue;
        for (unsigned at = motet_trace_table[i][0], end = at + motet_trace_table[i][1]; at < end;)
            at +=
                settle(at, !unknown && (motet_trace_table[i][2] == OWN || (all && motet_trace_table[i][2] == SHARED)));
    }
    unknown = 0;
    crossings++;
}

/* ---- events ---- */

static void deliver(void);

/* Interrupts that came before the next event. */
static void let_in(void)
{
    while (next->kind == INTERRUPT)
        deliver();
}

static void stop(void)
{
    fflush(stdout);
    fprintf(stderr, "motet: native replay: the trace ends without a violation, after %lu crossings\n", crossings);
    exit(0);
}

/* The next event must be this one. */
static void take(unsigned kind, unsigned number, const char *what)
{
    let_in();
    if (next->kind == STOP)
        stop();
    if (next->kind != kind || next->number != number)
        motet_trace_differs(what, name_of(number));
    next++;
    references = 0;
}

static const struct event *past_changes(void)
{
    const struct event *at = next;
    while (at->kind == CHANGED)
        at++;
    return at;
}

static void push(unsigned number)
{
    if (depth == sizeof stack / sizeof *stack)
        motet_trace_differs("%s is called too deep", name_of(number));
    stack[depth++] = number;
}

/* Calls a function of the plan as code outside did. Arguments are given where it begins. */
static void enter(void)
{
    static long long frame[64];
    cross(0);
    const struct function *f = plan_of(next->number);
    void (*is)(void *, long, long, long, long, long, long, long) =
        f ? (void (*)(void *, long, long, long, long, long, long, long))motet_functions[f - motet_trace_plan] : NULL;
    if (!is)
        motet_trace_differs("%s is not in this program", name_of(next->number));
    unsigned kept = references;
    outer = next->number;
    is(frame, 0, 0, 0, 0, 0, 0, 0);
    references = kept;
}

/* What happened outside, up to an event that belongs to the caller. */
static void outside(void)
{
    while (past_changes()->kind == ENTERED)
        enter();
    if (past_changes()->kind == STOP)
        stop();
}

static void deliver(void)
{
    const struct function *f = plan_of(next->number);
    unsigned kept = references, number = next->number;
    if (!f || !motet_functions[f - motet_trace_plan])
        motet_trace_differs("%s is not in this program", name_of(number));
    next++;
    references = 0;
    interrupted++;
    if (f->kind == TRACED) {
        outer = number | OTHER; /* its entry has been taken */
        motet_functions[f - motet_trace_plan]();
    } else {
        outside();
        cross(0);
        take(BACK, number, "the handler %s returns");
    }
    interrupted--;
    references = kept;
}

/* ---- what rewritten sources call ---- */

uint64_t motet_trace_entered_fed(uint64_t number)
{
    uint64_t mark = number;
    if (outer == number) {
        outer = 0;
        take(ENTERED, (unsigned)number, "%s is called from outside");
        mark |= OTHER;
    } else {
        take(CALLED, (unsigned)number, "%s is called");
    }
    push((unsigned)number);
    return mark;
}

uint64_t motet_trace_entered_leaf_fed(uint64_t number)
{
    if (outer == number)
        return motet_trace_entered_fed(number);
    push((unsigned)number);
    return number;
}

uint64_t motet_trace_left_leaf_fed(const uint8_t *mark)
{
    if (*mark & OTHER)
        take(LEFT, *mark & ~OTHER, "%s returns");
    depth--;
    return 0;
}

uint64_t motet_trace_left_fed(const uint8_t *mark)
{
    take(LEFT, *mark & ~OTHER, "%s returns");
    depth--;
    return 0;
}

static void take_value(void *to, uint64_t size)
{
    for (uint8_t *at = to; size; next++) {
        let_in();
        if (next->kind == STOP)
            stop();
        if (next->kind != VALUE || next->count > size)
            motet_trace_differs("%s takes a value", depth ? name_of(stack[depth - 1]) : "it");
        memcpy(at, motet_trace_data + next->number, next->count);
        at += next->count;
        size -= next->count;
    }
    references = 0;
}

uint64_t motet_trace_value_fed(uint64_t mark, void *value, uint64_t size, uint64_t pointer)
{
    uint8_t bytes[2];
    if (!(mark & OTHER))
        return 0;
    if (!pointer) {
        take_value(value, size);
        return 0;
    }
    take_value(bytes, sizeof bytes);
    void *is = pointer_here(bytes[0] | bytes[1] << 8, (unsigned)pointer);
    memcpy(value, &is, sizeof is);
    return 0;
}

uint64_t motet_trace_memory_fed(uint64_t mark, void **pointer, uint64_t size)
{
    const struct function *f = plan_of((unsigned)mark & ~OTHER);
    if (!(mark & OTHER) || !*pointer)
        return 0;
    uint8_t *bytes = calloc(1, size + 1); /* of a frame outside: it lives as long as the program */
    take_value(bytes, size);
    if (f && f->kind == TRACED && is_beyond(*pointer))
        *pointer = bytes;
    else if (f && f->kind != TRACED && !is_beyond(*pointer))
        memcpy(*pointer, bytes, size);
    return 0;
}

uint64_t motet_trace_skipped_fed(uint64_t number)
{
    let_in();
    push((unsigned)number);
    outside();
    skipped++;
    return number | OTHER;
}

uint64_t motet_trace_back_fed(const uint8_t *mark)
{
    cross(0);
    take(BACK, *mark & ~OTHER, "%s is skipped");
    depth--;
    return 0;
}

uint64_t motet_trace_back_still_fed(const uint8_t *mark)
{
    take(BACK, *mark & ~OTHER, "%s is skipped");
    depth--;
    return 0;
}

uint64_t motet_trace_interrupt_fed(uint8_t *handler, uint64_t number)
{
    *handler = (uint8_t)number;
    if (outer == number)
        take(ENTERED, (unsigned)number, "%s comes");
    else if (outer != (number | OTHER))
        motet_trace_differs("%s is called, which is a handler", name_of((unsigned)number));
    outer = 0;
    push((unsigned)number);
    return number;
}

uint64_t motet_trace_returns_fed(const uint8_t *handler)
{
    take(LEFT, *handler, "%s returns");
    depth--;
    return 0;
}

uint64_t motet_trace_interrupt_skipped_fed(uint8_t *handler, uint64_t number)
{
    (void)handler;
    motet_trace_differs("the handler %s is called", name_of((unsigned)number));
    return 0;
}

uint64_t motet_trace_returns_skipped_fed(const uint8_t *handler)
{
    (void)handler;
    return 0;
}

uint64_t motet_trace_count_fed(void)
{
    while (next->kind == INTERRUPT && next->count == references)
        deliver();
    if (past_changes()->kind == SETTLED && past_changes()->count == references) {
        interrupted++;
        cross(0);
        interrupted--;
        next++;
    }
    references++;
    return 0;
}

uint64_t motet_trace_reads_fed(void)
{
    return motet_trace_count_fed();
}

uint64_t motet_trace_read_fed(uint64_t status)
{
    return status;
}

/* Where an invariant is violated, with the node's values. A breakpoint for debuggers. */
__attribute__((noinline)) void motet_violation(unsigned invariant)
{
    unsigned bytes = 0, cells = 0;
    const struct function *f = depth ? plan_of(stack[depth - 1]) : NULL;
    for (; motet_trace_table[cells][1]; cells++)
        bytes += motet_trace_table[cells][1];
    fflush(stdout);
    fprintf(
        stderr,
        "motet: native replay: invariant %u is violated in %s (%s:%u); %u bytes in %u cells are the node's, after %lu "
        "crossings and %lu skipped calls%s\n",
        invariant, f ? f->name : "no traced function", f ? f->file : "", f ? f->line : 0, bytes, cells, crossings,
        skipped, motet_trace_lost ? "; older events are lost" : "");
    if (anew)
        fprintf(stderr,
                "motet: %lu bytes that were computed otherwise were set to the node's: %s had unknown contents, since "
                "older "
                "events are lost and the table has no room for it\n",
                anew, motet_trace_left_out);
    exit(0);
}

uint64_t motet_trace_end_fed(uint64_t invariant)
{
    let_in();
    cross(1);
    if (next->kind == STOP)
        stop();
    if (next->kind != END || next->number != invariant)
        motet_trace_differs("an invariant is violated%s", "");
    motet_violation((unsigned)invariant);
    return 0;
}

uint64_t motet_trace_send_fed(void)
{
    return 0;
}

uint64_t motet_trace_outside_fed(void)
{
    motet_trace_differs("code is executed that was not traced%s", "");
    return 0;
}

int motet_trace_replay(void)
{
    static struct sigaction action = {.sa_sigaction = fell, .sa_flags = SA_SIGINFO};
    next = motet_trace_events;
    for (unsigned i = 0; i < motet_byte_count; i++)
        by_address[motet_bytes[i][2] % SPACE] = (int)i + 1;
    beyond = mmap(NULL, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    for (;; next++) { /* events of functions whose entry is lost are passed over */
        while (past_changes()->kind == ENTERED)
            enter();
        for (; next->kind == CHANGED; next++)
            node[next->number] = (uint8_t)next->count;
        if (next->kind == STOP)
            stop();
        if (next->kind == END)
            motet_trace_differs(
                "the invariant was violated in a function that is not traced, or whose entry is no longer in "
                "the trace%s: a larger --ring keeps more",
                "");
        unknown = 1;
    }
}
