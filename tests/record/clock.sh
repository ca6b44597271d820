#!/bin/sh
# usage: clock.sh MOTET EXACT [all]
# Time from a timer and its overflow flag, as Arduino's micros() has it, does not go back when it is recorded, and replays exactly.
. "$(dirname "$0")/../lib/core.sh"
here=$(dirname "$0")
motet=$1 exact=$2

cat >"$work/back.lua" <<.
at_end(function()
    if node.var.back > 0 or node.var.rounds < 1000 then
        error("time went back " .. node.var.back .. " times in " .. node.var.rounds .. " rounds")
    end
end)
.
check() { # BOARD CHIP WORDS OPTION...: the report has these words
    board=$1 chip=$2 words=$3
    shift 3
    command="motet cc --board $board $*"
    "$motet" cc --board "$board" --report "$work/report" "$@" -std=gnu11 -gdwarf-4 -Wall -Wextra -Werror -mmcu="$chip" -o "$work/clock.elf" \
        "$here/clock.c" || { fail "it does not build" && return; }
    grep -q "$words" "$work/report" || fail "the report says nothing of: $words"
    rm -f "$work/report"
    "$motet" run "$work/clock.elf" --board "$board" --for 1s --quiet --script "$work/back.lua" >"$work/out" 2>"$work/err" || fail "time goes back"
    "$exact" "$work/clock.elf" "$board" 0.3 1000 >"$work/out" 2>"$work/err" || fail "it does not replay exactly"
}
check uno-flash atmega328p 'a timer, read with its flag' --when-full wait -- avr-gcc -O0
check uno-flash atmega328p 'a timer, read with its flag' -- avr-gcc -Os
[ "${3-}" = all ] || { finish && exit; }
for level in -Os -O2 -O3; do
    check uno-flash atmega328p 'a timer, read with its flag' --when-full wait -- avr-gcc $level
done
check uno-flash atmega328p 'a timer, read with its flag' --codec motet -- avr-gcc -Os
check uno-flash atmega328p 'a timer, read with its flag' --codec tardis -- avr-gcc -Os
check uno-flash atmega328p 'a timer, read with its flag' --stamp timer1 -- avr-gcc -Os
check mega-flash atmega2560 'a timer, read with its flag' -- avr-gcc -Os
finish
