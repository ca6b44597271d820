#!/bin/sh
# usage: sources.sh RECORDED TORN (with MOTET set)
# What can be shown beside runs: a node log, logs of several nodes with their story, a counterexample.
. "$(dirname "$0")/../lib/expect.sh"
recorded=$1 torn=$2
data() { # FILE: the data of a page
    sed -n '/^const data = /,/^\/\* The data of the page/p' "$1" | sed '$d; 1s/^const data = //' | sed '$s/;$//'
}

motet run --quiet "$recorded" --board micaz --topology line:2:10m --boot 1s --for 8s --save-flash "0:$work/0.flash" \
    --save-flash "1:$work/1.flash"
expect_status 0
set -- --elf "$recorded" --board micaz
motet report "0:$work/0.flash" "1:$work/1.flash" "$@" --time ticks/32768 --variable cost -o "$work/both.html"
expect_status 0
data "$work/both.html" >"$work/data"
[ "$(jq -c '[.run.nodes[] | [.id, .logged]]' "$work/data")" = "[[0,true],[1,true]]" ] || fail "two nodes that replay logs"
motet merge "0:$work/0.flash" "1:$work/1.flash" "$@" --time ticks/32768 --json
sends=$(jq -s 'map(select(.kind == "send")) | length' "$work/out")
[ "$sends" -gt 3 ] && [ "$(jq '.story.kind | map(select(. == 1)) | length' "$work/data")" -eq "$sends" ] ||
    fail "the story should have the $sends sends that motet merge prints"
jq -r '.run.debug' "$work/data" | grep -q "^motet replay 0:.*--time ticks/32768$" || fail "the command for a debugger"

motet report "$work/1.flash" "$@" --id 1 -o "$work/one.html"
expect_status 0
data "$work/one.html" >"$work/data"
[ "$(jq -c '[.run.nodes[0].id, (.window.tracks | map(select(.k == "interrupt")) | .[0].b | length > 10), .story]' "$work/data")" = \
    "[1,true,null]" ] || fail "one log without a clock"

motet check --board uno --preempt --steady 100ms "$torn" --save "$work/found.motet"
expect_status 1
motet report "$work/found.motet" -o "$work/found.html"
expect_status 0
data "$work/found.html" >"$work/data"
motet open "$work/found.motet"
jq -r '.run.about' "$work/data" | sed '/^$/d' >"$work/about"
sed '1,/^$/d; /^$/d' "$work/out" | cmp -s - "$work/about" || fail "the story of the counterexample is not that of motet open"
jq -e '.run.notes | length > 0' "$work/data" >"$work/notes" || fail "the fault of the counterexample"
finish
