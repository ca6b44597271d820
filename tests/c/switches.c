/* Switches: dense tables, sparse trees, long keys, fall-through; computed gotos; tables of function pointers. */
#include "check.h"

static distinct int16_t dense(uint8_t n)
{
    switch (n) {
    case 0: return 11;
    case 1: return 7;
    case 2: return 19;
    case 3: return -4;
    case 4: return 100;
    case 5: return 31;
    case 6: return 5;
    case 7: return 77;
    case 8: return 1;
    case 9: return -90;
    case 10: return 64;
    case 11: return 2;
    case 12: return 3000;
    default: return -1;
    }
}

static distinct uint8_t sparse(int32_t n)
{
    switch (n) {
    case -2000000000: return 1;
    case -1: return 2;
    case 0: return 3;
    case 255: return 4;
    case 256: return 5;
    case 65535: return 6;
    case 65536: return 7;
    case 2000000000: return 8;
    default: return 0;
    }
}

static distinct uint16_t fall(uint8_t n)
{
    uint16_t r = 0;
    switch (n) {
    case 5: r += 5;  /* fall through */
    case 4: r += 40; /* fall through */
    case 3: r += 300; break;
    case 2: r += 2; /* fall through */
    default: r += 1000;
    }
    return r;
}

static distinct uint16_t machine(const uint8_t *code)
{
    static const void *const labels[] = {&&halt, &&push, &&add, &&multiply, &&loop};
    uint16_t stack[8] = {0}, *top = stack;
    uint8_t turns = 3;
    goto *labels[*code];
push:
    *++top = code[1];
    code += 2;
    goto *labels[*code];
add:
    top--;
    *top += top[1];
    code++;
    goto *labels[*code];
multiply:
    top--;
    *top *= top[1];
    code++;
    goto *labels[*code];
loop:
    code = --turns ? code - code[1] : code + 2;
    goto *labels[*code];
halt:
    return *top;
}

static distinct uint16_t twice(uint16_t x)
{
    return x * 2;
}
static distinct uint16_t square(uint16_t x)
{
    return x * x;
}
static distinct uint16_t less(uint16_t x)
{
    return x - 1;
}
static uint16_t (*const table[])(uint16_t) = {twice, square, less};

int main(void)
{
    static const int16_t expected[] = {11, 7, 19, -4, 100, 31, 5, 77, 1, -90, 64, 2, 3000, -1, -1};
    for (uint8_t i = 0; i < 15; i++)
        check(dense(opaque(i)) == expected[i]);
    check(dense(255) == -1);
    static int32_t keys[] = {5, -2000000000, -1, 0, 255, 256, 65535, 65536, 2000000000};
    for (uint8_t i = 0; i < 9; i++)
        check(sparse(opaque(keys[i])) == i);
    check(fall(opaque(5)) == 345 && fall(opaque(4)) == 340 && fall(opaque(3)) == 300);
    check(fall(opaque(2)) == 1002 && fall(opaque(1)) == 1000);
    static const uint8_t code[] = {1, 3, 1, 4, 3, 1, 5, 2, 4, 3, 0}; /* 3*4, then +5 three times */
    check(machine(code) == 12 + 5 + 5 + 5);
    uint16_t x = opaque(7);
    for (uint8_t i = 0; i < 6; i++)
        x = table[i % 3](x);
    check(x == (uint16_t)(390UL * 390 - 1));
    exit(0);
}
