# usage: nothing_changes.sh BOARD | others | FIRMWARE...
# Looking changes nothing: with every monitor there is at once, a run has the digest, cycles and instructions of the
# bare one. Over each application of the kit that sizes.txt, which the build writes, lists for the board, alone and, where
# it uses the radio, in a network of three; over the other firmwares (Arduino's, the tests', those with bugs); or over
# the firmwares given.
. "$SOURCE/tests/lib/expect.sh"
motet monitors --json
names=$(jq -r '.[].name' "$work/out")
monitors= loud=
for name in $names; do
    case $name in
    timing) name=timing:from=main,to=main ;;
    plot | energy) continue ;; # a variable of the firmware, and for boards whose currents are known: see below
    log) continue ;;           # for replays
    interface) continue ;;     # of a component of the firmware: see tests/interface
    traced) continue ;;        # of firmware that traces: see tests/slice
    registers | instructions | pins | calls) # megabytes, which are cheap in a file that is not searched
        loud="$loud $name"
        name=$name:file=$work/said.$name.%id
        ;;
    esac
    monitors="$monitors --monitor $name"
done
[ "$(echo "$names" | wc -w)" -ge 21 ] || fail "there should be monitors"

outcome() {
    tail -1 "$work/out" | jq -c '[.digest, [.nodes[].cycles], .instructions, .time, .exit_reason, .transmissions]'
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
    said=$(grep -ao '{"monitor": "[a-z-]*"' "$work/out" | sort -u | wc -l) # all but trace, which has a form of its own
    for name in $loud; do
        [ -z "$(find "$work" -name "said.$name.*" -size +0)" ] || said=$((said + 1))
    done
    rm -f "$work"/said.*
    [ "$said" -ge $(($(echo "$monitors $energy" | wc -w) / 2 - 1)) ] || fail "each monitor should have said something"
    compared=$((compared + 1))
    [ -z "$plot" ] || plotted=$((plotted + 1))
    sent=$((sent + $(jq '.[5] // 0' "$work/bare")))
}

# The first variable of a firmware that is a number and so can be plotted.
plottable() { # BOARD FIRMWARE
    "$MOTET" info --symbols ${1:+--board "$1"} "$2" 2>/dev/null |
        awk '$3 == "variable" && ($2 == 1 || $2 == 2 || $2 == 4) { print $4 }' | head -5 |
        while read -r name; do
            "$MOTET" run --quiet --for @1 ${1:+--board "$1"} --monitor "plot:expression=$name,file=/dev/null" "$2" \
                >/dev/null 2>&1 </dev/null && echo "$name" && break
        done
}

energy_of() { # BOARD
    case $1 in mica2 | micaz | iris | telosb | uno | mega) echo "--monitor energy" ;; esac
}

board_of() {
    for board in uno mega mica2 micaz iris telosb nrf52840dk cc2538dk msp430f1611 msp430f149; do
        case $1 in *-$board.elf | *-$board-*.elf) echo $board ;; esac
    done | tail -1
}

# A kit's application boots within the first milliseconds.
alone() { # FIRMWARE
    board=$(board_of "$1")
    plot=$(plottable "$board" "$1") energy=$(energy_of "$board")
    compare --for 60ms ${board:+--board "$board"} "$1"
}

has_radio() { # BOARD FIRMWARE
    "$MOTET" info --symbols --board "$1" "$2" | awk '$3 == "function" && $4 ~ /^radio_/ { n++ } END { exit !n }'
}

# What monitors write does not depend on the number of threads either.
same_with_threads() { # OPTIONS FIRMWARE
    for threads in 1 3; do
        motet run --quiet --fault=warn --seed 7 --threads $threads $monitors $energy "$@" </dev/null
        cat "$work/out" "$work"/said.* >"$work/threads$threads"
    done
    [ -s "$work/threads1" ] || fail "monitors should have something to say"
    cmp -s "$work/threads1" "$work/threads3" || fail "with 3 threads monitors should write what they do with 1"
}

# The applications that sizes.txt has a size of for the board.
applications() { # BOARD
    awk -v board="$1" 'NR == 1 { for (i = 2; i <= NF; i++) if ($i == board) column = i; next }
        column && $column ~ /[0-9]/ { print $1 }' "$FIRMWARE/sizes.txt"
}

in_a_network() { # BOARD FIRMWARE
    energy=$(energy_of "$1") plot=$(plottable "$1" "$2")
    compare --nodes 3 --boot 10ms --for "$span" --board "$1" "$2"
    networks=$((networks + 1))
}

compared=0 plotted=0 networks=0 sent=0
case $1 in
mica2 | micaz | iris | telosb | nrf52840dk | cc2538dk | uno)
    listed=$(applications "$1")
    [ "$(echo "$listed" | wc -w)" -ge 9 ] || fail "sizes.txt should list the kit's applications for $1"
    number=0
    for name in $listed; do
        number=$((number + 1)) # in the suite MICAz and TelosB have half of the applications each
        case ${LONG:-}$1 in
        micaz) [ $((number % 2)) = 0 ] || continue ;;
        telosb) [ $((number % 2)) = 1 ] || continue ;;
        esac
        elf=$FIRMWARE/$name-$1.elf
        alone "$elf"
        span=100ms
        has_radio "$1" "$elf" && in_a_network "$1" "$elf"
    done
    if [ "$1" != uno ]; then
        least=12
        case ${LONG:-}$1 in micaz | telosb) least=5 ;; esac
        [ "$networks" -ge $least ] || fail "there should be applications that use the radio"
        span=1300ms # until there is something in the air
        in_a_network "$1" "$FIRMWARE/chatter-$1.elf"
        [ "$sent" -ge 1 ] || fail "something should have been sent"
        same_with_threads --nodes 3 --boot 10ms --for 300ms --board "$1" "$FIRMWARE/collect-$1.elf"
    fi
    ;;
others)
    for elf in "$FIRMWARE"/arduino-*-uno.elf "$FIRMWARE"/arduino-blink-mega.elf "$FIRMWARE"/monitor-*.elf \
        "$FIRMWARE"/dip-micaz-dip-*.elf "$FIRMWARE"/dhv-telosb-dhv-*.elf "$FIRMWARE"/*-iris-*lpl*.elf \
        "$FIRMWARE"/*-micaz-recorded.elf; do
        [ ! -e "$elf" ] || alone "$elf"
    done
    ;;
*)
    for elf in "$@"; do
        alone "$elf"
    done
    ;;
esac
[ "$compared" -ge 1 ] || fail "there should be firmwares to compare"
echo "$compared runs compared, $plotted with a plot, $networks of networks with $sent transmissions"
finish
