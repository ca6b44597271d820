# Walks that go back to where they last came to something new take steps that others do not; they depend on nothing but
# their number, and a check says how much of the code was reached.
. "$SOURCE/tests/lib/expect.sh"
check() {
    motet check --board uno --as-found --weight preempt=0 --steady 100ms --length 400s --sense 0=1,2,3 --save "$work/found.motet" "$@" \
        "$FIRMWARE/check-stairs.elf"
}
check --unguided --walks 15
expect_status 0
expect_not_in_out "of the code"
for workers in 1 3; do
    check --json --walks 15 --workers $workers
    expect_status 1
    sed 's/"walks": [0-9]*, //; s/"simulated": [0-9.]*, //' "$work/out" >"$work/with-$workers"
done
cmp -s "$work/with-1" "$work/with-3" || fail "3 workers should find what one finds"
[ "$(jq '.walk % 5' "$work/with-1")" -eq 4 ] || fail "a guided walk should have found it"
motet check --replay "$work/found.motet" --json
expect_status 1
expect_out '"same": true'

# How much was reached does not depend on the workers, and more walks reach no less.
for workers in 1 3; do
    check --json --walks 6 --weight sensed=0.001 --workers $workers
    expect_status 0
    jq .reached "$work/out" >"$work/reached-$workers"
done
cmp -s "$work/reached-1" "$work/reached-3" || fail "3 workers should reach what one reaches"
awk '{ exit !($1 > 0.3 && $1 < 1) }' "$work/reached-1" || fail "a part of the code should be reached"

# Of a firmware without symbols nothing is known: its walks are as without guidance.
avr-objcopy -O ihex "$FIRMWARE/check-stairs.elf" "$work/stairs.hex"
bare() { motet check --board uno --steady 100ms --length 5s --sense 0=1,2,3 --walks 10 "$@" "$work/stairs.hex"; }
bare
expect_status 0
expect_not_in_out "of the code"
cp "$work/out" "$work/guided"
bare --unguided
cmp -s "$work/out" "$work/guided" || fail "walks of a firmware without symbols should not be guided"
finish
