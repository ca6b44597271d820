# The partition study: on a line of nine nodes that hear two hops far, what lies beyond node 4 is cut off from 30 s to 50 s.
# With the bug nothing comes from there for minutes, since node 4 beacons ever more rarely; without, within seconds. In the
# suite a TelosB has both, a MICAz the bug.
. "$SOURCE/tests/lib/expect.sh"

study() { # BOARD VARIANT
    port=0
    [ "$1" != telosb ] || port=1
    cat >"$work/partition.lua" <<END
for i = 0, 8 do
    node{ id = i, board = "$1", firmware = "$FIRMWARE/multihop-oscilloscope-$1$2.elf", x = 10 * i, boot = i / 10,
          set = { node_id = i } }
end
medium{ model = "disk", range = 25 }
local function across(change)
    change(4, 5)
    change(3, 5)
    change(4, 6)
end
at(30, function() across(link_down) end)
at(50, function() across(link_up) end)
run_for(180)
END
    motet run --quiet --threads 1 --serial "0:$port=file:,$work/answer" "$work/partition.lua" </dev/null
    expect_status 0
    "$FRAMES" decode <"$work/answer" >"$work/frames"
}

# Reports have numbers, one every five seconds: 4 is made just before the cut, 12 at 65 s.
expect_from_beyond() { # FIRST LAST COUNT: of each of 5 to 8, so many reports with numbers from FIRST to LAST
    awk -v first="$1" -v last="$2" -v wanted="$3" '
        function hex(text) { return 16 * (index(digits, substr(text, 1, 1)) - 1) + index(digits, substr(text, 2, 1)) - 1 }
        BEGIN { digits = "0123456789abcdef" }
        { node = substr($3, 1, 4); number = hex(substr($3, 7, 2)) }
        number >= first && number <= last && !seen[node, number]++ { count[node]++ }
        END {
            for (i = 5; i <= 8; i++)
                if (count[sprintf("%04x", i)] + 0 != wanted) { print "node", i, count[sprintf("%04x", i)] + 0; bad = 1 }
            exit bad
        }' "$work/frames" || fail "reports $1 to $2 from beyond the cut should be $3"
}

for board in $RADIO_BOARDS; do
    if [ -n "${LONG:-}" ] || [ "$board" != micaz ]; then
        study "$board" ""
        expect_from_beyond 0 4 5
        expect_from_beyond 12 33 22
    fi
    # On mica2 packets that go in circles fill the air, until a node has lost all its neighbours and asks for beacons.
    [ "$board" != mica2 ] || continue
    study "$board" -partition
    expect_from_beyond 0 4 5
    expect_from_beyond 8 33 0
done
finish
