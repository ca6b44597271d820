#!/usr/bin/env python3
"""usage: operations.py SEED COUNT > operations.S

Random instructions of ARMv7E-M, each as a function that loads r0-r7 and the flags from a table, executes it, and stores
them again. operations.c calls them with random numbers and prints a checksum for each; `operations.sh` compares Motet's
checksums with those of another implementation."""
import random
import sys

seed, count = int(sys.argv[1]), int(sys.argv[2])
r = random.Random(seed)


def lo():
    return "r%d" % r.randrange(7)


def number():
    kind = r.randrange(4)
    byte = r.randrange(256)
    if kind == 0:
        return byte
    if kind == 1:
        return byte * r.choice([0x10001, 0x1000100, 0x1010101])
    return ((byte | 0x80) << r.randrange(0, 24)) & 0xffffffff


def shift():
    kind = r.choice(["lsl", "lsr", "asr", "ror"])
    return "%s #%d" % (kind, r.randrange(1, 32)) if r.randrange(6) else "rrx"


def data():
    name = r.choice(["and", "bic", "orr", "orn", "eor", "add", "adc", "sub", "sbc", "rsb"]) + r.choice(["", "s"])
    form = r.randrange(3)
    last = "#0x%x" % number() if form == 0 else lo() if form == 1 else "%s, %s" % (lo(), shift())
    return "%s.w %s, %s, %s" % (name, lo(), lo(), last)


def move():
    name = r.choice(["mov", "mvn"]) + r.choice(["", "s"])
    return "%s.w %s, %s" % (name, lo(), r.choice(["#0x%x" % number(), lo()]))


def test():
    name = r.choice(["tst", "teq", "cmp", "cmn"])
    return "%s.w %s, %s" % (name, lo(), r.choice(["#0x%x" % number(), lo(), "%s, %s" % (lo(), shift())]))


def narrow():
    a, b = lo(), lo()
    return r.choice([
        "adds %s, %s, %s" % (a, b, lo()), "subs %s, %s, %s" % (a, b, lo()), "adds %s, %s, #%d" % (a, b, r.randrange(8)),
        "subs %s, #%d" % (a, r.randrange(256)), "adds %s, #%d" % (a, r.randrange(256)), "movs %s, #%d" % (a, r.randrange(256)),
        "cmp %s, #%d" % (a, r.randrange(256)), "ands %s, %s" % (a, b), "eors %s, %s" % (a, b), "orrs %s, %s" % (a, b),
        "bics %s, %s" % (a, b), "mvns %s, %s" % (a, b), "adcs %s, %s" % (a, b), "sbcs %s, %s" % (a, b), "rsbs %s, %s, #0" % (a, b),
        "muls %s, %s, %s" % (a, b, a), "tst %s, %s" % (a, b), "cmn %s, %s" % (a, b), "lsls %s, %s" % (a, b), "lsrs %s, %s" % (a, b),
        "asrs %s, %s" % (a, b), "rors %s, %s" % (a, b), "lsls %s, %s, #%d" % (a, b, r.randrange(32)),
        "lsrs %s, %s, #%d" % (a, b, r.randrange(1, 33)), "asrs %s, %s, #%d" % (a, b, r.randrange(1, 33)),
        "add %s, %s" % (a, b), "mov %s, %s" % (a, b), "sxtb %s, %s" % (a, b), "uxth %s, %s" % (a, b), "rev %s, %s" % (a, b),
        "rev16 %s, %s" % (a, b), "revsh %s, %s" % (a, b)])


def bits():
    low = r.randrange(32)
    width = r.randrange(1, 33 - low)
    return r.choice(["ubfx %s, %s, #%d, #%d", "sbfx %s, %s, #%d, #%d", "bfi %s, %s, #%d, #%d"]) % (lo(), lo(), low, width)


def shifts():
    return "%s%s.w %s, %s, %s" % (r.choice(["lsl", "lsr", "asr", "ror"]), r.choice(["", "s"]), lo(), lo(), lo())


def pair():
    a = r.randrange(7)
    b = (a + r.randrange(1, 7)) % 7
    return "r%d, r%d" % (a, b)


def multiply():
    return r.choice([
        "mul %s, %s, %s" % (lo(), lo(), lo()), "mla %s, %s, %s, %s" % (lo(), lo(), lo(), lo()),
        "mls %s, %s, %s, %s" % (lo(), lo(), lo(), lo()), "udiv %s, %s, %s" % (lo(), lo(), lo()), "sdiv %s, %s, %s" % (lo(), lo(), lo()),
        "%s %s, %s, %s" % (r.choice(["umull", "smull", "umlal", "smlal", "umaal"]), pair(), lo(), lo())])


def dsp():
    three = "%s, %s, %s" % (lo(), lo(), lo())
    prefix = r.choice(["s", "u", "q", "uq", "sh", "uh"])
    return r.choice([
        prefix + r.choice(["add8", "add16", "sub8", "sub16", "asx", "sax"]) + " " + three,
        r.choice(["qadd", "qsub", "qdadd", "qdsub", "sel", "usad8"]) + " " + three,
        "smul%s%s %s" % (r.choice("bt"), r.choice("bt"), three), "smulw%s %s" % (r.choice("bt"), three),
        r.choice(["smuad", "smuadx", "smusd", "smusdx", "smmul", "smmulr"]) + " " + three,
        r.choice(["smlad", "smladx", "smlsd", "smlsdx", "smmla", "smmlar", "smmls", "smmlsr", "usada8", "smlawb", "smlawt"])
        + " %s, %s, %s, %s" % (lo(), lo(), lo(), lo()),
        "smla%s%s %s, %s, %s, %s" % (r.choice("bt"), r.choice("bt"), lo(), lo(), lo(), lo()),
        "smlal%s%s %s, %s, %s" % (r.choice("bt"), r.choice("bt"), pair(), lo(), lo()),
        r.choice(["smlald", "smlaldx", "smlsld", "smlsldx"]) + " %s, %s, %s" % (pair(), lo(), lo()),
        "ssat %s, #%d, %s, %s" % (lo(), r.randrange(1, 33), lo(), r.choice(["lsl #%d" % r.randrange(32), "asr #%d" % r.randrange(1, 32)])),
        "usat %s, #%d, %s" % (lo(), r.randrange(32), lo()), "ssat16 %s, #%d, %s" % (lo(), r.randrange(1, 17), lo()),
        "usat16 %s, #%d, %s" % (lo(), r.randrange(16), lo()),
        "pkhbt %s, lsl #%d" % (three, r.randrange(32)), "pkhtb %s, asr #%d" % (three, r.randrange(1, 33)),
        r.choice(["sxtab", "uxtab", "sxtah", "uxtah", "sxtab16", "uxtab16"]) + " %s, ror #%d" % (three, r.choice([0, 8, 16, 24])),
        r.choice(["sxtb16", "uxtb16", "sxtb.w", "uxtb.w", "sxth.w", "uxth.w"]) + " %s, %s, ror #%d" % (lo(), lo(), r.choice([8, 16, 24])),
        "rbit %s, %s" % (lo(), lo()), "clz %s, %s" % (lo(), lo()), "movt %s, #%d" % (lo(), r.randrange(65536)),
        "movw %s, #%d" % (lo(), r.randrange(65536))])


def conditional():
    condition = r.choice(["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"])
    opposite = {"eq": "ne", "ne": "eq", "cs": "cc", "cc": "cs", "mi": "pl", "pl": "mi", "vs": "vc", "vc": "vs", "hi": "ls",
                "ls": "hi", "ge": "lt", "lt": "ge", "gt": "le", "le": "gt"}[condition]
    which = [condition] + [r.choice([condition, opposite]) for _ in range(r.randrange(4))]
    lines = ["it%s %s" % ("".join("t" if w == condition else "e" for w in which[1:]), condition)]
    for w in which:
        lines.append(r.choice(["add%s %s, %s, %s" % (w, lo(), lo(), lo()), "mov%s %s, #%d" % (w, lo(), r.randrange(256)),
                               "cmp%s %s, #%d" % (w, lo(), r.randrange(256)), "eor%s.w %s, %s, #%d" % (w, lo(), lo(), r.randrange(256)),
                               "lsl%s %s, %s, #%d" % (w, lo(), lo(), r.randrange(1, 31)), "rsb%s.w %s, %s, #%d" % (w, lo(), lo(), r.randrange(256))]))
    return "\n    ".join(lines)


def memory():
    offset, small = r.randrange(0, 200), r.randrange(0, 16) * 4
    load = r.choice(["ldr", "ldrb", "ldrh", "ldrsb", "ldrsh", "str", "strb", "strh"])
    return r.choice([
        "%s.w %s, [r7, #%d]" % (load, lo(), offset), "%s %s, [r7, #%d]!" % (load, lo(), r.randrange(100)),
        "%s %s, [r7], #%d" % (load, lo(), r.randrange(100)), "and r6, r6, #31\n    %s.w %s, [r7, r6, lsl #%d]" % (load, "r%d" % r.randrange(6), r.randrange(3)),
        "ldrd r%d, r%d, [r7, #%d]" % (r.randrange(3), r.randrange(3, 7), small), "strd %s, %s, [r7, #%d]" % (lo(), lo(), small),
        "stmia r7!, {r0, r2, r3, r6}", "ldmia r7!, {r1, r3-r5}", "ldmia.w r7, {r0-r2, r6}",
        "ldrex r1, [r7, #%d]\n    strex r2, r3, [r7, #%d]" % (small, small), "strex r2, r3, [r7]", "push {r0-r3}\n    pop {r1, r2, r4, r5}"])


def floats():
    single = lambda: "s%d" % r.randrange(8)
    setup = "vmov s0, r0\n    vmov s1, r1\n    vmov s2, r2\n    vmov s3, r3\n    vmov s4, r4\n    vmov s5, r5\n    vmov s6, r6\n    vmov s7, r0\n    " \
            "and r6, r6, #0x%x\n    vmsr fpscr, r6\n    " % r.choice([0, 0x00c00000, 0x03c00000, 0x01000000])
    what = r.choice([
        r.choice(["vadd", "vsub", "vmul", "vnmul", "vdiv", "vmla", "vmls", "vnmla", "vnmls", "vfma", "vfms", "vfnma", "vfnms"])
        + ".f32 %s, %s, %s" % (single(), single(), single()),
        r.choice(["vabs", "vneg", "vsqrt", "vmov"]) + ".f32 %s, %s" % (single(), single()),
        r.choice(["vcmp", "vcmpe"]) + ".f32 %s, %s\n    vmrs APSR_nzcv, fpscr" % (single(), r.choice([single(), "#0"])),
        r.choice(["vcvt.s32.f32", "vcvt.u32.f32", "vcvtr.s32.f32", "vcvtr.u32.f32", "vcvt.f32.s32", "vcvt.f32.u32",
                  "vcvtb.f32.f16", "vcvtt.f32.f16", "vcvtb.f16.f32", "vcvtt.f16.f32"]) + " %s, %s" % (single(), single()),
        "vcvt.%s.f32 s1, s1, #%d" % (r.choice(["s16", "u16", "s32", "u32"]), r.randrange(1, 16)),
        "vcvt.f32.%s s1, s1, #%d" % (r.choice(["s16", "u16", "s32", "u32"]), r.randrange(1, 16)),
        "vmov.f32 s2, #%s" % r.choice(["1.0", "-2.5", "0.125", "31.0"]), "vmov r1, r2, s3, s4"])
    after = "\n    vmov r0, s0\n    vmov r1, s1\n    vmov r2, s2\n    vmov r3, s3\n    vmov r4, s4\n    vmov r5, s5\n    vmrs r6, fpscr"
    return setup + what + after


kinds = [data] * 4 + [move, test, narrow, narrow, bits, shifts, multiply, dsp, dsp, dsp, conditional, conditional, memory, memory,
                      floats, floats]
print('    .syntax unified\n    .thumb\n    .text')
for k in range(count):
    print("    .thumb_func\nt%d:\n    push {r0, r4-r11, lr}\n    ldr r8, [r0, #32]\n    msr APSR_nzcvqg, r8\n    ldmia r0, {r0-r7}" % k)
    print("    " + r.choice(kinds)())
    print("    mrs r8, APSR\n    ldr r9, [sp]\n    stmia r9, {r0-r7}\n    str r8, [r9, #32]\n    pop {r0, r4-r11, pc}\n    .ltorg")
print("    .section .rodata\n    .align 2\n    .global operations\noperations:")
for k in range(count):
    print("    .word t%d" % k)
print("    .word 0")
