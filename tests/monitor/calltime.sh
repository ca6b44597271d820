# How long calls take: work() 4005 cycles without the handler's 92, whether it was interrupted or not.
. "$SOURCE/tests/lib/expect.sh"
elf=$FIRMWARE/monitor-interrupts-atmega328p.elf
expect_found() { jq -e "$1" "$work/found" >/dev/null || fail "the call times should have: $1"; }

motet run --quiet --for 100ms --json --monitor "call-time:file=$work/found" "$elf"
expect_status 0
expect_found '.functions[] | select(.name == "work")
    | .cycles.values == [[4005, 359]] and .interrupted.values == [[92, 90]]'
expect_found '.functions[] | select(.name == "tick") | .cycles.values == [[14, 99]] and .interrupted.count == 0'
expect_found '.functions[] | select(.name == "__vector_11") | .cycles.values == [[92, 99]]'
expect_found '.functions[] | select(.name == "guarded") | .cycles.values == [[407, 358]]' # the last has not returned
motet run --quiet --for 100ms --json --monitor "call-time:function=tick,file=$work/found" "$elf"
expect_found '[.functions[].name] == ["tick"]'
motet run --monitor call-time:function=tcik "$elf"
expect_complaint "did you mean 'tick'"

for chip in atmega328p msp430f1611; do
    [ -e "$FIRMWARE/monitor-workload-$chip.elf" ] || continue
    motet run --quiet --board $chip --monitor "call-time:format=json,file=$work/found" \
        --monitor "profile:format=json,file=$work/profile" "$FIRMWARE/monitor-workload-$chip.elf"
    expect_status 0
    cycles=$(jq '.functions[] | select(.name == "compute") | .cycles_with_calls' "$work/profile")
    expect_found ".functions[] | select(.name == \"compute\") | .cycles.count == 5 and .cycles.mean * 5 == $cycles"
done
finish
