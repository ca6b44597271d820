#!/bin/sh
# usage: interface.sh ELF (with MOTET set)
# Interface logs, and a mixture of them with full recordings: every receive finds its send, though neither the clocks nor
# sequence numbers are the same everywhere.
. "$(dirname "$0")/../lib/expect.sh"
elf=$1
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
motet merge "$work/0.ilog" "$work/0.ilog"
expect_complaint "are both of node 0"
motet merge "7:$work/0.ilog"
expect_complaint "is an interface log, which holds the id of its node"
finish
