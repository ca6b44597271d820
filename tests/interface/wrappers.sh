# Forwarding wrappers belong to what they forward to: a call over the boundary has the name of the wrapper, once. Replays know
# them, too. One that is asked for by its name is the component itself.
. "$SOURCE/tests/lib/expect.sh"
for chip in atmega328p msp430f1611; do
    elf=$FIRMWARE/interface-wrappers-$chip.elf
    motet run --quiet --board $chip --for 1s --log-interface "AppP.*=$work/log" --monitor 'interface:of=AppP.*,format=jsonl' "$elf"
    expect_status 0
    jq -r 'select(.function) | "\(.event) \(.function)"' "$work/out" | sort | uniq -c | awk '{ print $1, $2, $3 }' >"$work/calls"
    printf '50 %s\n' 'call-in TimerP__Timer__fired' 'call-out AppP__Pass__on' 'return-in TimerP__Timer__fired' \
        'return-out AppP__Pass__on' | cmp -s - "$work/calls" || fail "$chip: $(cat "$work/calls")"
    motet replay --board $chip --elf "$elf" --json "$work/log"
    expect_status 0
    jq -e '.differs == false and .events >= 200' "$work/out" >"$work/jq" || fail "$chip: the replay should be exact"
    motet run --quiet --board $chip --for 1s --monitor 'interface:of=AppP__Pass__on' "$elf"
    expect_out 'call-out   '
    expect_out 'LinkP__Pass__on('
done
finish
