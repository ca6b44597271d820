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
expect_out "of them explored all the same; left out: busy channels, held interrupts, resets, losses of power, deaths"
matched=$(simulated)
check --depth 7 --length 8s --no-matching "$correct"
expect_status 0
expect_out "states were not matched; left out: busy channels"
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
expect_not_in_out "MATCHING WAS WRONG" # states that hashing takes for others are no error of Motet
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

# The other radios have canonical forms too.
for board in iris mica2; do
    motet check --board $board --nodes 2 --depth 6 --length 6s --weight damaged=0 --json "$FIRMWARE/multihop-oscilloscope-$board.elf"
    expect_status 0
    jq -e '.wrong == 0 and .again > 0 and .matched > 12' "$work/out" >/dev/null || fail "states should match on $board"
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

# Choices beside frames: what happens to a node every quarter of a second, and what a scenario sends.
alone() { motet check --board micaz --nodes 2 --weight damaged=0 --weight lost=0 --depth 10 --length 3s --busy 1300ms --save "$work/found.motet" "$@"; }
alone "$FIRMWARE/dhv-micaz-dhv-summary-checked.elf"
expect_status 0
expect_out "left out: busy channels, held interrupts"
for workers in 1 3; do
    alone --as-found --also busy --workers $workers "$FIRMWARE/dhv-micaz-dhv-summary-checked.elf"
    expect_status 1
    expect_out "found among all ways of the first 10 choices"
    expect_out "30.000000 s  node 1  the channel is busy for 1300.000 ms"
    cp "$work/out" "$work/with-$workers"
done
cmp -s "$work/with-1" "$work/with-3" || fail "three workers should find the same"
motet check --replay "$work/found.motet"
expect_status 1
check --depth 4 --also reset --also power --also death --also held --length 2s "$correct"
expect_status 0
expect_out "the first 4 choices in 2 s"
expect_out "left out: busy channels, what a host sends"
sed "s|firmware = \"|firmware = \"$FIRMWARE/|; s|\.elf\" }\$|-serial-unlock.elf\" }|" "$SOURCE/examples/checking/serial.lua" >"$work/serial.lua"
motet check --depth 2 --also serial --length 5s --no-save "$work/serial.lua"
expect_status 1
expect_out "byte 6 of what the host sends to port 0 is damaged (the critical transition)"
motet check --depth 2 --length 5s --no-save "$work/serial.lua"
expect_status 0

check --also reset "$correct"
expect_status 2
expect_err "choices beside frames are named for a search to a depth; give a depth"
check --depth 3 --also foreign "$correct"
expect_status 2
expect_err "'foreign' is none of busy, held, reset, power, death and serial"
finish
