# Each kind of fault: its name, its place, what happened, how it came there, and the status.
. "$SOURCE/tests/lib/expect.sh"

fault() { # FIRMWARE
    motet run --for 5s "$FIRMWARE/fault-$1.elf" </dev/null
    expect_status 1
    expect_no_out
    expect_err "stopped at the fault"
}

fault illegal_opcode
expect_err "illegal opcode at damaged (illegal_opcode.c:3), 0.00000"
expect_err "0xff0f is not an instruction of atmega328p"
expect_err "    main (illegal_opcode.c:13)"
fault erased_flash
expect_err "execution of erased flash at 0x4000"
expect_err "there is no program at 0x4000: the flash is erased"
expect_err "(erased_flash.c:14) (guessed)"
fault executes_data
expect_err "execution of data at table"
expect_err '`table` (8 bytes at 0x'
fault executes_values
expect_err "holds data (the initial values of variables), not code"
fault outside_memory
expect_err "access outside memory at fetch+0x2 (outside_memory.c:6)"
expect_err '`ld r24, Z` follows the pointer 0x1234, where there is no memory: RAM of atmega328p ends at 0x08ff'
fault null_write
expect_err "null pointer write at update+0x2 (null_write.c:13)"
expect_err '`std Z+1, r22` writes 0x42 through a null pointer (or one near it): address 0x0001 is register r1'

fault stack_recursion
expect_err "stack overflow at sum+0x"
expect_err 'the stack ran into the variable `readings` (1000 bytes at 0x0100)'
expect_err "it is 1049 bytes deep, from the end of RAM at 0x08ff"
expect_err "biggest frames: sum 1048 bytes in 105 calls"
expect_err "    ... 103 more times"
fault stack_mutual
expect_err "    ... these 2 frames 260 more times"
fault stack_frame
expect_err "stack overflow at decode+0x"
expect_err "biggest frames: decode 70"
expect_err "    main (stack_frame.c:19)"
fault stack_leaf
expect_err "stack overflow at parity+0x"
expect_err '`readings` (1500 bytes at 0x0100)'
expect_err "biggest frames: parity 70"
expect_err "    main (stack_leaf.c:16)"
fault stack_heap
expect_err "the stack ran into the heap, which reaches to 0x05"
fault stack_interrupt
expect_err "stack overflow at __vector_14+0x"
expect_err "(stack_interrupt.c:9), interrupted"
expect_err "    ... 56 more times"
expect_err "(stack_interrupt.c:19), interrupted"
fault stack_recursion-stripped
expect_err "    sum+0x"
expect_err "    ... 10"
fault stack_recursion-2560
expect_err "biggest frames: sum 7192 bytes in 654 calls"

# An Intel HEX file has no names: where variables end is seen from what start-up code initialises, the chain is a guess.
avr-objcopy -O ihex "$FIRMWARE/fault-stack_recursion.elf" "$work/nameless.hex"
motet run --for 5s --board uno "$work/nameless.hex" </dev/null
expect_status 1
expect_err "the stack ran into data"
expect_err "it is 1049 bytes deep, from the end of RAM at 0x08ff"
expect_err "(guessed)"
motet info --board uno "$work/nameless.hex"
expect_out "variables       1000 of 2048 bytes"
expect_out "stack check     where variables end is known by the start-up code"

# A stripped ELF file says it in its section headers.
avr-strip -o "$work/stripped.elf" "$FIRMWARE/fault-stack_recursion.elf"
motet run --for 5s --board uno "$work/stripped.elf" </dev/null
expect_status 1
expect_err "it is 1049 bytes deep, from the end of RAM at 0x08ff"
motet info --board uno "$work/stripped.elf"
expect_out "stack check     where variables end is known by the section headers"

# Without start-up code nothing is known, and that is said.
printf ':02000000FFCF30\n:00000001FF\n' >"$work/loop.hex" # rjmp .-2
motet info --board uno "$work/loop.hex"
expect_out "stack check     off: a stack that overruns variables is not noticed"
unchecked="motet: $work/loop.hex: the stack was not checked against variables, since nothing says where they end"
motet run --board uno --nodes 3 --for 1ms --json "$work/loop.hex"
[ "$(grep -cF "$unchecked" "$work/err")" -eq 1 ] || fail "an unchecked stack should be reported once"
jq -e 'all(.nodes[]; .stack_check == null)' "$work/out" >"$work/jq" || fail "JSON should say that no stack was checked"
motet run --board uno --for 1ms --quiet "$work/loop.hex"
expect_no_err
for one in nameless.hex:start-up stripped.elf:headers; do
    motet run --board uno --for 1ms --json "$work/${one%:*}" </dev/null
    expect_not_in_err "was not checked"
    jq -e ".nodes[0].stack_check | endswith(\"${one#*:}\") or startswith(\"${one#*:}\")" "$work/out" >"$work/jq" ||
        fail "JSON should say what the check of the stack rests on"
done

# A firmware without variables says that, which is not the same as saying nothing.
echo 'int main(void) { return 0; }' >"$work/none.c"
avr-gcc -mmcu=atmega328p -o "$work/none.elf" "$work/none.c"
motet run --board uno --for 1ms --json "$work/none.elf"
expect_not_in_err "was not checked"
jq -e '.nodes[0].stack_check == "symbols"' "$work/out" >"$work/jq" || fail "JSON should say that symbols say it"
motet info --board uno "$work/none.elf"
expect_out "variables       0 of 2048 bytes"
expect_not_in_out "stack check     off"

# What to do about a fault.
motet run --for 5ms --fault warn "$FIRMWARE/fault-null_write.elf" </dev/null
expect_status 0
expect_err "null pointer write at"
motet run --for 5ms --fault ignore "$FIRMWARE/fault-null_write.elf" </dev/null
expect_status 0
expect_not_in_err "null pointer"
motet run --for 5ms --fault stop,null-write=ignore "$FIRMWARE/fault-null_write.elf" </dev/null
expect_status 0
motet run --for 5ms --fault ignore,null-write=stop "$FIRMWARE/fault-null_write.elf" </dev/null
expect_status 1
motet run --for 100ms --fault warn "$FIRMWARE/fault-erased_flash.elf" </dev/null
[ "$(grep -c 'execution of erased flash at 0x4000' "$work/err")" -le 1 ] || fail "a place should be warned about once"

# A device used beyond its datasheet works, and is warned about unless the user wants otherwise.
motet run --board micaz --for 1s "$FIRMWARE/fault-radio_early.elf" </dev/null
expect_status 0
expect_err "unspecified use at strobe+0x"
expect_err "radio (cc2420): SPI access less than 0.6 ms after VREG_EN went high; the datasheet promises no supply before that"
[ "$(grep -c 'unspecified use' "$work/err")" -eq 1 ] || fail "an early access should be warned about once"
motet run --board micaz --for 1s --fault unspecified=stop "$FIRMWARE/fault-radio_early.elf" </dev/null
expect_status 1
motet run --board micaz --for 1s --fault unspecified=ignore "$FIRMWARE/fault-radio_early.elf" </dev/null
expect_status 0
expect_not_in_err "unspecified use"

finish
