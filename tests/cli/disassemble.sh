# Firmware taken apart: disassemble and info.
. "$SOURCE/tests/lib/expect.sh"

motet disassemble "$FIRMWARE/cli-hello.elf"
expect_status 0
expect_no_err
expect_out "<main>:"
expect_out "; hello.c:"
grep -qE '^ +[0-9a-f]+:  .* ret$' "$work/out" || fail "there should be a return"
# As many instructions as GNU's disassembler finds, at the same addresses.
if command -v avr-objdump >/dev/null; then
    avr-objdump -d "$FIRMWARE/cli-hello.elf" | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' >"$work/theirs"
    sed -n '/\.byte/d; s/^ *\([0-9a-f]*\):  .*/\1/p' "$work/out" >"$work/ours"
    cmp -s "$work/ours" "$work/theirs" || fail "addresses should be those of avr-objdump: $(diff "$work/ours" "$work/theirs" | head -5)"
fi
motet disassemble --no-lines --function main "$FIRMWARE/cli-hello.elf"
expect_out "<main>:"
expect_not_in_out "; hello.c:"
expect_not_in_out "<__vectors>:"
motet disassemble "$FIRMWARE/fault-executes_data.elf"
expect_out ".byte 0x00, 0x00"

if [ -e "$FIRMWARE/msp430-hello-msp430f149.elf" ]; then
    motet disassemble --board msp430f149 "$FIRMWARE/msp430-hello-msp430f149.elf"
    expect_status 0
    expect_out "<__start>:"
    expect_not_in_out "<cleared>:" # a variable, though in the same space
    grep -qE '^ +[0-9a-f]+:  .* call #0x[0-9a-f]+ +; main' "$work/out" || fail "calls should name their functions"
    grep -qE '^ +[0-9a-f]+:  .* jmp \$-[0-9]+ +; __start\+0x' "$work/out" || fail "jumps should name their places"
fi

motet info "$FIRMWARE/fault-stack_recursion.elf"
expect_status 0
expect_out "built for       atmega328p"
expect_out "variables       1000 of 2048 bytes (48.8%)"
motet info --symbols "$FIRMWARE/fault-stack_recursion.elf"
expect_out "800100   1000 variable readings"
grep -qE '^[0-9a-f]{6} +[0-9]+ function main$' "$work/out" || fail "main should be among the symbols"

finish
