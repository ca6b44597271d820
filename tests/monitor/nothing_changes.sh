# usage: nothing_changes.sh [FIRMWARE...]
# Looking changes nothing: with every monitor there is at once, a run has the digest, cycles and instructions of the
# bare one. Over the kit's applications on all their boards, alone and in a network of three, and firmwares of the other
# boards; or over the firmwares given.
. "$SOURCE/tests/cli/expect.sh"
motet monitors --json
monitors=
for name in $(jq -r '.[].name' "$work/out"); do
    case $name in
    timing) name=timing:from=main,to=main ;;
    plot | energy) continue ;; # a variable of the firmware, and for boards whose currents are known
    log) continue ;;           # for replays
    esac
    monitors="$monitors --monitor $name"
done
[ "$(echo "$monitors" | wc -w)" -ge 22 ] || fail "there should be monitors"

outcome() {
    tail -1 "$work/out" | jq -c '[.digest, .cycles, .instructions, .time, .exit_reason, .transmissions]'
}

compare() { # OPTIONS FIRMWARE
    motet run --quiet --fault=warn --seed 7 --json "$@" </dev/null
    first=$status
    outcome >"$work/bare"
    motet run --quiet --fault=warn --seed 7 --json $monitors $energy ${plot:+--monitor "plot:expression=$plot"} \
        "$@" </dev/null
    expect_status "$first"
    outcome >"$work/watched"
    cmp -s "$work/bare" "$work/watched" || fail "with monitors it is $(cat "$work/watched"), not $(cat "$work/bare")"
    compared=$((compared + 1))
    [ -z "$plot" ] || plotted=$((plotted + 1))
}

# The first variable of a firmware that has a type and so can be plotted.
plottable() { # BOARD FIRMWARE
    "$MOTET" info --symbols ${1:+--board "$1"} "$2" 2>/dev/null | awk '$3 == "variable" { print $4 }' | head -5 |
        while read -r name; do
            "$MOTET" run --quiet --for @1 ${1:+--board "$1"} --monitor "plot:expression=$name,file=/dev/null" "$2" \
                >/dev/null 2>&1 </dev/null && echo "$name" && break
        done
}

energy_of() { # BOARD
    case $1 in mica2 | micaz | iris | telosb) echo "--monitor energy" ;; esac
}

board_of() {
    for board in uno mega mica2 micaz iris telosb msp430f1611 msp430f149; do
        case $1 in *-$board.elf | *-$board-*.elf) echo $board ;; esac
    done | tail -1
}

# A kit's application is one that is built for a sensor board; it boots within the first milliseconds.
compared=0 plotted=0
[ $# -gt 0 ] || set -- "$FIRMWARE"/*-mica2.elf "$FIRMWARE"/*-micaz.elf "$FIRMWARE"/*-iris.elf "$FIRMWARE"/*-telosb.elf \
    "$FIRMWARE"/*-uno.elf "$FIRMWARE"/monitor-*.elf
for elf in "$@"; do
    [ -e "$elf" ] || continue
    board=$(board_of "$elf")
    plot=$(plottable "$board" "$elf") energy=$(energy_of "$board")
    compare --for 60ms ${board:+--board "$board"} "$elf"
done
# What monitors write does not depend on the number of threads either.
same_with_threads() { # OPTIONS FIRMWARE
    for threads in 1 3; do
        motet run --quiet --fault=warn --seed 7 --threads $threads $monitors $energy "$@" </dev/null
        cp "$work/out" "$work/threads$threads"
    done
    [ -s "$work/threads1" ] || fail "monitors should have something to say"
    cmp -s "$work/threads1" "$work/threads3" || fail "with 3 threads monitors should write what they do with 1"
}

for elf in "$FIRMWARE"/collect-micaz.elf "$FIRMWARE"/dissemination-telosb.elf "$FIRMWARE"/radio-count-mica2.elf \
    "$FIRMWARE"/timesync-iris.elf; do
    [ -e "$elf" ] || continue
    board=$(board_of "$elf") plot= energy="--monitor energy"
    compare --nodes 3 --boot 10ms --for 300ms --board "$board" "$elf"
    same_with_threads --nodes 3 --boot 10ms --for 300ms --board "$board" "$elf"
done
[ "$compared" -ge 4 ] || fail "there should be firmwares to compare"
echo "$compared runs compared, $plotted with a plot"
finish
