# Exhaustive searches: with and without matching, what they say, and what they refuse.
. "$SOURCE/tests/lib/expect.sh"
correct=$FIRMWARE/multihop-oscilloscope-micaz-checked.elf buggy=$FIRMWARE/check-small.elf
check() { motet check --board micaz --nodes 2 --weight damaged=0 "$@"; }
check_small() {
    check --set seed=2 --steady 190ms --length 1s --depth 6 --as-found --save "$work/found.motet" "$buggy" "$@"
}
simulated() { sed -n 's/.*at 29 s; \([0-9]*\) s simulated.*/\1/p' "$work/out"; }

check --depth 7 --length 8s "$correct"
expect_status 0
expect_out "no violation whatever becomes of the first 7 frames in 8 s from the steady state at 29 s"
expect_out "states matched, "
expect_out "of them explored all the same; busy channels, held interrupts, resets"
matched=$(simulated)
check --depth 7 --length 8s --no-matching "$correct"
expect_status 0
expect_out "states were not matched; busy channels"
[ "$matched" -lt "$(simulated)" ] || fail "matching should save time: $matched s, $(simulated) s without it"

# One error, whatever the number of workers; its counterexample leads to it again.
check_small --workers 1
expect_status 1
expect_out "found among all ways of the first 6 frames"
cp "$work/out" "$work/one"
check_small --workers 3
expect_status 1
cmp -s "$work/out" "$work/one" || fail "three workers should find the same"
motet check --replay "$work/found.motet"
expect_status 1
expect_out "the error is still there"

check --depth 8 --length 8s --memory 0 "$correct"
expect_status 0
expect_out "the memory did not suffice, and with a probability of at most"
check --depth 3 --length 3s --json "$correct"
expect_status 0
expect_out '"depth": 3, "stretches": '
expect_out '"bitstate": false, "missed": 0}'

# States that are explored again read no more than those that they were taken for, also where losses change all times.
for board in micaz telosb; do
    motet check --board $board --nodes 2 --depth 5 --length 4s --json "$FIRMWARE/dhv-$board-checked.elf"
    expect_status 0
    jq -e '.wrong == 0 and .again > 0 and .matched > 20' "$work/out" >/dev/null || fail "matching should be right on $board"
done

check --depth 0 "$correct"
expect_status 2
expect_err "give 1 at least"
check --depth 3 --deviations 2 "$correct"
expect_status 2
expect_err "a search to a depth counts no deviations; give one of the two"
check --depth 3 --resume "$work/state" "$correct"
expect_status 2
expect_err "cannot go on with --resume"
check --depth 3 --length 200000s "$correct"
expect_status 2
expect_err "100000 s at most"
