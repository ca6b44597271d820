# The eight properties of T-Check's table 1 (examples/checking) hold on correct builds under all choices. They find the
# kit's bugs that they are about, and networks that cannot do what they say. In the suite one of two boards has each.
. "$SOURCE/tests/lib/expect.sh"
rules=$SOURCE/examples/checking
walks=3 right=4
[ -z "${LONG:-}" ] || walks=6 right=30

left_out() { [ -z "${LONG:-}" ] && [ $board != "$1" ]; } # BOARD-OF-THE-SUITE

holds() { # RULES FIRMWARE BOARD NODES
    motet check --board "$3" --nodes "$4" --walks $walks --property "$rules/$1.lua" "$FIRMWARE/$2"
    expect_status 0
    expect_out "no violation in $walks walks"
}
for board in micaz telosb; do
    left_out micaz || holds dissemination dissemination-$board.elf $board 3
    left_out micaz || holds items dip-$board-checked.elf $board 2
    left_out telosb || holds items dhv-$board-checked.elf $board 2
    left_out telosb || holds timesync timesync-$board.elf $board 3
    left_out telosb || holds collection multihop-oscilloscope-$board.elf $board 3
done

fails() { # PROPERTY
    expect_status 1
    expect_out "the property '$1' does not hold"
    motet check --json --replay "$work/found.motet"
    expect_status 1
    expect_out '"same": true'
}

# Nodes that do not hear each other.
apart() { # RULES FIRMWARE
    motet check --board telosb --topology line:2:100m --medium disk:15m --walks 1 --property "$rules/$1.lua" \
        --save "$work/found.motet" "$FIRMWARE/$2"
}
apart dissemination dissemination-telosb.elf
fails "all nodes have the same value"
apart items dip-telosb-checked.elf
fails "all nodes have the same items"
apart timesync timesync-telosb.elf
fails "all nodes know the time of one root"
apart collection multihop-oscilloscope-telosb.elf # there is no path, so none is missed
expect_status 0

# The serial port.
serial() { # BOARD VARIANT
    port=0
    [ "$1" = micaz ] || port=1
    sed "s|\"micaz\", 0|\"$1\", $port|; s|\.elf\" }|$2.elf\" }|; s|firmware = \"|firmware = \"$FIRMWARE/|" \
        "$rules/serial.lua" >"$work/serial.lua"
    motet check --walks 6 ${3:-} --save "$work/found.motet" "$work/serial.lua"
}
for board in micaz telosb; do
    left_out micaz && continue
    serial $board ""
    expect_status 0
    serial $board -serial-lock
    fails "a free buffer takes the packet"
    serial $board -serial-unlock
    fails "both buffers are unlocked"
done
serial telosb -serial-unlock "--as-found --seed 3" # time counts from what the host sent last: it never ended
fails "both buffers are unlocked"

# Collection without routes at all: no choice is the reason.
motet check --board micaz --nodes 2 --walks 2 --property "$rules/collection.lua" --save "$work/found.motet" \
    "$FIRMWARE/multihop-oscilloscope-micaz-link-gap.elf"
expect_out "no choice is the reason"
fails "every node is in the tree"

# Routes form, and only their repair fails after a node dies: that death is the critical transition.
for board in micaz telosb; do
    left_out telosb && continue
    for nodes in link-repair right; do
        firmware=$FIRMWARE/multihop-oscilloscope-$board-$nodes.elf
        [ $nodes = right ] && firmware=$FIRMWARE/multihop-oscilloscope-$board.elf
        most=500 # with default options
        [ $nodes = right ] && most=$right
        motet check --board $board --topology grid:2x2:10m --medium disk:12m --walks $most \
            --property "$rules/collection.lua" --save "$work/found.motet" "$firmware"
        [ $nodes = right ] && expect_status 0 && continue
        expect_out "it dies (the critical transition)"
        expect_out "after it, no probe did"
        grep -cE " node [0-9]+  [^ ]" "$work/out" >"$work/count"
        [ "$(cat "$work/count")" -le 8 ] || fail "the story should be short"
        fails "every node is in the tree"
    done
done
finish
