# Component replay reaches the recorded state whenever control leaves the component: collection, dissemination, the serial
# stack, calls of every shape from -O0 to -O3, and calls from handlers that interrupt the component; on both instruction
# sets.
. "$SOURCE/tests/lib/expect.sh"

replays() { # BOARD FIRMWARE LOG LEAST
    motet replay --board "$1" --elf "$2" --json "$3"
    expect_status 0
    [ "$(jq .events "$work/out")" -ge "$4" ] || fail "$3 should have at least $4 events"
    jq -e '.differs == false and (.end | startswith("the log ends"))' "$work/out" >/dev/null || fail "$3 should be exact"
}

logged() { # BOARD FIRMWARE NODES SECONDS PIECES
    motet run --quiet --board "$1" --nodes "$3" --for "$4" --monitor "interface:$5,states=yes,format=log,file=$work/%id.ilog" "$2"
    expect_status 0
}

for chip in atmega328p msp430f1611; do
    for level in O0 Os O2 O3; do
        elf=$FIRMWARE/interface-$chip-$level.elf
        logged $chip "$elf" 1 1s of=component.c
        replays $chip "$elf" "$work/0.ilog" 120
    done
    # The handler calls tick() while work() is executed.
    elf=$FIRMWARE/monitor-interrupts-$chip.elf
    logged $chip "$elf" 1 300ms of=tick,of=work
    replays $chip "$elf" "$work/0.ilog" 100
    jq -e '.interrupts > 30' "$work/out" >/dev/null || fail "$elf: handlers should interrupt the component"
done
for board in micaz telosb; do
    logged $board "$FIRMWARE/collect-$board.elf" 9 60s of=collection.c,of=route.c
    for id in 0 4 8; do replays $board "$FIRMWARE/collect-$board.elf" "$work/$id.ilog" 500; done
    logged $board "$FIRMWARE/dissemination-$board.elf" 4 30s of=disseminate.c,of=trickle.c,of=dissemination.c
    for id in 0 3; do replays $board "$FIRMWARE/dissemination-$board.elf" "$work/$id.ilog" 100; done
    logged $board "$FIRMWARE/collect-$board.elf" 4 40s of=serial_send.c,of=serial_receive.c
    replays $board "$FIRMWARE/collect-$board.elf" "$work/0.ilog" 100
done

# From the middle of a run, with the variables as they are then; and a program in one file that nesC has made.
for board in micaz telosb; do
    motet run --quiet --board $board --nodes 9 --for 90s --json --monitor \
        "interface:of=collection.c,of=route.c,states=yes,begin=40s,end=80s,format=log,file=$work/%id.ilog" \
        --monitor "interface:of=collection.c,of=route.c,begin=40s,end=80s,format=jsonl,file=$work/%id.json" "$FIRMWARE/collect-$board.elf"
    replays $board "$FIRMWARE/collect-$board.elf" "$work/4.ilog" 100
    jq -es '.[0].reason == "switched on" and (.[-1].event == "off" or .[-1].time < 80) and .[0].time >= 40' "$work/4.json" >/dev/null ||
        fail "$board: the log should be of 40 s to 80 s"
    [ -e "$FIRMWARE/nesc-$board.elf" ] || continue
    logged $board "$FIRMWARE/nesc-$board.elf" 1 1s 'of=AppP.*'
    replays $board "$FIRMWARE/nesc-$board.elf" "$work/0.ilog" 50
done

# A debugger goes through a component as through any run, also backward.
elf=$FIRMWARE/interface-atmega328p-Os.elf
logged atmega328p "$elf" 1 1s of=component.c
printf '%s\n' 'break component_sum' continue continue 'print outside_count' reverse-continue 'print outside_count' quit |
    motet replay --board atmega328p --elf "$elf" --line "$work/0.ilog"
expect_status 0
expect_out 'component_sum'

# What does not fit is refused.
motet replay --board atmega328p --elf "$FIRMWARE/interface-atmega328p-O2.elf" "$work/0.ilog"
expect_complaint "but the interface log was made by build"
motet replay --board atmega328p "$work/0.ilog"
expect_complaint "which firmware was logged? give it with --elf"
motet replay --board atmega328p --elf "$elf" --part 1 "$work/0.ilog"
expect_complaint "is an interface log, which has no parts"
head -c 300 "$work/0.ilog" >"$work/cut.ilog"
motet replay --board atmega328p --elf "$elf" "$work/cut.ilog"
expect_complaint "ends within its header"
finish
