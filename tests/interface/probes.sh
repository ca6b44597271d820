# What probes log of a component: parameters in registers and on the stack, results, structures by value, buffers, calls
# through pointers in both directions, reads of what others changed. The same on both instruction sets and at all levels
# of optimisation.
. "$SOURCE/tests/lib/expect.sh"
has() { jq -es "$1" "$work/found" >/dev/null || fail "$elf: the log should have: $1"; }

for elf in "$FIRMWARE"/interface-atmega*-O?.elf "$FIRMWARE"/interface-msp430*-O?.elf "$FIRMWARE"/interface-nrf*-O?.elf; do
    chip=${elf##*/interface-} chip=${chip%-*}
    motet run --quiet --board "$chip" --for 1s --monitor "interface:of=component.c,format=jsonl,file=$work/found" "$elf"
    expect_status 0
    has '.[0].event == "begin" and .[0].reason == "start"'
    has '[.[] | select(.event == "snapshot") | .variable] | index("total") and index("stored") and index("component_message")'
    # Parameters of all sizes, which are more than registers hold.
    has '[.[] | select(.event == "call-in" and .function == "component_scalars") | [.parameters[].value]] ==
        [[1, -2, 100000, -4, true, 4294967298, 7, 8], [2, -2, 100000, -4, true, 4294967298, 7, 8],
         [3, -2, 100000, -4, true, 4294967298, 7, 8]]'
    has '[.[] | select(.event == "return-in" and .function == "component_scalars") | .result][0] == (1 + 65534 + 100000 + 252 + 1 + 2 + 7 + 8) % 65536'
    has '[.[] | select(.event == "call-in" and .function == "component_turn") | .parameters[0].value] | unique == ["0300fcff"]'
    has '[.[] | select(.event == "call-in" and .function == "component_fill") | [.parameters[:3][].value]][1] ==
        [2, "0102030405060708090a0b0c", -1]'
    # (buf, len), and a structure whose members are a buffer and its length.
    has '[.[] | select(.event == "call-in" and .function == "component_read") | .buffers[] | select(.expression == "data[length]") | .bytes] ==
        ["0102030405", "0202030405", "0302030405"]'
    has '[.[] | select(.event == "call-out" and .function == "outside_send") | .buffers[] | select(.expression == "m->data[m->length]") | .bytes][0] ==
        "0102030405000000"'
    # Through pointers, in and out.
    has '[.[] | select(.event == "return-in" and .function == "component_poll") | .result] == [true, false, true, false, true, false]'
    has '[.[] | select(.event == "return-out" and .function == "outside_twice") | .result] == [-42, -42, -42]'
    has '[.[] | select(.event == "return-in" and .function == "component_back") | .result] == [-41, -41, -41]'
    # Depths: the calls out are within calls in.
    has '[.[] | select(.event == "call-out") | .depth] | unique == [1]'
    has '[.[] | select(.event == "call-in") | .depth] | unique == [0]'
    # What others changed is in the log where it is read, and what nobody changed is not logged again: shared[0].
    address=$(jq -s '[.[] | select(.event == "read")] | length' "$work/found")
    [ "$address" -gt 8 ] || fail "$elf: reads of what others changed should be logged"
    has '[.[].order] == [range(length)]'
done

# Looking changes nothing: the digest is that of a run without.
collect=$FIRMWARE/collect-micaz.elf
motet run --quiet --board micaz --nodes 4 --for 30s --json "$collect"
digest=$(tail -1 "$work/out" | jq -r .digest)
motet run --quiet --board micaz --nodes 4 --for 30s --json --log-interface "collection.c,route.c=$work/node-%id.ilog" "$collect"
expect_status 0
[ "$(tail -1 "$work/out" | jq -r .digest)" = "$digest" ] || fail "a run that is logged should have the same digest"
for id in 0 1 2 3; do
    [ "$(head -c 8 "$work/node-$id.ilog")" = motetif1 ] || fail "node $id should have an interface log"
done

# The kit's radio: what is sent and received has its roles, by signature also through pointers.
motet run --quiet --board micaz --nodes 4 --for 30s --monitor "interface:of=collection.c,of=route.c,format=jsonl,file=$work/node-%id" "$collect"
found=$work/node-1
jq -es '[.[] | select(.function == "radio_send" and .event == "call-out")] | length > 3' "$found" >/dev/null || fail "sends"
jq -es '[.[] | select(.function == "beacon_received" and .event == "call-in") | .buffers[1].expression] | unique ==
    ["m->data[m->length]"]' "$found" >/dev/null || fail "the contents of beacons should be logged"
motet run --quiet --board atmega328p --for 1s --json --monitor interface:of=component.c "$FIRMWARE/interface-atmega328p-Os.elf"
head -1 "$work/out" | jq -e '.monitor == "interface" and (.events | length) > 40 and .events[0].event == "begin"' >/dev/null ||
    fail "with --json all events should be in one object"
# nesC's names, with a point or as they are generated: with __ for the micaz, with $ for the telosb.
for board in micaz telosb; do
    elf=$FIRMWARE/nesc-$board.elf
    [ -e "$elf" ] || continue
    motet run --quiet --board $board --for 1s --monitor "interface:of=AppP.*,format=jsonl,file=$work/found" "$elf"
    has '[.[] | select(.event == "call-in") | .function | sub("\\$"; "__")] | index("AppP__mix")'
    expect_err "calls over the boundary are inlined and not logged"
done
finish
