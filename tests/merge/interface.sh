#!/bin/sh
# usage: interface.sh ELF OTHER (with MOTET set)
# Interface logs, and a mixture of them with full recordings: every receive finds its send, though neither the clocks nor
# sequence numbers are the same everywhere.
. "$(dirname "$0")/../lib/expect.sh"
elf=$1 other=$2
for i in 0 1 2 3 4; do
    flashes="${flashes:-} --save-flash $i:$work/$i.flash" logs="${logs:-} $work/$i.ilog"
done
motet run --quiet "$elf" --board micaz --topology line:5:10m --medium disk:15m --drift 40 --boot 2s --for 30s $flashes \
    --log-interface "collection.c,route.c=$work/%id.ilog"
expect_status 0
motet merge $logs --json
expect_status 0
jq -es '[.[] | select(.kind == "receive")] | length > 100 and all(.[]; .cause)' "$work/out" >"$work/jq" ||
    fail "a receive has no send"
grep -Eq 'of several|several nodes' "$work/err" && fail "a receive is ambiguous"
# What a receive got is what was sent: the bytes of both events are the same.
jq -es '(map({key: "\(.node)/\(.event)", value: .bytes}) | from_entries) as $bytes |
    all(.[] | select(.cause); $bytes["\(.cause.node)/\(.cause.event)"] == .bytes)' "$work/out" >"$work/jq" ||
    fail "a receive has another content than its send"
# The calls of a node are between its packets, with parameters and place.
grep -q '"what": "beacon_received", "details": "(m=.*"place": ".*route.c:' "$work/out" || fail "no parameters or place"

motet merge "$work/0.ilog" "$work/1.ilog" "2:$work/2.flash" "3:$work/3.flash" "$work/4.ilog" --elf "$elf" --board micaz \
    --time ticks/32768 --json
expect_status 0
for pair in 1:2 2:1 3:4 4:3; do
    grep -q "\"node\": ${pair%:*}, .*\"cause\": {\"node\": ${pair#*:}," "$work/out" || fail "no message to:from $pair"
done

# Cut and damaged files; two logs of one node; an id that is not needed.
head -c $(($(wc -c <"$work/1.ilog") * 9 / 10)) "$work/1.ilog" >"$work/cut.ilog"
motet merge "$work/0.ilog" "$work/cut.ilog" "$work/2.ilog" --quiet
expect_status 0
expect_err "where a log has ended or has a gap"
size=$(wc -c <"$work/1.ilog")
cp "$work/1.ilog" "$work/damaged.ilog"
printf 'damage' | dd of="$work/damaged.ilog" bs=1 seek=$((size * 8 / 10)) conv=notrunc 2>"$work/dd"
motet merge "$work/0.ilog" "$work/damaged.ilog" "$work/2.ilog" --json
expect_status 0
expect_err "where a log has ended or has a gap"
jq -es '[.[] | select(.node == 1)] | length > 50' "$work/out" >"$work/jq" || fail "what is whole of a damaged log is missing"
printf 'damage' | dd of="$work/damaged.ilog" bs=1 seek=100 conv=notrunc 2>"$work/dd"
motet merge "$work/0.ilog" "$work/damaged.ilog"
expect_complaint "is damaged: nothing of it can be read"
motet merge "$work/0.ilog" "$work/2.ilog" --quiet
expect_status 0
expect_err "came from nodes without a log"
motet merge "$work/0.ilog" "$work/0.ilog"
expect_complaint "are both of node 0"

# The firmware is not needed. One that is given must be the one that was logged.
motet merge "$work/0.ilog" "$work/1.ilog" --elf "$elf" --quiet
expect_status 0
motet merge "$work/0.ilog" "$work/1.ilog" --elf "1:$other" --quiet
expect_complaint "1.ilog was made by build"
motet merge "$work/0.ilog" --elf "$other"
expect_complaint "; give the firmware of its node with --elf 0:FIRMWARE, or none"
motet merge "2:$work/2.flash" --elf "$elf" --board micaz --time ticks/32768 --call colection_send
expect_complaint "colection_send"

# A node that restarts logs on, with a clock that begins again; so does one that was without power.
cat >"$work/restart.lua" <<END
for i = 0, 2 do node{ id = i, board = "micaz", firmware = "$elf", x = 10 * i } end
medium{ model = "disk", range = 15 }
at(10, function() reset(1) end)
at(12, function() kill(2) end)
at(14, function() boot(2) end)
run_for(25)
END
motet run --quiet "$work/restart.lua" --log-interface "collection.c,route.c=$work/again-%id.ilog"
expect_status 0
motet merge "$work"/again-[0-2].ilog --json
expect_status 0
for i in 1 2; do
    [ "$(grep -c "\"node\": $i,.*\"what\": \"start\"" "$work/out")" -ge 1 ] || fail "the log of node $i has no restart"
done
[ "$(jq -s '[.[] | select(.kind == "receive" and .node == 1 and .time > 15 and .cause)] | length' "$work/out")" -gt 5 ] ||
    fail "nothing matches after the restart"
motet merge "7:$work/0.ilog"
expect_complaint "is an interface log, which holds the id of its node"
finish
