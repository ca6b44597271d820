# lldb sees the nodes of a network as threads of one process.
. ./session.sh
lldb_session blink-telosb --board telosb --nodes 2 --boot 1ms <<'.'
breakpoint set --name toggle
continue
thread list
continue
thread list
.
expect 'stop reason = breakpoint 1.1'
expect 'thread #1'
expect 'thread #2'
expect 'stop reason = breakpoint 1.1'
finish
