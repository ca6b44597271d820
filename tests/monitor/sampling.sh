# Samples are taken at every period, neither more nor fewer, and their shares are those of the exact profile.
. "$SOURCE/tests/lib/expect.sh"
elf=$FIRMWARE/monitor-interrupts-atmega328p.elf
expect_found() { jq -e "$1" "$work/found" >/dev/null || fail "the samples should have: $1"; }

motet run --quiet --for 100ms --json --monitor "sampling:file=$work/found" "$elf"
expect_status 0
expect_found '.samples >= 1599 and .samples <= 1600 and .period == 1000 and ([.functions[].samples] | add) == .samples'
motet run --quiet --for 100ms --json --monitor "sampling:period=37,file=$work/found" "$elf"
expect_found '.samples == 43243' # 1600000 / 37
expect_found '.functions[] | select(.name == "work") | .samples / 43243 > 0.895 and .samples / 43243 < 0.903' # 0.8986
expect_found '.functions[] | select(.name == "__vector_11") | .samples > 170 and .samples < 210'            # 0.0044
motet run --quiet --for 100ms --monitor "sampling:period=37,format=folded" "$elf"
expect_out "main;work "
[ "$(awk '{ n += $NF } END { print n }' "$work/out")" -eq 43243 ] || fail "the folded stacks should have all samples"
motet run --monitor sampling:period=0 "$elf"
expect_complaint "period=0"
motet run --monitor sampling:period=fast "$elf"
expect_complaint "a whole number is needed"
other=$FIRMWARE/monitor-workload-msp430f1611.elf
if [ -e "$other" ]; then
    motet run --quiet --board msp430f1611 --json --monitor "sampling:period=10,file=$work/found" "$other"
    cycles=$(jq ".nodes[0].cycles" "$work/out")
    expect_found ".samples == ($cycles / 10 | floor) and .functions[0].name == \"leaf\""
fi
finish
