-- Numbers that nodes send to node 0, in the application easy-collection of the firmware kit.
--   motet check --board micaz --nodes 2 --property numbers.lua easy-collection-micaz.elf
-- What the root has taken of a node is not far behind what the node has sent, whatever was lost in between.
eventually("the root keeps up", function(net)
    local root = net.by_id[0]
    for _, n in ipairs(net.nodes) do
        local ahead = root and n.id ~= 0 and (n:value("number") - root.var.numbers[n.id]) & 0xffff or 0
        if ahead > 64 then return false, n end
    end
    return true
end)
