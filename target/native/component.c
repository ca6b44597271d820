/* A component's replay as a native program: what it has in place of the code outside.
 *
 * Moves (src/interface/moves.h) say what is put into memory, which function of the component is called, and what the
 * component gives to others. Invariant: the program goes on only while everything that it sends out is as in the log;
 * else it says what differs, and ends with status 1. What the component reads of others is given to it by the address
 * that it reads from, so that the order of reads between two calls does not matter.
 *
 * Runs on the host, compiled with each native program, in place of main() and the feed of feeder.c.
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    END,
    OBJECT,
    PUT,
    PUT_POINTER,
    READ,
    READ_POINTER,
    SAME,
    SAME_POINTER,
    CALL_IN,
    RETURN_IN,
    CALL_OUT,
    RETURN_OUT,
    VALUE,
    POINTER,
    RESTART,
};
enum { NOTHING, REGISTERS, CODE, FIRST }; /* objects */
enum { VALUES = 16, ROOM = 512, FUNCTIONS = 0x70 };

struct move {
    uint32_t kind, a, b, c;
};

/* Of the log. */
extern const struct move motet_moves[];
extern const unsigned motet_variable_sizes[], motet_variable_count;
extern const char *const motet_variable_names[];
extern const unsigned motet_function_addresses[], motet_function_count;
extern const char *const motet_crossings[];
extern const char motet_how[];

/* Of the program: NULL for what it has not. */
extern uint8_t *const motet_variables[];
extern void *const motet_functions[];
extern uint64_t (*const motet_entries[])(const uint64_t *arguments);
extern uint8_t motet_registers[];

static const struct move *next;
static uint32_t event;           /* under way */
static uint64_t calls, compared; /* calls out; bytes and values that were as in the log */
static uint8_t code[0x40000];    /* functions outside have their addresses here */
static jmp_buf start;

/* ---- ends ---- */

/* Where the log ends. A breakpoint for debuggers. */
__attribute__((noinline)) void motet_log_ends(void)
{
    fflush(stdout);
    fprintf(stderr,
            "motet: native replay of a component: %llu values and bytes in %llu calls out were as in the log; %s\n",
            (unsigned long long)compared, (unsigned long long)calls, motet_how);
    exit((int)next->a);
}

/* Where the component does something else than on the node. A breakpoint for debuggers. */
__attribute__((noinline)) void motet_differs(const char *what, unsigned a, unsigned b)
{
    fflush(stdout);
    fprintf(stderr, "motet: the native component differs from the log at event %u: ", (unsigned)event);
    fprintf(stderr, what, a, b);
    fputc('\n', stderr);
    exit(1);
}

static const char *function_name(uint32_t number)
{
    return number < FUNCTIONS && motet_crossings[number] ? motet_crossings[number] : "?";
}

static const char *next_words(char *text, size_t size)
{
    static const char *const kinds[] = {[CALL_IN] = "a call of",
                                        [RETURN_IN] = "the return of",
                                        [CALL_OUT] = "a call of",
                                        [RETURN_OUT] = "the return of",
                                        [RESTART] = ""};
    const char *kind = next->kind <= RESTART ? kinds[next->kind] : NULL;
    snprintf(text, size, "%s %s", kind ? kind : "something else", kind && *kind ? function_name(next->a) : "");
    return text;
}

/* ---- objects ---- */

/* Those beyond the variables: memory of its own, or what the component has handed out under this number. */
static struct object {
    uint8_t *at, *own;
    size_t room;
} * objects;
static uint32_t object_count;

static struct object *object_at(uint32_t number)
{
    uint32_t index = number - FIRST;
    if (index >= object_count) {
        objects = realloc(objects, (index + 64) * sizeof *objects);
        memset(objects + object_count, 0, (index + 64 - object_count) * sizeof *objects);
        object_count = index + 64;
    }
    return &objects[index];
}

static void object_begin(uint32_t number, size_t size)
{
    struct object *o = object_at(number);
    if (!o->own || o->room < size) {
        o->room = size < ROOM ? ROOM : size;
        o->own = calloc(1, o->room);
    }
    o->at = o->own;
}

static int is_variable(uint32_t object)
{
    return object >= FIRST && object - FIRST < motet_variable_count;
}

static uint8_t *function_at(uint32_t address)
{
    for (unsigned i = 0; i < motet_function_count; i++)
        if (motet_function_addresses[i] == address && motet_functions[i])
            return motet_functions[i];
    return code + address % sizeof code;
}

static uint8_t *place(uint32_t object, uint32_t offset)
{
    if (object == NOTHING)
        return NULL;
    if (object == REGISTERS)
        return motet_registers + (offset & 0xffff);
    if (object == CODE)
        return function_at(offset);
    if (is_variable(object) && motet_variables[object - FIRST])
        return motet_variables[object - FIRST] + offset;
    struct object *o = object_at(object);
    if (!o->at)
        object_begin(object, is_variable(object) ? motet_variable_sizes[object - FIRST] : offset + 1);
    return o->at + offset;
}

/* ---- memory ---- */

static const struct move *after(const struct move *m)
{
    switch (m->kind) {
    case PUT:
    case READ:
    case SAME: return m + 1 + (m->c + sizeof *m - 1) / sizeof *m;
    case PUT_POINTER:
    case READ_POINTER:
    case SAME_POINTER: return m + 2;
    default: return m + 1;
    }
}

static size_t bytes_of(const struct move *m)
{
    return m->kind == PUT || m->kind == READ || m->kind == SAME ? m->c : sizeof(void *);
}

static void put(const struct move *m)
{
    uint8_t *to = place(m->a, m->b), *pointer = NULL;
    const void *from = m + 1;
    if (m->kind != PUT && m->kind != READ) {
        pointer = place(m[1].a, m[1].b);
        from = &pointer;
    }
    if (to && memcmp(to, from, bytes_of(m)) != 0) /* constants are not written */
        memcpy(to, from, bytes_of(m));
}

/* Whether a pointer of the component leads where that of the node does. What has no name there, on the stack, is taken
 * for the object that the log means. */
static int same_pointer(const struct move *m, uint8_t *here)
{
    if (m->a >= FIRST && !is_variable(m->a) && here) {
        object_at(m->a)->at = here - m->b;
        return 1;
    }
    return here == place(m->a, m->b);
}

static const char *object_name(uint32_t object)
{
    return is_variable(object) ? motet_variable_names[object - FIRST] : "an object";
}

static void compare_memory(const struct move *m, const char *function)
{
    char text[400];
    const uint8_t *here = place(m->a, m->b);
    if (m->kind == SAME_POINTER) {
        uint8_t *pointer;
        memcpy(&pointer, here, sizeof pointer);
        if (!same_pointer(m + 1, pointer)) {
            snprintf(text, sizeof text,
                     "%.100s: the pointer at byte %u of %.100s leads elsewhere than 0x%04x of the node", function,
                     (unsigned)m->b, object_name(m->a), (unsigned)m[1].c);
            motet_differs(text, 0, 0);
        }
        compared++;
        return;
    }
    const uint8_t *there = (const uint8_t *)(m + 1);
    for (uint32_t i = 0; i < m->c; i++, compared++)
        if (here[i] != there[i]) {
            snprintf(text, sizeof text, "%.100s: byte %u of %.100s is 0x%%02x here and 0x%%02x in the log", function,
                     (unsigned)(m->b + i), object_name(m->a));
            motet_differs(text, here[i], there[i]);
        }
}

/* ---- values ---- */

static uint64_t given(const struct move *m)
{
    return m->kind == POINTER ? (uint64_t)(uintptr_t)place(m->a, m->b) : m->b | (uint64_t)m->c << 32;
}

static void compare_value(const struct move *m, uint64_t here, const char *function, unsigned number)
{
    char text[400];
    uint64_t there = m->b | (uint64_t)m->c << 32, mask = m->a < 8 ? (UINT64_C(1) << (8 * m->a)) - 1 : UINT64_MAX;
    compared++;
    if (m->kind == POINTER ? same_pointer(m, (uint8_t *)(uintptr_t)here) : (here & mask) == there)
        return;
    if (number)
        snprintf(text, sizeof text, "%.100s: parameter %u ", function, number);
    else
        snprintf(text, sizeof text, "%.100s: the result ", function);
    if (m->kind == POINTER)
        snprintf(text + strlen(text), sizeof text - strlen(text), "leads elsewhere than 0x%%04x of the node");
    else
        snprintf(text + strlen(text), sizeof text - strlen(text), "is %%u here and %%u in the log");
    motet_differs(text, m->kind == POINTER ? m->c : (unsigned)(here & mask), (unsigned)there);
}

/* ---- what the component reads ---- */

static struct read {
    const struct move *move;
    int taken;
} * reads;
static size_t read_count, read_room;

/* Control goes to the component: what it will read of others until it leaves. */
static void begin_inside(void)
{
    read_count = 0;
    for (;; next = after(next)) {
        if (next->kind == OBJECT) {
            object_begin(next->a, next->b);
            continue;
        }
        if (next->kind != READ && next->kind != READ_POINTER)
            return;
        if (read_count == read_room)
            reads = realloc(reads, (read_room = 2 * read_room + 64) * sizeof *reads);
        reads[read_count++] = (struct read){next, 0};
    }
}

static void end_inside(void)
{
    char text[300];
    for (size_t i = 0; i < read_count; i++)
        if (!reads[i].taken) {
            snprintf(text, sizeof text, "the node reads byte %u of %.100s there, which the program does not",
                     (unsigned)reads[i].move->b, object_name(reads[i].move->a));
            motet_differs(text, 0, 0);
        }
    read_count = 0;
}

/* The next that was not taken, at the lowest address from `from` on. */
static struct read *find_read(uint8_t *from, uint8_t *to)
{
    struct read *found = NULL;
    for (size_t i = 0; i < read_count; i++) {
        uint8_t *at = reads[i].taken ? NULL : place(reads[i].move->a, reads[i].move->b);
        if (at >= from && at < to && (!found || at < place(found->move->a, found->move->b)))
            found = &reads[i];
    }
    return found;
}

static int is_known(const uint8_t *at)
{
    for (unsigned i = 0; i < motet_variable_count; i++) {
        const uint8_t *v = motet_variables[i] ? motet_variables[i] : object_at(FIRST + i)->at;
        if (v && at >= v && at < v + motet_variable_sizes[i])
            return 1;
    }
    return at >= motet_registers && at < motet_registers + 0x10000;
}

/* A local object whose address the log has not shown yet. */
static struct read *find_local(uint8_t *at)
{
    for (size_t i = 0; i < read_count && !is_known(at); i++)
        if (!reads[i].taken && reads[i].move->a >= FIRST && !is_variable(reads[i].move->a) &&
            object_at(reads[i].move->a)->at == object_at(reads[i].move->a)->own) {
            object_at(reads[i].move->a)->at = at - reads[i].move->b;
            return &reads[i];
        }
    return NULL;
}

static void restart_or_end(void)
{
    if (next->kind == END)
        motet_log_ends();
    if (next->kind == RESTART)
        longjmp(start, 1);
}

uint64_t motet_look_fed(uint8_t *at, uint64_t size)
{
    size_t left = 0;
    for (size_t i = 0; i < read_count; i++)
        left += !reads[i].taken;
    if (!left)
        restart_or_end();
    struct read *r = find_read(at, at + size);
    if (!r)
        r = find_local(at);
    for (uint8_t *from = at; r; r = find_read(from, at + size)) {
        put(r->move);
        r->taken = 1;
        from = place(r->move->a, r->move->b) + bytes_of(r->move);
    }
    return 0;
}

uint64_t motet_seen_fed(uint8_t *at, uint8_t *value, uint64_t size)
{
    motet_look_fed(at, size);
    memcpy(value, at, size);
    return 0;
}

/* ---- calls ---- */

static void outside(void);

static void enter(void)
{
    const struct move *call = next;
    uint64_t arguments[VALUES] = {0};
    event = call->c;
    next++;
    for (uint32_t i = 0; i < call->b; i++, next++)
        if (i < VALUES)
            arguments[i] = given(next);
    if (!motet_entries[call->a % FUNCTIONS]) {
        char text[300];
        snprintf(text, sizeof text, "%.200s is called, which the program has not", function_name(call->a));
        motet_differs(text, 0, 0);
    }
    begin_inside();
    uint64_t result = motet_entries[call->a % FUNCTIONS](arguments);
    end_inside();
    outside(); /* what others had changed */
    restart_or_end();
    const char *name = function_name(call->a);
    if (next->kind != RETURN_IN || next->a != call->a) {
        char text[600], words[200];
        snprintf(text, sizeof text, "%.200s returns, and the log has %.200s", name, next_words(words, sizeof words));
        motet_differs(text, 0, 0);
    }
    const struct move *back = next++;
    event = back->c;
    for (uint32_t i = 0; i < back->b; i++, next++)
        compare_value(next, result, name, 0);
    for (; next->kind == SAME || next->kind == SAME_POINTER || next->kind == OBJECT; next = after(next))
        if (next->kind == OBJECT)
            object_begin(next->a, next->b);
        else
            compare_memory(next, name);
}

/* What comes before the next call or return. */
static void outside(void)
{
    for (;; next = after(next))
        if (next->kind == OBJECT)
            object_begin(next->a, next->b);
        else if (next->kind == PUT || next->kind == PUT_POINTER)
            put(next);
        else
            return;
}

static void compare_call(uint32_t number, const uint64_t *arguments)
{
    const char *name = function_name(number);
    if (next->kind != CALL_OUT || next->a != number) {
        char text[600], words[200];
        snprintf(text, sizeof text, "the component calls %.200s, and the log has %.200s", name,
                 next_words(words, sizeof words));
        motet_differs(text, 0, 0);
    }
    const struct move *call = next++;
    event = call->c;
    calls++;
    for (uint32_t i = 0; i < call->b; i++, next++)
        compare_value(next, i < VALUES ? arguments[i] : 0, name, i + 1);
    for (; next->kind == SAME || next->kind == SAME_POINTER || next->kind == OBJECT; next = after(next))
        if (next->kind == OBJECT)
            object_begin(next->a, next->b);
        else
            compare_memory(next, name);
}

/* The component calls a function outside. */
uint64_t motet_out(uint64_t number, const uint64_t *arguments)
{
    end_inside();
    outside();
    restart_or_end();
    compare_call((uint32_t)number, arguments);
    for (outside(); next->kind == CALL_IN; outside())
        enter();
    restart_or_end();
    if (next->kind != RETURN_OUT || next->a != number)
        motet_differs("the log has something else than the return", 0, 0);
    event = next->c;
    uint64_t result = next->b ? given(next + 1) : 0;
    next += 1 + next->b;
    begin_inside();
    return result;
}

int main(void)
{
    next = motet_moves;
    for (int again = setjmp(start); next->kind != END;) {
        (void)again;
        if (next->kind == RESTART) {
            event = next->a;
            read_count = 0;
            next++;
        }
        outside();
        if (next->kind == CALL_IN)
            enter();
        else if (next->kind != RESTART && next->kind != END)
            motet_differs("the log has something else than a call of the component", 0, 0);
    }
    motet_log_ends();
    return 0;
}
