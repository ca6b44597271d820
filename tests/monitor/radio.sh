# Monitors of networks: packets and trace, on the kit's radio-count, which broadcasts a counter every 250 ms.
. "$SOURCE/tests/lib/expect.sh"

same() { # WHAT EXPECTED GOT
    [ "$2" = "$3" ] || fail "$1 should be '$2' and is '$3'"
}

for board in micaz telosb iris; do
    elf=$FIRMWARE/radio-count-$board.elf
    motet run --board $board --nodes 3 --for 3s --json --monitor packets:format=jsonl "$elf"
    expect_status 0
    grep -v '"nodes"' "$work/out" >"$work/packets"
    same "$board: packets" "$(grep '"nodes"' "$work/out" | jq .transmissions)" "$(wc -l <"$work/packets")"
    jq -e -s 'length > 20 and all(.[]; .kind == "data" and .type == 6 and .to == "0xffff" and .network == 34 and
        .length == 14 and .bytes == 20 and (.from | ltrimstr("0x000") | tonumber) == .node)' "$work/packets" >/dev/null ||
        fail "$board: what frames say"
    jq -e -s 'all(.[]; . as $p | ((.received + " " + .lost) | split(" ") | map(select(. != "")) | map(split(":")[0])) as $who |
        ($who | length) <= 2 and ($who | index("\($p.node)")) == null)' "$work/packets" >/dev/null ||
        fail "$board: no node receives its own packet"
    jq -e -s '[.[] | select(.time > 1 and .lost == "")] | length > 10 and all(.[]; .received | length == 3)' \
        "$work/packets" >/dev/null || fail "$board: all of the others receive"
    # 20 bytes of 32 us.
    jq -e -s 'all(.[]; .ended - .time > 0.0006399 and .ended - .time < 0.0006411)' "$work/packets" >/dev/null ||
        [ $board = iris ] || fail "$board: a packet should take 640 us"
done

# A link that loses everything: what is lost there is said.
elf=$FIRMWARE/radio-count-micaz.elf
motet run --board micaz --nodes 2 --loss 1 --for 2s --quiet --monitor packets:format=jsonl "$elf"
jq -e -s '[.[] | select(.time > 1)] | length > 4 and all(.[]; .received == "" and (.lost | endswith(":link")))' \
    "$work/out" >/dev/null || fail "all should be lost on the link"
motet run --board micaz --nodes 2 --for 1s --quiet --monitor packets "$elf"
grep -qE '^  0\.[0-9]{9} node 1 sends data [0-9]+ from 0x0001 to 0xffff network 0x0022 type 0x06 length 14, 2480.000 MHz 0.0 dBm; received by 0$' \
    "$work/out" || fail "a line for each"
if [ -e "$FIRMWARE/radio-count-mica2.elf" ]; then # a radio of bits: not frames, but what it made of them is known
    motet run --board mica2 --nodes 2 --for 2s --quiet --monitor packets "$FIRMWARE/radio-count-mica2.elf"
    grep -qE ' node 1 sends data [0-9]+ from 0x0001 .* MHz 0.0 dBm; received by 0$' "$work/out" || fail "the receivers of bits"
fi
# TinyOS's frames on the same radio. The receiver of a unicast answers while the sender still flushes its transmitter:
# all of the frame was there, so it is received. A preamble may be longer than what is kept of it.
motet run --board mica2 --nodes 3 --boot 1ms --for 2s --quiet --monitor packets:format=jsonl --digest \
    "$FIRMWARE/radio-mica2-tinyos.elf"
cp "$work/err" "$work/watched"
jq -e -s 'length > 40 and all(.[]; .lost == "") and all(.[] | select(.node == 1); .kind == "data" and .from == "0x0001" and
    .network == 34 and .type == 6 and .length == 4 and .sequence == null and .received == "0 2")' "$work/out" >/dev/null ||
    fail "TinyOS's frames should be read and received"
jq -e -s '[.[] | select(.to == "0x0000")] as $asked | [.[] | select(.node == 0)] as $answers |
    ($asked | length) > 10 and (($asked | length) - ($answers | length) | . == 0 or . == 1) and
    all($answers[]; .kind == "ack" and .to == "-" and .received == "1 2")' "$work/out" >/dev/null ||
    fail "each unicast should be acknowledged, and the acknowledgement received"
motet run --board mica2 --nodes 3 --boot 1ms --for 2s --quiet --digest "$FIRMWARE/radio-mica2-tinyos.elf"
cmp -s "$work/err" "$work/watched" || fail "packets should change nothing"
motet run --board mica2 --nodes 2 --boot 1ms --for 300ms --quiet --monitor packets "$FIRMWARE/radio-mica2-tinyos.elf"
grep -qE ' node 1 sends data from 0x0001 to 0x0000 network 0x0022 type 0x06 length 4, .*; received by 0$' "$work/out" ||
    fail "a line for a frame of TinyOS"
grep -qE ' node 0 sends ack, .*; received by 1$' "$work/out" || fail "a line for an acknowledgement"
motet run --board micaz --nodes 2 --for 1s --monitor "packets:file=$work/%id" "$elf"
expect_complaint "give one file for all nodes"

# The trace: arrows lead from each packet to its receivers, inside slices of their radios.
motet run --board micaz --nodes 3 --for 3s --quiet --monitor "trace:calls=1,variable=count,file=$work/trace" \
    --monitor packets:format=jsonl "$elf"
well_formed() { # TRACE AT-LEAST-FLOWS
    python3 "$SOURCE/tests/export/read_trace.py" "$1" >"$work/out" 2>"$work/err" || fail "the trace should be well-formed"
    [ "$(sed 's/.* \([0-9]*\) flows$/\1/' "$work/out")" -ge "$2" ] || fail "there should be $2 flows"
}
same "arrows" "$(jq -s '[.[].received | split(" ")[] | select(. != "")] | length' "$work/out")" \
    "$(jq '[.traceEvents[] | select(.ph == "f")] | length' "$work/trace")"
well_formed "$work/trace" 8
for one in chatter-iris collect-telosb radio-count-mica2; do
    [ -e "$FIRMWARE/$one.elf" ] || continue
    motet run --board "${one##*-}" --nodes 3 --boot 10ms --for 250ms --quiet --monitor "trace:calls=1,file=$work/other" \
        "$FIRMWARE/$one.elf"
    well_formed "$work/other" 0
done
for one in monitor-nested monitor-naps timer-watch; do
    motet run --for 500ms --quiet --monitor "trace:calls=1,file=$work/other" "$FIRMWARE/$one.elf"
    well_formed "$work/other" 0
done
same "processes" '["node 0 (micaz)","node 1 (micaz)","node 2 (micaz)"]' \
    "$(jq -c '.traceEvents | map(select(.name == "process_name") | .args.name)' "$work/trace")"
for track in main radio "radio's state" "interrupt 15 timer0"; do
    jq -e --arg t "$track" '.traceEvents | any(.[]; .name == "thread_name" and .args.name == $t)' "$work/trace" >/dev/null ||
        fail "there should be a track $track"
done
jq -e '.traceEvents | map(select(.ph == "C" and .name == "count" and .pid == 1) | .args.value) | . == sort and length > 8 and .[1] - .[0] == 1' \
    "$work/trace" >/dev/null || fail "a variable should be a counter"

# One order, whatever the threads; the same run with and without.
for threads in 1 3; do
    motet run --board micaz --nodes 3 --threads $threads --for 2s --digest --monitor packets --monitor leds:format=vcd \
        --monitor spi --monitor trace --monitor plot:expression=count "$elf"
    grep digest "$work/err" >>"$work/out"
    cp "$work/out" "$work/threads$threads"
done
cmp -s "$work/threads1" "$work/threads3" || fail "threads should make no difference"
motet run --board micaz --nodes 3 --for 2s --digest "$elf"
same "the digest" "$(grep digest "$work/err")" "$(tail -1 "$work/threads1")"
finish
