# The commands that all debuggers share: the same script gives the same answers in gdb, in lldb and in Motet's own
# debugger; what one refuses the others refuse in the same words.
. ./session.sh

# Its answers, from the first on, which is that of when or seek; without what a debugger says besides.
plain() { # DEBUGGER
    sed -n '/^[0-9.]* s, /,$p' "$work/out" | sed '/^\[Inferior/d; /^(lldb)/d; /^  packet: /d; /^response: OK/d' \
        >"$work/$1"
}

same() { # DEBUGGER
    [ -s "$work/own" ] || show 'there should be answers'
    last=0
    diff "$work/own" "$work/$1" >"$work/out" || show "$1 should answer as Motet's own debugger"
}

own_session() { # FIRMWARE [OPTIONS]; the commands are in $work/script
    firmware=$1
    shift
    timeout 300 "$MOTET" debug "$firmware" "$@" --line <"$work/script" >"$work/out" 2>&1
    status=$?
    last=0
}

cat >"$work/script" <<'.'
when
seek 3.5ms
checkpoint
seek @16000
restart 1
see 2ms
res
restart 7
restart one
restart 1
last-write total
last-write 0:total
last-write total node 0
last-write &total
last-write nothing
last-write total node 7
last-write
where
bt 1
where node *
where many
nodes
packets
packets 3 known
packets none
pin PB0=1
pin PB0=2
send 9 x
send
history
reset
save
save /nonexistent/run.motet
seek yesterday
seek
dance
hel whe
help backtrace
help dance
.
own_session "$FIRMWARE/debug-counter.elf"
expect 'checkpoint 1: 0.003500000 s, tick @56000'
expect "'res' is short for several: restart reset"
expect 'total was written at 0.003010313 s, tick @48165, instruction 264, at add+0x14 (counter.c:27)'
expect '  from 0e 00 to 1e 00'
expect '  from 0e 00 to 1e 00'
expect '#0  0x000124 in main () at counter.c:40, asleep'
expect 'node 0, asleep'
expect '* 0    atmega328p asleep   main+0x2c (counter.c:40), debug-counter.elf'
expect 'nothing was sent so far'
expect "there is no command 'dance'; see help"
plain own
sed 's/^/monitor /' "$work/script" | session debug-counter
plain gdb
same gdb

# Expressions, and a network: the same again.
mixed 'run_for(1)'
cat >"$work/script" <<'.'
seek 60ms
nodes
packets 3
where node *
when
seek 5ms
packets
seek 60ms
packets 2
last-write 3:said
last-write rows[1].name
history
seek 2s
.
own_session "$work/mixed.lua"
expect 'data 3 to ffff from 0003'
expect 'nothing was sent so far'
expect 'said was written at '
expect 'the run ends at 1.000000000 s'
plain own
sed 's/^/monitor /' "$work/script" | session "$work/mixed.lua"
plain gdb
same gdb

# Fields of arrays, which only gdb's own expressions had.
cat >"$work/script" <<'.'
seek 20ms
last-write table[1].level
last-write head->next->weight
last-write *head
last-write table[1].none
last-write table[1
.
own_session "$FIRMWARE/session-shapes-atmega328p.elf"
plain own
sed 's/^/monitor /' "$work/script" | session session-shapes-atmega328p
plain gdb
same gdb
if command -v lldb-19 >/dev/null && [ -f "$FIRMWARE/session-shapes-msp430f1611.elf" ]; then
    own_session "$FIRMWARE/session-shapes-msp430f1611.elf" --board msp430f1611
    plain own
    sed "s/^/process plugin packet monitor /" "$work/script" | lldb_session session-shapes-msp430f1611 --board msp430f1611
    plain lldb
    same lldb
fi
finish
