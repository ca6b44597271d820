# The real avr-gdb steps back over what changes the state of a part: the state goes back with the node.
. ../lib/transcript.sh
every=$PARTS/every.so:PB0,PB1,PD4,spi0,i2c0,serial0,analog0
session() { # FIRMWARE [OPTIONS]; commands on standard input
    firmware=$1
    shift
    cat >"$work/commands"
    timeout 300 "$MOTET" debug "$firmware" --board uno --serial 0=null "$@" \
        --exec "avr-gdb -nx -q -batch -x '$work/commands'" </dev/null >"$work/out" 2>&1
    status=$?
    last=0
}
state() { grep '^every ' "$work/out" | sed -n "$1p"; }

# One instruction writes the pin: the part mixes that into its state.
session "$FIRMWARE/parts-every.elf" --part "$every" <<'.'
break toggle
continue
continue
delete
stepi
monitor parts
stepi
monitor parts
monitor history
reverse-stepi
monitor parts
stepi
monitor parts
monitor history
monitor parts every
.
expect_status 0
expect 'every '
[ -n "$(state 1)" ] && [ "$(state 1)" != "$(state 2)" ] || show 'a step over the write should change the state'
[ "$(state 3)" = "$(state 1)" ] || show 'a step back should give the state back'
[ "$(state 4)" = "$(state 2)" ] || show 'a step forward again should lead to the same state'
[ "$(grep -o 'digest [0-9a-f]*' "$work/out" | sort -u | wc -l)" -eq 1 ] || show 'both digests should be the same'
expect '    0: '

# To the first round and back to the last one.
session "$FIRMWARE/parts-every.elf" --part "$every" --for 20ms <<'.'
break exchange if rounds == 9
continue
monitor parts
print rounds
reverse-continue
monitor parts
continue
monitor parts
print rounds
.
expect_status 0
expect '$1 = 9'
expect 'No more reverse-execution history.'
expect '$2 = 9'
[ "$(state 1)" = "$(state 3)" ] && [ "$(state 1)" != "$(state 2)" ] || show 'the state should go with the node'

# Three nodes, each with its own.
session "$FIRMWARE/parts-every.elf" --part "$every" --part "1:$PARTS/loop.so:PB0,PB0,PC0" --nodes 3 --for 20ms <<'.'
monitor seek 5ms
monitor parts node 0
monitor parts node 1
monitor parts nothing
monitor seek 1ms
monitor seek 5ms
monitor parts node 0
.
expect 'inverter '
expect "there is no part 'nothing' from outside; see parts"
[ -n "$(state 1)" ] && [ "$(state 1)" = "$(state 3)" ] || show 'node 0 should have its state again'
finish
