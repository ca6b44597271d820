#!/usr/bin/env python3
"""Writes a random C program of a few statements whose operands call functions that change variables. Some of them depend
on the order in which operands are evaluated, which C leaves open; most do not. Nothing in it is undefined.
usage: order.py SEED"""
import random
import sys

random.seed(int(sys.argv[1]))
pick = random.choice
VARIABLES = ["a", "b", "c", "d", "s.low", "s.high", "list[1]"]
CALLS = ["next_a()", "next_s()", "keep_b(%s)", "twice(%s)", "both(%s, %s)", "through(&c)", "sum_list()"]


def expression(depth):
    if depth == 0 or random.random() < 0.15:
        return pick(VARIABLES + ["%d" % random.randint(0, 99)])
    kind = random.randrange(6)
    if kind < 2:
        return "(%s %s %s)" % (expression(depth - 1), pick(["+", "-", "*", "&", "|", "^", "<", "==", ">="]),
                               expression(depth - 1))
    if kind == 2:
        return "list[%s & 3]" % expression(depth - 1)
    if kind == 3:
        return "(%s)%s" % (pick(["uint8_t", "int16_t", "uint32_t"]), expression(depth - 1))
    call = pick(CALLS)
    return call % tuple(expression(depth - 1) for _ in range(call.count("%s")))


print("""#include <motet.h>
#include <stdint.h>
static uint16_t a = 3, c = 40;
static volatile uint16_t d = 11;
uint16_t b = 7;
static uint16_t list[4] = {5, 6, 7, 8};
static struct { uint16_t low, high; } s = {1, 2};
#define OF_ITS_OWN static __attribute__((noinline))
OF_ITS_OWN uint16_t next_a(void) { return ++a; }
OF_ITS_OWN uint16_t next_s(void) { return s.low += 3; }
static uint16_t keep_b(uint16_t x) { return b = x; }
OF_ITS_OWN uint16_t twice(uint16_t x) { return (uint16_t)(2 * x); }
OF_ITS_OWN uint16_t both(uint16_t x, uint16_t y) { return (uint16_t)(10 * x + y); }
OF_ITS_OWN uint16_t through(uint16_t *x) { return *x += 5; }
static uint16_t sum_list(void) { return (uint16_t)(list[0] + list[1] + list[2] + list[3]); }
static void show(uint16_t value)
{
    for (signed char shift = 12; shift >= 0; shift -= 4)
        motet_putc("0123456789abcdef"[value >> shift & 15]);
    motet_putc('\\n');
}
int main(void)
{""")
for _ in range(random.randint(1, 3)):
    place = pick(VARIABLES + ["list[%s & 3]" % expression(1)])
    print("    %s %s %s;" % (place, pick(["=", "=", "+=", "-=", "^="]), expression(random.randint(2, 4))))
    print("    show(%s);" % expression(3))
for v in ["a", "b", "c", "d", "s.low", "s.high"] + ["list[%d]" % i for i in range(4)]:
    print("    show(%s);" % v)
print("    motet_exit(0);\n}")
