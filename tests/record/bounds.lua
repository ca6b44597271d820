-- What was_recording() of the recorder looks at after a reset: a page of 256 bytes has a header of 16.
local pages = 0
watch("motet_recorder.events_page.h.used", function(a)
    local used = node.var.motet_recorder.events_page.h.used
    if used > 240 then
        error("a page has " .. used .. " bytes")
    end
    if used == 240 then
        pages = pages + 1
    end
end)
at_end(function()
    if pages < 5 then
        error("only " .. pages .. " pages were full")
    end
end)
