# Closure, checked with watches: what code outside writes of the component's variables without a call is named. A log holds
# it as reads, so that its replay is exact all the same. The watches change nothing of the run.
. "$SOURCE/tests/lib/expect.sh"
findings() { # BOARD SECONDS PIECES FIRMWARE
    motet run --quiet --board "$1" --for "$2" --digest --monitor "interface:$3,closure=yes,format=jsonl,file=$work/%id" "$4" </dev/null
    expect_status 0
    jq -r 'select(.event == "finding") | "\(.variable) \(.place)"' "$work/0" >"$work/findings"
}
for chip in atmega328p msp430f1611; do
    # `busy` of the message is cleared outside, by main; nothing else is written there.
    elf=$FIRMWARE/interface-$chip-Os.elf
    findings $chip 1s of=component.c "$elf"
    grep -qx 'component_message main.*(outside.c:[0-9]*)' "$work/findings" || fail "$chip: busy is cleared outside"
    [ "$(wc -l <"$work/findings")" -eq 1 ] || fail "$chip: nothing else is written outside: $(cat "$work/findings")"
    tail -1 "$work/out" >"$work/with"
    motet run --quiet --board $chip --for 1s --digest "$elf" </dev/null
    tail -1 "$work/out" | cmp -s - "$work/with" || fail "$chip: watches change the run"
    # All calls tell: nothing is found.
    findings $chip 1s of=pump.c "$FIRMWARE/interface-pump-$chip-none.elf"
    [ ! -s "$work/findings" ] || fail "$chip: the pump is closed: $(cat "$work/findings")"
done
# The kit: the radio frees the packet of the beacon.
findings micaz 10s of=collection.c,of=route.c "$FIRMWARE/collect-micaz.elf"
grep -q '^beacon_packet .*(radio.c:' "$work/findings" || fail "the radio writes to beacon_packet without a call"
finish
