# How often, how long they wait and take. On the ATmega328P timer 1 asks every 16000 cycles; guarded() holds it off for
# up to the 401 cycles between cli and the instruction after sei.
. "$SOURCE/tests/lib/expect.sh"
expect_found() { jq -e "$1" "$work/found" >/dev/null || fail "there should be: $1"; }

motet run --quiet --for 100ms --json --monitor "interrupts:file=$work/found" \
    "$FIRMWARE/monitor-interrupts-atmega328p.elf"
expect_status 0
expect_found '.deepest == 1 and .cycles == 99 * 92 and .lines[0].line == 11 and (.lines | length) == 1'
expect_found '.lines[0] | .posts == 99 and .nested == 0 and .handler == "__vector_11" and .device == "timer1"'
expect_found '.lines[0].handler_cycles.values == [[92, 99]]'
expect_found '.lines[0].latency_ticks | .count == 99 and .median <= 3 and .most > 300 and .most <= 404'

# Timer 1's handler lets timer 2 in, once in each of twenty runs; at the same tick timer 2 comes first, whose handler
# takes 120 cycles.
motet run --quiet --json --monitor "interrupts:file=$work/found" "$FIRMWARE/monitor-nested.elf"
expect_status 0
expect_found '.deepest == 2'
expect_found '.lines[] | select(.line == 7)
    | .nested == 20 and .handler_cycles.values == [[120, .handler_cycles.count]]'
expect_found '.lines[] | select(.line == 11) | .nested == 0 and .handler_cycles.values == [[4041, 20]]'

other=$FIRMWARE/monitor-interrupts-msp430f1611.elf
if [ -e "$other" ]; then
    motet run --quiet --board msp430f1611 --for 1s --json --monitor "interrupts:file=$work/found" "$other"
    expect_status 0
    cycles=$(jq ".nodes[0].cycles" "$work/out")
    # Once in 5000 cycles from when main() starts the timer, after at most the three of an instruction; acceptance takes
    # six cycles, reti five.
    expect_found ".lines[0] | .posts == (($cycles - 100) / 5000 | floor) and .handler == \"expired\""
    expect_found ".lines[0].latency_ticks.most <= 3 * .hz / $cycles"
    expect_found '.lines[0].handler_cycles.values == [[48, .lines[0].posts]]'
fi
finish
