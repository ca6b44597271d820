#!/bin/sh
# usage: dump.sh MOTET BOARD PORT FIRMWARE
# motet collect asks a running node for its log over its serial port: what comes replays, and the
# node goes on recording behind it. In real time, since a dump is a conversation.
set -u
motet=$1 board=$2 port=$3 elf=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "dump.sh: $1"
    cat "$work/err"
    exit 1
}

"$motet" run --board "$board" --realtime --for 9s --serial "$port=tcp:0" --keep-flash "$work/flash" "$elf" \
    >"$work/out" 2>"$work/err" </dev/null &
number=''
while [ -z "$number" ]; do
    sleep 0.1
    number=$(sed -n 's/.*port \([0-9]*\)$/\1/p' "$work/err")
    kill -0 $! 2>/dev/null || fail "the run has ended"
done
"$motet" collect --serial "127.0.0.1:$number" --patience 20s --output "$work/log" >"$work/collected" 2>>"$work/err" ||
    fail "nothing was collected"
grep -q ' 0 damaged' "$work/collected" || fail "$(cat "$work/collected")"
wait
"$motet" collect "$work/flash" --output "$work/later" >>"$work/err" || fail "the flash holds no log"
for log in log later; do
    "$motet" replay "$work/$log" --elf "$elf" --board "$board" --json >"$work/$log.json" 2>>"$work/err" ||
        fail "$log does not replay"
done
events() { sed 's/.*"events": \([0-9]*\).*/\1/' "$work/$1.json"; }
[ "$(events log)" -gt 10 ] && [ "$(events later)" -gt "$(events log)" ] ||
    fail "$(events log) events were sent, $(events later) recorded in all"
