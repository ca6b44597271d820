# radio-count: two nodes show each other's counters, and one that is alone goes on showing the last it heard.
. "$SOURCE/tests/lib/expect.sh"

for board in $RADIO_BOARDS; do
    leds='"red", "green", "yellow"' after=0.1
    [ "$board" != mica2 ] || after=0.2 # its radio takes 54 ms to start, and its bytes 0.4 ms each
    case $board in
    telosb) leds='"red", "green", "blue"' ;;
    nrf52840dk | cc2538dk) leds='"LED1", "LED2", "LED3"' ;;
    esac
    cat >"$work/count.lua" <<END
for i = 0, 1 do
    node{ id = i, board = "$board", firmware = "$FIRMWARE/radio-count-$board.elf", x = 10 * i, boot = i / 100, set = { node_id = i } }
end
medium{ model = "disk", range = 50 }
local lit, leds = {}, { $leds }
local function look()
    for i = 0, 1 do
        lit[i] = (led(i, leds[1]) and 1 or 0) + (led(i, leds[2]) and 2 or 0) + (led(i, leds[3]) and 4 or 0)
    end
end
for count = 1, 8 do -- counter n is on the air soon after n times 250 ms of 1/1024 s
    at(count * 250 / 1024 + $after, function()
        look()
        for i = 0, 1 do
            check(lit[i] == count % 8, string.format("node %d should show %d, not %d", i, count % 8, lit[i]))
        end
    end)
end
at(2.1, function() kill(1) end)
at(2.9, function()
    look()
    check(lit[0] == 0, "node 0 should hear nothing new")
    check(transmissions() == 8 + 11, "node 0 should go on sending, which makes " .. transmissions())
end)
run_for(3)
END
    motet run --quiet "$work/count.lua" </dev/null
    expect_status 0
done
finish
