#!/bin/sh
# usage: chain.sh BOARD ELF SIDE SECONDS (with MOTET set)
# The whole chain for a collection network, a grid: logs by probes, merged into one order, the page; the component of every
# node replayed from its log with the recorded state at each event.
. "$(dirname "$0")/../lib/expect.sh"
board=$1 elf=$2 side=$3 seconds=$4 nodes=$(($3 * $3))
motet run --quiet "$elf" --board "$board" --topology "grid:${side}x$side:10m" --medium disk:15m --loss 0.1 --drift 40 \
    --boot 2s --for "${seconds}s" --json \
    --monitor "interface:of=collection.c,of=route.c,states=yes,format=log,file=$work/%id.ilog" </dev/null
expect_status 0
set --
for id in $(seq 0 $((nodes - 1))); do set -- "$@" "$work/$id.ilog"; done
motet merge "$@" --json --html "$work/story.html"
expect_status 0
expect_err "$nodes nodes"
jq -n '[inputs | select(.kind == "receive") | has("cause")] | length > '$((nodes * seconds / 10))' and all' "$work/out" |
    grep -q true || fail "too few receives, or one without a cause"
[ "$(wc -c <"$work/story.html")" -gt 10000 ] || fail "no page"
for log; do
    motet replay --board "$board" --elf "$elf" --json "$log"
    expect_status 0
    jq -e '.differs == false and .events > '$seconds "$work/out" >"$work/jq" || fail "$log is not replayed exactly"
done
finish
