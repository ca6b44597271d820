-- Many values for all nodes, by either protocol (dip, dhv).
--   motet check --board micaz --nodes 2 --property items.lua dip-micaz-checked.elf
-- T-Check, table 1: eventually all nodes have consistent values. A node says something at least every 128 s.
eventually("all nodes have the same items", function(net) return all_equal(net, "items") end, {patience = 300})
