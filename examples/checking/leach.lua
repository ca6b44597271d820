-- Clusters of the firmware kit. Node 0 is the base.
--   motet check --board micaz --nodes 6 --property leach.lua leach-micaz-checked.elf
-- A head has one message for all it says. While it says to a member which slot it has, the message must stay that.
always("a slot is sent as a slot", each(function(n)
    return n:value("leach.c::telling") == 255 or n:value("leach.c::packet.type") == 0x53
end))
