#!/bin/sh
# usage: rounds.sh MOTET [CLANG]
# Which loops are written several times over with one step: how many rounds there are of them, and how many steps in the function. All
# that comes out is assembled, at every level. With CLANG the same for an MSP430.
. "$(dirname "$0")/../lib/core.sh"
motet=$1 clang=${2-}
target=$(dirname "$0")/../../target
avr="avr-gcc -mmcu=atmega128"
msp430="$clang --target=msp430 -mmcu=msp430f1611 -isystem $target/msp430/include -isystem /usr/msp430/include -Wno-unused-command-line-argument"

fail() { # WHAT SAID
    echo "$1: $2"
    cat "$work/out.s"
    failures=$((failures + 1))
}
compile() { # BOARD LEVEL COMPILER...: out.s
    board=$1 level=$2
    shift 2
    "$motet" cc --board "$board" -- "$@" "$level" -ffunction-sections $debug -S "$work/in.c" -o "$work/out.s" || failures=$((failures + 1))
}
look() { # WHAT ROUNDS STEPS, of the function f
    said=$(awk '/^f:/ { f = 1 } /^\t\.size\tf,/ { f = 0 } f && /^\tnop/ { n++ } f && /sts motet_count|inc\.b.*motet_count/ { s++ }
        END { print n + 0, s + 0 }' "$work/out.s")
    [ "$said" = "$2 $3" ] || fail "$1" "$said rounds and steps, not $2 $3"
}
check() { # WHAT ROUNDS STEPS, [ROUNDS STEPS of the MSP430], functions on standard input
    {
        printf '#include <stdint.h>\n#ifdef __AVR__\n#include <avr/io.h>\n#define AGAIN "brne"\n#define ON "brne"\n#else\n#include <msp430.h>\n#define TCNT1 TBR\n#define AGAIN "jne"\n#define ON "jne"\n#endif\n'
        printf '#define ROUND __asm__ volatile("nop")\n'
        printf 'extern void other(void); extern volatile uint8_t v; extern uint8_t a[], b[]; extern uint16_t w[];\n'
        cat
    } >"$work/in.c"
    # shellcheck disable=SC2086
    for level in -O1 -O2 -O3 -Os; do
        case $level in -O2) debug=-g ;; *) debug=-gdwarf-4 ;; esac # the compilers' own form, for avr-gcc an old one
        compile micaz $level $avr
        $avr -c "$work/out.s" -o "$work/out.o" || fail "$1" "not assembled, with $level"
        [ "$level" != -Os ] || look "$1" "$2" "$3"
        [ -n "$clang" ] || continue
        compile telosb $level $msp430
        $msp430 -c "$work/out.s" -o "$work/out.o" || fail "$1, MSP430" "not assembled, with $level"
        [ "$level" != -Os ] || look "$1, MSP430" "${4-$2}" "${5-$3}"
    done
}

check 'in a loop; the outer one needs no step' 8 1 <<'C'
uint16_t f(uint8_t n)
{
    uint16_t crc = 0;
    for (uint8_t i = 0; i < n; i++) {
        crc ^= a[i];
        for (uint8_t bit = 0; bit < 8; bit++) {
            ROUND;
            crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
        }
    }
    return crc;
}
C
check 'in a loop, perhaps without a round: the outer one keeps its step' 8 2 <<'C'
void f(uint8_t n) { while (n--) for (uint8_t i = a[n]; i; i--) { ROUND; v = i; } }
C
check 'alone' 2 1 <<'C'
void f(uint8_t n) { while (n--) { ROUND; v = n; } }
C
check 'alone, and long' 1 1 1 0 <<'C'
void f(uint8_t n) { while (n--) { ROUND; w[n] = w[n + 3] * 5 + w[n + 9]; } }
C
check 'with a call' 1 0 <<'C'
void f(uint8_t n) { while (n--) { ROUND; other(); } }
C
check 'with an event' 1 0 <<'C'
void f(uint8_t n) { while (n--) { ROUND; v = (uint8_t)TCNT1; } }
C
check 'that never ends' 1 1 <<'C'
void f(void) { for (;;) ROUND; }
C
check 'left in its middle' 2 1 <<'C'
void f(void) { for (uint8_t i = 0;; i++) { ROUND; if (v == i) break; } }
C
check 'with ways back before its end' 2 1 <<'C'
void f(uint8_t n) { for (; n; n--) { ROUND; if (v & 1) continue; v = n; } }
C
check 'begun in its middle' 1 1 <<'C'
void f(uint8_t n, uint8_t at) { switch (at & 3) do { case 0: v = 1; case 1: v = 2; case 2: v = 3; case 3: ROUND; } while (n--); }
C
check 'of two loops in one the inner' 8 2 <<'C'
void f(uint8_t n) { do { v = n; for (uint8_t i = 0; i < 5; i++) { ROUND; v = i; v = 3; v = 2; } } while (--n); do v = n; while (--n); }
C
check 'numbers for labels in it, and a jump back to one' 1 1 <<'C'
void f(uint8_t n) { while (n--) __asm__ volatile("nop\n1:\n\t" AGAIN " 1b" : : : "memory"); }
C
check 'a number for a label in a statement of its own' 2 1 <<'C'
void f(uint8_t n) { while (n--) { __asm__ volatile("nop\n\t" ON " 1f" : : : "memory"); v = n; __asm__ volatile("1:"); } }
C
check 'assembly of unknown length in the function' 1 1 90 1 <<'C'
void f(uint8_t n) { __asm__ volatile(".rept 90\n\tnop\n\t.endr"); while (n--) { v = n; } }
C
# Jumps that do not reach any more are made longer.
check 'jumps over the loop' 8 1 <<'C'
uint8_t f(uint8_t n)
{
    uint8_t of = 0;
    while (n) {
        for (uint8_t i = 0; i < 20; i++) { ROUND; of += a[i] ^ v; }
        if (of == 3) continue;
        v = of; v = 2; v = 3; v = 4; v = 5;
        n--;
    }
    return of;
}
C
check 'jumps far over the loop' 8 1 <<'C'
#define TEN v = 1; v = 2; v = 3; v = 4; v = 5; v = 6; v = 7; v = 8; v = 9; v = 10;
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
uint8_t f(uint8_t n)
{
    uint8_t of = 0;
    while (n) {
        for (uint8_t i = 0; i < 20; i++) { ROUND; of += a[i] ^ v; }
        if (of == 3) continue;
        HUNDRED TEN TEN TEN TEN TEN
        n--;
    }
    return of;
}
C
check 'jumps too far for most' 8 1 <<'C'
#define TEN v = 1; v = 2; v = 3; v = 4; v = 5; v = 6; v = 7; v = 8; v = 9; v = 10;
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
uint8_t f(uint8_t n)
{
    uint8_t of = 0;
    while (n) {
        for (uint8_t i = 0; i < 20; i++) { ROUND; of += a[i] ^ v; }
        if (of == 3) continue;
        HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED TEN TEN TEN TEN TEN TEN
        n--;
    }
    return of;
}
C
finish
