# A component's replay on a node, over its serial line: firmware of motet cc --replay-interface on a simulated node, and
# motet replay --serial on the host. What the component sends out is as in the log; of a firmware with a bug it is not.
. "$SOURCE/tests/lib/expect.sh"
[ -e "$FIRMWARE/fed-collect-micaz.elf" ] || { echo "skipped: there is no libclang"; exit 0; }
port() { case $1 in micaz) echo 0 ;; telosb) echo 1 ;; esac; }
cd "$work" || exit 1
pid=

node() { # BOARD FIRMWARE: runs on a pseudo-terminal, whose name is in $line
    [ -z "$pid" ] || { kill "$pid"; wait "$pid" 2>/dev/null; }
    : >node.out
    "$MOTET" run --board "$1" --for 100000s --serial "$(port "$1")=pty" "$FIRMWARE/$2" >node.out 2>&1 &
    pid=$!
    for _ in $(seq 100); do
        line=$(grep -o '/dev/pts/[0-9]*' node.out) && return
        sleep 0.1
    done
    fail "$2: the node has no serial line"
}

for board in micaz telosb; do
    elf=$FIRMWARE/logged-collect-$board-Os.elf
    [ -e "$elf" ] || continue
    motet run --quiet --board $board --nodes 3 --for 20s --serial "$(port $board)=file:,serial-%id" "$elf"
    motet collect --elf "$elf" --board $board --id 2 --output 2.ilog --json serial-2
    jq -e '.lost > 0' out >/dev/null || fail "$board: the log should have a gap"
    replay="replay --board $board --elf $elf --node-elf $FIRMWARE/fed-collect-$board.elf"

    # The whole log, over its gap; and once more on the node that is in the middle of something.
    node $board fed-collect-$board.elf
    for _ in 1 2; do
        motet $replay --serial "$line" --json 2.ilog
        expect_status 0
        jq -e '.differs == false and .calls > 30 and .compared > 200 and (.end | startswith("the log ends after"))' out >/dev/null ||
            fail "$board: the node should do what the log says"
    done

    # A bug of the component that the firmware with the log did not have.
    node $board fed-collect-$board-bug.elf
    motet $replay --serial "$line" 2.ilog
    expect_complaint "the node has build"
    motet replay --board $board --elf "$elf" --node-elf "$FIRMWARE/fed-collect-$board-bug.elf" --serial "$line" 2.ilog
    expect_status 1
    grep -qE 'the node differs from the log: event [0-9]+: .*(in the log|than on the node|the log has)' err || fail "$board: the difference should be named"
done

# A node that does not answer, a firmware that does not replay, one of another component, no firmware; no interface log.
node micaz collect-micaz.elf
elf=$FIRMWARE/logged-dissemination-micaz.elf
motet run --quiet --board micaz --nodes 2 --for 5s --serial "0=file:,serial-%id" "$elf"
motet collect --elf "$elf" --board micaz --id 1 --output 1.ilog serial-1
motet replay --board micaz --elf "$elf" --node-elf "$FIRMWARE/fed-collect-micaz.elf" --serial "$line" 1.ilog
expect_complaint "was made of other sources or pieces than"
motet replay --board micaz --elf "$elf" --node-elf "$FIRMWARE/collect-micaz.elf" --serial "$line" 1.ilog
expect_complaint "replays no component; build it with motet cc --replay-interface"
motet replay --board micaz --elf "$elf" --serial "$line" 1.ilog
expect_complaint "which firmware has the node? give it with --node-elf"
motet replay --board micaz --elf "$elf" --node-elf "$FIRMWARE/fed-collect-micaz.elf" --serial "$line" serial-1
expect_complaint "is no interface log"
elf=$FIRMWARE/logged-collect-micaz-Os.elf
motet run --quiet --board micaz --nodes 2 --for 5s --serial "0=file:,serial-%id" "$elf"
motet collect --elf "$elf" --board micaz --id 1 --output 1.ilog serial-1
motet replay --board micaz --elf "$elf" --node-elf "$FIRMWARE/fed-collect-micaz.elf" --patience 1s --serial "$line" 1.ilog
expect_complaint "no node answers; put a firmware of motet cc --replay-interface on it"
kill "$pid"
wait "$pid" 2>/dev/null
finish
