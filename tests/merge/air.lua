-- Prints each frame that the node's radio sent or received, acknowledgements left out, without length and check sequence.
local function hex(s) return (s:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end
-- A CC1000 sends the bits that the firmware gives it. Where the firmware comes too late with a byte, the frame on the air
-- is damaged.
local function right(bytes) -- length and frame
    local crc = 0
    for i = 1, #bytes do
        crc = crc ~ bytes:byte(i) << 8
        for _ = 1, 8 do crc = (crc << 1 ~ (crc & 0x8000 ~= 0 and 0x1021 or 0)) & 0xffff end
    end
    return crc == 0
end
local function show(what)
    return function(h)
        local delimiter, bits = h.bytes:find("\xa7", 1, true), h.bytes:find("\x33\xcc", 1, true)
        local frame, good
        if h.bytes:byte(1) == 0xaa and not bits then
            return print(what .. "-damaged") -- already where it begins
        elseif h.bytes:byte(1) == 0xaa then
            local last = bits + 2 + h.bytes:byte(bits + 2)
            frame, good = h.bytes:sub(bits + 3, last - 2), right(h.bytes:sub(bits + 2, last))
        else
            frame, good = h.bytes:sub(delimiter + 2, -3), true
        end
        if frame:byte(1) & 7 ~= 2 then print(what .. (good and " " or "-damaged ") .. hex(frame)) end
    end
end
hook("radio-send", show("send"))
hook("radio-receive", show("receive"))
if node.id and pcall(value, "count_bytes") then -- radio_count on a mica2: what its driver made of the bits
    probe("received:body", function()
        print(("taken %02x%02x06%02x%02x"):format(value("m->from") & 0xff, value("m->from") >> 8, value("m->data[0]"), value("m->data[1]")))
    end)
end
