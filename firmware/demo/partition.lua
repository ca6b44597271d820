-- What `make demo` runs: the case study of TARDIS (IPSN 2015, section 4.5). Nine nodes in a line each hear the next two on
-- either side. At 30 s the links between node 4 and node 5, and past them, break; at 50 s they are repaired. Node 0 is
-- the base station. When each node is switched on is up to the seed. `firmware` and `board` are put in by scripts/demo.
local firmware, board = "FIRMWARE", "BOARD"

for i = 0, 8 do
    node{ id = i, board = board, firmware = firmware, x = 10 * i, boot = math.random() }
end
medium{ model = "disk", range = 25 }
local function across(change)
    change(4, 5)
    change(3, 5)
    change(4, 6)
end
at(30, function() across(link_down) end)
at(50, function() across(link_up) end)
run_for(120)

-- The base station passes on what it gets over its serial port: frames between flags (0x7e), in which 0x7d stands before
-- what must not be a flag. Behind the protocol's byte come the origin, the report's number, five readings, and a CRC.
local SILENCE = 40 -- seconds; every node reports every 5 s, so not one of eight reports has come
local heard, position = {}, 1
for i = 1, 8 do heard[i] = 0 end

local function listen()
    local new, from = output(0):sub(position), position
    for frame, behind in new:gmatch("~([^~]+)~()") do
        position = from + behind - 1
        local bytes = frame:gsub("}(.)", function(c) return string.char(c:byte() ~ 0x20) end)
        local origin = #bytes == 17 and bytes:byte(2) << 8 | bytes:byte(3)
        if heard[origin] then heard[origin] = now() end
    end
end

-- The invariant of the base station.
every(5, function()
    listen()
    local missing = {}
    for i = 1, 8 do
        if now() - heard[i] > SILENCE then missing[#missing + 1] = i end
    end
    if #missing > 0 then
        check(false, "base station: nothing from nodes " .. table.concat(missing, ", ") .. " for " .. SILENCE .. " s")
        stop()
    end
end)
