# The bugs that T-Check's tables 2 and 3 describe, and one of LEACH, on both boards with default options, each with its own
# error; the correct builds come through. In `make soak` (LONG=yes) with 2 and 8 nodes, made shorter: at most 10 choices are
# left, and fewer events than in T-Check's shortest trace (its table 3).
. "$SOURCE/tests/lib/expect.sh"
rules=$SOURCE/examples/checking LONG=${LONG:-}
[ -z "$LONG" ] || PATIENCE=1800
shortest() { # BUG
    case $1 in
    dip-slide) echo 1332 ;;
    dip-bound) echo 2831 ;;
    dip-right) echo 3246 ;;
    dip-payload) echo 1464 ;;
    dhv-summary) echo 685 ;;
    dhv-horizontal) echo 3090 ;;
    dhv-vertical) echo 3534 ;;
    dhv-index) echo 2891 ;;
    reading-index) echo 111 ;;
    *) echo 1000000 ;;
    esac
}
found() { # ERROR BUG
    expect_status 1
    expect_out "$1"
    [ -n "$LONG" ] || return 0
    left=$(sed -n 's/^found by walk .* plain run \([0-9]*\) time.*/\1/p' "$work/out")
    [ "${left:-99}" -le 10 ] || fail "at most 10 choices should be left"
    events=$(sed -n 's/^from the .* to the error: \([0-9]*\) tasks*, \([0-9]*\) interrupts* .*/\1 + \2/p' "$work/out")
    [ $(($events)) -lt $(shortest $2) ] || fail "$2 on $nodes $board has $events events"
    motet check --json --replay "$work/found.motet"
    expect_status 1
    expect_out '"same": true'
}
as_found=--as-found walks=3 sizes="telosb:2 micaz:8" # check.bugs has all of them on two MICAz nodes
bugs_of_2="dip-payload dhv-vertical" bugs_of_8=dhv-index
[ -z "$LONG" ] || as_found="--quiet" walks=100 sizes="micaz:2 micaz:8 telosb:2 telosb:8" bugs_of_2= bugs_of_8=

for size in $sizes; do
    board=${size%:*} nodes=${size#*:}
    bugs="dip-slide dip-bound dip-right dip-payload dhv-summary dhv-horizontal dhv-vertical dhv-index"
    [ $nodes = 2 ] && bugs=${bugs_of_2:-$bugs} || bugs=${bugs_of_8:-$bugs}
    for bug in $bugs; do
        motet check $as_found --board $board --nodes $nodes --save "$work/found.motet" \
            "$FIRMWARE/${bug%%-*}-$board-$bug-checked.elf"
        case $bug in
        dip-payload | dhv-summary | dhv-horizontal | dhv-vertical) found "null pointer at " $bug ;;
        *) found "index out of bounds at " $bug ;;
        esac
    done
    for protocol in ${LONG:+dip dhv}; do
        motet check --board $board --nodes $nodes --walks $walks "$FIRMWARE/$protocol-$board-checked.elf"
        expect_status 0
    done
done

# Sampling every millisecond: a scenario with a base station.
reading() { # NODES VARIANT OPTIONS...
    port=0 last=$1 variant=$2
    shift 2
    [ $board = micaz ] || port=1
    sed "s|\"micaz\", 0|\"$board\", $port|; s|-checked.elf|$variant-checked.elf|; s|i = 1, 2|i = 1, $last|
        s|firmware = \"|firmware = \"$FIRMWARE/|" "$rules/reading.lua" >"$work/reading.lua"
    motet check "$@" --save "$work/found.motet" "$work/reading.lua"
}
leach() { # VARIANT OPTIONS...
    variant=$1
    shift
    motet check "$@" --board $board --nodes 6 --property "$rules/leach.lua" --save "$work/found.motet" \
        "$FIRMWARE/leach-$board$variant.elf"
}
for board in ${LONG:+micaz} telosb; do # in the suite other tests have micaz
    for nodes in 2 ${LONG:+7}; do
        reading $nodes -reading-index $as_found
        found "index out of bounds at sampled" reading-index
        reading $nodes "" --walks $walks
        expect_status 0
    done
    leach -leach-type $as_found
    found "the property 'a slot is sent as a slot' does not hold" leach-type
    leach "" --walks $walks
    expect_status 0
done
finish
