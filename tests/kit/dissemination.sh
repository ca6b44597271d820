# dissemination: nine nodes on a line and on a grid have each new value within seconds, and one that was off gets it when
# it is back; while nothing changes they say little.
. "$SOURCE/tests/lib/expect.sh"

for board in $RADIO_BOARDS; do
    for columns in 9 3; do
        cat >"$work/values.lua" <<END
for i = 0, 8 do
    node{ id = i, board = "$board", firmware = "$FIRMWARE/dissemination-$board.elf", x = i % $columns * 10,
          y = i // $columns * 10, boot = i / 10, set = { node_id = i } }
end
medium{ model = "disk", range = 15 }
local function all(value)
    for i = 0, 8 do
        if alive(i) then
            check(read(i, "current") == value, string.format("node %d has %d, not %d", i, read(i, "current"), value))
        end
    end
end
at(29, function() all(0) end)
at(34, function() all(1) end)
at(50, function() kill(4 + 4 * ($columns // 9)) end) -- on the line the last, or the others would be cut off
at(64, function() all(2) end)
at(70, function() boot(4 + 4 * ($columns // 9)) end)
at(75, function() all(2) end)
local before
at(76, function() before = transmissions() end)
at(88, function() check(transmissions() - before < 40, "they talk too much: " .. transmissions() - before) end)
run_for(90)
END
        motet run --quiet --threads 1 "$work/values.lua" </dev/null
        expect_status 0
    done
done
finish
