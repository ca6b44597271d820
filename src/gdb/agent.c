#include "gdb/agent.h"

enum { STACK = 64, STEPS = 10000 };

enum operation {
    OP_ADD = 0x02,
    OP_SUB,
    OP_MUL,
    OP_DIV_SIGNED,
    OP_DIV_UNSIGNED,
    OP_REM_SIGNED,
    OP_REM_UNSIGNED,
    OP_LSH,
    OP_RSH_SIGNED,
    OP_RSH_UNSIGNED,
    OP_LOG_NOT = 0x0e,
    OP_BIT_AND,
    OP_BIT_OR,
    OP_BIT_XOR,
    OP_BIT_NOT,
    OP_EQUAL,
    OP_LESS_SIGNED,
    OP_LESS_UNSIGNED,
    OP_EXT,
    OP_REF8,
    OP_REF16,
    OP_REF32,
    OP_REF64,
    OP_IF_GOTO = 0x20,
    OP_GOTO,
    OP_CONST8,
    OP_CONST16,
    OP_CONST32,
    OP_CONST64,
    OP_REG,
    OP_END,
    OP_DUP,
    OP_POP,
    OP_ZERO_EXT,
    OP_SWAP,
    OP_PICK = 0x32,
    OP_ROT = 0x33,
};

/* A value made from a register: as an address it is one of data, though debuggers put data elsewhere. */
struct entry {
    uint64_t value;
    bool made_of_register;
};

struct agent {
    const motet_node *node;
    const uint8_t *code;
    size_t size, at;
    struct entry stack[STACK];
    unsigned depth;
};

static bool gdb_agent_operand(struct agent *a, unsigned bytes, uint64_t *value)
{
    *value = 0;
    if (bytes > a->size - a->at)
        return false;
    while (bytes--)
        *value = *value << 8 | a->code[a->at++];
    return true;
}

static bool gdb_agent_push(struct agent *a, uint64_t value, bool made_of_register)
{
    if (a->depth == STACK)
        return false;
    a->stack[a->depth++] = (struct entry){value, made_of_register};
    return true;
}

static uint64_t gdb_agent_extended(uint64_t value, unsigned bits, bool sign)
{
    if (bits == 0 || bits >= 64)
        return value;
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    bool negative = sign && value >> (bits - 1) & 1;
    return negative ? value | ~mask : value & mask;
}

static bool divide(unsigned operation, uint64_t x, uint64_t y, uint64_t *result)
{
    if (y == 0 || ((int64_t)x == INT64_MIN && (int64_t)y == -1))
        return false;
    switch (operation) {
    case OP_DIV_SIGNED: *result = (uint64_t)((int64_t)x / (int64_t)y); break;
    case OP_REM_SIGNED: *result = (uint64_t)((int64_t)x % (int64_t)y); break;
    case OP_DIV_UNSIGNED: *result = x / y; break;
    default: *result = x % y;
    }
    return true;
}

static bool gdb_agent_binary(struct agent *a, unsigned operation)
{
    if (a->depth < 2)
        return false;
    struct entry *to = &a->stack[a->depth - 2];
    uint64_t x = to->value, y = to[1].value, result = 0;
    switch (operation) {
    case OP_ADD: result = x + y; break;
    case OP_SUB: result = x - y; break;
    case OP_MUL: result = x * y; break;
    case OP_LSH: result = y < 64 ? x << y : 0; break;
    case OP_RSH_SIGNED: result = (uint64_t)((int64_t)x >> (y < 63 ? y : 63)); break;
    case OP_RSH_UNSIGNED: result = y < 64 ? x >> y : 0; break;
    case OP_BIT_AND: result = x & y; break;
    case OP_BIT_OR: result = x | y; break;
    case OP_BIT_XOR: result = x ^ y; break;
    case OP_EQUAL: result = x == y; break;
    case OP_LESS_SIGNED: result = (int64_t)x < (int64_t)y; break;
    case OP_LESS_UNSIGNED: result = x < y; break;
    default:
        if (!divide(operation, x, y, &result))
            return false;
    }
    *to = (struct entry){result, to->made_of_register || to[1].made_of_register};
    a->depth--;
    return true;
}

static bool refer(struct agent *a, unsigned bytes)
{
    uint8_t read[8];
    if (a->depth < 1)
        return false;
    struct entry *top = &a->stack[a->depth - 1];
    uint32_t address = (uint32_t)top->value;
    struct motet_memory_info data;
    if (top->made_of_register && motet_node_memory(a->node, MOTET_MEMORY_DATA, &data) && address < data.start)
        address = data.start + (address & 0xffff);
    if (motet_node_look(a->node, address, read, bytes) != bytes)
        return false;
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | read[i];
    *top = (struct entry){value, false};
    return true;
}

static bool take_register(struct agent *a)
{
    struct motet_registers registers;
    uint64_t number;
    motet_machine_registers(motet_node_machine(a->node), &registers);
    return gdb_agent_operand(a, 2, &number) && number < registers.count &&
           gdb_agent_push(a, motet_node_register(a->node, (unsigned)number), true);
}

static bool gdb_agent_jump(struct agent *a, bool always)
{
    uint64_t to;
    if (!gdb_agent_operand(a, 2, &to) || (!always && a->depth < 1))
        return false;
    if (!always && !a->stack[--a->depth].value)
        return true;
    a->at = (size_t)to;
    return a->at < a->size;
}

/* Those that only move what is on the stack. */
static bool shuffle(struct agent *a, unsigned operation)
{
    struct entry *top = a->stack + a->depth, t;
    uint64_t deep;
    switch (operation) {
    case OP_DUP: return a->depth >= 1 && gdb_agent_push(a, top[-1].value, top[-1].made_of_register);
    case OP_POP: return a->depth >= 1 && a->depth--;
    case OP_SWAP:
        if (a->depth < 2)
            return false;
        t = top[-1];
        top[-1] = top[-2];
        top[-2] = t;
        return true;
    case OP_ROT:
        if (a->depth < 3)
            return false;
        t = top[-1];
        top[-1] = top[-2];
        top[-2] = top[-3];
        top[-3] = t;
        return true;
    default:
        return gdb_agent_operand(a, 1, &deep) && deep < a->depth &&
               gdb_agent_push(a, top[-1 - (int)deep].value, top[-1 - (int)deep].made_of_register);
    }
}

static bool gdb_agent_unary(struct agent *a, unsigned operation)
{
    uint64_t bits = 0;
    if (a->depth < 1 || ((operation == OP_EXT || operation == OP_ZERO_EXT) && !gdb_agent_operand(a, 1, &bits)))
        return false;
    struct entry *top = &a->stack[a->depth - 1];
    switch (operation) {
    case OP_LOG_NOT: top->value = !top->value; break;
    case OP_BIT_NOT: top->value = ~top->value; break;
    default: top->value = gdb_agent_extended(top->value, (unsigned)bits, operation == OP_EXT);
    }
    return true;
}

static bool perform(struct agent *a, unsigned operation)
{
    uint64_t value;
    switch (operation) {
    case OP_LOG_NOT:
    case OP_BIT_NOT:
    case OP_EXT:
    case OP_ZERO_EXT: return gdb_agent_unary(a, operation);
    case OP_REF8:
    case OP_REF16:
    case OP_REF32:
    case OP_REF64: return refer(a, 1u << (operation - OP_REF8));
    case OP_IF_GOTO:
    case OP_GOTO: return gdb_agent_jump(a, operation == OP_GOTO);
    case OP_CONST8:
    case OP_CONST16:
    case OP_CONST32:
    case OP_CONST64:
        return gdb_agent_operand(a, 1u << (operation - OP_CONST8), &value) && gdb_agent_push(a, value, false);
    case OP_REG: return take_register(a);
    case OP_DUP:
    case OP_POP:
    case OP_SWAP:
    case OP_PICK:
    case OP_ROT: return shuffle(a, operation);
    default:
        return ((operation >= OP_ADD && operation <= OP_RSH_UNSIGNED) ||
                (operation >= OP_BIT_AND && operation <= OP_LESS_UNSIGNED)) &&
               gdb_agent_binary(a, operation);
    }
}

bool agent_evaluate(const motet_node *n, const uint8_t *code, size_t size, int64_t *value)
{
    struct agent a = {.node = n, .code = code, .size = size};
    for (unsigned steps = 0; steps < STEPS && a.at < a.size; steps++) {
        unsigned operation = a.code[a.at++];
        if (operation == OP_END) {
            *value = a.depth ? (int64_t)a.stack[a.depth - 1].value : 0;
            return a.depth > 0;
        }
        if (!perform(&a, operation))
            return false;
    }
    return false;
}
