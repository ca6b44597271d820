#!/bin/sh
# usage: spare.sh MOTET
# Functions that the compiler makes part of others bring the steps of their labels along: those that tell no two moments apart are
# left out, all others stay. A function that is part of others has no step for its own beginning.
. "$(dirname "$0")/../lib/core.sh"
motet=$1

left() { # WHAT COUNT, functions on standard input: so many steps are left in f
    { printf '#include <string.h>\n#include <avr/io.h>\nextern void other(void); volatile unsigned char v; char a[9], b[9];\n'
      printf 'static __attribute__((always_inline)) void g(void) { here: v = 1; v = 2; }\n'
      cat; } >"$work/in.c"
    "$motet" cc -- avr-gcc -mmcu=atmega128 -Os -Wno-attributes -fno-builtin -c "$work/in.c" -o "$work/out.o" || failures=9
    said=$(avr-objdump -dr -j .text.f "$work/out.o" | grep -c 'R_AVR_.*motet_step_far')
    [ "$said" = "$2" ] || {
        echo "$1: $said steps, not $2"
        avr-objdump -dr -j .text.f "$work/out.o"
        failures=$((failures + 1))
    }
}

left 'made part of its caller, and only there' 1 <<'C'
static __attribute__((always_inline)) void h(void) { v = 1; v = 2; }
void f(void) { h(); other(); h(); other(); h(); }
C
left 'one after the other' 1 <<'C'
void f(void) { g(); g(); g(); }
C
left 'after an event' 0 <<'C'
void f(void) { v = TCNT1L; g(); g(); }
C
left 'before what may not count' 2 <<'C'
void f(void) { g(); other(); g(); other(); g(); }
C
left 'before a call on one of two ways' 1 <<'C'
void f(unsigned char x) { g(); g(); if (x) other(); v = 3; }
C
left 'before a jump to another function' 1 <<'C'
void f(void) { g(); v = 5; g(); other(); }
C
left 'on one of two ways' 1 <<'C'
void f(unsigned char x) { if (x) { v = TCNT1L; } else { v = 9; g(); v = 8; } v = 7; g(); }
C
left 'each pass through a loop, but not all through the function' 2 <<'C'
void f(void) { v = 4; for (unsigned char i = 0; i < v; i++) { g(); g(); v = i; v = 7; v = 8; v = 9; v = i + 1; v = i + 2; } }
C
left 'ways round that share one' 1 <<'C'
void f(void) { g(); again: v = 1; if (v) { v = 3; goto again; } g(); v = 4; if (v == 5) goto again; }
C
left 'library routines, each of them' 3 <<'C'
void f(void) { memcpy(a, b, v); v = 1; memcpy(a, b, v); v = 2; memcpy(a, b, v); v = 3; }
C
left 'before a call on one of two ways, at the beginning' 1 <<'C'
void f(unsigned char x) { g(); if (x) v = 3; else { v = 4; other(); v = 5; } }
C
left 'before a return on one of two ways' 1 <<'C'
void f(unsigned char x) { g(); if (x) { v = 3; g(); } v = 4; }
C
# On MSP430 a jump through a table goes to the places in that table: two of them in a function make no loop of it, for
# which it would have to be taken for library code.
if command -v clang-19 >/dev/null; then
    cat >"$work/two.c" <<'C'
volatile unsigned v, w;
void f(unsigned x, unsigned y)
{
    switch (x) { case 0: v = 3; break; case 1: v++; w = 4; break; case 2: w += v; break; case 3: v = w * 3; break;
                 case 4: v ^= 9; break; case 5: w = 1; v = 2; break; }
    switch (y) { case 0: w = 3; break; case 1: w++; v = 4; break; case 2: v += w; break; case 3: w = v * 3; break;
                 case 4: w ^= 9; break; case 5: v = 1; w = 2; break; }
}
C
    "$motet" cc --board telosb -- clang-19 --target=msp430 -mmcu=msp430f1611 -isystem /usr/msp430/include -Os -ffunction-sections \
        -c "$work/two.c" -o "$work/two.o" && llvm-objdump-19 -t "$work/two.o" | grep -q 'F \.text\.f' || {
        echo "a function with two tables of jumps is taken for library code"
        failures=$((failures + 1))
    }
fi
finish
