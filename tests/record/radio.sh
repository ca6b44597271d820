#!/bin/sh
# usage: radio.sh BOARD PORT
# The base station's invariant in firmware, the freeze that it disseminates, and logs fetched over the radio. Node 2 is cut
# off from 15 s to 65 s. The base station misses it and has all nodes keep their logs; node 2 gets the command only when
# its links are back. Then a second base station fetches its log over links that lose half of all transmissions; with
# LONG=yes that of node 1 too.
. "$SOURCE/tests/lib/expect.sh"
board=$1 port=$2 run= nodes=2
[ -z "${LONG:-}" ] || nodes="2 1"
trap '[ -z "$run" ] || kill $run 2>/dev/null; rm -rf "$work"' EXIT

cat >"$work/network.lua" <<END
for i = 0, 2 do
    node{ id = i, board = "$board", firmware = "$FIRMWARE/multihop-watched-$board-recorded.elf", x = 10 * i, boot = i / 10 }
end
node{ id = 9, board = "$board", firmware = "$FIRMWARE/base-station-$board.elf", x = 10, y = 10 }
medium{ model = "disk", range = 25 }
for i = 1, 2 do
    link_loss(9, i, 0.5)
    link_loss(i, 9, 0.5)
end
local function must(holds, text) -- a run that is interrupted reports no checks
    if not holds then print("wrong: " .. text) end
end
local function cut(change)
    change(0, 2)
    change(1, 2)
end
at(15, function() cut(link_down) end)
at(45, function() for i = 0, 2 do must(read(i, "given") == 0, "node " .. i .. " should record at 45 s") end end)
at(65, function()
    must(read(0, "given") == 1 and read(1, "given") == 1, "nodes 0 and 1 should keep their logs at 65 s")
    must(read(2, "given") == 0, "node 2 cannot have heard of it")
    cut(link_up)
end)
local said
every(1, function()
    if read(2, "given") == 1 and not said then
        said = true
        print(string.format("kept at %.0f s", now()))
    end
    must(said or now() < 120, "node 2 should keep its log soon after its links are back")
end)
END

command="a network"
"$MOTET" run "$work/network.lua" --threads 1 --seed 1 --for 24h --serial "0:$port=file:,$work/reports" --serial "9:$port=pty" \
    --save-flash "1:$work/1.flash" --save-flash "2:$work/2.flash" >"$work/run.out" 2>"$work/run.err" </dev/null &
run=$!
status=0 looks=0
until grep -q '^kept' "$work/run.out"; do
    looks=$((looks + 1))
    if [ $looks -gt 1500 ] || ! kill -0 $run 2>/dev/null; then
        cat "$work/run.out" "$work/run.err"
        fail "node 2 has not kept its log"
        finish
    fi
    sleep 0.1
done
place=$(sed -n 's/.*\(\/dev\/pts\/[0-9]*\).*/\1/p' "$work/run.err")
for node in $nodes; do
    motet collect --serial "$place" --radio $node --patience 60s --output "$work/$node.radio" </dev/null
    expect_status 0
    expect_out "then it was frozen"
    expect_err "times again for what was lost"
done
# What is not there does not answer; what is no base station neither.
motet collect --serial "$place" --radio 7 --patience 300ms </dev/null
expect_complaint "node 7 does not answer over the radio of the base station at $place, after 0 pages"
kill -INT $run
wait $run
status=$?
run=
cp "$work/run.err" "$work/err"
cp "$work/run.out" "$work/out"
expect_status 0
expect_not_in_out "wrong:"

# What came over the radio is what the flash holds, and replays to the freeze.
for node in $nodes; do
    motet collect "$work/$node.flash" --output "$work/$node.log" </dev/null
    expect_status 0
    cmp "$work/$node.log" "$work/$node.radio" || fail "the log of node $node is another in the flash"
    motet replay "$work/$node.radio" --elf "$FIRMWARE/multihop-watched-$board-recorded.elf" --board "$board" --id $node </dev/null
    expect_status 0
    expect_err "the firmware froze the log"
done

# The host has heard what is wrong: a packet with the address of node 2 and nothing else.
"$FRAMES" decode <"$work/reports" >"$work/out"
expect_out "plain 0 0002"
grep -qx 'plain 0 0002' "$work/out" || fail "the host should hear that node 2 is silent"

motet collect --radio 7 "$work/2.flash" </dev/null
expect_complaint "--radio needs --serial"
motet collect --serial "$place" --radio all </dev/null
expect_complaint "all"
finish
