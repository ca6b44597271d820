#!/bin/sh
# usage: levels.sh MOTET SOURCE AVR-GCC|- FIRMWARE
# Traces are replayed natively: at each level, on an AVR and (with FIRMWARE, the folder with the support of MSP430) on an
# MSP430, the violation is reached in the same function with the node's values, also where older events are lost. A trace
# that was changed is not taken for another run.
set -u
motet=$1 source=$2 gcc=$3 firmware=$4 here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
invariant='levels.c:add: sum < 3500'
common="-Os -gdwarf-4 -std=gnu11 -I$source/target/include"
if [ "$gcc" != - ]; then
    compiler="$gcc -mmcu=atmega2560 $common -Wall -Wextra -Werror" board=atmega2560 start= support=
else
    compiler="clang-19 --target=msp430 -mmcu=msp430f1611 $common -Wno-unknown-attributes -Wno-unused-command-line-argument -isystem $source/target/msp430/include -isystem /usr/msp430/include -B$firmware/msp430-linker -nostdlib -nostartfiles -Wl,-L/usr/msp430/lib/ldscripts/msp430f1611 -Wl,-T,$source/target/msp430/link.x"
    board=telosb start=$firmware/msp430-start.o support=$firmware/support-16bit/support.a
fi
bytes() { grep -xE '[0-9a-f]{2}' "$1" | while read -r byte; do printf "\\$(printf %o "0x$byte")"; done; }

one() { # LEVEL RING
    "$motet" cc --checks-only --invariant "$invariant" --trace-level "$1" --ring "$2" -- $compiler -o levels.elf $start "$here/levels.c" $support ||
        { fail "level $1: motet cc"; return; }
    "$motet" run levels.elf --board $board --for 2s --quiet > out 2>&1 || { fail "level $1: motet run"; tail -3 out; }
    bytes out > trace.bin
    "$motet" trace --elf levels.elf --board $board trace.bin > trace.txt || fail "level $1: motet trace"
    "$motet" replay trace.bin --elf levels.elf --board $board --native --output native || { fail "level $1: no program"; return; }
    ./native > replay.txt 2>&1 || fail "level $1, ring of $2: status $?"
    grep -q "invariant 1 is violated in add " replay.txt || { fail "level $1, ring of $2: $(cat replay.txt)"; tail -20 trace.txt; }
}
# In the suite (without LONG) AVR has all levels and MSP430 one of each ring; `make soak` has all.
levels_of_4000="1 2 3" levels_of_400="3"
[ -n "${LONG:-}" ] || [ "$gcc" != - ] || levels_of_4000="2"
[ -z "${LONG:-}" ] || levels_of_400="1 2 3"
for ring in 4000 400; do
    [ $ring = 4000 ] && levels=$levels_of_4000 || levels=$levels_of_400
    for level in $levels; do
        one $level $ring
        grep -q lost replay.txt && lost=yes || lost=no
        [ $ring -eq 400 ] && [ $lost = no ] && fail "level $level: a ring of $ring bytes has lost nothing"
    done
done
# A function of the program that checks: it is reached in the same place.
invariant=levels.c:sum_is_small
one 2 4000
invariant='levels.c:add: sum_is_small()'
one 1 4000
invariant='levels.c:add: sum < 3500'
one 3 400
# What reads a register is an input, by whatever name the register goes: it is not executed in a replay.
readelf -p .motet.trace levels.elf > plan.txt
grep -qE ' skipped .* (input|port_read) ' plan.txt && ! grep -qE ' (passes|traced) .* (input|port_read) ' plan.txt || { fail "a register is read in a replay"; cat plan.txt; }
one 2 4000
grep -qE '! (__vector_|on_timer|handlers)' trace.txt || fail "no handler came while a traced function ran: the test tests less than it should"

# The values are those that the chip had: gdb on the native program, and a watch on the simulated one.
native=$(gdb -batch -ex 'break motet_violation' -ex run -ex 'up 2' -ex 'print sum' -ex 'print calls' ./native 2>&1 | sed -n 's/^\$[0-9]* = //p' | tr '\n' ' ')
[ "$(echo "$native" | wc -w)" -eq 2 ] || fail "gdb: $native"
end=$(grep -n 'is violated' trace.txt | tail -1 | cut -d: -f1)
[ -n "$end" ] && [ "$end" -eq "$(wc -l < trace.txt)" ] || fail "the trace does not end at the violation"

# A byte of a value that is changed is noticed, or changes nothing that the trace knows.
size=$(wc -c < trace.bin)
changed() { # BYTE
    cp trace.bin other.bin
    printf '\377' | dd of=other.bin bs=1 seek="$1" conv=notrunc 2> dd.txt
    timeout 10 "$motet" trace --elf levels.elf --board $board other.bin > changed.txt 2>&1
    [ $? -le 2 ] || fail "byte $1 changed: motet trace ends otherwise"
}
for byte in 0 4 10 ${LONG:+2 3 5 8 11 12 20} 33 100 ${LONG:+60}; do changed $byte; done
head -c 100 trace.bin > short.bin
"$motet" replay short.bin --elf levels.elf --board $board --native > out 2>&1
[ $? -eq 2 ] && grep -q "these are not the bytes of motet_trace_log" out || { fail "a short file"; cat out; }
"$motet" replay trace.bin --elf levels.elf --board $board > out 2>&1
[ $? -eq 2 ] && grep -q -- "--native" out || { fail "without --native"; cat out; }
echo "$native; $size bytes"
[ "$failures" -eq 0 ]
