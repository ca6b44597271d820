# multihop-oscilloscope: over ten minutes, on a line of nine nodes and on a grid of nine, less than 2 % of the reports are
# lost; no node's last report is old. In the suite a MICAz has the line and a TelosB the grid. mica2, whose radio has the CPU
# work at each byte, gets the ten minutes in `make soak`.
. "$SOURCE/tests/lib/expect.sh"

collect() { # BOARD TOPOLOGY SECONDS [VARIANT [OPTION...]]
    board=$1 topology=$2 seconds=$3 variant=${4:-} port=0
    [ "$board" != telosb ] || port=1
    shift 3
    [ $# -eq 0 ] || shift
    motet run --board "$board" --topology "$topology" --medium disk:15m --set node_id=%id --for "${seconds}s" --quiet --threads 1 \
        --serial "0:$port=file:,$work/answer" "$@" "$FIRMWARE/multihop-oscilloscope-$board$variant.elf" </dev/null
    expect_status 0
    "$FRAMES" decode <"$work/answer" >"$work/frames"
}

expect_reports() { # NODES: of each, 98 % of one every five seconds, and the last is at most two back
    awk -v nodes="$1" -v all=$((seconds / 5)) '
        function hex(text) { return 16 * (index(digits, substr(text, 1, 1)) - 1) + index(digits, substr(text, 2, 1)) - 1 }
        BEGIN { digits = "0123456789abcdef" }
        { node = substr($3, 1, 4); number = hex(substr($3, 7, 2)); if (!seen[node, number]++) count[node]++ }
        END {
            for (i = 0; i < nodes; i++) {
                node = sprintf("%04x", i)
                if (count[node] + 1 < 0.98 * all) { print "node", i, "has", count[node] + 0; bad = 1 }
            }
            exit bad
        }' "$work/frames" || fail "reports on $topology"
}

for board in $RADIO_BOARDS; do
    length=600
    [ "$board" != mica2 ] || [ -n "${LONG:-}" ] || length=150
    if [ -n "${LONG:-}" ] || [ "$board" != telosb ]; then
        collect "$board" line:9:10m $length
        expect_reports 9
    fi
    if [ -n "${LONG:-}" ] || [ "$board" != micaz ]; then
        collect "$board" grid:3x3:10m $length -checked
        expect_reports 9
    fi
done

# The estimator that waits for lost beacons never gets to know a neighbour if none is lost.
collect micaz line:3:10m 40
expect_reports 3
collect micaz line:3:10m 40 -link-gap
grep -q ' 0000' "$work/frames" || fail "the root should report its own readings"
! grep -q ' 000[12]' "$work/frames" || fail "no node should have found a way to the root"
finish
