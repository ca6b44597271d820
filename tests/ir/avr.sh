#!/bin/sh
# usage: avr.sh IR-LIST SOURCE AVR-GCC
set -u
list=$1 source=$2 gcc=$3
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
has() { grep -qx "$1" out || { fail "$2: no line '$1'"; cat out; }; }

cat > part.h <<'END'
struct pair { unsigned char a, b; };
struct pair swap(struct pair p);
static inline int twice(int x) { return MANY * x; }
END
cat > one.c <<'END'
#include <avr/io.h>
#include <avr/interrupt.h>
#include "part.h"
static volatile int level;
struct pair swap(struct pair p) { return (struct pair){p.b, p.a}; }
ISR(TIMER0_OVF_vect) { level = twice(level); PORTB = level; }
END
cat > two.c <<'END'
#include "part.h"
static int level;
int main(void) { static int seen; struct pair p = {1, 2}; p = swap(p); level += twice(p.a) + seen++; return level; }
END

# A compiler's command: its headers and macros count; namesakes of two files keep their name; a handler is one.
"$list" "$source/target" - - -- "$gcc" -mmcu=atmega328p -Os -DMANY=2 -Wall one.c two.c -o x.elf -lm > out || fail "a command"
has 'function swap one.c:5' "a command"
has 'handler __vector_16 one.c:6' "a command"
has 'variable main.seen two.c:3' "a command"
[ "$(grep -cx 'variable level .*' out)" -eq 2 ] || fail "a command: two variables of one name"
[ "$(grep -cx 'function twice part.h:3' out)" -eq 2 ] || fail "a command: an inline function in two files"
grep -q '^calls \([0-9]*\), with a line \1$' out || fail "a command: a call without a line"
cp out expected

# Files with options alone, for a chip; and a compilation database, of which commands run in their folders.
"$list" "$source/target" atmega328p - one.c two.c -- -DMANY=2 > out || fail "options alone"
cmp -s out expected || fail "options alone: not the same"
mkdir sub
cat > base.json <<END
[ { "directory": "$folder", "command": "'$gcc' -mmcu=atmega328p \\"-DMANY=2\\" -c one.c -o one.o", "file": "one.c" },
  { "directory": "$folder/sub", "arguments": ["$gcc", "-mmcu=atmega328p", "-DMANY=2", "-c", "../two.c"], "file": "../two.c",
    "output": {"a": [1, 2.5, true]} },
  { "directory": "$folder", "command": "'$gcc' -mmcu=atmega328p -DMANY=3 -c one.c -o other.o", "file": "one.c" } ]
END
"$list" "$source/target" - base.json > out || fail "a database"
cmp -s out expected || fail "a database: not the same"

# What goes wrong is said, with a sentence.
refused() { # SENTENCE WHAT ARGUMENTS...
    sentence=$1 what=$2; shift 2
    "$list" "$source/target" "$@" > out 2>&1
    [ $? -eq 2 ] || fail "$what: not refused"
    grep -q "$sentence" out || { fail "$what: no '$sentence'"; cat out; }
}
head -c 300 base.json > cut.json
refused "is not a compilation database" "a database cut short" - cut.json
refused "is not a compilation database" "no database" - two.c
refused "cannot read none.json" "no file" - none.json
echo 'int main(void) { return }' > bad.c
refused "bad.c was not compiled" "an error in C" atmega328p - bad.c
refused "the chip is not known" "no chip" - - one.c
refused "there is no source in C" "no source" - - -- "$gcc" -mmcu=atmega328p one.o -o x.elf
echo 'int swap(int x) { return x; }' > again.c
refused "do not fit together" "one name twice" atmega328p - one.c again.c -- -DMANY=2
refused "not a compiler for a target" "another compiler" - - -- gcc one.c

[ "$failures" -eq 0 ]
