#!/bin/sh
# usage: traced.sh MOTET SOURCE AVR-GCC
# motet cc --trace-level: functions up to the level are in the trace, which ends at the violation. Small, and refused where it
# cannot be.
set -u
motet=$1 source=$2 gcc=$3 here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
invariant='traced.c:f1: a + b <= 40'
flags="-mmcu=atmega328p -Os -g -Wall -Wextra -Werror -I$source/target/include"
trace() { # OPTIONS... : trace, of a run
    "$motet" cc --checks-only --invariant "$invariant" "$@" -- "$gcc" $flags -o traced.elf "$here/traced.c" || return 1
    "$motet" run traced.elf --board uno --for 1s > out 2>&1
    grep -xE '[0-9a-f]{2}' out | while read -r byte; do printf "\\$(printf %o "0x$byte")"; done > bytes
    "$motet" trace --elf traced.elf bytes > trace
}
names() { sed -n 's/^ *[<>+] \([a-z0-9]*\) .*/\1/p' trace | sort -u | tr '\n' ' '; }

trace --trace-level 1 || fail "level 1"
# f4 is called by f1 alone, which is traced: its calls are not noted. f3 is called from f2 too, which is outside.
[ "$(names)" = "f1 f3 f4 " ] && grep -qE '^\+ f4 .*level 1, called by traced functions alone' trace || { fail "level 1: $(names)"; cat trace; }
trace --trace-level 2 --ring 1000 || fail "level 2"
[ "$(names)" = "f0 f1 f2 f3 f4 " ] || { fail "level 2: $(names)"; cat trace; }
# a is 2 more in each round, b 1 in each second one: a + b is 41 in round 16, too large at the end of f1 in round 17.
[ "$(grep -c '> f0 ' trace)" -eq 18 ] || { fail "the trace does not end at the violation"; tail -5 trace; }
tail -1 trace | grep -qxE ' +# invariant 1 is violated' || { fail "the last entry"; tail -3 trace; }
grep -qE '^> f0  .*traced.c:[0-9]+  level 2, from outside$' trace || { fail "no place"; cat trace; }

# A small ring keeps the end; what is left without having been entered is set to the right.
cp trace whole
trace --trace-level 2 --ring 40 || fail "a ring of 40 bytes"
count=$(wc -l < trace)
[ "$count" -lt "$(wc -l < whole)" ] && [ "$(sed 's/^ *//' trace | tail -5)" = "$(tail -5 whole | sed 's/^ *//')" ] || { fail "a small ring"; cat trace; }

# For builds with several commands: a plan.
"$motet" slice --invariant "$invariant" --level 1 --plan plan -- "$gcc" $flags -c "$here/traced.c" || fail "plan"
"$motet" cc --checks-only --invariant "$invariant" --trace plan -- "$gcc" $flags -c -o traced.o "$here/traced.c" || fail "cc --trace"
"$gcc" -mmcu=atmega328p -o traced.elf traced.o || fail "link"

# About 2 KB of code, the tracer with it.
trace --trace-level 2 || fail "level 2 again"
sed 's/motet_trace_send(put)/put(0)/' "$here/traced.c" > traced.c
"$gcc" $flags -o plain.elf traced.c || fail "plain"
added=$(($(avr-size traced.elf | awk 'NR == 2 { print $1 }') - $(avr-size plain.elf | awk 'NR == 2 { print $1 }')))
echo "$added bytes of code added at level 2"
[ "$added" -lt 2304 ] || fail "$added bytes of code"

refused() { # SENTENCE WORDS...
    sentence=$1; shift
    "$@" > out 2>&1
    status=$?
    [ $status -eq 2 ] && grep -qF -- "$sentence" out || { fail "$*: status $status"; cat out; }
}
refused "is no level" "$motet" cc --checks-only --invariant "$invariant" --trace-level 0 -- "$gcc" $flags "$here/traced.c"
refused "give --checks-only" "$motet" cc --invariant "$invariant" --trace-level 1 -- "$gcc" $flags "$here/traced.c"
refused "a ring has" "$motet" cc --checks-only --invariant "$invariant" --trace-level 1 --ring 3 -- "$gcc" $flags "$here/traced.c"
refused "cannot read the plan" "$motet" cc --checks-only --invariant "$invariant" --trace none -- "$gcc" $flags "$here/traced.c"
refused "is not a plan" "$motet" cc --checks-only --invariant "$invariant" --trace "$here/traced.c" -- "$gcc" $flags "$here/traced.c"
refused "Give --elf" "$motet" trace bytes
refused "not the bytes" "$motet" trace --elf traced.elf /dev/null
refused "not the bytes" "$motet" trace --elf traced.elf traced.elf
refused "was not built with" "$motet" trace --elf plain.elf bytes
[ "$failures" -eq 0 ]
