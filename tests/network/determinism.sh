# One life: a network of nine that collects over several hops is the same in 30 runs (10 on further boards; 100 in `make soak`), whatever
# the threads, and whether it is watched or not; what it puts on the air is the same to the byte, and tshark finds nothing
# wrong with it.
. "$SOURCE/tests/lib/expect.sh"
cd "$work" || exit 1

for board in $RADIO_BOARDS; do
    rm -f "$work"/digests "$work"/*.pcap
    : >"$work/digests"
    network="--board $board --topology grid:3x3:18m --medium log:3:4dB --drift 30ppm --boot 300ms --loss 0.02 --seed 7"
    runs=10
    [ "$board" != micaz ] || runs=30
    [ -z "${LONG:-}" ] || runs=100
    for i in $(seq $runs); do
        options="--threads $(echo 1 2 8 | cut -d ' ' -f $((1 + i % 3)))"
        case $((i % 10)) in
        1) options="$options --pcap $i.pcap" ;;
        2) options="$options --trace leds,pins,serial,resets" ;;
        3) options="$options --json --pcap $i.pcap --trace 4:leds" ;;
        esac
        motet run $network --for 1200ms --digest --quiet $options "$FIRMWARE/collect-$board.elf" </dev/null
        expect_status 0
        grep digest "$work/err" >>"$work/digests"
    done
    [ "$(wc -l <"$work/digests")" -eq $runs ] && [ "$(sort -u "$work/digests" | wc -l)" -eq 1 ] ||
        fail "$runs runs on $board have the digests: $(sort "$work/digests" | uniq -c)"
    [ "$(cksum "$work"/*.pcap | cut -d ' ' -f 1,2 | sort -u | wc -l)" -eq 1 ] || fail "the captures should be the same"
    motet run $network --seed 8 --for 1200ms --digest --quiet "$FIRMWARE/collect-$board.elf" </dev/null
    ! grep -qxF "$(grep digest "$work/err")" "$work/digests" || fail "another seed should be another life"

    # Where a run is cut, here to do nothing every 0.7 ms, makes no difference, also where all speak at once.
    cat >"$work/whole.lua" <<END
for i = 0, 2 do
    node{ id = i, board = "$board", firmware = "$FIRMWARE/chatter-$board.elf", x = 10 * i, boot = 0.001 + i * 0.0023 }
end
END
    { cat "$work/whole.lua" && echo 'every(0.0007, function() end)'; } >"$work/cut.lua"
    for way in whole cut; do
        motet run --for 250ms --seed 7 --digest --quiet "$work/$way.lua" </dev/null
        grep digest "$work/err" >"$work/$way"
    done
    [ -s "$work/whole" ] && cmp -s "$work/whole" "$work/cut" || fail "runs that are cut should be as whole ones are"

    [ "$board" != mica2 ] || continue # whose frames are not of IEEE 802.15.4

    # Longer, for data that goes over several hops: every node has been given its own id, and tshark reads all of it.
    motet run $network --for 20s --quiet --pcap "$work/long.pcap" "$FIRMWARE/collect-$board.elf" </dev/null
    expect_status 0
    command="tshark of $board"
    tshark -r "$work/long.pcap" -T fields -e wpan.src16 -e wpan-tap.ch_num -e wpan.fcs_ok -e wpan-tap.rss -e wpan-tap.lqi \
        >"$work/out" 2>"$work/err"
    [ "$(cut -f 1 "$work/out" | grep . | sort -u | wc -l)" -eq 9 ] || fail "there should be nine senders"
    [ "$(cut -f 2,3 "$work/out" | sort -u | wc -l)" -eq 1 ] || fail "one channel, and every check sequence right"
    [ "$(cut -f 4 "$work/out" | sort -u | wc -l)" -ge 5 ] || fail "links are of different strengths"
    awk -F '\t' '$4 != "" && ($4 > -20 || $4 < -110 || $5 < 0 || $5 > 255) { exit 1 }' "$work/out" || fail "power and quality"
    tshark -r "$work/long.pcap" -Y '_ws.malformed || _ws.short || _ws.expert.severity >= 6291456' >"$work/out" 2>"$work/err"
    expect_no_out
done
finish
