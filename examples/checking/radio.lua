-- The radio of the firmware kit, for all its applications that have one.
--   motet check --board micaz --nodes 2 --property radio.lua multihop-oscilloscope-micaz.elf
-- A task that is posted runs soon. Where a handler and a task change the queue at once, one of both is lost for ever.
always("posted tasks run", each(function(n)
    return n:value("radio.c::work_task.pending") == 0 and n:value("timer.c::fire_task.pending") == 0
end), {within = 1})

-- A timer that nothing waits for costs energy, and fires into what comes next.
always("an idle radio has no timer", each(function(n)
    return n:value("radio.c::state") ~= "IDLE" or n:value("radio.c::timer.running") == 0
end))
