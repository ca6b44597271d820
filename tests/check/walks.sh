# Walks that choose in other ways find bugs too, and none depends on the number of workers (in the suite, mixed and pct).
. "$SOURCE/tests/lib/expect.sh"
buggy=$FIRMWARE/dip-micaz-dip-bound-checked.elf
check() { motet check --board micaz --nodes 2 --length 10s --as-found --save "$work/found.motet" "$@"; }

for kind in mixed weighted uniform pct; do
    check --json --walk $kind --workers 1 "$buggy"
    expect_status 1
    sed 's/"walks": [0-9]*, //; s/"simulated": [0-9.]*, //' "$work/out" >"$work/$kind"
    case $kind in weighted | uniform) [ -n "${LONG:-}" ] || continue ;; esac
    check --json --walk $kind --workers 3 "$buggy"
    expect_status 1
    sed 's/"walks": [0-9]*, //; s/"simulated": [0-9.]*, //' "$work/out" | cmp -s - "$work/$kind" ||
        fail "3 workers should find what one finds with --walk $kind"
    motet check --replay "$work/found.motet"
    expect_status 1
done
cmp -s "$work/mixed" "$work/weighted" && fail "mixed and weighted walks should differ"
cmp -s "$work/mixed" "$work/uniform" && fail "mixed and uniform walks should differ"
count=$(jq '[.choices[] | select(.source != "boot")] | length' "$work/pct")
[ "$count" -ge 1 ] && [ "$count" -le 5 ] || fail "pct should depart from the plain run 1 to 5 times, not $count"

# What has no weight is never chosen.
none="--weight lost=0 --weight damaged=0 --weight held=0 --weight busy=0 --weight reset=0 --weight power=0 --weight death=0"
for kind in uniform pct; do
    check --walk $kind $none --late 0s --walks 5 "$FIRMWARE/dip-micaz-checked.elf"
    expect_status 0
    check --json --walk $kind $none --weight reset=0.1 --late 0s --walks 40 "$FIRMWARE/dip-micaz-dip-right-checked.elf"
    [ "$(jq -r '[.choices[]?.source] | unique | .[]' "$work/out" | grep -cv reset)" -eq 0 ] ||
        fail "nothing but resets should be chosen with --walk $kind"
done
check --walk straight "$buggy"
expect_complaint "'straight' is none of mixed, weighted, uniform and pct"
finish
