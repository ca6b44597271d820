# Nodes with the CC2420 that talk: which nodes hear each other, and what Wireshark makes of it.
. "$SOURCE/tests/lib/expect.sh"
cd "$work" || exit 1
beacon=$FIRMWARE/network-cc2420-beacon.elf
network="--board micaz --topology grid:3x3:10m --seed 7 --for 5s --quiet --digest"

# The same over threads and repetitions, watched or not.
for options in "--threads 1" "--threads 2" "--threads 8" "--threads 2 --pcap radio.pcap" "--json"; do
    motet run "$beacon" $network $options
    expect_status 0
    cat "$work/err" >>"$work/digests"
done
[ "$(sort -u "$work/digests" | wc -l)" -eq 1 ] || fail "all should have the same digest"
jq -e '.transmissions >= 70 and (.nodes | length) == 9' <"$work/out" >"$work/jq" || fail "each of nine nodes should send nearly ten"

command="tshark $work/radio.pcap"
tshark -r "$work/radio.pcap" -T fields -e wpan.src16 -e wpan-tap.ch_num -e wpan.fcs_ok >"$work/out" 2>"$work/err"
[ "$(wc -l <"$work/out")" -ge 70 ] || fail "the capture should have all frames"
[ "$(cut -f 1 "$work/out" | sort -u | wc -l)" -eq 9 ] || fail "there should be nine senders"
[ "$(cut -f 2,3 "$work/out" | sort -u)" = "$(printf '11\t1')" ] || fail "channel 11, and the check sequence right"
tshark -r "$work/radio.pcap" -Y '_ws.malformed || _ws.short' >"$work/out" 2>"$work/err"
expect_no_out

# Two radios in one capture: IEEE 802.15.4, and TinyOS's frames on a CC1000, which docs/wireshark-cc1000.lua shows.
tinyos=$FIRMWARE/radio-mica2-tinyos.elf
cat >"$work/mixed.lua" <<END
for i = 0, 1 do node{id = i, board = "mica2", firmware = "$tinyos", boot = i * 0.01} end
for i = 2, 3 do node{id = i, board = "micaz", firmware = "$beacon", boot = i * 0.1} end
run_for(2)
END
motet run "$work/mixed.lua" --quiet --pcap "$work/mixed.pcap"
expect_status 0
expect_no_err
command="tshark mixed.pcap"
tshark -X "lua_script:$SOURCE/docs/wireshark-cc1000.lua" -r "$work/mixed.pcap" -T fields -e frame.interface_name \
    -e cc1000.to -e cc1000.from -e cc1000.group -e cc1000.type -e cc1000.length -e cc1000.ack -e wpan.src16 \
    >"$work/out" 2>"$work/err"
tab=$(printf '\t')
grep -qxF "TinyOS on a CC1000${tab}0x0000${tab}0x0001${tab}0x22${tab}0x06${tab}4${tab}${tab}" "$work/out" || fail "a frame of TinyOS"
grep -qxF "TinyOS on a CC1000${tab}${tab}${tab}${tab}${tab}${tab}0xba83${tab}" "$work/out" || fail "an acknowledgement"
grep -qE "^IEEE 802.15.4${tab}.*0x0003$" "$work/out" || fail "a frame of IEEE 802.15.4"
tshark -r "$work/mixed.pcap" -Y '_ws.malformed || _ws.short' >"$work/out" 2>"$work/err"
expect_no_out
tshark -r "$work/mixed.pcap" -Y 'frame.comment contains "node 1, 914.999 MHz, heard loudest at -"' >"$work/out" 2>"$work/err"
[ -s "$work/out" ] || fail "comments should have sender, frequency and power"

# The kit's frames on a CC1000 are those of IEEE 802.15.4, without its check sequence.
if [ -e "$FIRMWARE/radio-count-mica2.elf" ]; then
    motet run --board mica2 --nodes 2 --for 2s --quiet --pcap "$work/kit.pcap" "$FIRMWARE/radio-count-mica2.elf"
    expect_no_err
    tshark -r "$work/kit.pcap" -T fields -e wpan.src16 -e wpan-tap.fcs_type -e wpan-tap.ch_freq -e wpan-tap.bit_rate \
        >"$work/out" 2>"$work/err"
    grep -qxF "0x0001${tab}0${tab}914999${tab}19200" "$work/out" || fail "a frame of the kit on mica2"
fi

# Radios that send in a format of their own: the empty capture is explained.
motet run --board mica2 --nodes 2 --for 1s --quiet --pcap "$work/own.pcap" "$FIRMWARE/radio-mica2-send.elf"
expect_status 0
expect_err "motet: --pcap: $work/own.pcap has no frames, since none of the transmissions ("

# A FIFO is followed while the run goes on. The nodes die after a second, so four frames are all there will ever be; the
# run goes on for an hour, and ends because tshark has shown three of them.
cat >"$work/live.lua" <<END
for i = 0, 1 do node{id = i, board = "micaz", firmware = "$beacon", boot = i * 0.1} end
at(1.2, function() kill(0) kill(1) end)
run_for(3600)
END
mkfifo "$work/live.pcap"
timeout 120 "$MOTET" run --realtime --pcap "$work/live.pcap" "$work/live.lua" >"$work/live.out" 2>"$work/live.err" &
run=$!
command="tshark -i live.pcap, a FIFO"
timeout 60 tshark -i "$work/live.pcap" -c 3 -l -T fields -e wpan.src16 >"$work/out" 2>"$work/err"
[ "$(cat "$work/out")" = "$(printf '0x0000\n0x0001\n0x0000')" ] || fail "frames should arrive while the run goes on"
kill -0 $run 2>"$work/err" || fail "the run should still go on"
kill -INT $run
wait $run

# A reader that leaves early: the run ends as it would, and says what is missing, and why. (A pipe holds 64 KB, so there
# is more than that.)
motet run "$beacon" --board micaz --nodes 9 --for 100s --quiet --pcap "$work/live.pcap" &
head -c 100 "$work/live.pcap" >"$work/some"
wait $!
command="motet run --pcap live.pcap, a FIFO"
expect_err "motet: cannot write all of $work/live.pcap: Broken pipe"

# A line in which only neighbours hear each other; one link fails for a while.
cat >"$work/line.lua" <<END
for i = 0, 3 do node{id = i, board = "micaz", firmware = "$beacon", x = i * 10, boot = i * 0.11} end
medium{model = "disk", range = 12}
run_for(20)
local function from(i, k) return (string.unpack("<I2", bytes(i, "heard_from"), 2 * k + 1)) end
at(5, function() link_down(1, 2) end)
local before
at(5.3, function() before = from(1, 2) check(before > 5, "2 is heard at first") end)
at(15, function()
    check(from(1, 2) <= before + 1, "2 is not heard while the link is down")
    link_up(1, 2)
end)
at_end(function()
    check(from(1, 2) > before + 7, "2 is heard again")
    check(from(1, 0) > 30 and from(0, 1) > 30 and from(2, 3) > 30, "neighbours hear each other")
    check(from(0, 2) == 0 and from(3, 1) == 0, "others do not")
    check(string.unpack("b", bytes(0, "strength_from"), 2) == -60, "the strength is that of the disk")
end)
END
motet run "$work/line.lua" --quiet
expect_status 0
expect_no_err

# A directed link is heard in one direction only.
cat >"$work/directed.lua" <<END
for i = 0, 1 do node{id = i, board = "micaz", firmware = "$beacon", boot = i * 0.2} end
medium{model = "links"}
link(0, 1, -62)
run_for(5)
at_end(function() check(read(1, "heard") >= 8 and read(0, "heard") == 0, "one direction") end)
END
motet run "$work/directed.lua" --quiet
expect_status 0
finish
