#!/bin/bash
# A log and a sanitizer together: AddressSanitizer finds where a recorded run wrote past an array. Without it the program
# leaves the recorded run, which is said beforehand.
# usage: overrun_recorded.sh MOTET SOURCE AVR-GCC
set -u
motet=$1 source=$2 gcc=$3 here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() {
    echo "$1"
    cat err
    exit 1
}
"$motet" cc --board micaz -- "$gcc" -mmcu=atmega128 -Os -gdwarf-4 -I"$source/target/include" -o app.elf \
    "$here/overrun_recorded.c" 2>err || fail "motet cc"
"$motet" run app.elf --board micaz --for 240s --save-flash flash.bin --quiet >err 2>&1
replay="$motet replay flash.bin --elf app.elf --board micaz"
$replay 2>err || fail "the simulated replay"
line=$(grep -n '/\* here \*/' "$here/overrun_recorded.c" | cut -d: -f1)
$replay --native --sanitize address >err 2>&1
[ $? = 1 ] && grep -q 'AddressSanitizer: global-buffer-overflow' err && grep -qE "keep .*overrun_recorded.c:$line" err ||
    fail "AddressSanitizer does not find it in line $line"
$replay --native --output program 2>err
[ $? = 2 ] && [ ! -e program ] && [ "$(wc -l <err)" = 1 ] && grep -q 'cannot be replayed natively to its end: the program differs from the log after' err ||
    fail "a program that leaves the recorded run is not refused"
$replay --native --partial --output program 2>err && [ -x program ] || fail "--partial"
./program >/dev/null 2>err
[ $? = 1 ] && grep -q 'differs from the log' err || fail "the program with --partial"
$replay --native --sanitize thread 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'sanitizer' err || fail "a sanitizer that finds nothing here"
