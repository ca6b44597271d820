-- The clock of measure430.c: 2^22 Hz within 2 %, after tuning and after having been kept in step.
at_end(function()
    for i = 0, 1 do
        local cycles = node.var.cycles[i]
        if cycles < 16 * 128 * 0.98 or cycles > 16 * 128 * 1.02 then
            error(string.format("%d cycles in 16 periods of the crystal, instead of 2048", cycles))
        end
    end
    if node.var.syncs < 20 then
        error("kept in step only " .. node.var.syncs .. " times")
    end
end)
