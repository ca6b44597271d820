# Frames between three nodes, all of them heard; a network of three instruction sets; the mode that is not there.
. "$SOURCE/tests/cortex/cortex.lib"
compile "$work/radio.elf" "$here/radio.c"
motet run --board nrf52840dk --nodes 3 --boot 0 --for 2s --pcap "$work/air.pcapng" "$work/radio.elf"
expect_status 0
[ "$(grep -c ', well$' "$work/out")" -eq 30 ] || fail "each of 15 frames should be heard by two nodes"
expect_not_in_out "matched wrongly"
[ "$(grep -c "matched$" "$work/out")" -eq 6 ] || fail "a frame of each should match the pattern at both others"
[ "$(tshark -r "$work/air.pcapng" -Y 'wpan.dst16 == 0xffff && !(wpan.fcs_ok == 0)' 2>/dev/null | wc -l)" -eq 15 ] ||
    fail "tshark should see 15 broadcasts without a bad check sequence"
motet run --board nrf52840dk --nodes 3 --boot 0 --for 2s --serial '*:0=null' --trace parts "$work/radio.elf"
late=$(awk '$6 == "sending" { sender = $3 }
    $6 == "idle" && $3 == sender { end = $1; sender = -1; split("", heard) }
    $6 == "idle" && $3 != sender && end && $1 > end && !heard[$3]++ { printf "%.0f\n", ($1 - end) * 1e6 }' "$work/err" |
    sort | uniq -c | awk '$2 == 23 { print $1 }')
[ "$late" = 30 ] || fail "a receiver should be through with a frame 23 us after its end, 30 times, not ${late:-0}"
cat >"$work/mixed.lua" <<LUA
node{ id = 1, board = "micaz", firmware = "$FIRMWARE/radio-count-micaz.elf", x = 0, y = 0 }
node{ id = 2, board = "telosb", firmware = "$FIRMWARE/radio-count-telosb.elf", x = 5, y = 0 }
node{ id = 3, board = "nrf52840dk", firmware = "$work/radio.elf", x = 0, y = 5 }
run_for(1)
LUA
motet run "$work/mixed.lua" --monitor packets
expect_status 0
expect_out "3 heard 14 bytes, number 45 of 1, well"
cat "$work/out" "$work/err" >"$work/both"
grep -q 'node 3 sends data 0 .*received by 1 2' "$work/both" || fail "both other boards should receive frames of the third"
sed 's/RADIO(0x510) = 15/RADIO(0x510) = 3/' "$here/radio.c" >"$work/bluetooth.c"
compile "$work/bluetooth.elf" "$work/bluetooth.c"
motet run --board nrf52840dk --for 10ms --serial 0=null "$work/bluetooth.elf"
expect_err "only MODE 15, IEEE 802.15.4"
finish
