# Low-power listening: the radio is off most of the time, the more the longer the interval where little is to be sent, and
# reports still arrive.
. "$SOURCE/tests/cli/expect.sh"

study() { # BOARD INTERVAL NODES LIMIT: of the time on, in percent, for the last node; so many reports of each in 200 s
    port=0
    [ "$1" != telosb ] || port=1
    cat >"$work/lpl.lua" <<END
for i = 0, $3 - 1 do
    node{ id = i, board = "$1", firmware = "$FIRMWARE/multihop-oscilloscope-$1-lpl$2.elf", x = 10 * i, boot = i / 10,
          set = { node_id = i } }
end
medium{ model = "disk", range = 15 }
local before = {}
at(100, function()
    for i = 0, $3 - 1 do before[i] = read(i, "radio_on_ticks") end
end)
at_end(function()
    for i = 0, $3 - 1 do
        local on = (read(i, "radio_on_ticks") - before[i]) / 32768 / 100 * 100
        check(on > 0.5 and on < (i == $3 - 1 and $4 or 25), string.format("the radio of node %d is on %.1f %%", i, on))
    end
end)
run_for(200.5)
END
    motet run --quiet --threads 1 --serial "0:$port=file:,$work/answer" "$work/lpl.lua" </dev/null
    expect_status 0
    "$FRAMES" decode <"$work/answer" >"$work/frames"
    for node in $(seq 0 $(($3 - 1))); do
        count=$(grep -o "^plain 0 000$node...." "$work/frames" | sort -u | wc -l)
        [ "$count" -ge 38 ] || fail "node $node: $count reports at the root"
    done
}

# A look takes 4.5 ms, which is 6.6 % of the time with 64 ms and 0.9 % with 512 ms. The last node's own report, every 5 s,
# keeps the radio on for the interval and 40 ms at most, 2.1 % and 11 %. The rest is beacons and what the neighbour sends.
for board in $(echo "$RADIO_BOARDS" | sed s/mica2//); do
    study "$board" 64 9 14
    study "$board" 512 4 14
done
finish
