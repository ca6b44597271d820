# earthquake: each node finds the frequency and amplitude of what shakes it, about once a second, and says so to the root; on
# a board without a radio, to its own host.
. "$SOURCE/tests/lib/expect.sh"

for board in $RADIO_BOARDS; do
    channel=3 port=0 steps=1024 last=yellow supply=3
    [ "$board" != telosb ] || channel=0 port=1 steps=4096 last=blue
    [ "$board" != nrf52840dk ] || channel=2 steps=4096 last=LED3
    [ "$board" != cc2538dk ] || channel=4 steps=2048 last=LED3 supply=3.3
    cat >"$work/shaking.lua" <<END
local volts, hertz = { [0] = 0.04, 0.5, 1.2 }, { [0] = 3.1, 12.5, 31.2 }
for i = 0, 2 do
    node{ id = i, board = "$board", firmware = "$FIRMWARE/earthquake-$board-checked.elf", x = 10 * i, set = { node_id = i } }
end
medium{ model = "disk", range = 15 }
every(0.0005, function()
    for i = 0, 2 do
        analog(i, $channel, 1.5 + volts[i] * math.sin(2 * math.pi * hertz[i] * now()))
    end
end)
at_end(function()
    local last = "$last"
    check(led(1, last) and led(2, last) and not led(0, last), "LED 2 should be lit where it shakes")
end)
run_for(8.5)
END
    motet run --quiet --threads 1 --serial "0:$port=file:,$work/answer" "$work/shaking.lua" </dev/null
    expect_status 0
    "$FRAMES" decode <"$work/answer" | sort >"$work/frames"
    # The strongest of steps of 0.78 Hz; less than full amplitude between two of them.
    awk -v steps=$steps -v supply=$supply '
        function hex(text,  value, i) {
            for (i = 1; i <= length(text); i++)
                value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
            return value
        }
        BEGIN { volts[0] = 0.04; volts[1] = 0.5; volts[2] = 1.2; hertz[0] = 3.1; hertz[1] = 12.5; hertz[2] = 31.2 }
        {
            node = hex(substr($3, 1, 4)); number = hex(substr($3, 5, 4))
            off = hex(substr($3, 9, 4)) / 100 - hertz[node]; size = hex(substr($3, 13, 4)) / (volts[node] / supply * steps)
            if (number != count[node]++) { print "node", node, "number", number; bad = 1 }
            if (off < -0.5 || off > 0.5) { print "node", node, "off by", off; bad = 1 }
            if (node > 0 && (size < 0.85 || size > 1.05)) { print "node", node, "amplitude", size; bad = 1 }
        }
        END { exit bad || count[0] < 7 || count[1] < 7 || count[2] < 7 }' "$work/frames" ||
        fail "the reports: $(cat "$work/frames")"
done

motet run --board uno --for 5.2s --quiet --serial "0=file:,$work/answer" --analog 2=sine:1V:3V:12.5 \
    "$FIRMWARE/earthquake-uno-checked.elf" </dev/null
expect_status 0
"$FRAMES" decode <"$work/answer" >"$work/frames"
for number in 0 1 2 3 4; do echo "plain 0 0001000${number}04e200cc"; done | diff - "$work/frames" || fail "reports of the uno"
finish
