/* An interpreter of a small stack language, computing a factorial and a greatest common divisor. */
#include "check.h"

enum { HALT, PUSH, LOAD, STORE, ADD, MUL, MOD, LESS, JUMP, JUMP_ZERO, CALL, RETURN, PRINT };

static int32_t stack[8], variable[4], output[4];
static uint8_t outputs;

static distinct void interpret(const int8_t *code)
{
    uint8_t calls[4], depth = 0, top = 0;
    for (uint16_t pc = 0, steps = 0;; steps++) {
        check(steps < 1000 && top < 7);
        switch (code[pc++]) {
        case HALT: return;
        case PUSH: stack[top++] = code[pc++]; break;
        case LOAD: stack[top++] = variable[code[pc++]]; break;
        case STORE: variable[code[pc++]] = stack[--top]; break;
        case ADD: top--, stack[top - 1] += stack[top]; break;
        case MUL: top--, stack[top - 1] *= stack[top]; break;
        case MOD: top--, stack[top - 1] %= stack[top]; break;
        case LESS: top--, stack[top - 1] = stack[top - 1] < stack[top]; break;
        case JUMP: pc = code[pc]; break;
        case JUMP_ZERO: pc = stack[--top] ? pc + 1 : (uint16_t)code[pc]; break;
        case CALL: calls[depth++] = pc + 1, pc = code[pc]; break;
        case RETURN: pc = calls[--depth]; break;
        case PRINT: output[outputs++] = stack[--top]; break;
        default: abort();
        }
    }
}

/* clang-format off */
static const int8_t program[] = {
    /*  0 */ PUSH, 1, STORE, 0, PUSH, 1, STORE, 1,         /* product = n = 1 */
    /*  8 */ LOAD, 1, PUSH, 13, LESS, JUMP_ZERO, 31,       /* while n < 13 */
    /* 15 */ LOAD, 0, LOAD, 1, MUL, STORE, 0,              /*     product *= n */
    /* 22 */ LOAD, 1, PUSH, 1, ADD, STORE, 1, JUMP, 8,     /*     n += 1 */
    /* 31 */ LOAD, 0, PRINT,                               /* print product */
    /* 34 */ PUSH, 51, PUSH, 21, MUL, STORE, 2,            /* a = 1071 */
    /* 41 */ PUSH, 66, PUSH, 7, MUL, STORE, 3,             /* b = 462 */
    /* 48 */ CALL, 54, LOAD, 2, PRINT, HALT,               /* print gcd(a, b) */
    /* 54 */ LOAD, 3, JUMP_ZERO, 71,                       /* gcd: while b */
    /* 58 */ LOAD, 2, LOAD, 3, MOD, LOAD, 3, STORE, 2, STORE, 3, JUMP, 54, /* a, b = b, a % b */
    /* 71 */ RETURN,
};
/* clang-format on */

int main(void)
{
    interpret(program);
    check(outputs == 2 && output[0] == 479001600 && output[1] == 21);
    exit(0);
}
