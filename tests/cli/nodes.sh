# One node is a network of one: the same run, options and output; and which node an option is about.
. "$SOURCE/tests/lib/expect.sh"
hello=$FIRMWARE/cli-hello.elf echo=$FIRMWARE/cli-echo.elf watcher=$FIRMWARE/cli-watcher.elf
forever=$FIRMWARE/cli-forever.elf

# The same digest, faults, JSON and output with and without --nodes 1.
same() { # ARGUMENTS...
    motet run --json "$@" </dev/null
    grep -v '^{' "$work/out" >"$work/alone.out"
    tail -n 1 "$work/out" | jq -c 'del(.wall_time)' >"$work/alone.json"
    sed 's/ in [0-9.]* s,/ in - s,/' "$work/err" >"$work/alone.err"
    motet run --json --nodes 1 "$@" </dev/null
    grep -v '^{' "$work/out" | cmp -s - "$work/alone.out" || fail "--nodes 1 should print the same"
    tail -n 1 "$work/out" | jq -c 'del(.wall_time)' | cmp -s - "$work/alone.json" || fail "--nodes 1 should have the same JSON"
    sed 's/ in [0-9.]* s,/ in - s,/' "$work/err" | cmp -s - "$work/alone.err" || fail "--nodes 1 should say the same"
}
same --board uno --trace leds,serial "$hello"
same "$FIRMWARE/cli-status.elf"
same --for @160000 --digest "$forever"
same --for 10ms --fault warn "$FIRMWARE/fault-null_write.elf"
same "$FIRMWARE/fault-null_write.elf"
same "$FIRMWARE/cli-sleeper-alone.elf"
printf 'abc.' >"$work/in"
same --for 1s --serial "0=file:$work/in" "$echo"
same --board uno --for 50ms --analog 0=2.5V --drive PD2=0 --drive PD2=1@@160000 "$watcher"

# The only node has an id, and so have options about it.
motet run --quiet --trace 0:leds --board uno "$hello" </dev/null
expect_status 0
expect_err "led L on"
motet run --quiet --serial "0:0=file:$work/in,$work/port" --for 1s "$echo"
[ "$(cat "$work/port")" = "> ABC." ] || fail "node 0 should have answered"
motet run --quiet --pcap "$work/one.pcap" "$hello" </dev/null
expect_status 0
[ -s "$work/one.pcap" ] || fail "a capture of one node should be there"
motet run --quiet --boot 0:100ms --drift 0:-50ppm --medium disk:5m --loss 0.1 --for 1s "$forever" </dev/null
expect_status 0
[ "$(grep -c '^line$' "$work/out")" -eq 9 ] || fail "a node that boots late should have nine lines"

# *: is every node, and NODE: comes before it.
motet run --quiet --nodes 3 --boot 0s --serial '*:0=null' "$hello"
expect_status 0
[ ! -s "$work/out" ] || fail "no node should be heard"
motet run --quiet --nodes 3 --boot 0s --serial '*:0=null' --serial "1:0=file:,$work/port" "$hello"
[ "$(cat "$work/port")" = hello ] || fail "node 1 should be in its file"
[ ! -s "$work/out" ] || fail "the others should not be heard"
motet run --quiet --nodes 3 --boot 0s --serial "*:0=file:,$work/out-%id.txt" "$hello"
for i in 0 1 2; do [ "$(cat "$work/out-$i.txt")" = hello ] || fail "node $i should have its file"; done
motet run --quiet --nodes 2 --boot 0s --for 1s --serial "0=file:$work/in" "$echo"
[ "$(sort "$work/out" | tr '\n' ' ')" = "0: > ABC. 1: > ABC. " ] || fail "both nodes should read the file"
motet run --board uno --nodes 2 --boot 0s --quiet --trace '*:leds' "$hello"
[ "$(grep -c 'led L on' "$work/err")" -eq 2 ] || fail "both nodes should be traced"
motet run --board uno --nodes 2 --boot 5ms --quiet --for 50ms --analog '*:0=2.5V' --analog 1:0=0V --drive '*:PD2=1' "$watcher"
[ "$(sort "$work/out" | tr '\n' ';')" = "0: 1 80;1: 1 00;" ] || fail "node 1 should have its own voltage"

# A fault of one node stops the run, of the other it is let pass.
motet run --quiet --nodes 2 --boot 0s --for 10ms --fault ignore --fault 1:stop "$FIRMWARE/fault-null_write.elf"
expect_status 1
expect_err "motet: node 1: "
grep -q 'node 0: ' "$work/err" && fail "node 0 should be silent"

# Boot times and variables of single nodes.
motet run --quiet --nodes 2 --boot 0:0s --boot 1:500ms --for 1s "$forever"
[ "$(grep -c '^0: line' "$work/out") $(grep -c '^1: line' "$work/out")" = "10 5" ] || fail "node 1 should boot later"
motet run --quiet --nodes 2 --boot 0s --for 1s --board uno --set which=1 --set 1:which=4 --json "$FIRMWARE/fault-trap.elf"
tail -n 1 "$work/out" | jq -e '[.nodes[].fault.cause] == ["index-out-of-bounds", "null-pointer"]' >"$work/jq" ||
    fail "each node should have its own variable"

# A node that is not there is refused before anything is written.
for option in "--serial 2:0=null" "--trace 2:leds" "--drive 2:PD2=1" "--analog 2:0=1V" "--set 2:which=1" \
    "--fault 2:warn" "--boot 2:1s" "--drift 2:5ppm" "--save-flash 2:f" "--script 2:f.lua" "--plugin 2:f.so"; do
    # shellcheck disable=SC2086
    motet run --nodes 2 $option --pcap "$work/no.pcap" --save "$work/no.motet" --serial "0:0=file:,$work/no.txt" "$hello"
    expect_complaint "${option%% *}: there is no node 2"
done
ls "$work"/no.* 2>"$work/ls" && fail "nothing should have been written"

# One port given twice, and one place for many.
motet run --serial 0=null --serial 0=pty "$hello"
expect_complaint "--serial: port 0 is given twice"
motet run --nodes 2 --serial 1:0=null --serial 1:0=pty "$hello"
expect_complaint "--serial: port 0 of node 1 is given twice"
motet run --nodes 2 --serial '*:0=pty' --serial 0=null "$hello"
expect_complaint "--serial: port 0 is given twice"
for place in "file:,$work/no" stdio tcp:4000 sf:4000; do
    motet run --nodes 2 --serial "*:0=$place" "$hello"
    expect_complaint "several nodes cannot share $place"
done
motet run --nodes 2 --save-flash "$work/no" --board micaz "$FIRMWARE/cli-open-drain.elf"
expect_complaint "several nodes cannot share $work/no"
motet run --serial 4294967296:0=null "$hello"
expect_complaint "--serial"
finish
