#!/usr/bin/env python3
"""Writes a random C program about what differs between a chip and a PC: arithmetic of 16 bits, bit-fields, shifts,
conversions, structs with pointers in them. It prints checksums to Motet's console. Nothing in it is undefined.
usage: generate.py SEED"""
import random
import sys

random.seed(int(sys.argv[1]))
TYPES = ["uint8_t", "int8_t", "uint16_t", "int16_t", "uint32_t", "int32_t", "uint64_t", "int64_t", "int", "unsigned",
         "char", "long", "unsigned long"]
pick = random.choice


def struct(number):
    """A struct of bit-fields, numbers, arrays and pointers, in any order."""
    lines, names = [], []
    for i in range(random.randint(2, 7)):
        kind = pick("bbbnnap")
        name = "m%d" % i
        if kind == "b":
            base = pick(["unsigned", "int", "uint8_t", "uint16_t", "uint32_t"])
            widest = {"uint8_t": 8, "uint32_t": 32}.get(base, 16)
            lines.append("%s %s : %d;" % (base, name, random.randint(1, widest)))
        elif kind == "n":
            lines.append("%s %s;" % (pick(TYPES), name))
        elif kind == "a":
            lines.append("%s %s[%d];" % (pick(TYPES), name, random.randint(1, 4)))
            name += "[0]"
        else:
            lines.append("struct s%d *%s;" % (number, name))
            continue
        names.append(name)
    if not names:
        lines.append("int last;")
        names.append("last")
    attribute = pick(["", "", " __attribute__((packed))"])
    return "struct%s s%d { %s struct s%d *next; };" % (attribute, number, " ".join(lines), number), names


def expression(leaves, depth):
    if depth == 0 or random.random() < 0.1:
        return pick(leaves + ["%d" % random.randint(-40, 300), "0x%xul" % random.getrandbits(32)])
    a, b = expression(leaves, depth - 1), expression(leaves, depth - 1)
    kind = random.randrange(9)
    if kind < 3:  # unsigned, so that overflow is defined
        wide = pick(["unsigned", "uint16_t", "uint32_t", "uint64_t"])
        return "((%s)(%s) %s (unsigned)(%s))" % (pick(["unsigned", "uint32_t", "uint64_t"]), a, pick("+-*"), b) \
            if wide == "unsigned" else "(%s)((uint32_t)(%s) %s (uint32_t)(%s))" % (wide, a, pick("+-*"), b)
    if kind == 3:
        return "(%s)((%s) %s (%s))" % (pick(TYPES), a, pick(["&", "|", "^"]), b)
    if kind == 4:
        return "((uint32_t)(%s) %s ((%s) & 15))" % (a, pick(["<<", ">>"]), b)
    if kind == 5:
        return "((int16_t)(%s) >> ((%s) & 15))" % (a, b)
    if kind == 6:
        return "(%s)((uint32_t)(%s) %s (((uint32_t)(%s) & 0xff) + 1))" % (pick(TYPES), a, pick("/%"), b)
    if kind == 7:
        return "((%s) %s (%s) ? (%s) : (%s))" % (a, pick(["<", ">=", "==", "!="]), b, b, a)
    return "(%s)(%s)" % (pick(TYPES), a)


print("#include <motet.h>\n#include <stdint.h>\n#include <string.h>\n")
structs = [struct(i) for i in range(2)]
for text, _ in structs:
    print(text)
print("""
static uint32_t sum = 2463534242u;
static void add(uint64_t value)
{
    for (unsigned char i = 0; i < 8; i++) {
        sum ^= (uint8_t)(value >> 8 * i);
        sum = sum << 5 ^ sum >> 3 ^ 0x9e3779b9u;
    }
}
static void show(void)
{
    for (signed char shift = 28; shift >= 0; shift -= 4)
        motet_putc("0123456789abcdef"[sum >> shift & 15]);
    motet_putc('\\n');
}
""")
leaves = []
for i in range(8):
    print("static %s%s g%d = (%s)0x%x;" % (pick(["", "", "volatile "]), (t := pick(TYPES)), i, t, random.getrandbits(32)))
    leaves.append("g%d" % i)
places = list(leaves)
for i, (_, names) in enumerate(structs):
    print("static struct s%d list%d[3] = {{.next = &list%d[1]}, {.next = &list%d[2]}}, *at%d = list%d;" % ((i,) * 6))
    places += ["%s.%s" % (pick(["list%d[1]" % i, "list%d[2]" % i]), n) for n in names]
    places += ["at%d->next->%s" % (i, n) for n in names]
for f in range(3):
    parameters = [(pick(TYPES), "p%d" % i) for i in range(random.randint(1, 4))]
    print("static __attribute__((noinline)) %s f%d(%s)\n{" % (pick(TYPES), f, ", ".join(" ".join(p) for p in parameters)))
    inner = places + [p for _, p in parameters]
    for _ in range(random.randint(2, 5)):
        print("    %s = %s;" % (pick(places), expression(inner, 3)))
    print("    return %s;\n}" % expression(inner, 2))
    leaves.append("f%d(%s)" % (f, ", ".join(pick(places) for _ in parameters)))
for i in range(2):
    print("static struct s%d whole%d(struct s%d s) { s.%s ^= 1; return s; }" % (i, i, i, structs[i][1][0]))
print("int main(void)\n{")
for _ in range(random.randint(6, 14)):
    kind = random.randrange(6)
    i = random.randrange(2)
    if kind == 0:
        print("    { struct s%d copy = *at%d->next; copy.next = 0; add(copy.%s); list%d[0] = copy; list%d[0].next = "
              "&list%d[1]; }" % (i, i, pick(structs[i][1]), i, i, i))
    elif kind == 1:
        print("    add((uint64_t)(at%d->next->next - list%d) + sizeof list%d / sizeof list%d[0]);" % (i, i, i, i))
    elif kind == 2:
        print("    memcpy(&list%d[2], &list%d[1], sizeof list%d[2]); list%d[2].next = 0;" % ((i,) * 4))
    elif kind == 3:
        print("    list%d[1] = whole%d(list%d[2]); list%d[1].next = &list%d[2];" % ((i,) * 5))
    elif kind == 4:
        print("    for (unsigned char n = 0; n < %d; n++)\n        %s = %s;" % (random.randint(1, 9), pick(places),
                                                                          expression(places + ["n"], 2)))
    else:
        value = pick(leaves[8:])
        print("    { uint32_t value = %s; %s = value; }" % (value, pick(places)))
    print("    add(%s);" % expression(places, 3))
for p in sorted(set(places)):
    print("    add(%s);" % p)
print("    show();\n    motet_exit(0);\n}")
