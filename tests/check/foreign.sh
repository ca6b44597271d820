# Frames from outside the network are a choice: firmware that takes none for granted fails with them and only with them.
. "$SOURCE/tests/lib/expect.sh"
check() {
    motet check --board micaz --nodes 2 --steady 3s --length 5s --save "$work/found.motet" "$@" "$FIRMWARE/check-foreign.elf"
}
check --walks 20
expect_status 0
for workers in 1 3; do
    check --json --weight foreign=0.2 --workers $workers
    expect_status 1
    sed 's/"walks": [0-9]*, //; s/"simulated": [0-9.]*, //' "$work/out" >"$work/with-$workers"
done
cmp -s "$work/with-1" "$work/with-3" || fail "3 workers should find what one finds"
jq -e '(.choices | length) == 1 and .choices[0].source == "foreign"' "$work/with-1" >/dev/null ||
    fail "one foreign frame should be enough"
motet check --replay "$work/found.motet" --json
expect_status 1
expect_out '"same": true'
motet open "$work/found.motet"
expect_out "a foreign frame with "
motet open --verify "$work/found.motet"
expect_status 0
check --json --weight foreign=0.2 --walk pct --as-found
expect_status 1
check --weight foreign=-1
expect_complaint "'-1' is not a probability or a rate"

# The kit's applications bear them.
for application in dip dhv multihop-oscilloscope; do
    motet check --board micaz --nodes 2 --weight foreign=2 --walks 6 --length 10s "$FIRMWARE/$application-micaz-checked.elf"
    expect_status 0
done
finish
