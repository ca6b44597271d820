#!/bin/sh
# usage: next.sh MOTET SOURCE AVR-GCC
# motet cc --trace-level auto takes the highest level that fits the chip, or a part of the first; motet slice --next goes on from
# what traces have shown to run, and its plan is traced and replayed.
set -u
motet=$1 source=$2 gcc=$3 here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
invariant='next.c:judge: x + y + z < 20000'
compiler="$gcc -mmcu=atmega328p -Os -gdwarf-4 -Wall -Wextra -Werror -I$source/target/include"
cc() { "$motet" cc --checks-only --invariant "$invariant" "$@" -- $compiler -o next.elf "$here/next.c" > said 2>&1; }
says() { grep -qF -- "$1" said || { fail "not said: $1"; cat said; }; }
run() { # NAME : runs next.elf, keeps it and its trace, replays it
    cp next.elf "$1.elf"
    "$motet" run "$1.elf" --board uno --for 60s --quiet --monitor "traced:format=bytes,file=$1.bin" > out 2>&1 || { fail "$1: motet run"; cat out; }
    "$motet" replay "$1.bin" --elf "$1.elf" --board uno --native > out 2>&1 && grep -q "invariant 1 is violated in judge " out || { fail "$1: replay"; cat out; }
}

# The levels: 600 bytes are read at level 1, 300 more at level 2, of 2048 bytes with 900 of the program.
cc --trace-level auto --ring 64 || fail "auto, a small ring"
says "is traced, which is all of the slice that can be"
cc --trace-level auto --ring 300 || fail "auto"
says "level 1 is traced; level 2 does not fit: "
run whole
cc --trace-level auto --ring 560 || fail "auto, a part"
says "level 1 does not fit, and is traced in 2 parts, one run each: this is the first; --trace-level 1 --part 2/2 makes the next"
run part1
cc --trace-level 1 --part 2/2 --ring 560 || fail "part 2"
run part2
for name in first second; do
    "$motet" trace --elf part1.elf --board uno part1.bin | grep -qE "[<>] $name " && in=1 || in=0
    "$motet" trace --elf part2.elf --board uno part2.bin | grep -qE "[<>] $name " && in=$((in + 1))
    [ $in -eq 1 ] || fail "$name is in $in of the two parts"
done
rm -f next.elf
cc --trace-level auto --ring 1100
[ $? -eq 2 ] && [ ! -e next.elf ] || { fail "a ring that leaves no room"; cat said; }
says "not even one function of level 1 can be traced"

# What comes next: what the functions of the traces depend on, and what calls them; not what third() depends on.
slice() { "$motet" slice --invariant "$invariant" "$@" -- $compiler -o next.elf "$here/next.c" > said 2>&1; }
for traces in "--next whole.elf:whole.bin" "--next part1.elf:part1.bin --next part2.elf:part2.bin"; do
    slice $traces || { fail "slice $traces"; cat said; }
    names=$(sed -n 's/^ *2  \([a-z_]*\)  .*/\1/p' said | sort | tr '\n' ' ')
    [ "$names" = "fill get_first get_second main once " ] || { fail "next after $traces: $names"; cat said; }
    says "slice/next.c:35  first depends on it"
    says "slice/next.c:80  calls first"
    grep -q "third" said && { fail "third() never ran"; cat said; }
done
slice --next whole.elf:whole.bin --plan plan || { fail "slice --plan"; cat said; }
"$motet" cc --checks-only --invariant "$invariant" --trace plan --ring 64 -- $compiler -o next.elf "$here/next.c" || fail "cc --trace plan"
run following
"$motet" trace --elf following.elf --board uno following.bin > trace.txt
grep -qE '[+] get_first .*level 2' trace.txt && ! grep -q third trace.txt || { fail "the next trace"; head -20 trace.txt; }

refused() { # SENTENCE WORDS...
    sentence=$1; shift
    "$@" > out 2>&1
    status=$?
    [ $status -eq 2 ] && grep -qF -- "$sentence" out || { fail "$*: status $status"; cat out; }
}
refused "is no part" "$motet" cc --checks-only --invariant "$invariant" --trace-level 1 --part 3/2 -- $compiler -o x.elf "$here/next.c"
refused "there is no variable" "$motet" cc --checks-only --invariant 'next.c:judge: none < 1' --trace-level auto -- $compiler -o x.elf "$here/next.c"
refused "--next takes FIRMWARE:TRACE" "$motet" slice --invariant "$invariant" --next whole.bin -- $compiler "$here/next.c"
refused "cannot read none" "$motet" slice --invariant "$invariant" --next whole.elf:none -- $compiler "$here/next.c"
refused "not the bytes" "$motet" slice --invariant "$invariant" --next whole.elf:following.bin -- $compiler "$here/next.c"
refused "no function of the traces is in these sources" "$motet" slice --invariant 'f1: a > 0' --next whole.elf:whole.bin -- $compiler "$here/traced.c"
# A program that cannot be compiled is the compiler's matter.
sed 's/is_third;$/is_third/' "$here/next.c" > next.c
"$motet" cc --checks-only --invariant "$invariant" --trace-level auto -- $compiler -o x.elf next.c > out 2>&1 && fail "a program with an error"
grep -q "not even" out && { fail "an error of the source is taken for a lack of room"; cat out; }
[ "$failures" -eq 0 ]
