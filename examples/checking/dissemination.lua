-- One value for all nodes.
--   motet check --board micaz --nodes 4 --property dissemination.lua dissemination-micaz.elf
-- T-Check, table 1: eventually all nodes have consistent values. A node says its value at least every 128 s.
eventually("all nodes have the same value", function(net)
    return all_equal(net, "disseminate.c::value")
end, {patience = 300})
