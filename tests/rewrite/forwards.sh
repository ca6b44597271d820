#!/bin/sh
# usage: forwards.sh MOTET AVR-GCC
# Loops that poll through functions are seen (forwards.c): six of them; of the seventh more than one value ends it.
. "$(dirname "$0")/../lib/core.sh"
"$1" cc --board micaz --report "$work/out" -- "$2" -std=gnu11 -mmcu=atmega128 -Os -o "$work/forwards.elf" \
    "$(dirname "$0")/forwards.c" 2>"$work/err" || fail "it does not compile"
grep -q "forwards.c: .* 6 polling loops" "$work/out" || fail "not six polling loops"
"$1" cc --board micaz --report "$work/out" -- "$2" -std=gnu11 -mmcu=atmega128 -O0 -o "$work/forwards.elf" \
    "$(dirname "$0")/forwards.c" 2>"$work/err" || fail "it does not compile with -O0"
grep -q "forwards.c: .* 6 polling loops" "$work/out" || fail "not six polling loops with -O0"
# Likewise loops that let time pass by a timer, if nothing of them is used later (calibrate.c): two of them, with a wait.
"$1" cc --board micaz --report "$work/out" -- "$2" -std=gnu11 -mmcu=atmega128 -Os -o "$work/calibrate.elf" \
    "$(dirname "$0")/calibrate.c" 2>"$work/err" || fail "it does not compile"
grep -q "calibrate.c: .* 2 polling loops" "$work/out" || fail "not two"
# The end of a function gives back a frame whose size the scan after the link does not know: no read of a register.
cat >"$work/frame.c" <<'C'
__asm__(".text\nleave:\n\tldi r28, 0x2a\n\tldi r29, 0\n\tout 0x3e, r29\n\tout 0x3d, r28\n\tpop r24\n\tret");
int main(void)
{
    for (;;)
        ;
}
C
"$1" cc --board micaz -- "$2" -mmcu=atmega128 -Os -o "$work/frame.elf" "$work/frame.c" >"$work/out" 2>"$work/err" ||
    fail "a stack is taken for registers"
finish
