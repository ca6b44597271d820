# Reads and writes of variables: leaf() reads and writes two bytes of `total` and one of `table` fifteen times; main
# reads `total` twice more; start-up code clears all ten.
. "$SOURCE/tests/lib/expect.sh"
expect_found() { jq -e "$1" "$work/found" >/dev/null || fail "the heat should have: $1"; }

motet run --quiet --json --monitor "heat:file=$work/found" "$FIRMWARE/monitor-workload-atmega328p.elf"
expect_status 0
expect_found '.variables[] | select(.name == "total")
    | .reads == 2 * 15 + 2 * 2 and .writes == 2 * 15 + 2 and .size == 2 and .written_most_by == "leaf"'
expect_found '.variables[] | select(.name == "table") | .reads == 15 and .writes == 15 + 8 and .size == 8'
motet run --quiet --monitor heat:format=csv "$FIRMWARE/monitor-workload-atmega328p.elf"
[ "$(grep -cE ',5,6,table$' "$work/out")" -eq 3 ] || fail "three elements of table should be read 5 and written 6 times"
[ "$(grep -cE ',0,1,table$' "$work/out")" -eq 5 ] || fail "five elements of table should be cleared only"

other=$FIRMWARE/monitor-workload-msp430f1611.elf
if [ -e "$other" ]; then # words where the CPU uses them
    motet run --quiet --board msp430f1611 --json --monitor "heat:file=$work/found" "$other"
    expect_found '.variables[] | select(.name == "total") | .reads == 15 + 2 and .writes == 15 + 1'
    expect_found '.variables[] | select(.name == "table") | .reads == 15 and .writes == 15 + 4'
fi
finish
