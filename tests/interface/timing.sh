# A timing fault (LibReplay, 5.1): a message is sent too late, and the nodes that wait for it time out. The merged log shows
# the time-out before the late message is sent and received, though each node has a clock of its own.
. "$SOURCE/tests/lib/expect.sh"
for board in micaz telosb; do
    [ -e "$FIRMWARE/interface-late-$board.elf" ] || continue
    motet run --quiet --board $board --nodes 3 --boot 700ms --drift 40 --for 12s --log-interface "late.c=$work/%id.ilog" \
        "$FIRMWARE/interface-late-$board.elf"
    expect_status 0
    motet merge --json "$work"/[0-2].ilog
    expect_status 0
    jq -es '[range(length) as $i | .[$i] + {line: $i}] |
        (map(select(.node == 1 and .what == "radio_send" and .bytes == "090a"))[0]) as $late |
        (map(select(.what == "timed_out" and (.details | startswith("("))))) as $outs |
        ($outs | map(.node) | sort) == [0, 2] and
        all($outs[]; . as $out |
            $out.line < $late.line and $out.time < $late.time and
            # neither led to the other, ...
            ($late.clock["\($out.node)"] // 0) <= $out.event and ($out.clock["1"] // 0) <= $late.event) and
        # ... and both led to the late receive.
        (map(select(.what == "heard" and .bytes == "090a" and (.details | startswith("("))))) as $heard |
        ($heard | length) == 2 and all($heard[]; . as $h | $h.cause == {node: 1, event: $late.event} and
            any($outs[]; .node == $h.node and .event < $h.event and .line < $h.line) and $h.line > $late.line)' \
        "$work/out" >"$work/jq" || fail "$board: a time-out is not before the message that came too late"
done
finish
