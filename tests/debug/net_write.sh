# What gdb writes on one node stays on it, is undone by going back and done again by going forward.
. ./session.sh
session network-cc2420-busy --board micaz --nodes 3 --boot 0s <<'.'
monitor seek 30ms
print said
set var said = 500
print said
inferior 2
print said
inferior 1
monitor seek 20ms
print said
monitor seek 30ms
print said
set {char}0x810005 = 0x42
x/1xb 0x810005
monitor seek 50ms
print said
.
expect '$1 = 2'
expect '$2 = 500'
expect '$3 = 2'
expect '$4 = 1'
expect '$5 = 500'
expect '0x810005:	0x42'
expect '$6 = 50'
finish
