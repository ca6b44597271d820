-- The CC2420's driver of the firmware kit, for all its applications on micaz and telosb.
--   motet check --board micaz --nodes 2 --property fetched.lua radio-count-micaz.elf
-- What the radio has received does not stay in its buffer: else the buffer overflows, and the node hears no more.
always("what was received is fetched", each(function(n) return n:value("cc2420.c::waiting") == 0 end), {within = 1})
