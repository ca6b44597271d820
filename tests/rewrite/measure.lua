-- The clock of measure430.c: 2^22 Hz within 3 %, after tuning and after having been kept in step.
at_end(function()
    for i = 0, 1 do
        local cycles = node.var.cycles[i]
        if cycles < 64 * 128 * 0.97 or cycles > 64 * 128 * 1.03 then
            error(string.format("%d cycles in 64 periods of the crystal, instead of 8192", cycles))
        end
    end
    if node.var.syncs < 20 then
        error("kept in step only " .. node.var.syncs .. " times")
    end
end)
