# A frame begins with the first byte of its preamble, for captures and monitors, whatever radio sends it: from there to
# its end are four bytes of preamble, the delimiter, the length and the frame, 32 us each. An nRF52840 and an AT86RF230
# begin sooner than others can notice.
. "$SOURCE/tests/cortex/cortex.lib"
i=0
for board in nrf52840dk cc2538dk micaz telosb iris; do
    i=$((i + 1))
    echo "node{ id = $i, board = \"$board\", firmware = \"$FIRMWARE/radio-count-$board.elf\", x = 3 * $i, y = 0 }" \
        >>"$work/all.lua"
done
echo "run_for(3)" >>"$work/all.lua"
motet run "$work/all.lua" --pcap "$work/all.pcapng" --monitor packets
expect_status 0
cat "$work/out" "$work/err" >"$work/both"
fields="-e wpan-tap.sof_ts -e wpan-tap.eof_ts -e wpan.frame_length -e wpan.src16"
# shellcheck disable=SC2086
tshark -r "$work/all.pcapng" -T fields $fields 2>/dev/null | sort -n >"$work/frames"
[ "$(cut -f 4 "$work/frames" | sort -u | wc -l)" -eq 5 ] || fail "five radios should send"
awk '{ off = ($2 - $1) / 1000 - 32 * (6 + $3 + 2); if (off > 1 || off < -1) print "off by", off, "us:", $0 }' \
    "$work/frames" >"$work/wrong"
[ -s "$work/wrong" ] && { cat "$work/wrong" && fail "a frame of the capture should begin with its preamble"; }
sed -n 's/^ *\([0-9.]*\) node \([0-9]*\) sends .*/\1 \2/p' "$work/both" | sort -n >"$work/monitored"
[ "$(wc -l <"$work/monitored")" -eq "$(wc -l <"$work/frames")" ] || fail "a monitor should see each frame"
paste "$work/frames" "$work/monitored" | awk '{ off = $1 / 1000 - 1e6 * $5; if (off > 0.1 || off < -0.1) print }' >"$work/wrong"
[ -s "$work/wrong" ] && { cat "$work/wrong" && fail "a monitor should see frames begin when the capture does"; }
finish
