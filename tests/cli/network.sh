# Networks by plain options.
. "$SOURCE/tests/lib/expect.sh"
hello=$FIRMWARE/cli-hello.elf

motet run --nodes 3 "$hello"
expect_status 0
[ "$(sort "$work/out" | tr '\n' ' ')" = "0: hello 1: hello 2: hello " ] || fail "each node should say hello"
expect_err "all nodes have ended; 3 nodes, "

avr-objcopy -O ihex "$hello" "$work/nameless.hex"
motet run --nodes 2 --board uno "$work/nameless.hex"
expect_status 0
expect_err "nameless.hex has no symbols, so every node has the id that it was built with"

motet run --nodes 2 "$FIRMWARE/cli-status.elf"
expect_status 3

# The same whatever the threads; another seed is another life.
digests=
for threads in 1 2 8; do
    motet run --topology grid:3x3:10m --drift 30ppm --for 300ms --threads $threads --digest --quiet "$FIRMWARE/cli-forever.elf"
    expect_status 0
    digests="$digests $(cat "$work/err" "$work/out" | cksum | tr ' ' -)"
done
[ "$(printf '%s\n' $digests | sort -u | wc -l)" -eq 1 ] || fail "threads should make no difference"
motet run --topology grid:3x3:10m --drift 30ppm --for 300ms --seed 8 --digest --quiet "$FIRMWARE/cli-forever.elf"
[ "$(cat "$work/err" "$work/out" | cksum | tr ' ' -)" != "${digests##* }" ] || fail "the seed should make a difference"

motet run --nodes 4 --for 2s --json --quiet "$FIRMWARE/cli-sleeper-alone.elf"
expect_status 0
tail -n 1 "$work/out" | jq -e '(.nodes | length) == 4 and .time == 2 and .exit_reason == "time" and .transmissions == 0' >"$work/jq" || fail "JSON"
motet run --nodes 4 "$FIRMWARE/cli-sleeper-alone.elf"
expect_status 0
expect_err "all nodes sleep for good; 4 nodes"

# Variables: a single node, and each node its own.
motet run --for 10ms --set missing=1 "$hello"
expect_complaint "there is no symbol 'missing'"
motet run --nodes 3 --set missing=%id "$hello"
expect_complaint "there is no symbol 'missing'"
motet run --nodes 3 --set main=1 "$hello"
expect_complaint "'main' is not a variable in RAM"
workload=$FIRMWARE/monitor-workload-atmega328p.elf
motet run --set totl=1 "$workload"
expect_complaint "there is no symbol 'totl'; did you mean \`total\`?"
motet run --set mian=1 "$workload" # suggests variables, not functions
expect_complaint "there is no symbol 'mian'"
expect_not_in_err "did you mean"
motet run --set total= "$workload"
expect_complaint "--set: 'total=' gives total no value; write it like total=1, or total=%id for the node's id"
motet run --set total=id "$workload"
expect_complaint "--set: 'id' is not a value for total; did you mean %id, the node's id?"
motet run --set total=many "$workload"
expect_complaint "--set: 'many' is not a value for total; give a whole number such as 12 or 0x1f, or %id"
motet run --set total=-1 "$workload"
expect_complaint "--set: '-1' is not a value for total"

# A node's port to a file.
printf 'abc.' >"$work/in"
motet run --nodes 2 --for 2s --serial "1:0=file:$work/in,$work/port" --quiet "$FIRMWARE/cli-echo.elf"
expect_status 0
[ "$(cat "$work/port")" = "> ABC." ] || fail "node 1 should have answered"
[ "$(cat "$work/out")" = "0: > " ] || fail "node 0 should be on standard output"

# What is traced: of all nodes, or of one, by the network's time; and it changes nothing.
watcher=$FIRMWARE/cli-watcher.elf
motet run --board uno --nodes 3 --boot 0s --trace leds,serial --quiet "$hello"
for i in 0 1 2; do
    grep -qE "^ +0\.00[0-9]{7} node $i led L on\$" "$work/err" || fail "the LED of node $i should go on"
    grep -qE "^ +0\.00[0-9]{7} node $i serial 0 0x68 'h'\$" "$work/err" || fail "node $i should send an h"
done
sort -s -n -k 1,1 "$work/err" | cmp -s - "$work/err" || fail "a trace goes by time"
motet run --board uno --nodes 3 --boot 0s --trace 1:pins --quiet "$hello"
[ "$(grep -o 'node [0-9]*' "$work/err" | sort -u)" = "node 1" ] || fail "only node 1 is traced"
expect_err "pin PB5 1"
for options in "--threads 1" "--threads 2 --trace leds,pins,serial,resets"; do
    motet run --board uno --nodes 3 --digest --quiet $options "$hello"
    grep digest "$work/err" >>"$work/watched"
done
[ "$(sort -u "$work/watched" | wc -l)" -eq 1 ] || fail "a trace should change nothing"

# Pins and voltages: of all nodes, of one, and a voltage that a script gives to nodes in several threads.
stimulate() { # EXPECTED-OF-EACH-NODE ARGUMENTS...
    expected=$1
    shift
    motet run --board uno --nodes 2 --boot 5ms --quiet --for 50ms "$@" "$watcher"
    expect_status 0
    [ "$(sort -s -n "$work/out" | tr '\n' ';')" = "$expected" ] || fail "the nodes should report $expected"
}
stimulate '0: 0 80;0: 1 80;0: 0 80;1: 0 80;1: 1 80;1: 0 80;' \
    --analog 0=2.5V --drive PD2=0 --drive PD2=1@10ms --drive PD2=0@20ms
stimulate '0: 0 80;0: 1 80;1: 0 00;1: 1 00;1: 0 00;' \
    --analog 0=2.5V --analog 1:0=0V --drive PD2=0 --drive PD2=1@10ms --drive 1:PD2=0@20ms
printf 'function volts(channel, seconds) return seconds < 0.015 and 2.5 or 0 end' >"$work/step.lua"
stimulate '0: 0 80;0: 1 80;0: 0 00;1: 0 80;1: 1 80;1: 0 00;' --threads 2 \
    --analog "0=script:$work/step.lua" --drive PD2=0 --drive PD2=1@10ms --drive PD2=0@20ms
printf 'function volts(channel, seconds)\n    return {}\nend\n' >"$work/wrong.lua"
motet run --board uno --nodes 2 --boot 0s --for 50ms --analog "1:0=script:$work/wrong.lua" "$watcher"
expect_status 2
expect_err "gave no voltage"

# What contradicts itself, or means nothing.
motet run --nodes 8 --topology grid:3x3:10m "$hello"
expect_complaint "--nodes says 8, but --topology has 9"
motet run --nodes 3 --link 0,3,-60dBm "$hello"
expect_complaint "--link 0,3: there is no node 3"
motet run --nodes 3 --link 1,1,-60dBm "$hello"
expect_complaint "cannot have a link to itself"
for bad in grid grid:3x3 grid:3:10m grid:0x3:10m line:9 line:9:10km random:x:10m ring:9:1m grid:3x3:nan; do
    motet run --topology "$bad" "$hello"
    expect_complaint "--topology"
done
for bad in 0,1 0,1,x 0,1,-60dB a,1,-60dBm 0:1:-60; do
    motet run --nodes 3 --link "$bad" "$hello"
    expect_complaint "--link"
done
for bad in disk disk:x log:x log:3:x fog disk:-1m; do
    motet run --nodes 3 --medium "$bad" "$hello"
    expect_status 2
done
motet run --nodes 0 "$hello"
expect_complaint "at least one node"
motet run --nodes 2 --loss 1.5 "$hello"
expect_complaint "not a probability"
motet run --nodes 2 --for @100 "$hello"
expect_complaint "ticks of their own"
motet run --nodes 2 --trace 2:leds "$hello"
expect_complaint "--trace: there is no node 2"
motet run --trace 1:leds "$hello"
expect_complaint "--trace: there is no node 1; the only node is 0"
motet run --nodes 2 --trace x:leds "$hello"
expect_complaint "--trace"
motet run --nodes 2 --trace 1:lamps "$hello"
expect_complaint "nothing called 'lamps' to trace"
motet run --nodes 2 --analog 2:0=1V "$watcher"
expect_complaint "there is no node 2"
motet run --nodes 2 --drive 1:PX9=1 "$watcher"
expect_complaint "has no pin 'PX9'"
motet run --nodes 2 --drive 1:PD2=1@@500 "$watcher"
expect_complaint "ticks of their own"
motet run --drive 1:PD2=1 "$watcher"
expect_complaint "there is no node 1"
motet run --nodes 2 --serial 0=stdio "$hello"
expect_complaint "several nodes cannot share stdio"
motet run --nodes 2 --serial 5:0=null "$hello"
expect_complaint "there is no node 5"
motet run --nodes 2 --pcap "$work/no/file" "$hello"
expect_complaint "--pcap: cannot write"
finish
