#!/bin/sh
# usage: checked.sh MOTET SOURCE AVR-GCC
# motet cc --invariant: each invariant is violated where it is broken, and nowhere else. What cannot be placed is refused.
set -u
motet=$1 source=$2 gcc=$3 here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
build() { # OPTIONS OF CC... : checked.elf
    "$motet" cc --checks-only "$@" -- "$gcc" -mmcu=atmega328p -Os -g -Wall -Wextra -Werror -I"$source/target/include" \
        -o checked.elf "$here/checked.c"
}
gives() { # MODE STATUS WHAT
    "$motet" run checked.elf --board uno --for 1s --set "mode=$1" > out 2>&1
    grep -qx "$2" out || { fail "$3: mode $1 does not end with $2"; cat out; }
}
all() { # VIOLATED-IN-MODE INVARIANT OPTIONS...
    mode=$1 invariant=$2; shift 2
    build --invariant "$invariant" "$@" || { fail "$invariant"; return; }
    for m in 0 1 2 3 4 5 6 7; do
        case " $mode " in *" $m "*) gives $m 1 "$invariant";; *) gives $m 0 "$invariant";; esac
    done
}
all "1 2" 'checked.c:fill: level < LIMIT'
all "1 4" 'level < TWICE(LIMIT)'
line=$(grep -n 'level = mode == 1' "$here/checked.c" | cut -d: -f1)
all "1" "checked.c:$line: level < 200"
all "1 2" "checked.c:$line-$((line + 3)): level < 200"
all "3" 'sum: total < LIMIT / 2'
all "4" 'checked.c:is_high: level < 200'
all "5" 'checked.c:tick: every 30ms' --clock 'now()/1000'
all "6" 'checked.c:tick: busy == 0 within 60ms' --clock 'now()/1000'

# A function of the program that checks: where it is called; where nothing calls it, after what may change its variables.
all "1 4" 'checked.c:level_is_low'
all "1 4" 'level_is_low'
all "7" 'checked.c:spare_is_small'
all "7" 'spare_is_small'

# Several: the number of the first that is violated.
build --invariant 'checked.c:fill: level < LIMIT' --invariant 'sum: total < 50' || fail "two invariants"
gives 0 0 "two invariants"
gives 2 1 "two invariants"
gives 3 2 "two invariants"

# Lines of the source are as before.
"$motet" disassemble checked.elf --board uno > lines 2> /dev/null
grep -q 'checked.c:2[0-9]' lines || fail "no lines"

refused() { # SENTENCE OPTIONS...
    sentence=$1; shift
    build "$@" > out 2>&1
    status=$?
    [ $status -eq 2 ] && grep -qF -- "$sentence" out || { fail "$*: status $status"; cat out; }
}
refused "there is no variable 'lvel'" --invariant 'checked.c:fill: lvel < 3'
refused "no source has a place for it" --invariant 'checked.c:fil: level < 3'
refused "is about time: give --clock" --invariant 'checked.c:tick: every 30ms'
refused "is about time: give --clock" --invariant 'checked.c:tick: every 30ms' --clock 'now()'
refused "ticks of the clock" --invariant 'checked.c:tick: every 30us' --clock 'now()/1000'
refused "a function that checks takes nothing and returns whether it holds; tick is another" --invariant 'checked.c:tick'
refused "at_most is another" --invariant 'checked.c:at_most'
refused "no source has a place for it" --invariant 'checked.c:nothing'
refused "give --invariant"

# A whole recording: the violation freezes the log, and what the node did is the same as without looking.
"$motet" cc --board micaz --invariant 'checked.c:fill: level < LIMIT' -- "$gcc" -mmcu=atmega128 -Os -g -I"$source/target/include" \
    -o recorded.elf "$here/checked.c" || fail "with recording"
"$motet" run recorded.elf --board micaz --for 2s --set mode=2 --save-flash flash.bin > out 2>&1
grep -qx 1 out || { fail "with recording: mode 2"; cat out; }
"$motet" replay --elf recorded.elf --board micaz --list flash.bin > listed 2>&1
grep -q frozen listed || { fail "the log is not frozen"; cat listed; }
[ "$failures" -eq 0 ]
