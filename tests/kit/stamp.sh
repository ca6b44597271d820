# Time stamps: the time that a frame says it was sent at is the one its sender knows, and the receivers' time of it is the
# same instant, to the tick of the clock that the two do not share.
. "$SOURCE/tests/lib/expect.sh"

for board in $RADIO_BOARDS; do
    most=1
    [ "$board" != mica2 ] || most=2 # its receiver is up to half a bit out of step, which is 26 us
    cat >"$work/stamp.lua" <<END
for i = 1, 3 do
    node{ id = i, board = "$board", firmware = "$FIRMWARE/kit-stamp-$board.elf", x = 10 * i, boot = i / 32, set = { node_id = i } }
end
medium{ model = "disk", range = 50 }
local function entry(i, name, k)
    return (string.unpack("<I4", bytes(i, name), 4 * k + 1))
end
at_end(function()
    for i = 2, 3 do
        check(read(i, "received_count") == 15, "node " .. i .. " has received " .. read(i, "received_count"))
        check(read(i, "untimed_count") == 0, "node " .. i .. " does not know when")
        for k = 0, 14 do
            local sent = entry(1, "sent_time", k)
            check(sent == entry(i, "stamped_time", k), "frame " .. k .. " says another time than its sender")
            local error = entry(i, "received_time", k) + (i - 1) * 1024 - sent
            check(error >= -$most and error <= $most, string.format("frame %d at node %d: %d ticks off", k, i, error))
        end
    end
end)
run_for(3.9)
END
    motet run --quiet --threads 1 "$work/stamp.lua" </dev/null
    expect_status 0
done
finish
