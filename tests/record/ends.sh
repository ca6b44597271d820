#!/bin/sh
# usage: ends.sh MOTET FREEZE RECORDED
# A log that ends with a freeze or a reset is verified up to its end, also with the lean recorders, which record again after motet_clear. A page that is full and waits for the flash stays valid
# if the node is reset then: FREEZE freezes its log, RECORDED is a node of a network on a micaz.
. "$(dirname "$0")/../lib/core.sh"
motet=$1 freeze=$2 recorded=$3

command="freeze"
"$motet" run --quiet "$freeze" --board micaz --for 2s --save-flash "$work/flash" >"$work/out" 2>"$work/err" || fail "no run"
"$motet" replay "$work/flash" --elf "$freeze" --board micaz >"$work/out" 2>"$work/err"
status=$?
grep -q 'the firmware froze the log after' "$work/err" || fail "the log should end with the freeze"
grep -q 'not verified' "$work/err" && fail "all of a frozen log should be verified"

# Frozen in its first life, cleared in the second, the node records in the third.
for profile in small tiny; do
    command="freeze with profile $profile"
    "$motet" cc --board micaz --profile $profile -- avr-gcc -mmcu=atmega128 -std=gnu11 -Os -gdwarf-4 -o "$work/frozen.elf" \
        "$(dirname "$0")/frozen.c" || fail "it is not built"
    cat >"$work/frozen.lua" <<.
node{ id = 1, board = "micaz", firmware = "$work/frozen.elf" }
at(1.0, function() reset(1) end)
at(1.2, function() reset(1) end)
run_for(2)
.
    "$motet" run --quiet "$work/frozen.lua" --save-flash "1:$work/flash" >"$work/out" 2>"$work/err" || fail "no run"
    for part in 0 2; do
        "$motet" replay "$work/flash" --elf "$work/frozen.elf" --board micaz --part $part >"$work/out" 2>"$work/err"
        status=$?
        grep -q 'the firmware froze the log after 602 events' "$work/err" || fail "part $part should end with the freeze"
        grep -q 'not verified' "$work/err" && fail "all of a frozen log should be verified"
    done
done

for time in 6.001 8.0007 9.013 10 10.0009 11.3; do
    command="reset at $time s"
    cat >"$work/reset.lua" <<.
for i = 0, 2 do node{ id = i, board = "micaz", firmware = "$recorded", x = 10 * i } end
medium{ model = "disk", range = 15 }
at($time, function() reset(1) end)
run_for($time + 1)
.
    "$motet" run --quiet "$work/reset.lua" --save-flash "1:$work/flash" >"$work/out" 2>"$work/err" || fail "no run"
    "$motet" collect "$work/flash" --output "$work/log" >"$work/out" 2>"$work/err"
    grep -q ' 0 damaged' "$work/out" "$work/err" || fail "no page should be damaged"
    "$motet" replay "$work/flash" --elf "$recorded" --board micaz --id 1 --part 0 >"$work/out" 2>"$work/err"
    status=$?
    grep -q 'the node was reset after event' "$work/err" || fail "the first part should go up to the reset"
    grep -q 'not verified' "$work/err" && fail "all of it should be verified"
done

# A reset within the recorder's own code: what it had not written is lost, and replay says so.
command="reset of busy firmware"
"$motet" cc --board micaz --profile small -- avr-gcc -mmcu=atmega128 -Os -gdwarf-4 -o "$work/busy.elf" \
    "$(dirname "$0")/undisturbed.c" || fail "it is not built"
lost=0
for time in 0.31 0.3171 0.3242 0.3313 0.3384 0.3455; do
    cat >"$work/busy.lua" <<.
node{ id = 1, board = "micaz", firmware = "$work/busy.elf" }
at($time, function() reset(1) end)
run_for($time + 0.3)
.
    "$motet" run --quiet "$work/busy.lua" --save-flash "1:$work/flash" >"$work/out" 2>"$work/err" || fail "no run"
    "$motet" replay "$work/flash" --elf "$work/busy.elf" --board micaz --part 0 >"$work/out" 2>"$work/err"
    status=$?
    [ $status = 0 ] || fail "it should be replayed as far as it goes"
    if grep -q 'was started again .* is lost: less than [0-9]* bytes of log' "$work/err"; then
        lost=$((lost + 1))
    else
        grep -q 'the node was reset after event' "$work/err" || fail "nothing says that the node was reset"
    fi
done
[ $lost -gt 0 ] || fail "no reset came in the recorder's own code"
finish
