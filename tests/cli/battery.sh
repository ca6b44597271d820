# --battery: a node whose battery is empty is dead from then on. It is a part of the run: digests, saved runs and threads
# agree on it, and monitors do not change it.
. "$SOURCE/tests/lib/expect.sh"
naps=$FIRMWARE/monitor-naps.elf blink=$FIRMWARE/blink-micaz.elf collect=$FIRMWARE/collect-micaz.elf

# When: the monitor of energy says how much was used by then, within a millisecond of the largest current.
motet run --quiet --board micaz --for 10s --json --battery 0.01 --monitor "energy:file=$work/found" "$blink"
expect_status 0
expect_err "node 0: the battery of 0.01 mAh is empty at "
expect_err "the node is dead from here on"
empty=$(tail -1 "$work/out" | jq '.nodes[0].battery_empty')
jq -e ".millijoules / .volts / 3600 | . >= 0.01 and . < 0.01 + 50 * 0.001 / 3600" "$work/found" >/dev/null ||
    fail "0.01 mAh should be used: $(cat "$work/found")"
ticks=$(tail -1 "$work/out" | jq '.nodes[0].ticks / .nodes[0].hz')
awk "BEGIN { exit !($ticks < $empty + 0.000001 && $ticks > $empty - 0.1) }" || fail "the node should not run after $empty s: $ticks"
# A battery of twice the charge lasts twice as long.
motet run --quiet --board micaz --for 30s --json --battery 0.02mAh "$blink"
twice=$(jq '.nodes[0].battery_empty' "$work/out")
awk "BEGIN { exit !($twice > 1.99 * $empty && $twice < 2.01 * $empty) }" || fail "$twice s should be twice $empty s"

# In a network: of one node; the same with threads, monitors and in a saved run; and another digest without.
outcome() { tail -1 "$work/out" | jq -c '[.digest, [.nodes[].battery_empty]]'; }
network="--quiet --board micaz --nodes 3 --boot 0s --for 5s --json --seed 3"
motet run $network --threads 1 --battery 1:0.005 --save "$work/run.motet" "$collect"
expect_status 0
outcome >"$work/one"
jq -e '.[1][0] == null and .[1][1] > 0.1 and .[1][2] == null' "$work/one" >/dev/null || fail "node 1 alone should die"
motet run $network --threads 2 --battery 1:0.005 --monitor profile:file=/dev/null --monitor energy:file=/dev/null "$collect"
outcome >"$work/two"
cmp -s "$work/one" "$work/two" || fail "threads and monitors should change nothing: $(cat "$work/two")"
motet run $network "$collect"
outcome >"$work/without"
! cmp -s "$work/one" "$work/without" || fail "a battery should be a part of the digest"
motet open --verify "$work/run.motet"
expect_status 0
expect_out "digests are equal"
motet run $network --battery 9mAh --battery 1:0.005 "$collect" # what is given for a node comes first
outcome >"$work/both"
cmp -s "$work/one" "$work/both" || fail "node 1 has a battery of its own: $(cat "$work/both")"

# A scenario cannot revive it.
cat >"$work/revive.lua" <<LUA
node{ id = 1, firmware = "$blink", board = "micaz" }
at(20, function() boot(1) end)
LUA
motet run --quiet --for 30s --json --battery 0.01 "$work/revive.lua"
expect_status 0
tail -1 "$work/out" | jq -e '.nodes[0].ticks < 20 * 7372800' >/dev/null || fail "an empty battery should stay empty"

for charge in 0 -3 nan lots 5V ""; do
    motet run --board micaz --battery "$charge" "$blink"
    expect_complaint "is not a charge in milliampere-hours"
done
motet run --board micaz --battery 7:3 "$blink"
expect_complaint "7"
motet run --board atmega328p --battery 3 "$naps"
expect_complaint "--battery: there is no table of currents for atmega328p"
finish
