# The result does not depend on the number of workers: the same walk, the same choices, the same file.
. "$SOURCE/tests/lib/expect.sh"

for workers in 1 ${LONG:+2} 5; do
    motet check --json --board micaz --nodes 2 --workers $workers --save "$work/$workers.motet" \
        "$FIRMWARE/dip-micaz-dip-right-checked.elf"
    expect_status 1
    sed 's/"walks": [0-9]*, //; s/"simulated": [0-9.]*, //; s/"file": "[^"]*"//' "$work/out" >"$work/json.$workers"
    cmp -s "$work/json.1" "$work/json.$workers" || fail "$workers workers should find what one finds"
    motet open --json "$work/$workers.motet"
    sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$work/out" >"$work/digest.$workers"
    cmp -s "$work/digest.1" "$work/digest.$workers" || fail "$workers workers should lead to the same state"
done
[ -s "$work/digest.1" ] || fail "there should be a digest"

# So does a search by deviations.
for workers in 1 3; do
    motet check --json --board micaz --nodes 2 --deviations 1 --length 5s --workers $workers --save "$work/d.motet" \
        "$FIRMWARE/dhv-micaz-dhv-index-checked.elf"
    expect_status 1
    sed 's/"walks": [0-9]*, //; s/"simulated": [0-9.]*, //' "$work/out" >"$work/deviations.$workers"
done
cmp -s "$work/deviations.1" "$work/deviations.3" || fail "3 workers should find the deviation that one finds"

# Another seed makes other choices.
motet check --json --board micaz --nodes 2 --seed 7 --save "$work/other.motet" \
    "$FIRMWARE/dip-micaz-dip-right-checked.elf"
expect_status 1
sed 's/"walks": [0-9]*, //; s/"simulated": [0-9.]*, //; s/"file": "[^"]*"//' "$work/out" >"$work/json.other"
! cmp -s "$work/json.1" "$work/json.other" || fail "another seed should find it in another way"
finish
