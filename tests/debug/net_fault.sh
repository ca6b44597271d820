# A fault on one node stops the run, is explained, and can be gone back from; the others go on without it.
. ./session.sh
cat >"$work/fault.lua" <<END
node{ id = 4, board = "micaz", firmware = "$FIRMWARE/network-cc2420-busy.elf" }
node{ id = 5, board = "uno", firmware = "$FIRMWARE/fault-null_write.elf", boot = 0.01 }
run_for(0.05)
END
session "$work/fault.lua" <<'.'
continue
info threads
monitor nodes
reverse-stepi
monitor when
stepi
continue
monitor when
.
expect 'node 5: null pointer write at'
expect 'Thread 2.1 "node 5" received signal SIGSEGV'
expect '* 2.1'
expect '* 5    uno        ended'
expect 'node 5, tick @'
expect 'received signal SIGSEGV'
expect 'No more reverse-execution history.'
expect '0.050000000 s'
finish
