-- The collection tree of the firmware kit, for its applications that collect data. Node 0 is the root.
--   motet check --board micaz --nodes 4 --property collection.lua multihop-oscilloscope-micaz.elf
-- T-Check, table 1: eventually there is no loop; eventually all nodes that have a path to a sink are part of a tree.
eventually("no loops", function(net) return acyclic(net, "route.c::parent") end, {patience = 120})

eventually("every node is in the tree", function(net)
    for _, n in ipairs(net.nodes) do
        if connected(net, n, 0) and not reaches(net, n, 0, "route.c::parent") then return false, n end
    end
    return true
end, {patience = 120})
