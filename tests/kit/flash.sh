# The flash: what is written is read back, over and over, and is still there after the power was off (and a cut in the midst
# of writing harms no other page); on the bus that flash and radio share, both get through. MICA2 and IRIS have the MICAz's
# flash: `make soak`.
. "$SOURCE/tests/lib/expect.sh"

for board; do
    [ "$board" != uno ] || continue # has none
    [ -n "${LONG:-}" ] || { [ "$board" != mica2 ] && [ "$board" != iris ]; } || continue
    per_second=6 # rounds, at least, of four pages: each 6 ms to erase, twice 7 to write, and 8 to move the bits
    [ "$board" != telosb ] || per_second=0.9 # a sector takes a second to erase
    [ "$board" != nrf52840dk ] || per_second=2 # 85 ms
    [ "$board" != cc2538dk ] || per_second=8 # 20 ms, and 20 us for each of 256 words
    cat >"$work/flash.lua" <<END
node{ id = 0, board = "$board", firmware = "$FIRMWARE/flash-test-$board-checked.elf" }
local function starts(count)
    check(read(0, "boots") == count, "starts counted: " .. read(0, "boots"))
    check(read(0, "errors") == 0, "what was read differs from what was written")
    check(read(0, "rounds") >= 2 * $per_second, "rounds: " .. read(0, "rounds"))
end
for i = 1, 4 do
    at(3 * i - 0.123, function()
        starts(i)
        if i < 3 then boot(0) else reset(0) end
    end)
end
run_for(12)
END
    motet run --quiet "$work/flash.lua" </dev/null
    expect_status 0
done

for board in $RADIO_BOARDS; do
    cat >"$work/shared.lua" <<END
node{ id = 0, board = "$board", firmware = "$FIRMWARE/flash-radio-$board.elf", set = { node_id = 0 } }
node{ id = 1, board = "$board", firmware = "$FIRMWARE/radio-count-$board.elf", x = 10 }
at_end(function()
    check(read(0, "errors") == 0, "what was read differs from what was written")
    check(read(0, "rounds") >= 4, "rounds: " .. read(0, "rounds"))
    check(read(0, "heard") >= 38, "heard: " .. read(0, "heard"))
    check(read(0, "missed") == 0, "missed: " .. read(0, "missed"))
end)
run_for(10)
END
    motet run --quiet --threads 1 "$work/shared.lua" </dev/null
    expect_status 0
done
finish
