#!/bin/sh
# usage: cli.sh ELF OTHER (with MOTET set)
# motet merge: its formats, logs that are damaged, cut or missing, nodes that restart, and what it refuses.
. "$(dirname "$0")/../lib/expect.sh"
elf=$1 other=$2
for i in 0 1 2 3; do
    flashes="${flashes:-} --save-flash $i:$work/$i.flash" logs="${logs:-} $i:$work/$i.flash"
done
motet run --quiet "$elf" --board micaz --topology line:4:10m --medium disk:15m --drift 40 --boot 1s --for 25s $flashes
expect_status 0
set -- --elf "$elf" --board micaz --time ticks/32768

# Every format shows the same events and the same edges.
motet merge $logs "$@" --html "$work/s.html" --svg "$work/s.svg" --shiviz "$work/s.shiviz" --perfetto "$work/s.json"
expect_status 0
expect_no_out
expect_err "4 nodes"
motet merge $logs "$@" --json
expect_status 0
jq -es 'length > 100 and all(.[]; .clock[.node | tostring] == .event + 1)' "$work/out" >"$work/jq" ||
    fail "vector clocks do not count the node's own events"
cp "$work/out" "$work/json"
events=$(wc -l <"$work/json") edges=$(grep -c '"cause"' "$work/json")
[ "$edges" -gt 40 ] || fail "only $edges messages"
motet merge $logs "$@"
[ "$(wc -l <"$work/out")" -eq "$events" ] || fail "the text has other events"
[ "$(grep -c '  <- #' "$work/out")" -eq "$edges" ] || fail "the text has other messages"
[ "$(jq '[.traceEvents[] | select(.ph == "X")] | length' "$work/s.json")" -eq "$events" ] || fail "perfetto: events"
[ "$(jq '[.traceEvents[] | select(.ph == "f")] | length' "$work/s.json")" -eq "$edges" ] || fail "perfetto: flows"
[ "$(grep -c '<circle' "$work/s.svg")" -eq "$events" ] || fail "svg: events"
[ "$(grep -c "class='m'" "$work/s.svg")" -eq "$edges" ] || fail "svg: messages"
[ "$(sed 1,2d "$work/s.shiviz" | awk 'NR % 2 && /^[0-9]+ \{.*\}$/' | wc -l)" -eq "$events" ] || fail "shiviz: events"
sed -n '/^const data = /,/^\/\* The data of the page/p' "$work/s.html" | sed '$d; 1s/^const data = //' | sed '$s/;$//' >"$work/data.json"
[ "$(jq '.story.time | length' "$work/data.json")" -eq "$events" ] || fail "html: events"
[ "$(jq '.story | [.cause, .kind] | transpose | map(select(.[0] >= 0 and .[1] == 2)) | length' "$work/data.json")" -eq "$edges" ] ||
    fail "html: messages"
sed 's/href="data:,"//' "$work/s.html" | grep -Eq '(src|href)=|https?://' && fail "the page needs something from elsewhere"

# A range.
motet merge $logs "$@" --from 5s --until 10s --json
jq -es 'length > 10 and all(.[]; .time >= 5 and .time <= 10)' "$work/out" >"$work/jq" || fail "events out of the range"
motet merge $logs "$@" --from 5s --until 10s --shiviz "$work/s.shiviz"
sed 1,2d "$work/s.shiviz" | awk 'NR % 2 { host = $1; if (match($0, "\"" host "\":[0-9]+")) {
        own = substr($0, RSTART + length(host) + 3, RLENGTH - length(host) - 3); if (own != ++count[host]) exit bad = 1 } }
    END { exit bad }' || fail "shiviz: clocks of a range do not count from 1"

# Calls are events, in the order of the code around them.
motet merge $logs "$@" --call collection_send --json
expect_status 0
grep -q '"what": "collection_send"' "$work/out" || fail "no call"

# A node is missing: its packets are strangers'.
motet merge "0:$work/0.flash" "2:$work/2.flash" "3:$work/3.flash" "$@" --quiet
expect_status 0
expect_err "came from nodes without a log"

# Without clocks the order is the same, and true.
motet merge $logs --elf "$elf" --board micaz --json
expect_status 0
[ "$(grep -c '"cause"' "$work/out")" -eq "$edges" ] || fail "other messages without clocks"

# A log that is cut, and one with a damaged page: what is missing is no finding.
head -c 6000 "$work/1.flash" >"$work/cut.flash"
motet merge "0:$work/0.flash" "1:$work/cut.flash" "2:$work/2.flash" "$@" --quiet
expect_status 0
expect_err "where a log has ended or has a gap"
cp "$work/1.flash" "$work/damaged.flash"
printf 'damage' | dd of="$work/damaged.flash" bs=1 seek=2000 conv=notrunc 2>"$work/dd"
motet merge "0:$work/0.flash" "1:$work/damaged.flash" "2:$work/2.flash" "$@" --quiet
expect_status 0
expect_err "where a log has ended or has a gap"

# A node that restarts has two stretches, each with a clock of its own: no clock runs backward, and packets still match.
cat >"$work/restart.lua" <<END
for i = 0, 2 do node{ id = i, board = "micaz", firmware = "$elf", x = 10 * i } end
medium{ model = "disk", range = 15 }
at(10, function() reset(1) end)
at(14, function() kill(2) end)
at(16, function() boot(2) end)
run_for(30)
END
motet run --quiet "$work/restart.lua" --save-flash "0:$work/0.again" --save-flash "1:$work/1.again" \
    --save-flash "2:$work/2.again"
expect_status 0
motet merge "0:$work/0.again" "1:$work/1.again" "2:$work/2.again" "$@" --json
expect_status 0
for i in 1 2; do
    [ "$(grep -c "\"node\": $i,.*\"what\": \"start\"" "$work/out")" -eq 2 ] || fail "node $i has not started twice"
done
[ "$(jq -s '[.[] | select(.kind == "receive" and .node == 1 and .time > 11 and .cause)] | length' "$work/out")" -gt 5 ] ||
    fail "nothing matches after the restart"

# Refused.
motet merge "1:$work/1.flash" "1:$work/2.flash" "$@"
expect_complaint "are both of node 1; a node has one log"
motet merge "$work/1.flash" "$@"
expect_complaint "which node wrote"
motet merge "1:$work/1.flash" --board micaz
expect_complaint "give it with --elf"
motet merge "1:$work/1.flash" --elf "$other" --board micaz
expect_complaint "but the log was made by build"
motet merge "1:$work/1.flash" "$@" --time nothing/32768
expect_complaint "nothing"
motet merge "1:$work/1.flash" "$@" --html /nowhere/s.html
expect_complaint "cannot write to /nowhere/s.html"
motet merge "1:/nowhere" "$@"
expect_complaint "/nowhere"
motet merge
expect_complaint "merge needs"
finish
