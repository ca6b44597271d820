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

finish
