# The long outage of the partition study (TARDIS, IPSN 2015, 4.5.2): after an hour beacons come every 512 s. A cut of 20 s
# then keeps the nodes beyond it from the root for many minutes with the bug, at most three beacons of 512 s; without it
# for seconds. By `make soak`, with and without the bug; in the suite kit.partition shows it in three minutes.
. "$SOURCE/tests/lib/expect.sh"

CUT=3600 REPAIR=3620 END=5400
outage() { # BOARD VARIANT: prints for each node of 5 to 8 how long after the repair its first report came, in seconds
    cat >"$work/outage.lua" <<END_OF_SCENARIO
for i = 0, 8 do
    node{ id = i, board = "$1", firmware = "$FIRMWARE/multihop-oscilloscope-$1$2.elf", x = 10 * i, boot = i / 10 }
end
medium{ model = "disk", range = 25 }
local function across(change)
    change(4, 5)
    change(3, 5)
    change(4, 6)
end
at($CUT, function() across(link_down) end)
at($REPAIR, function() across(link_up) end)
run_for($END)
local first, before, position = {}, 0, 1
every(1, function()
    local new, from = output(0):sub(position), position
    for frame, after in new:gmatch("~([^~]+)~()") do
        position = from + after - 1
        local bytes = frame:gsub("}(.)", function(c) return string.char(c:byte() ~ 0x20) end)
        local origin = #bytes == 17 and bytes:byte(2) << 8 | bytes:byte(3)
        if origin and origin > 4 then
            if now() < $CUT then before = before + 1 end
            if now() > $REPAIR and not first[origin] then first[origin] = now() - $REPAIR end
        end
    end
    if first[5] and first[6] and first[7] and first[8] then stop() end
end)
at_end(function()
    check(before > 4 * 700, "before the cut all should report")
    for i = 5, 8 do print("node", i, first[i] or "never") end
end)
END_OF_SCENARIO
    port=0
    [ "$1" != telosb ] || port=1
    motet run --quiet --threads 1 --seed 1 --serial "0:$port=file:,$work/answer" "$work/outage.lua" </dev/null
    expect_status 0
    command="$command ($1$2)"
}
returned() { # LEAST MOST: seconds
    awk -v least="$1" -v most="$2" '/^node/ { n++; bad += $3 == "never" || $3 < least || $3 > most } END { exit n != 4 || bad }' \
        "$work/out" || fail "nodes 5 to 8 should be back $1 to $2 s after the repair"
}

for board in telosb micaz iris; do
    [ -f "$FIRMWARE/multihop-oscilloscope-$board.elf" ] || continue
    outage $board ""
    returned 0 60
    outage $board -partition
    returned 300 1600
done
finish
