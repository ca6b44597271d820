-- What waits.c measured: the AVR's crystals have 225 cycles to a period; the MSP430's oscillator, set by number, about 130.
at_end(function()
    local jiffy = node.var.jiffy
    if jiffy ~= 225 and (jiffy < 100 or jiffy > 160) then
        error(jiffy .. " cycles in a period of the crystal")
    end
end)
