# The trace of calls: all of them in order, as deep as is wanted, with tail calls as jumps.
. "$SOURCE/tests/lib/expect.sh"
expect_found() { jq -e "$1" "$work/found" >/dev/null || fail "the trace should have: $1"; }
elf=$FIRMWARE/monitor-workload-atmega328p.elf

motet run --quiet --json --monitor "calls:file=$work/found" "$elf"
expect_status 0
expect_found '[.events[] | select(.function == "leaf" and .what == "call")] | length == 10'
expect_found '[.events[] | select(.function == "leaf" and .what == "jump")] | length == 5'
expect_found '[.events[] | select(.function == "compute" and .what == "return")] | length == 5'
# From the call of compute() to that of leaf(): ldi and call, 5 cycles of 16 MHz; from one call to the next 86 + 4.
expect_found '[.events[] | select(.function == "compute" and .what == "call") | .time * 16e6 | round] as $c
    | [.events[] | select(.function == "leaf" and .what == "call") | .time * 16e6 | round] as $l
    | $l[0] - $c[0] == 5 and $c[1] - $c[0] == 90'
depth=$(jq '[.events[] | select(.function == "main")][0].depth' "$work/found")
motet run --quiet --json --monitor "calls:depth=$((depth + 1)),file=$work/found" "$elf"
expect_found '[.events[] | select(.function == "leaf")] == []'
expect_found '[.events[] | select(.function == "compute")] | length == 10'
motet run --quiet --json --monitor "calls:limit=3,file=$work/found" "$elf"
expect_found '(.events | length) == 3 and .missed > 20'
motet run --quiet --monitor calls:limit=3 "$elf"
expect_out "more; see the options limit"
motet run --quiet --monitor calls:format=csv "$elf"
[ "$(grep -c ',call,.*,compute$' "$work/out")" -eq 5 ] || fail "the table should have the calls of compute"
motet run --monitor calls:from=yesterday "$elf"
expect_complaint "from: 'yesterday' is not a time"

for chip in atmega328p msp430f1611; do
    other=$FIRMWARE/monitor-interrupts-$chip.elf
    [ -e "$other" ] || continue
    motet run --quiet --board $chip --for 100ms --json --monitor "calls:from=50ms,file=$work/found" "$other"
    expect_status 0
    expect_found 'all(.events[]; .time >= 0.05)'
    # A handler's beginning is followed by the call of tick() and two returns.
    expect_found '[.events[] | [.what, .function]] as $e | [$e | indices([["call", "tick"]])[]] as $at
        | ($at | length) > 5 and all($at[]; $e[. - 1][0] == "interrupt" and $e[. + 1] == ["return", "tick"])'
done
finish
