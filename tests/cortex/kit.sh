# The kit on the nRF52840 and the CC2538: in a network with MICAz and TelosB, in which every node forwards others' reports
# and acknowledges what comes to it; the same with any number of threads; a check that failed; what motet check finds.
. "$SOURCE/tests/cortex/cortex.lib"
cat >"$work/mixed.lua" <<LUA
local boards = { "nrf52840dk", "micaz", "cc2538dk", "telosb", "openmote" }
for i = 0, 8 do
    local board = boards[i % 5 + 1]
    node{ id = i, board = board, firmware = "$FIRMWARE/multihop-oscilloscope-" .. board .. ".elf", x = 10 * i,
          boot = i / 8, drift = i * 7 % 9 * 6 - 25, set = { node_id = i } }
end
medium{ model = "disk", range = 15 }
run_for(60)
LUA
for threads in 1 2; do
    motet run --quiet --json --threads $threads --serial "0:0=file:,$work/answer" "$work/mixed.lua"
    expect_status 0
    sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$work/out" >"$work/digest$threads"
done
[ -s "$work/digest1" ] && cmp -s "$work/digest1" "$work/digest2" || fail "threads should change nothing"
"$FRAMES" decode <"$work/answer" | cut -d ' ' -f 3 | cut -c 1-4 | sort | uniq -c >"$work/reports"
[ "$(awk '$1 >= 10' "$work/reports" | wc -l)" -eq 9 ] || fail "reports of nine nodes: $(cat "$work/reports")"

# Acknowledgements are the firmware's on the nRF52840, the radio's on the CC2538: their first bit comes 192 us after the
# frame, as the standard has it.
for board in nrf52840dk cc2538dk; do
    motet run --quiet --board $board --nodes 2 --set node_id=%id --for 10s --serial '*:0=null' --monitor packets \
        "$FIRMWARE/easy-collection-$board.elf"
    cat "$work/out" "$work/err" | awk '
        / sends data / { for (i = 1; i < NF; i++) if ($i == "length") end = $1 + (6 + $(i + 1)) * 32e-6 }
        / sends ack / { count++; turn = ($1 - end) * 1e6; if (turn < 185 || turn > 200) { print "turnaround", turn; bad = 1 } }
        END { exit bad || count < 100 }' || fail "acknowledgements should come in time"
done

# Looking changes nothing.
for board in nrf52840dk cc2538dk; do
    rm -f "$work/digests"
    for monitors in "" "--monitor calls:file=$work/calls --monitor interrupts --monitor stack --monitor profile --monitor registers:file=$work/registers"; do
        motet run --quiet --json --board $board --for 2s --serial 0=null $monitors "$FIRMWARE/collect-$board.elf"
        expect_status 0
        tail -1 "$work/out" | sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' >>"$work/digests"
    done
    [ "$(sort -u "$work/digests" | wc -l)" -eq 1 ] && [ "$(wc -l <"$work/digests")" -eq 2 ] || fail "monitors should change nothing"
done

# Several checks share one UDF: the branch tells which of them failed.
for board in nrf52840dk cc2538dk; do
    motet check --as-found --workers 1 --board $board --nodes 2 --save "$work/found.motet" \
        "$FIRMWARE/dip-$board-dip-bound-checked.elf"
    expect_status 1
    expect_out "index out of bounds at items_protocol_say"
    expect_out "index 32, where 0 to 31 are allowed"
    motet check --replay "$work/found.motet"
    expect_status 1
    expect_out "the error is still there"
    motet check --replay "$work/found.motet" --repaired "$FIRMWARE/dip-$board-checked.elf"
    expect_status 0
    expect_out "the error does not come up with these choices"
    motet check --workers 1 --walks 5 --board $board --nodes 2 "$FIRMWARE/dip-$board-checked.elf"
    expect_status 0
done
finish
