# Monitors that Avrora has: overwritten return addresses, calls to where no function is, markers and timers, speed.
. "$SOURCE/tests/lib/expect.sh"

look() { # FIRMWARE [OPTIONS]
    firmware=$FIRMWARE/$1.elf
    shift
    [ -e "$firmware" ] || return
    motet run --quiet "$@" --monitor returns --monitor indirect --monitor markers --monitor speed "$firmware"
    expect_status 0
    [ "$(grep -c 'overwrites the return address of' "$work/out")" -eq 2 ] || fail "two writes should be reported"
    expect_out "vandal+0x"
    expect_out "overwrites the return address of victim at 0x"
    [ "$(grep -c 'where no function begins' "$work/out")" -eq 1 ] || fail "one call should be reported"
    expect_out "calls target+0x2"
    expect_out " marker 7"
    expect_out " marker 8"
    expect_out " timer 3: 0.00"
    expect_out "end without a beginning: timer 9"
    expect_out " s simulated, "
    expect_not_in_out "wall clock"
}
look monitor-avrora
look monitor-avrora-tiny
look monitor-avrora-msp430f1611 --board msp430f1611

# Firmware that does nothing of the kind: nothing is reported, with interrupts, tail calls and longjmp.
for name in monitor-nested monitor-workload-atmega328p c-jumps-atmega328p-Os monitor-interrupts-atmega328p; do
    motet run --quiet --for 100ms --monitor returns --monitor indirect "$FIRMWARE/$name.elf"
    expect_not_in_out "overwrites the return address"
    expect_not_in_out "where no function begins"
done

elf=$FIRMWARE/monitor-avrora.elf
motet run --quiet --json --monitor "returns:file=$work/found" "$elf"
jq -e '.records | length == 2 and .[0].victim == "victim" and (.[0].writer | startswith("vandal"))' "$work/found" \
    >/dev/null || fail "writer and victim should be in the JSON"
motet run --quiet --json --monitor "markers:file=$work/found" "$elf"
jq -e '[.records[] | select(.what == "timer")][0] | .number == 3 and .cycles > 20 and .seconds > 0' "$work/found" \
    >/dev/null || fail "the timer should be in the JSON"

# The wall clock only on request.
motet run --quiet --monitor speed:wall=yes "$elf"
expect_out "s of the wall clock: "
motet run --monitor speed:wall=perhaps "$elf"
expect_complaint "wall=perhaps: choose yes or no"

# Scripts see marks, too.
echo 'hook("mark", function(h) print("mark " .. h.mark) end)' >"$work/marks.lua"
motet run --quiet --script "$work/marks.lua" "$elf"
expect_err "mark 131" # timer 3 begins
expect_err "mark 8"
finish
