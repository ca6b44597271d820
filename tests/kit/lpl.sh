# Low-power listening: the radio is off most of the time, the more the longer the interval, on the line and on the grid; and
# less than 2 % of the reports are lost, from the first on. Clocks are up to 50 ppm apart. The duty cycles are printed. In the
# suite a MICAz has the line and a TelosB the grid; all four pairs of shape and interval, for ten minutes, in `make soak`.
. "$SOURCE/tests/lib/expect.sh"

study() { # BOARD line|grid INTERVAL LIMIT: percent of the time on, for every node, after the first third of the time
    port=0
    [ "$1" != telosb ] || port=1
    cat >"$work/lpl.lua" <<END
for i = 0, 8 do
    local x, y = 10 * i, 0
    if "$2" == "grid" then x, y = 10 * (i % 3), 10 * (i // 3) end
    node{ id = i, board = "$1", firmware = "$FIRMWARE/multihop-oscilloscope-$1-lpl$3.elf", x = x, y = y, boot = i / 8,
          drift = i * 7 % 9 * 6 - 25, set = { node_id = i } }
end
medium{ model = "disk", range = 15 }
local before = {}
at($seconds / 3, function()
    for i = 0, 8 do before[i] = read(i, "radio_on_ticks") end
end)
at_end(function()
    local line = ""
    for i = 0, 8 do
        local on = (read(i, "radio_on_ticks") - before[i]) / 32768 / ($seconds * 2 / 3) * 100
        check(on > 0.5 and on < $4, string.format("the radio of node %d is on %.1f %%", i, on))
        line = line .. string.format(" %4.1f", on)
    end
    print(string.format("%-6s %s, %3d ms: on%s %%", "$1", "$2", $3, line))
end)
run_for($seconds)
END
    motet run --quiet --threads 1 --serial "0:$port=file:,$work/answer" "$work/lpl.lua" </dev/null
    expect_status 0
    grep ' ms: on' "$work/out"
    "$FRAMES" decode <"$work/answer" >"$work/frames"
    # Reports made in the last eight seconds may be under way.
    awk -v all=$(((seconds - 8) / 5)) '
        function hex(text) { return 16 * (index(digits, substr(text, 1, 1)) - 1) + index(digits, substr(text, 2, 1)) - 1 }
        BEGIN { digits = "0123456789abcdef" }
        { node = substr($3, 1, 4); number = hex(substr($3, 7, 2)) }
        number < all && !seen[node, number]++ { count++ }
        END { if (count < 0.98 * 9 * all) { print count, "reports of", 9 * all; exit 1 } }' "$work/frames" ||
        fail "reports of $1 on the $2 at $3 ms"
}

# A look takes 2.7 ms (3.9 on iris, which wakes up first; 7.5 on mica2, whose acknowledgements take 5): 4, 6 and 12 % of 64 ms,
# 0.5, 0.8 and 1.5 % of 512 ms. A report keeps either end on for about 12 ms a hop (60 on mica2); node 1 of the line has eight of
# them every five seconds to take and to pass on: 4 % (20 %). The rest is beacons, which take a whole interval.
for board in $RADIO_BOARDS; do
    seconds=120 short=11 long=9
    [ "$board" != iris ] || short=13.5 long=9
    [ "$board" != mica2 ] || short=36 long=30
    [ -z "${LONG:-}" ] || seconds=600
    [ -z "${LONG:-}" ] && [ "$board" = telosb ] || study "$board" line 64 $short
    [ -z "${LONG:-}" ] && [ "$board" = micaz ] || study "$board" grid 512 $long
    [ -n "${LONG:-}" ] || continue
    study "$board" grid 64 $short
    study "$board" line 512 $long
done
finish
