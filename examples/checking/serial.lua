-- A node that receives packets from its host, three in a row and then one every 2 s. That some are damaged is a choice.
--   motet check serial.lua        (in a folder with serial-test-micaz.elf)
-- T-Check, table 1: eventually each of two buffers becomes unlocked; the current buffer, if unlocked, should
-- successfully receive an incoming packet.
local board, port = "micaz", 0 -- "telosb", 1
node{ board = board, firmware = "serial-test-" .. board .. ".elf" }

local function crc(bytes)
    local sum = 0
    for i = 1, #bytes do
        sum = sum ~ bytes:byte(i) << 8
        for _ = 1, 8 do sum = (sum & 0x8000 ~= 0 and sum << 1 ~ 0x1021 or sum << 1) & 0xffff end
    end
    return sum
end

local function frame(data) -- of the protocol without acknowledgement
    local inside = "\x45" .. data
    inside = inside .. string.pack("<I2", crc(inside))
    return "\x7e" .. inside:gsub("[\x7d\x7e]", function(c) return "\x7d" .. string.char(c:byte() ~ 0x20) end) .. "\x7e"
end

at(30, function() send(0, port, frame("one") .. frame("two") .. frame("three")) end)
for t = 32, 120, 2 do at(t, function() send(0, port, frame("one more")) end) end

eventually("both buffers are unlocked", each(function(n) return n:value("in.locked") == 0 end), {patience = 5})

-- A packet that is not received was dropped because the buffer whose turn it is was locked. Handlers own `in`.
leads_to("a free buffer takes the packet",
    each(function(n)
        local protocol = n:value("in.protocol")
        return n:value("in.state") == "OUTSIDE" and (protocol == 68 or protocol == 69) and n:value("in.count") == 0
    end),
    each(function(n) return n:value("in.locked") >> n:value("in.which") & 1 == 1 end),
    {within = 0, handlers = true})
