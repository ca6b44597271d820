# A counterexample is a saved run: its digests hold, it is executed again with the same result, and debugged forward and
# backward with every choice in its place.
. "$SOURCE/tests/lib/expect.sh"

motet check --json --as-found --board micaz --nodes 2 --save "$work/found.motet" \
    "$FIRMWARE/dhv-micaz-dhv-vertical-checked.elf"
expect_status 1
expect_out '"violation": "fault"'
expect_out '"source": "frame"'
expect_out '"source": "hold"'
at=$(sed -n 's/.*"at": \([0-9.]*\), "walk".*/\1/p' "$work/out")

motet open --verify "$work/found.motet"
expect_status 0
expect_out "digests are equal"
motet check --replay "$work/found.motet" --json
expect_status 1
expect_out '"same": true'
expect_out "\"at\": $at"
motet open "$work/found.motet"
expect_out "ended by fault"
expect_out "null pointer at "
expect_out "a frame of node "

# Forward, backward, and forward again: each position has one state.
cat >"$work/commands" <<'END'
seek 31.2s
when
seek 30.1s
when
reverse-stepi 3
when
seek 31.2s
when
continue
END
motet debug --line "$work/found.motet" <"$work/commands"
expect_status 0
grep -E 's, instruction' "$work/out" >"$work/positions"
[ "$(sed -n 1p "$work/positions")" = "$(sed -n 4p "$work/positions")" ] || fail "going back and forth should lead there"
expect_out "null pointer"
motet open --at 31.2s "$work/found.motet"
cp "$work/out" "$work/with"
motet open --at 31.2s --anew "$work/found.motet"
cmp -s "$work/with" "$work/out" || fail "snapshots should change nothing"

# Made shorter, the error comes as soon after the steady state as its choices lead to it.
motet check --json --board micaz --nodes 2 --save "$work/short.motet" "$FIRMWARE/dhv-micaz-dhv-summary-checked.elf"
expect_status 1
jq -e '(.choices | length) == 1 and .at < 31.2 and .events.tasks + .events.interrupts < 200' "$work/out" >/dev/null ||
    fail "the story should be short"
motet check --replay "$work/short.motet" --json
expect_out '"same": true'

# Nodes that are not needed are left out, and the story begins where the environment first departs from the plain run.
motet check --json --board telosb --nodes 8 --save "$work/few.motet" "$FIRMWARE/dip-telosb-dip-right-checked.elf"
expect_status 1
jq -e '(.left_out | length) == 6 and (.choices | length) <= 3 and .events.tasks + .events.interrupts < 3246 and
    .events.tasks <= .since_steady.tasks' "$work/out" >/dev/null || fail "two nodes should be enough"
motet check --replay "$work/few.motet" --json
expect_status 1
expect_out '"same": true'
motet open --verify "$work/few.motet"
expect_status 0
expect_out "digests are equal"

# The story names the variables that changed: those that the property reads first, bit-fields, names of enumerations, and
# what handlers change apart from what the task does that they interrupt.
printf 'never("it comes to 60", each(function(n) return n.var.right == 60 end))\n' >"$work/rules.lua"
motet check --board micaz --late 0s --steady 100ms --length 2s --walks 1 --property "$work/rules.lua" \
    --save "$work/pair.motet" "$FIRMWARE/check-pair.elf"
expect_status 1
expect_out "node 0    task work: right 59 -> 60, "
expect_out "colour GREEN -> RED"
expect_out "bits.high 10 -> 11"
expect_not_in_out "bits.low"
grep "task work" "$work/out" | grep -q halves && fail "a task should not be blamed for what a handler has changed"
[ "$(grep -c '    task work: ' "$work/out")" -le 10 ] || fail "there should be few events"
motet open "$work/pair.motet"
expect_out "right 59 -> 60, "
printf 'never("it comes to 60", each(function(n) return n.var.halves[0] == 60 end), {handlers = true})\n' >"$work/rules.lua"
motet check --board micaz --late 0s --steady 10ms --length 2s --walks 1 --property "$work/rules.lua" --json \
    --save "$work/pair.motet" "$FIRMWARE/check-pair.elf"
[ "$(jq -r '.story[-1] | .event + " " + .changes[0].name + " " + .changes[0].before + " " + .changes[0].after' "$work/out")" = \
    "interrupt of timer0 halves[0] 59 60" ] || fail "the last event should be the handler that counts"

finish
