-- What `make demo` runs: the case study of TARDIS (IPSN 2015, section 4.5). Nine nodes in a line each hear the next two on
-- either side. At 30 s the links between node 4 and node 5, and past them, break; at 50 s they are repaired. Node 0 is
-- the base station of the network, which checks its invariant in its firmware. Node 9 is another one, near nodes 4 and
-- 5, for fetching their logs. When each node is switched on is up to the seed. `firmware` and `board` are put in by
-- scripts/demo.
local firmware, board = "FIRMWARE", "BOARD"

for i = 0, 8 do
    node{ id = i, board = board, firmware = firmware, x = 10 * i, boot = math.random() }
end
node{ id = 9, board = board, firmware = "base.elf", x = 45, y = 5, boot = math.random() }
medium{ model = "disk", range = 25 }
local function across(change)
    change(4, 5)
    change(3, 5)
    change(4, 6)
end
at(30, function() across(link_down) end)
at(50, function() across(link_up) end)
run_for(120)

-- What the host of node 0 hears: frames between flags (0x7e), in which 0x7d stands before what must not be a flag. Each is
-- the protocol's byte, a node's address, data, and a CRC. One without data says that this node is silent.
local silent, position, told = {}, 1, nil

every(1, function()
    local new, from = output(0):sub(position), position
    for frame, after in new:gmatch("~([^~]+)~()") do
        position = from + after - 1
        local bytes = frame:gsub("}(.)", function(c) return string.char(c:byte() ~ 0x20) end)
        if #bytes == 5 then
            silent[#silent + 1] = bytes:byte(2) << 8 | bytes:byte(3)
            told = told or now()
        end
    end
    if told and now() >= told + 5 then
        table.sort(silent)
        local text = "base station: nothing from nodes " .. table.concat(silent, ", ") .. " for 40 s"
        check(false, text)
        print(string.format("%.0f s: %s; all nodes are told to keep their logs", told, text))
        told = math.huge
    end
end)
