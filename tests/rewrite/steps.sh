#!/bin/sh
# usage: steps.sh MOTET
# How many loops, labels and functions are counted: none where it is not needed, all others.
. "$(dirname "$0")/../lib/core.sh"
motet=$1

compiler=avr-gcc in=in.c
steps() { # WHAT COUNT, the program on standard input
    { printf '#include <avr/interrupt.h>\n#include <setjmp.h>\n#include <util/atomic.h>\n'
      printf 'extern void other(void); volatile uint8_t v; uint8_t kept;\n'
      cat; } >"$work/$in"
    said=$("$motet" cc --report - -- "$compiler" -mmcu=atmega128 -Os -c "$work/$in" -o "$work/out.o" 2>&1 |
        sed -n 's/.*handlers, \([0-9]*\) steps.*/\1/p')
    [ "$said" = "$2" ] || { echo "$1: ${said:-no} steps, not $2"; cat "$work/$in"; failures=$((failures + 1)); }
}

steps 'a function and its loop' 2 <<'C'
void f(void) { for (uint8_t i = 0; i < v; i++) v = i; }
C
steps 'no loop' 1 <<'C'
void f(void) { do { v = 1; } while (0); }
C
steps 'a static function called from one place' 1 <<'C'
static void g(void) { v = 1; v = 2; v = 3; v = 4; v = 5; v = 6; }
void f(void) { v = 3; g(); }
C
steps 'from two places' 2 <<'C'
static void g(void) { v = 1; v = 2; v = 3; v = 4; v = 5; v = 6; }
void f(void) { v = 3; if (v) g(); g(); }
C
steps 'its address taken' 2 <<'C'
static void g(void) { v = 1; }
void (*f(void))(void) { return g; }
C
steps 'labels and a way back by longjmp; the label is where the function begins' 2 <<'C'
jmp_buf b;
void f(void) { again: if (v) goto again; longjmp(b, 1); }
C

# Interrupts off.
steps 'a handler' 0 <<'C'
ISR(TIMER1_OVF_vect) { for (uint8_t i = 0; i < 3; i++) v = i; again: if (v == 7) goto again; }
C
steps 'a handler that begins with SEI' 1 <<'C'
ISR(TIMER1_OVF_vect, ISR_NOBLOCK) { for (uint8_t i = 0; i < 3; i++) v = i; }
C
steps 'a handler that allows interrupts' 1 <<'C'
ISR(TIMER1_OVF_vect) { for (uint8_t i = 0; i < 3; i++) v = i; sei(); }
C
steps 'a handler that calls another file' 1 <<'C'
ISR(TIMER1_OVF_vect) { for (uint8_t i = 0; i < 3; i++) v = i; other(); }
C
steps 'a handler that calls what it does not know' 1 <<'C'
void (*p)(void);
ISR(TIMER1_OVF_vect) { for (uint8_t i = 0; i < 3; i++) v = i; p(); }
C
steps 'what only handlers call' 0 <<'C'
static void g(uint8_t n) { while (n--) v = n; }
ISR(TIMER1_OVF_vect) { g(3); g(4); }
C
steps 'what others call as well' 3 <<'C'
static void g(uint8_t n) { while (n--) v = n; }
ISR(TIMER1_OVF_vect) { g(3); }
void f(void) { v = 1; if (v) g(5); }
C
steps 'an atomic section in a handler' 0 <<'C'
ISR(TIMER1_OVF_vect) { uint8_t s = SREG; cli(); for (uint8_t i = 0; i < 3; i++) v = i; SREG = s; }
C
steps 'flags that outlive a function' 2 <<'C'
void f(void) { kept = SREG; }
ISR(TIMER1_OVF_vect) { for (uint8_t i = 0; i < 3; i++) v = i; SREG = kept; }
C

# Each pass has an event.
steps 'a function that always reads' 0 <<'C'
uint8_t f(uint8_t out) { SPDR = out; while (!(SPSR & 1 << SPIF)); return SPDR; }
C
steps 'a function that may return before it reads' 1 <<'C'
uint8_t f(uint8_t out) { if (out) return 0; return SPDR; }
C
steps 'a function that calls before it reads' 1 <<'C'
uint8_t f(void) { other(); return SPDR; }
C
steps 'a function that may call before it reads' 1 <<'C'
extern uint8_t another(void);
uint8_t f(void) { return (v && another()) + SPDR; }
C
steps 'a read that may be left out' 1 <<'C'
uint8_t f(uint8_t n) { return n && SPDR; }
C
steps 'a loop that reads in its condition, and so each pass' 0 <<'C'
void f(void) { while (TCNT0 < 10 || v) v = 1; }
C
steps 'a loop that may not read' 2 <<'C'
void f(void) { while (v && TCNT0 < 10) v = 1; }
C
steps 'a function that first calls one that counts' 1 <<'C'
__attribute__((noinline)) void g(void) { v = 1; }
void f(void) { v = 2; g(); v = 3; }
C
steps 'that may not call it' 2 <<'C'
__attribute__((noinline)) void g(void) { v = 1; }
void f(void) { if (v) g(); v = 3; }
C
steps 'that calls something else before' 2 <<'C'
__attribute__((noinline)) void g(void) { v = 1; }
void f(void) { other(); g(); }
C
steps 'two that call each other' 2 <<'C'
void g(uint8_t n);
void f(uint8_t n) { if (n) g(n - 1); v = 1; }
void g(uint8_t n) { if (n) f(n - 1); v = 2; }
C
steps 'two that always call each other' 1 <<'C'
void g(void);
__attribute__((noinline)) void f(void) { v = 1; g(); v = 3; }
__attribute__((noinline)) void g(void) { v = 2; f(); v = 4; }
C
steps 'one that calls itself, of which the compiler makes a loop' 1 <<'C'
void f(uint8_t n) { v = n; if (n) f(n - 1); }
C
steps 'made part of its only callers' 1 <<'C'
static inline void g(uint8_t n) { v = n; }
void f(void) { g(1); if (v) g(2); g(3); }
C
# In C++ a destructor may let interrupts in, and a static member be called from another file.
compiler=avr-g++ in=in.cpp
steps 'a handler in C++' 1 <<'C'
ISR(TIMER1_OVF_vect) { for (uint8_t i = 0; i < 3; i++) v = i; }
C
steps 'a static member' 1 <<'C'
struct s { static void g(); };
void s::g() { v = 1; v = 2; v = 3; v = 4; v = 5; v = 6; v = 7; }
C
finish
