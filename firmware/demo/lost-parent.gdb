# From the end of node 5's log back to where it left the nodes on the base station's side (0 to 4); for gdb and for
# Motet's own debugger.
continue
watch parent if parent <= 4
reverse-continue
backtrace
print parent
print cost
print ticks / 32768
