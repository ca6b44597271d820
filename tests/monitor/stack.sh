# The deepest chain: main (2 bytes of return address), timer 1's handler (2, and 5 that it pushes), timer 2's (2 and
# 15), inner() (2, 2 pushed, 40 of its own).
. "$SOURCE/tests/lib/expect.sh"
expect_found() { jq -e "$1" "$work/found" >/dev/null || fail "the stack should have: $1"; }

motet run --quiet --json --monitor "stack:file=$work/found" "$FIRMWARE/monitor-nested.elf"
expect_status 0
expect_found '.deepest == 2 + 2 + 5 + 2 + 15 + 2 + 2 + 40'
expect_found '.top == 2303 and .top - .lowest == .deepest' # RAMEND
expect_found '[.chain[-4:][].function] == ["main", "__vector_11", "__vector_7", "inner"]'
expect_found '[.chain[-3:][] | .interrupt] == [11, 7, null]'
expect_found '([.chain[].bytes] | add) == .deepest and .chain[-1].bytes == 42'
expect_found '.left == 2303 - 70 - 258' # two bytes of variables from 256 on
motet run --quiet --monitor stack "$FIRMWARE/monitor-nested.elf"
expect_out "70 bytes at the deepest"

other=$FIRMWARE/monitor-workload-msp430f1611.elf
if [ -e "$other" ]; then # main, compute: a return address and r10 each; leaf: a return address
    motet run --quiet --board msp430f1611 --json --monitor "stack:file=$work/found" "$other"
    expect_found '.deepest == 10 and ([.chain[].function] == ["__start", "main", "compute", "leaf"])'
fi
finish
