# Frames, acknowledgements, filter and source matching among CC2538 nodes; the same state with any number of threads; a
# network of five radios' kinds.
. "$SOURCE/tests/cortex/cortex.lib"
compile_cc2538 "$work/radio.elf" "$here/cc2538_radio.c"
network() { # FILE
    for id in 1 2 3; do
        echo "node{ id = $id, board = \"cc2538dk\", firmware = \"$work/radio.elf\", x = 4 * $id, y = 0 }"
    done >"$1"
    echo "run_for(2)" >>"$1"
}
network "$work/three.lua"
motet run "$work/three.lua" --pcap "$work/air.pcapng"
expect_status 0
expect_not_in_out badly
expect_not_in_out error
expect_not_in_out busy
[ "$(grep -c '^2: 2 heard 12 bytes' "$work/out")" -eq 10 ] || fail "node 2 should hear ten frames"
[ "$(grep -c '^3: 3 heard 12 bytes' "$work/out")" -eq 5 ] || fail "node 3 should hear the broadcasts alone"
[ "$(grep -c '^1: 1 heard 5 bytes, type 2 number [02468] with more, well' "$work/out")" -eq 5 ] ||
    fail "node 1 should get five acknowledgements with the pending bit"
[ "$(tshark -r "$work/air.pcapng" -Y 'wpan.frame_type == 2 && !(wpan.fcs_ok == 0)' 2>/dev/null | wc -l)" -eq 5 ] ||
    fail "tshark should see five acknowledgements"
for threads in 1 2; do
    motet run "$work/three.lua" --json --quiet --threads $threads
    sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$work/out" >"$work/digest$threads"
done
[ -s "$work/digest1" ] && cmp -s "$work/digest1" "$work/digest2" || fail "threads should change nothing"
network "$work/mixed.lua"
compile "$work/nrf.elf" "$here/radio.c"
cat >>"$work/mixed.lua" <<LUA
node{ id = 4, board = "nrf52840dk", firmware = "$work/nrf.elf", x = 0, y = 3 }
node{ id = 5, board = "micaz", firmware = "$FIRMWARE/radio-count-micaz.elf", x = 4, y = 3 }
node{ id = 6, board = "telosb", firmware = "$FIRMWARE/radio-count-telosb.elf", x = 8, y = 3 }
LUA
sed -i '/run_for/d' "$work/mixed.lua"
echo "run_for(1.3)" >>"$work/mixed.lua"
motet run "$work/mixed.lua" --monitor packets
expect_status 0
cat "$work/out" "$work/err" >"$work/both"
grep -q 'node 1 sends data .*received by 2 3 4 5 6' "$work/both" || fail "all others should receive a broadcast of a CC2538"
for sender in 4 5 6; do
    grep -q "node $sender sends data .*received by .*3" "$work/both" || fail "a CC2538 should receive a frame of node $sender"
done
finish
