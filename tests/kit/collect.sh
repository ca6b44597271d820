# collect: three reports of each node in a minute, with the supply among the readings. easy-collection: of a node beside
# the root, each of 20 numbers a second.
. "$SOURCE/tests/lib/expect.sh"

for board in $RADIO_BOARDS; do
    port=0 supply=01a3 # 1.23 V of 3 V in ten bits
    [ "$board" != iris ] || supply=0177 # 1.1 V
    [ "$board" != telosb ] || port=1 supply=0999 # 1.5 V of 2.5 V in twelve
    [ "$board" != nrf52840dk ] || supply=0d55 # 3 V of 3.6 V
    [ "$board" != cc2538dk ] || supply=0765 # 1.1 V of 1.19 V in eleven
    network() { # APPLICATION NODES
        motet run --board "$board" --topology "line:$2:10m" --medium disk:15m --set node_id=%id --boot 100ms --for 61s \
            --quiet --threads 1 --serial "0:$port=file:,$work/answer" "$FIRMWARE/$1-$board.elf" </dev/null
        expect_status 0
        "$FRAMES" decode <"$work/answer" >"$work/frames"
    }
    network collect 4
    for node in 0 1 2 3; do
        for number in 0 1 2; do
            grep -q "^plain 0 000${node}000$number................$supply\$" "$work/frames" ||
                fail "report $number of node $node"
        done
    done
    network easy-collection 2
    sort -u "$work/frames" | awk '/^plain 0 0001....$/ { count++ } END { exit !(count > 1225 && NR == count) }' ||
        fail "the numbers of node 1: $(wc -l <"$work/frames")"
done
finish
