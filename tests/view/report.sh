#!/bin/sh
# usage: report.sh BEACON SENSOR (with MOTET set)
# A report changes nothing, says what motet run says, is the same each time, and needs nothing but itself.
. "$(dirname "$0")/../lib/expect.sh"
beacon=$1 sensor=$2
field() { jq -r "$1" "$2"; }
data() { # FILE: the data of a page
    sed -n '/^const data = /,/^\/\* The data of the page/p' "$1" | sed '$d; 1s/^const data = //' | sed '$s/;$//'
}

network="--board micaz --topology grid:3x3:10m --seed 7 --for 4s"
motet run --json --quiet $network "$beacon"
cp "$work/out" "$work/run"
motet report --json $network -o "$work/a.html" "$beacon"
expect_status 0
cp "$work/out" "$work/report"
expect_no_err
[ "$(field .digest "$work/run")" = "$(field .digest "$work/report")" ] || fail "the digest is another with a report"
[ "$(field .transmissions "$work/run")" = "$(field .frames "$work/report")" ] || fail "frames: not the run's transmissions"
data "$work/a.html" >"$work/data"
[ "$(jq '.run.nodes | length' "$work/data")" -eq 9 ] || fail "there should be nine nodes"
[ "$(jq '.window.frames | length' "$work/data")" = "$(field .transmissions "$work/run")" ] || fail "frames in the page"
sed 's/href="data:,"//' "$work/a.html" | grep -Eq '(src|href)=|https?://' && fail "the page needs something from elsewhere"

# The same bytes again. The same, but for the command, with another number of threads and from a saved run.
motet report --json $network -o "$work/b.html" "$beacon"
cmp -s "$work/a.html" "$work/b.html" || fail "the same report has other bytes"
motet report $network --threads 1 -o "$work/b.html" "$beacon"
jq 'del(.run.debug)' "$work/data" >"$work/without"
data "$work/b.html" | jq 'del(.run.debug)' | cmp -s - "$work/without" || fail "the report depends on the number of threads"
motet run --quiet $network --save "$work/run.motet" "$beacon"
motet report "$work/run.motet" -o "$work/c.html"
expect_status 0
expect_err "9 nodes, 4.000000 s"
data "$work/c.html" | jq -S 'del(.run.title, .run.debug)' >"$work/saved"
jq -S 'del(.run.title, .run.debug)' "$work/data" | cmp -s - "$work/saved" || fail "the report of the saved run differs"
[ "$(data "$work/c.html" | jq -r .run.debug)" = "motet open --debug $work/run.motet --at {time}" ] || fail "the command for gdb"

# One node with a fault: what motet run says about it is there, and its serial output.
motet report --board uno --for 4s --variable ticks -o "$work/one.html" "$sensor"
expect_status 0
data "$work/one.html" >"$work/data"
[ "$(jq -r '.run.serial[1][3]' "$work/data")" = "a list 5 deep: sum 5" ] || fail "serial output"
jq -r '.run.notes[] | select(.[2] == "fault") | .[3]' "$work/data" | grep -q "stack overflow at add_list" || fail "the fault"
[ "$(jq '.window.values[0].v[-1]' "$work/data")" -eq 60 ] || fail "ticks should end with 60"

# Coverage is that of the monitor.
motet run --quiet --board uno --for 4s --fault warn --serial 0=null --monitor coverage:format=lcov,file="$work/lcov" "$sensor"
motet report --board uno --for 4s --fault warn -o "$work/two.html" "$sensor"
data "$work/two.html" | jq -r '.run.files[] | select(.name | endswith("sensor.c")) | .lines as $l |
    range(0; $l | length; 3) | "DA:\($l[.]),\($l[. + 1])"' >"$work/lines"
sed -n '/sensor.c/,/end_of_record/p' "$work/lcov" | grep ^DA: | cmp -s - "$work/lines" || fail "the coverage is not lcov's"
finish
