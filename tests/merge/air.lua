-- Prints each frame that the node's radio sent or received, acknowledgements left out, without length and check sequence.
local function hex(s) return (s:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end
local function show(what)
    return function(h)
        local delimiter = h.bytes:find("\xa7", 1, true)
        local frame = h.bytes:sub(delimiter + 2, -3)
        if frame:byte(1) & 7 ~= 2 then print(what .. " " .. hex(frame)) end
    end
end
hook("radio-send", show("send"))
hook("radio-receive", show("receive"))
