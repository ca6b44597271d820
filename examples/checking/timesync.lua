-- Global time by flooding.
--   motet check --board micaz --nodes 4 --property timesync.lua timesync-micaz.elf
-- T-Check, table 1: eventually all nodes achieve time synchronisation. When a root dies, others wait for 50 s; then
-- three rounds of 10 s make a line.
eventually("all nodes know the time of one root", function(net)
    for _, n in ipairs(net.nodes) do
        local root = n:value("timesync.c::root")
        if root ~= net.nodes[1]:value("timesync.c::root") then return false, n end
        if root ~= n.id and n:value("timesync.c::count") < 3 then return false, n end
    end
    return true
end, {patience = 300})
