# The faults of faults.sh on the other family, and those only it has.
. "$SOURCE/tests/lib/expect.sh"
[ -e "$FIRMWARE/fault-misaligned-msp430.elf" ] || exit 0 # no clang

fault() { # FIRMWARE
    motet run --for 5s --board msp430f149 "$FIRMWARE/fault-$1-msp430.elf" </dev/null
    expect_status 1
    expect_no_out
    expect_err "stopped at the fault"
}

fault illegal_opcode
expect_err "illegal opcode at damaged (illegal_opcode.c:7), 0.0000"
expect_err "0x0f0f is not an instruction of msp430f149"
expect_err "    main (illegal_opcode.c:13)"
fault erased_flash
expect_err "execution of erased flash at 0xe000"
expect_err "there is no program at 0xe000: the flash is erased"
expect_err "    main (erased_flash.c:20) (guessed)"
fault outside_code
expect_err "execution outside program memory at 0x0"
expect_err "the program counter is 0x0000, where msp430f149 has no program memory"
fault outside_memory
expect_err "access outside memory at fetch (outside_memory.c:6)"
expect_err '`mov.b &0x0a34, r12` follows the pointer 0x0a34, where there is no memory: RAM of msp430f149 ends at 0x09ff'
fault misaligned
expect_err "misaligned access at field (misaligned.c:8)"
expect_err '`mov &0x0201, r12` uses the odd address 0x0201 for a word'

fault stack_recursion
expect_err "stack overflow at sum (stack_recursion.c:7)"
expect_err 'the stack ran into the variable `readings` (1000 bytes at 0x0200)'
expect_err "it is 1050 bytes deep, from the end of RAM at 0x09ff"
expect_err "biggest frames: sum 1048 bytes in 262 calls"
expect_err "    ... 260 more times"
fault stack_mutual
expect_err "    ... these 2 frames 260 more times"
fault stack_frame
expect_err '`sub #0x02bc, sp` takes it to 0x0740'
expect_err "biggest frames: decode 702 bytes"
expect_err "    main (stack_frame.c:19)"
fault stack_leaf
expect_err "stack overflow at parity"
expect_err "biggest frames: parity 702 bytes"

# As on a real chip, where the lowest bit of a word's address is ignored.
motet run --for 5ms --fault ignore --board msp430f149 "$FIRMWARE/fault-misaligned-msp430.elf" </dev/null
expect_status 0

# A file for the MSP430X, by its flags, is refused rather than run.
cp "$FIRMWARE/fault-misaligned-msp430.elf" "$work/x.elf"
printf '\055' | dd of="$work/x.elf" bs=1 seek=36 conv=notrunc 2>/dev/null
motet run --for 5ms --board msp430f149 "$work/x.elf" </dev/null
expect_status 2
expect_err "is for an MSP430X, whose 20-bit instructions Motet does not have"

finish
