# A network of two instruction sets, with a scenario that acts on it, forward and backward.
. ./lines.sh

cat >"$work/mixed.lua" <<END
node{id = 1, board = "micaz", firmware = "$FIRMWARE/radio-count-micaz.elf", x = 0}
node{id = 2, board = "telosb", firmware = "$FIRMWARE/radio-count-telosb.elf", x = 5, boot = 0.1}
run_for(3)
at(1.5, function() kill(1) end)
at(2, function() boot(1) end)
END
session debug "$work/mixed.lua" <<END
nodes
break received
continue
where
continue
packets
when
reverse-continue
delete
watch count node 2
continue
continue
print count
reverse-continue
last-write count node 1
node 1
print count
stepi 20
reverse-stepi 20
seek 1.7s
nodes
seek 1.4s
nodes
continue
when
save $work/mixed.motet
node 7
checkpoint
seek 1s
restart 1
when
END
expect '* 1    micaz      running  __vectors'
expect '  2    telosb     off'
expect '(radio_count.c:31), and other places'
expect '[node 2]'
expect 'Breakpoint 1, received (m='
expect 'radio_count.c:3'
expect 'in main () at task.c:'
expect '[node 1]'
expect 'Breakpoint 1, received (m='
expect 's, node 1, 0.640 ms: data '
expect 's, node 2, 0.640 ms: data '
expect 's, node 1, tick @'
expect '[node 2]'
expect 'Breakpoint 1, received (m='
expect 'Watchpoint 2: count node 2'
expect 'Old value = 0'
expect 'New value = 1'
expect 'Old value = 1'
expect 'New value = 2'
expect 'count = 2'
expect 'Old value = 2' # going back, what was new is old
expect 'New value = 1'
expect 'count was written at'
expect 'count = '
expect '  1    micaz      off'
expect '* 2    telosb     asleep'
expect '  1    micaz      asleep'
expect 'Watchpoint 2: count node 2'
expect "saved to $work/mixed.motet, up to here"
expect "there is no node '7'"
expect 'checkpoint 1: '
expect_status 0

# What was saved is that run, and the debugger goes through it as through the first.
timeout 300 "$MOTET" open "$work/mixed.motet" --verify >"$work/out" 2>&1
status=$?
last=0
expect_status 0
expect 'digests are equal'
session open "$work/mixed.motet" --at 0.7s <<'END'
nodes
break tick
continue
reverse-continue
delete
watch count
continue
reverse-continue
when
END
cp "$work/out" "$work/first"
expect '* 1    micaz'
expect 'Breakpoint 1, tick (t='
expect 'Old value = '
session open "$work/mixed.motet" --at 0.7s --anew --threads 1 <<'END'
nodes
break tick
continue
reverse-continue
delete
watch count
continue
reverse-continue
when
END
cmp -s "$work/out" "$work/first" || show "snapshots should change nothing"
finish
