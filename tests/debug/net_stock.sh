# A gdb that knows only where to connect reads every node's firmware through the connection, and no other file.
. ./session.sh
timeout 300 "$MOTET" debug --gdb :0 --board micaz --nodes 2 "$FIRMWARE/network-cc2420-busy.elf" </dev/null \
    >"$work/served" 2>&1 &
while ! grep -q extended-remote "$work/served"; do sleep 0.1; done
port=$(grep -oE ':[0-9]+' "$work/served" | head -1)
timeout 300 avr-gdb -nx -q -batch -ex "target extended-remote $port" -ex 'set schedule-multiple on' \
    -ex 'info inferiors' -ex 'break strobe' -ex 'continue' -ex 'remote get /etc/passwd got' >"$work/out" 2>&1
status=$?
wait
expect 'Reading symbols from target:'
expect '2    process 2'
expect 'Breakpoint 1 at 0xe0: strobe. (2 locations)'
expect 'hit Breakpoint 1'
expect 'No such file or directory'
finish
