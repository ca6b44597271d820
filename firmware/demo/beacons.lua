-- Each beacon of node 5 that a node hears, with the time of the node's own clock.
for i = 0, 9 do
    local entry = "links[" .. i .. "]"
    watch(entry .. ".sequence", function(a)
        if value(entry .. ".address") == 5 then
            print(string.format("%7.3f s: beacon %3d of node 5 (%s)", value("ticks") / 32768, a.value, entry))
        end
    end)
end
