# Searches by the number of deviations: one is enough for some bugs, and the correct build comes through.
. "$SOURCE/tests/lib/expect.sh"

for bug in ${LONG:+dip-bound} dip-right dhv-index; do
    motet check --json --board micaz --nodes 2 --deviations 2 --save "$work/found.motet" \
        "$FIRMWARE/${bug%%-*}-micaz-$bug-checked.elf"
    expect_status 1
    expect_out '"violation": "fault"'
    [ "$(grep -o '"source"' "$work/out" | wc -l)" -eq 1 ] || fail "$bug should need one deviation"
    motet check --replay "$work/found.motet" --json
    expect_status 1
    expect_out '"same": true'
done
motet check --board micaz --nodes 2 --deviations 2 --save "$work/found.motet" \
    "$FIRMWARE/dip-micaz-dip-slide-checked.elf"
expect_status 1
expect_out "departs from the plain run 0 times"

for protocol in dip dhv; do
    motet check --board micaz --nodes 2 --deviations 1 --length 5s "$FIRMWARE/$protocol-micaz-checked.elf"
    expect_status 0
    expect_out "no violation with at most 1 deviation in 5 s from the steady state at 29 s"
done
motet check --board micaz --deviations 9 "$FIRMWARE/dip-micaz-checked.elf"
expect_complaint "9"
finish
