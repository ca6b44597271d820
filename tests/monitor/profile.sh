# The exact profile against what objdump and the datasheet say: leaf() takes 24 cycles of an ATmega328P from its first
# instruction to after its return, compute() 14 of its own.
. "$SOURCE/tests/lib/expect.sh"

profile() { # CHIP FORMAT
    motet run --quiet --board "$1" --json --monitor "profile:format=$2,file=$work/found" \
        "$FIRMWARE/monitor-workload-$1.elf"
    expect_status 0
}
expect_found() { jq -e "$1" "$work/found" >/dev/null || fail "the profile should have: $1"; }

profile atmega328p json
expect_found '.functions[] | select(.name == "leaf") | .calls == 15 and .cycles == 15 * 24 and .instructions == 15 * 15'
expect_found '.functions[] | select(.name == "compute") | .calls == 5 and .cycles == 70 and .cycles_with_calls == 430'
expect_found '[.functions[] | select(.name == "unused")] == []'
expect_found '[.calls[] | select(.from == "compute" and .to == "leaf") | .calls] | add == 15'
expect_found '[.calls[] | select(.from == "main" and .to == "compute") | .cycles] | add == 430'
for chip in atmega328p msp430f1611; do
    [ -e "$FIRMWARE/monitor-workload-$chip.elf" ] || continue
    profile $chip json
    # Nothing is left over: the sums are those of the run.
    cycles=$(jq ".nodes[0].cycles" "$work/out") instructions=$(jq .instructions "$work/out")
    expect_found ".cycles == $cycles and .instructions == $instructions"
    expect_found "([.functions[].cycles] | add) == $cycles"
    expect_found '.functions[] | select(.name == "compute") | .calls == 5'
    own=$(jq '[.functions[] | select(.name == "leaf" or .name == "compute") | .cycles] | add' "$work/found")
    expect_found ".functions[] | select(.name == \"compute\") | .cycles_with_calls == $own"
    leaf=$(jq '.functions[] | select(.name == "leaf") | .cycles' "$work/found")

    profile $chip folded
    grep -q "main;compute;leaf $leaf\$" "$work/found" || fail "the folded stacks should have main;compute;leaf $leaf"
    sum=$(awk '{ n += $NF } END { print n }' "$work/found")
    [ "$sum" -eq "$cycles" ] || fail "the folded stacks should sum up to $cycles"

    profile $chip callgrind
    callgrind_annotate --inclusive=yes --auto=no "$work/found" >"$work/out" 2>"$work/err" || fail "callgrind_annotate"
    expect_no_err
    tr -d , <"$work/out" | grep -q " $cycles (100.0%)  PROGRAM TOTALS" || fail "the sum should be $cycles"
    tr -d , <"$work/out" | grep -qE " $own \( *[0-9.]+%\)  .*workload.c:compute" || fail "compute with its calls: $own"
done

# What an interrupt takes is its handler's, not that of what it interrupts.
motet run --quiet --board atmega328p --for 100ms --json --monitor "profile:format=json,file=$work/found" \
    "$FIRMWARE/monitor-interrupts-atmega328p.elf"
expect_found '.functions[] | select(.name == "__vector_11") | .calls > 90'
expect_found '.functions[] | select(.name == "work") | .cycles_with_calls % .calls == 0'
finish
