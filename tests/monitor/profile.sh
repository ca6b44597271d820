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

# Code that a function jumps to and that jumps back is a part of it (switches), labels inside of libgcc's functions are no
# functions, and what each function took is what it used energy for, to the cycle.
borrowed=$FIRMWARE/monitor-borrowed.elf
motet run --quiet --board uno --json --monitor "profile:format=json,file=$work/found" \
    --monitor "energy:format=json,functions=100,file=$work/energy" "$borrowed"
expect_status 0
expect_found '[.functions[], .calls[] | .name // .to | select(test("tablejump|_loop|_ep$"))] == []'
expect_found '.functions[] | select(.name == "__udivmodhi4") | .calls >= 4000 and .cycles > 4000 * 100'
expect_found '.functions[] | select(.name | endswith("chooses_by_a_table")) | .calls == 4000 and .cycles == .cycles_with_calls'
expect_found '.functions[] | select(.name == "last") | .calls == 4000'
expect_found '.functions[] | select(.name == "__vector_14") | .calls > 100 and .cycles % .calls == 0'
cycles=$(jq ".nodes[0].cycles" "$work/out")
expect_found "([.functions[].cycles] | add) == $cycles"
jq -e -s '(.[0].functions | map({(.name): .cycles}) | add) as $cycles |
    (.[1].functions | map({(.name): (.seconds * 16e6 | round)}) | add) as $used | $cycles == $used' \
    "$work/found" "$work/energy" >"$work/out" || fail "profile and energy should agree"
for format in folded callgrind; do
    motet run --quiet --board uno --monitor "profile:format=$format,file=$work/found" "$borrowed"
    ! grep -q tablejump "$work/found" || fail "$format: code of the compiler should not be a function"
done
for format in text json folded; do # a sample there is no function's, and is said to be none
    motet run --quiet --board uno --monitor "sampling:period=7,format=$format,file=$work/sampled" "$borrowed"
    ! grep -q tablejump "$work/sampled" || fail "sampling, $format: code of the compiler should not be a function"
    grep -q 'switches and prologues' "$work/sampled" || fail "sampling, $format: samples there should be counted"
done
callgrind_annotate --auto=no "$work/found" >"$work/out" 2>"$work/err" || fail "callgrind_annotate"
tr -d , <"$work/out" | grep -q " $cycles (100.0%)  PROGRAM TOTALS" || fail "the sum should be $cycles"
motet run --quiet --board uno --monitor stack --monitor calls "$borrowed"
expect_status 0
expect_not_in_out tablejump
expect_not_in_out __udivmodhi4_loop

# The longest name moves no column.
motet run --quiet --board uno --monitor energy "$borrowed"
[ "$(sed -n '/ function$/,$s/%.*//p' "$work/out" | awk '{ print length }' | sort -u | wc -l)" -eq 1 ] ||
    fail "columns should stay where they are"
finish
