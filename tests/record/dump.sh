#!/bin/sh
# usage: dump.sh MOTET BOARD PORT FIRMWARE
# motet collect asks a running node for its log over its serial port: what comes replays, and the
# node goes on recording after it. In real time, since a dump is a conversation; but how long the
# run takes depends on the node: it ends after the first page that was written after the dump. When
# the command comes is the host's business, so a run that fails is kept.
set -u
motet=$1 board=$2 port=$3 elf=$4
work=$(mktemp -d)
run=
trap '[ -z "$run" ] || kill $run 2>/dev/null; rm -rf "$work"' EXIT

fail() {
    echo "dump.sh: $1"
    cat "$work/err"
    [ -z "$run" ] || kill -INT $run 2>/dev/null
    wait
    echo "dump.sh: kept in $work: the run ($motet open $work/run.motet), its flash, the log"
    trap - EXIT
    exit 1
}

cat >"$work/end.lua" <<'LUA'
local sending, pages
probe("dump", function() sending, pages = true, nil end)
watch("motet_dump.wanted", function(a)
    if sending and a.value == 0 then sending, pages = false, 0 end
end)
watch("motet_recorder.sequence", function(a)
    if not pages or a.value == a.old then return end
    pages = pages + 1
    if pages == 2 then at(node.now + 2, stop) end
end)
LUA
"$motet" run --board "$board" --realtime --script "$work/end.lua" --serial "$port=tcp:0" --save "$work/run.motet" \
    --save-flash "$work/flash" "$elf" >"$work/out" 2>"$work/err" </dev/null &
run=$!
number=''
while [ -z "$number" ]; do
    sleep 0.1
    number=$(sed -n 's/.*port \([0-9]*\)$/\1/p' "$work/err")
    kill -0 $run 2>/dev/null || fail "the run has ended"
done
"$motet" collect --serial "127.0.0.1:$number" --patience 200s --output "$work/log" >"$work/collected" 2>>"$work/err" ||
    fail "nothing was collected"
grep -q ' 0 damaged' "$work/collected" || fail "$(cat "$work/collected")"
wait $run || fail "the run did not end as it should"
run=
"$motet" collect "$work/flash" --output "$work/later" >>"$work/err" || fail "the flash holds no log"
for log in log later; do
    "$motet" replay "$work/$log" --elf "$elf" --board "$board" --json >"$work/$log.json" 2>>"$work/err" ||
        fail "$log does not replay"
done
events() { sed 's/.*"events": \([0-9]*\).*/\1/' "$work/$1.json"; }
[ "$(events log)" -gt 10 ] && [ "$(events later)" -gt "$(events log)" ] ||
    fail "$(events log) events were sent, $(events later) recorded in all"
