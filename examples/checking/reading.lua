-- Nodes that sample every millisecond and broadcast each ten readings; the property is the compiler's check of bounds.
--   motet check reading.lua        (in a folder with the two firmwares)
-- T-Check, 5.1.6: the timer fires again before the reading of the first time is stored.
local board, port = "micaz", 0 -- "telosb", 1
node{ board = board, firmware = "base-station-" .. board .. ".elf" }
for i = 1, 2 do
    node{ board = board, firmware = "oscilloscope-radio-" .. board .. "-checked.elf", x = 10 * i, boot = i / 10 }
end

-- The host sets the interval: version 1, 1 ms. A packet without acknowledgement, to all, of type 0x93.
at(29.1, function() send(0, port, "\x7e\x45\xff\xff\x93\x00\x01\x00\x01\xe9\xa0\x7e") end)
