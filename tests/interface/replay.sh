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

levels="O0 Os O3" # in the suite
[ -z "${LONG:-}" ] || levels="O0 O1 Os O2 O3"
for chip in atmega328p msp430f1611; do
    for level in $levels; do
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
for level in $levels; do
    elf=$FIRMWARE/interface-nrf52840-$level.elf
    [ -e "$elf" ] || continue
    logged nrf52840 "$elf" 1 1s of=component.c
    replays nrf52840 "$elf" "$work/0.ilog" 120
done
for board in micaz telosb nrf52840dk cc2538dk; do
    [ -e "$FIRMWARE/collect-$board.elf" ] || continue
    logged $board "$FIRMWARE/collect-$board.elf" 9 60s of=collection.c,of=route.c
    for id in 0 4 8; do replays $board "$FIRMWARE/collect-$board.elf" "$work/$id.ilog" 500; done
    [ $board != cc2538dk ] || continue # the same instruction set
    logged $board "$FIRMWARE/dissemination-$board.elf" 4 30s of=disseminate.c,of=trickle.c,of=dissemination.c
    for id in 0 3; do replays $board "$FIRMWARE/dissemination-$board.elf" "$work/$id.ilog" 100; done
    logged $board "$FIRMWARE/collect-$board.elf" 4 40s of=serial_send.c,of=serial_receive.c
    replays $board "$FIRMWARE/collect-$board.elf" "$work/0.ilog" 100
done
for board in micaz telosb; do
    for level in O0 O2 O3; do
        elf=$FIRMWARE/interface-collect-$board-$level.elf
        logged $board "$elf" 5 30s of=collection.c,of=route.c
        replays $board "$elf" "$work/2.ilog" 200
        logged $board "$elf" 2 30s of=serial_send.c,of=serial_receive.c
        replays $board "$elf" "$work/0.ilog" 50
        elf=$FIRMWARE/interface-dissemination-$board-$level.elf
        [ $level != O2 ] || continue
        logged $board "$elf" 4 30s of=disseminate.c,of=trickle.c,of=dissemination.c
        replays $board "$elf" "$work/3.ilog" 100
    done
done

# Interrupts of handlers outside come at any place of the component, also just before it reads what they changed. They are
# not counted in the positions of reads, nor are the jumps of the vectors.
motet run --quiet --seed 1 --board micaz --nodes 25 --for 2s \
    --monitor "interface:of=collection.c,of=route.c,states=yes,format=log,file=$work/%id.ilog" "$FIRMWARE/collect-micaz.elf"
for id in 1 4 9 10 11 12 15 18; do replays micaz "$FIRMWARE/collect-micaz.elf" "$work/$id.ilog" 500; done

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

# A recording of the whole node gives the interface log of any component afterwards: its replay makes the same calls.
elf=$FIRMWARE/collect-telosb-recorded-stamps.elf
if [ -e "$elf" ]; then
    calls() { jq -r 'select(.function) | [.event, .function, [.parameters[]?.value], .result] | tostring' "$1"; }
    motet run --quiet --board telosb --nodes 2 --for 100s --save-flash "$work/flash-%id" \
        --monitor "interface:of=collection.c,of=route.c,format=jsonl,file=$work/run-%id" "$elf"
    motet replay --board telosb --elf "$elf" --id 1 --monitor "interface:of=collection.c,of=route.c,format=jsonl,file=$work/replay" "$work/flash-1"
    expect_status 0
    calls "$work/run-1" >"$work/first"
    calls "$work/replay" >"$work/second"
    lines=$(wc -l <"$work/second")
    [ "$lines" -gt 50 ] || fail "the recording should have calls of the component, not $lines"
    head -n "$lines" "$work/first" | cmp -s - "$work/second" || fail "a recording should have the calls of the run"
fi

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
