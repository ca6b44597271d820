#!/bin/bash
# Logs of several nodes as native programs, one process a node: each goes to the end of its log, and none receives what
# has not been sent, whichever is started first.
# usage: together.sh MOTET FIRMWARE BOARD
set -u
motet=$1 firmware=$2 board=$3
[ "$board" = telosb ] && port=1 || port=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() {
    echo "$1"
    cat err
    exit 1
}
"$motet" run --quiet "$firmware" --board "$board" --topology line:2:10m --boot 2s --for 20s --save-flash %id.flash \
    --serial "0:$port=file:,reports" >/dev/null 2>err || fail "no run"
replay="$motet replay 0:0.flash 1:1.flash --elf $firmware --board $board --time ticks/32768 --native"
$replay 2>err || fail "the programs do not end with status 0"
[ "$(grep -cE '^motet: node [01]: native replay: .*; the log ends' err)" = 2 ] || fail "not both go to the end of their log"
$replay --output program 2>err && [ -x program.0 ] && [ -x program.1 ] || fail "no programs are left"

# In debuggers: the receiver is started before the sender.
stops() { # NODE FUNCTION LETTER
    cat >gdb.$1 <<END
set confirm off
set pagination off
break $2
commands
silent
shell echo $3 >>order.txt
continue
end
run
quit
END
    MOTET_TOGETHER=$PWD/order gdb -q -batch -nx -x gdb.$1 ./program.$1 >gdb-$1.out 2>&1
}
stops 0 beacon_received R &
while [ ! -e order ]; do sleep 0.1; done
stops 1 send_beacon S
wait
cat gdb-0.out gdb-1.out >err
awk '$1 == "S" { sent++ } $1 == "R" { heard++; if (heard > sent) early = 1 } END { exit early || heard < 3 }' order.txt ||
    fail "a beacon is heard before it is sent: $(tr '\n' ' ' <order.txt)"
echo "$(grep -c R order.txt) beacons are heard, each after it was sent"
"$motet" replay 0:0.flash 1:1.flash --elf "$firmware" --board "$board" --native 2>err
[ $? = 2 ] && grep -q -- "--time" err || fail "without a clock"
