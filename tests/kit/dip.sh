# dip and dhv: nine nodes on a line and on a grid agree on 32 items soon after two of them have changed the same ones at the
# same time, after a node was off, and after two parts that were cut off from each other have changed them differently;
# while nothing changes they say little.
. "$SOURCE/tests/lib/expect.sh"

for board in $RADIO_BOARDS; do
    soon=4 shapes="9 3"
    [ "$board" != mica2 ] || soon=12 shapes=3 # its radio takes ten times as long for a message
    for protocol in dip dhv; do
        for columns in $shapes; do
            cat >"$work/items.lua" <<END
local off = 4 + 4 * ($columns // 9) -- on the line the last, or the others would be cut off
for i = 0, 8 do
    node{ id = i, board = "$board", firmware = "$FIRMWARE/$protocol-$board-checked.elf", x = i % $columns * 10,
          y = i // $columns * 10, boot = i / 1000, set = { node_id = i, author = i == 12 - off and 1 or 0 } }
end
medium{ model = "disk", range = 15 }

local function items(i, count) -- and how many of them were changed
    local text, changed = bytes(i, "items"), 0
    for at = 1, #text, #text // 32 do -- a Cortex-M pads them
        if string.unpack("<I4", text, at) > 0 then changed = changed + 1 end
    end
    check(changed == count, string.format("node %d: items that were changed: %d", i, changed))
    return text
end
local function agree(count)
    for i = 1, 8 do
        if alive(i) then check(items(i, count) == items(0, count), "node " .. i .. " has other items") end
    end
end
local function ways(change)
    for i = 0, 3 do
        for j = 4, 8 do change(i, j) end
    end
end
at(30 + $soon, function() agree(5) end)
at(50, function() kill(off) end)
at(60 + $soon, function() agree(10) end)
at(74, function() boot(off) end)
at(74 + $soon, function() agree(10) end)
at(87, function() ways(link_down) end)
at(90 + $soon, function()
    ways(link_up)
    check(items(0, 15) ~= items(12 - off, 15), "the two parts should have different items")
end)
at(145, function() agree(20) end) -- what lies at the cut can have kept silent for several long intervals
local before
at(146, function() before = transmissions() end)
at(149, function() check(transmissions() - before < 40, "they talk too much: " .. transmissions() - before) end)
run_for(149.5)
END
            motet run --quiet --threads 1 "$work/items.lua" </dev/null
            expect_status 0
        done
    done
done
finish
