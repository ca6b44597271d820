# base-station: what a node says reaches the host, and what the host says reaches a node, which acknowledges it.
. "$SOURCE/tests/lib/expect.sh"

for board in $RADIO_BOARDS; do
    port=0 leds='"red", "green", "yellow"'
    case $board in
    telosb) port=1 leds='"red", "green", "blue"' ;;
    nrf52840dk | cc2538dk) leds='"LED1", "LED2", "LED3"' ;;
    esac
    # The host sends the counter 6 to node 1, then 5 to node 2, which does not exist, then 3 to all.
    "$FRAMES" encode >"$work/line" <<END
idle 3000
acknowledged 1 0001060006
idle 300
acknowledged 2 0002060005
idle 300
acknowledged 3 ffff060003
END
    cat >"$work/base.lua" <<END
node{ id = 0, board = "$board", firmware = "$FIRMWARE/base-station-$board.elf", set = { node_id = 0 } }
node{ id = 1, board = "$board", firmware = "$FIRMWARE/radio-count-$board.elf", x = 10, set = { node_id = 1 } }
local showed, leds = {}, { $leds }
local function look()
    showed[(led(1, leds[1]) and 1 or 0) + (led(1, leds[2]) and 2 or 0) + (led(1, leds[3]) and 4 or 0)] = true
end
every(0.001, look)
at_end(function()
    check(showed[6], "node 1 should have shown 6")
    check(not showed[5], "node 1 should not show what is for node 2")
    check(showed[3], "node 1 should have shown 3")
    check(led(0, leds[2]) == false, "two messages should have gone out well, the LED be off again")
end)
run_for(1.1)
END
    motet run --quiet --threads 1 --serial "0:$port=file:$work/line,$work/answer" "$work/base.lua" </dev/null
    expect_status 0
    "$FRAMES" decode <"$work/answer" | sort >"$work/frames"
    cat >"$work/expected" <<END
ack 1 -
ack 2 -
ack 3 -
plain 0 0001ffff060001
plain 0 0001ffff060002
plain 0 0001ffff060003
plain 0 0001ffff060004
END
    diff "$work/expected" "$work/frames" || fail "what the host got"
done
finish
