#include "slice/points.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ir/ir.h"

enum constraint_kind { COPY, COPY_ANY, LOAD, STORE, MOVE, CALL };

struct constraint {
    enum constraint_kind kind;
    int other; /* the node that gets or gives; the call */
    int next;
    uint64_t size; /* of an access */
    int64_t bytes; /* of a move, with its strides */
    uint64_t strides[3];
};

/* ---- sets ---- */

static bool points_set_has(const struct set *s, int value)
{
    int low = 0, high = s->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->list[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->count && s->list[low] == value;
}

static void points_set_insert(struct set *s, int value)
{
    s->list = memory_grow(s->list, &s->room, (size_t)s->count, sizeof *s->list);
    int at = s->count++;
    for (; at > 0 && s->list[at - 1] > value; at--)
        s->list[at] = s->list[at - 1];
    s->list[at] = value;
}

/* ---- nodes ---- */

static int points_result(const struct points *s, int function)
{
    return s->p->instruction_count + s->p->parameter_count + function;
}

static int points_cell(struct points *s, int cell)
{
    int node = points_result(s, s->p->function_count) + cell;
    while (s->node_count <= (size_t)node) {
        s->nodes = memory_grow(s->nodes, &s->node_room, s->node_count, sizeof *s->nodes);
        s->nodes[s->node_count++] = (struct node){.constraints = -1};
    }
    return node;
}

static void points_add(struct points *s, int node, int location)
{
    struct node *n = &s->nodes[node];
    if (location < 0 || points_set_has(&n->has, location))
        return;
    points_set_insert(&n->has, location);
    points_set_insert(&n->fresh, location);
    if (!n->queued) {
        n->queued = true;
        s->queue = memory_grow(s->queue, &s->queue_room, s->queue_count, sizeof *s->queue);
        s->queue[s->queue_count++] = node;
    }
}

static void points_apply(struct points *s, const struct constraint *c, int location);

/* From now on, what is in the node, or comes to it, goes through the constraint. */
static void points_constrain(struct points *s, int node, struct constraint c)
{
    bool simple = c.kind == COPY || c.kind == COPY_ANY;
    if (simple &&
        (c.other == node || map_get(&s->edges, (uintptr_t)node * 2 + (c.kind == COPY_ANY), (uintptr_t)c.other) >= 0))
        return;
    if (simple)
        map_put(&s->edges, (uintptr_t)node * 2 + (c.kind == COPY_ANY), (uintptr_t)c.other, 1);
    c.next = s->nodes[node].constraints;
    s->constraints = memory_grow(s->constraints, &s->constraint_room, s->constraint_count, sizeof *s->constraints);
    s->constraints[s->constraint_count] = c;
    s->nodes[node].constraints = (int)s->constraint_count++;
    for (int i = 0; i < s->nodes[node].has.count; i++)
        points_apply(s, &c, s->nodes[node].has.list[i]);
}

static void points_merge(void *context, int one, int other)
{
    struct points *s = context;
    int a = points_cell(s, one), b = points_cell(s, other);
    points_constrain(s, a, (struct constraint){.kind = COPY, .other = b});
    points_constrain(s, b, (struct constraint){.kind = COPY, .other = a});
}

/* A value flows into a node: of a constant its location, of anything else all that it gets. */
static void points_flow(struct points *s, LLVMValueRef value, int node, enum constraint_kind kind)
{
    int number = program_number(s->p, value);
    if (number >= 0) {
        points_constrain(s, number, (struct constraint){.kind = kind, .other = node});
        return;
    }
    if (LLVMIsAConstantStruct(value) || LLVMIsAConstantArray(value) || LLVMIsAConstantVector(value))
        for (int i = 0; i < LLVMGetNumOperands(value); i++)
            points_flow(s, LLVMGetOperand(value, (unsigned)i), node, kind);
    else
        points_add(s, node, objects_constant(&s->o, value));
}

static void points_through(struct points *s, LLVMValueRef pointer, struct constraint c)
{
    int number = program_number(s->p, pointer), location = number < 0 ? objects_constant(&s->o, pointer) : -1;
    if (number >= 0)
        points_constrain(s, number, c);
    else if (location >= 0)
        points_apply(s, &c, location);
}

static uint64_t points_size(const struct program *p, LLVMTypeRef type)
{
    return LLVMTypeIsSized(type) ? LLVMABISizeOfType(p->layout, type) : 1;
}

/* ---- calls ---- */

static void points_reach(struct points *s, int function)
{
    struct function *f = &s->p->functions[function];
    if (f->is_reachable || !f->blocks)
        return;
    f->is_reachable = true;
    s->todo = memory_grow(s->todo, &s->todo_room, s->todo_count, sizeof *s->todo);
    s->todo[s->todo_count++] = function;
}

static void points_connect(struct points *s, int call, int function)
{
    for (int t = s->first_target[call]; t >= 0; t = s->targets[t].next)
        if (s->targets[t].function == function)
            return;
    s->targets = memory_grow(s->targets, &s->target_room, s->target_count, sizeof *s->targets);
    s->targets[s->target_count] = (struct target){function, s->first_target[call]};
    s->first_target[call] = (int)s->target_count++;
    points_reach(s, function);
    const struct function *f = &s->p->functions[function];
    LLVMValueRef v = s->p->instructions[call].value;
    for (int i = 0; i < f->parameters && i < (int)LLVMGetNumArgOperands(v); i++)
        points_flow(s, LLVMGetOperand(v, (unsigned)i), f->first_parameter + i, COPY);
    points_constrain(s, points_result(s, function), (struct constraint){.kind = COPY, .other = call});
}

bool points_is_called(LLVMValueRef call, const char *name)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(f))
        return false;
    const char *is = LLVMGetValueName(f);
    size_t length = strlen(name);
    if (strncmp(is, "llvm.", 5) == 0)
        is += 5;
    return strncmp(is, name, length) == 0 && (is[length] == '\0' || is[length] == '.' || is[length] == '_');
}

unsigned points_effect(const struct program *p, int call, unsigned argument)
{
    LLVMValueRef v = p->instructions[call].value, f = LLVMGetCalledValue(v);
    static const char *const none[] = {IR_KEEP, "lifetime", "dbg", "assume", "va_end", NULL};
    static const char *const reading[] = {"strlen", "strcmp", "strncmp", "memcmp", "strchr", "strrchr",
                                          "memchr", "atoi",   "atol",    "strtol", "puts",   "printf",
                                          "strstr", "strspn", "pgm",     NULL};
    static const char *const writing[] = {"memset", "memcpy", "memmove", "strcpy", "strncpy", NULL};
    for (size_t i = 0; none[i]; i++)
        if (points_is_called(v, none[i]) || (LLVMIsAFunction(f) && strcmp(LLVMGetValueName(f), none[i]) == 0))
            return EFFECT_NONE;
    for (size_t i = 0; reading[i]; i++)
        if (points_is_called(v, reading[i]))
            return EFFECT_READS;
    for (size_t i = 0; writing[i]; i++)
        if (points_is_called(v, writing[i]))
            return argument == 0 ? EFFECT_WRITES : EFFECT_READS;
    return EFFECT_READS | EFFECT_WRITES;
}

static uint64_t points_length(LLVMValueRef call)
{
    bool sized =
        points_is_called(call, "memcpy") || points_is_called(call, "memmove") || points_is_called(call, "memset");
    LLVMValueRef length = sized && LLVMGetNumArgOperands(call) >= 3 ? LLVMGetOperand(call, 2) : NULL;
    return length && LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : 0;
}

/* A call whose body is not here: what it reads can come out of it, and into what it writes. A function that it gets may
 * be called. Assembly is one, too. */
static void points_outside(struct points *s, int call)
{
    LLVMValueRef v = s->p->instructions[call].value;
    unsigned count = LLVMGetNumArgOperands(v);
    bool allocates = points_is_called(v, "malloc") || points_is_called(v, "calloc") || points_is_called(v, "realloc");
    if (allocates)
        points_add(s, call, objects_location(&s->o, objects_of(&s->o, v), 0));
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef a = LLVMGetOperand(v, i);
        unsigned effect = points_effect(s->p, call, i);
        if (effect == EFFECT_NONE)
            continue;
        if (LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMPointerTypeKind || LLVMIsAInlineAsm(LLVMGetCalledValue(v)))
            points_flow(s, a, call, COPY);
        uint64_t size = points_length(v);
        if (effect & EFFECT_READS)
            points_through(s, a, (struct constraint){.kind = LOAD, .other = call, .size = size});
        if (effect & EFFECT_WRITES)
            points_through(s, a, (struct constraint){.kind = STORE, .other = call, .size = size});
        if (effect == (EFFECT_READS | EFFECT_WRITES))
            points_through(s, a, (struct constraint){.kind = CALL, .other = call});
    }
}

/* ---- solving ---- */

static void points_apply(struct points *s, const struct constraint *given, int location)
{
    struct constraint c = *given; /* lists may move meanwhile */
    static const uint64_t any[] = {1, 0};
    uint64_t at = 0;
    int cell;
    switch (c.kind) {
    case COPY: points_add(s, c.other, location); break;
    case COPY_ANY:
        if (s->o.list[s->o.locations[location].object].kind == OBJECT_FUNCTION)
            points_add(s, c.other, location);
        else
            points_add(s, c.other, objects_move(&s->o, location, 0, any));
        break;
    case MOVE: points_add(s, c.other, objects_move(&s->o, location, c.bytes, c.strides)); break;
    case LOAD:
        while ((cell = objects_next_cell(&s->o, location, c.size, &at)) >= 0)
            points_constrain(s, points_cell(s, cell), (struct constraint){.kind = COPY, .other = c.other});
        break;
    case STORE:
        while ((cell = objects_next_cell(&s->o, location, c.size, &at)) >= 0)
            points_constrain(s, c.other, (struct constraint){.kind = COPY, .other = points_cell(s, cell)});
        break;
    case CALL: {
        const struct object *o = &s->o.list[s->o.locations[location].object];
        if (o->kind == OBJECT_FUNCTION)
            points_connect(s, c.other, o->function);
        break;
    }
    }
}

static void points_solve(struct points *s)
{
    while (s->queue_count) {
        int node = s->queue[--s->queue_count];
        struct set fresh = s->nodes[node].fresh;
        s->nodes[node].fresh = (struct set){0};
        s->nodes[node].queued = false;
        for (int c = s->nodes[node].constraints; c >= 0; c = s->constraints[c].next)
            for (int i = 0; i < fresh.count; i++)
                points_apply(s, &s->constraints[c], fresh.list[i]);
        free(fresh.list);
    }
}

/* ---- constraints of instructions ---- */

static void points_gep(struct points *s, int number, LLVMValueRef v)
{
    uint64_t strides[OBJECTS_STRIDES + 1];
    struct constraint c = {.kind = MOVE, .other = number};
    c.bytes = objects_gep(s->p, v, strides);
    if (strides[0] && strides[1] && strides[2])
        strides[0] = 1, strides[1] = 0; /* more dimensions than are kept: any place of the object */
    memcpy(c.strides, strides, sizeof c.strides);
    points_through(s, LLVMGetOperand(v, 0), c);
}

static bool points_is_pointer_number(LLVMValueRef v)
{
    return LLVMIsAPtrToIntInst(v) || (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMPtrToInt);
}

static void points_arithmetic(struct points *s, int number, LLVMValueRef v)
{
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    if (LLVMGetInstructionOpcode(v) == LLVMSub && points_is_pointer_number(a) && points_is_pointer_number(b))
        return; /* a distance */
    if (LLVMGetInstructionOpcode(v) == LLVMAdd && LLVMIsAConstantInt(b)) {
        points_through(
            s, a, (struct constraint){.kind = MOVE, .other = number, .bytes = (int64_t)LLVMConstIntGetSExtValue(b)});
        return;
    }
    points_flow(s, a, number, COPY_ANY);
    points_flow(s, b, number, COPY_ANY);
}

static void points_call(struct points *s, int number, LLVMValueRef v)
{
    LLVMValueRef callee = LLVMGetCalledValue(v);
    int function = program_function(s->p, callee);
    if (function >= 0 && s->p->functions[function].blocks)
        points_connect(s, number, function);
    else if (function >= 0 || LLVMIsAInlineAsm(callee))
        points_outside(s, number);
    else
        points_through(s, callee, (struct constraint){.kind = CALL, .other = number});
}

static void points_instruction(struct points *s, int number)
{
    LLVMValueRef v = s->p->instructions[number].value;
    switch (s->p->instructions[number].opcode) {
    case LLVMAlloca: points_add(s, number, objects_location(&s->o, objects_of(&s->o, v), 0)); break;
    case LLVMLoad:
        points_through(s, LLVMGetOperand(v, 0),
                       (struct constraint){.kind = LOAD, .other = number, .size = points_size(s->p, LLVMTypeOf(v))});
        break;
    case LLVMStore:
        points_flow(s, LLVMGetOperand(v, 0), number, COPY);
        points_through(s, LLVMGetOperand(v, 1),
                       (struct constraint){.kind = STORE,
                                           .other = number,
                                           .size = points_size(s->p, LLVMTypeOf(LLVMGetOperand(v, 0)))});
        break;
    case LLVMGetElementPtr: points_gep(s, number, v); break;
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
            points_flow(s, LLVMGetIncomingValue(v, i), number, COPY);
        break;
    case LLVMSelect:
        points_flow(s, LLVMGetOperand(v, 1), number, COPY);
        points_flow(s, LLVMGetOperand(v, 2), number, COPY);
        break;
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFreeze:
    case LLVMExtractValue: points_flow(s, LLVMGetOperand(v, 0), number, COPY); break;
    case LLVMInsertValue:
        points_flow(s, LLVMGetOperand(v, 0), number, COPY);
        points_flow(s, LLVMGetOperand(v, 1), number, COPY);
        break;
    case LLVMAdd:
    case LLVMSub:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr: points_arithmetic(s, number, v); break;
    case LLVMRet:
        if (LLVMGetNumOperands(v))
            points_flow(s, LLVMGetOperand(v, 0), points_result(s, program_function_of(s->p, number)), COPY);
        break;
    case LLVMCall: points_call(s, number, v); break;
    default: break;
    }
}

/* ---- initial values ---- */

static void points_initial(struct points *s, int object, LLVMValueRef value, uint64_t offset)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (LLVMIsAConstantStruct(value) || LLVMIsAConstantArray(value)) {
        uint64_t element = kind == LLVMArrayTypeKind ? points_size(s->p, LLVMGetElementType(type)) : 0;
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
            points_initial(s, object, LLVMGetOperand(value, i),
                           offset + (element ? i * element : LLVMOffsetOfElement(s->p->layout, type, i)));
        return;
    }
    int is = objects_constant(&s->o, value), at = is < 0 ? -1 : objects_location(&s->o, object, (int64_t)offset);
    uint64_t done = 0;
    for (int cell; at >= 0 && (cell = objects_next_cell(&s->o, at, points_size(s->p, type), &done)) >= 0;)
        points_add(s, points_cell(s, cell), is);
}

static void points_globals(struct points *s)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(s->p->module); g; g = LLVMGetNextGlobal(g)) {
        LLVMValueRef initial = LLVMGetInitializer(g);
        if (initial)
            points_initial(s, objects_of(&s->o, g), initial, 0);
    }
}

void points_make(struct points *s, struct program *p)
{
    *s = (struct points){.p = p};
    objects_make(&s->o, p);
    s->o.merged = points_merge;
    s->o.context = s;
    points_cell(s, 0);
    s->first_target = memory_array((size_t)p->instruction_count + 1, sizeof *s->first_target);
    for (int i = 0; i < p->instruction_count; i++)
        s->first_target[i] = -1;
    points_globals(s);
    for (int i = 0; i < p->function_count; i++)
        if (p->functions[i].is_root)
            points_reach(s, i);
    while (s->todo_count) {
        const struct function *f = &p->functions[s->todo[--s->todo_count]];
        for (int b = f->first_block; b < f->first_block + f->blocks; b++)
            for (int i = p->blocks[b].first; i < p->blocks[b].first + p->blocks[b].count; i++)
                points_instruction(s, i);
        points_solve(s);
    }
}

void points_free(struct points *s)
{
    for (size_t i = 0; i < s->node_count; i++) {
        free(s->nodes[i].has.list);
        free(s->nodes[i].fresh.list);
    }
    free(s->nodes);
    free(s->constraints);
    free(s->queue);
    free(s->todo);
    free(s->targets);
    free(s->first_target);
    map_free(&s->edges);
    objects_free(&s->o);
}

const int *points_of(struct points *s, LLVMValueRef value, int *one, int *count)
{
    int number = program_number(s->p, value);
    if (number < 0) {
        *one = objects_constant(&s->o, value);
        *count = *one >= 0;
        return one;
    }
    *count = s->nodes[number].has.count;
    return s->nodes[number].has.list;
}
