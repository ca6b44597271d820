# What was sent before now is known after a jump as well, and where it is not, packets says so: the answers in a saved
# run, which is opened at a snapshot of its file, are those of the run itself.
. ./lines.sh

cat >"$work/busy.lua" <<END
for i = 1, 3 do
    node{id = i, board = "micaz", firmware = "$FIRMWARE/network-cc2420-busy.elf", x = 5 * i, boot = 0.001 * i}
end
run_for(8)
END
timeout 300 "$MOTET" run "$work/busy.lua" --quiet --save "$work/busy.motet" >/dev/null
cat >"$work/commands" <<'END'
seek 7s
packets
packets 200
seek 2s
packets 5
seek 4.5s
packets 3
when
history
END
grep -v history "$work/commands" | session debug "$work/busy.lua"
sed -n '/^7.0/,$p' "$work/out" >"$work/first"
[ "$(grep -c ' ms: data' "$work/first")" -eq 218 ] || show "there should be 218 transmissions"
grep -v history "$work/commands" | session open "$work/busy.motet"
sed -n '/^7.0/,$p' "$work/out" | cmp -s - "$work/first" || show "a saved run should show the same transmissions"

# Looking leaves the state as it is; what is not known is not called nothing.
session open "$work/busy.motet" --at 7.05s <<'END'
history
packets 100 known
packets 100
history
packets known
END
expect 'digest '
expect 'what was sent before 7.000000 s is not known; packets finds out'
expect ' ms: data'
expect 'digest '
expect ' ms: data'
[ "$(grep -o 'digest [0-9a-f]*' "$work/out" | sort -u | wc -l)" -eq 1 ] || show "both digests should be the same"
expect_none 'nothing was sent so far'

# Silence from the beginning on is known to be silence.
timeout 300 "$MOTET" run "$FIRMWARE/blink-micaz.elf" --board micaz --nodes 2 --for 3s --quiet --save "$work/mute.motet" \
    >/dev/null
session open "$work/mute.motet" --at 2.9s <<'END'
packets known
packets
END
expect 'is not known; packets finds out'
expect 'nothing was sent so far'
expect_status 0

# TinyOS's frames on a CC1000, the second after a long preamble.
cat >"$work/tinyos.lua" <<END
for i = 0, 1 do node{id = i, board = "mica2", firmware = "$FIRMWARE/radio-mica2-tinyos.elf", boot = 0.001 * i} end
run_for(1)
END
session debug "$work/tinyos.lua" <<'END'
seek 300ms
packets
END
expect ' ms: data to 0000 from 0001, group 22, type 06, 4 bytes: 00 02 00 00'
expect ' ms: ack'
expect_status 0
finish
