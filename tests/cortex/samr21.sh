# The SAM R21 (Cortex-M0+): devices that check themselves, the serial port, an instruction that this core has not.
. "$SOURCE/tests/cortex/cortex.lib"
sed 's/LENGTH = 64K/LENGTH = 32K/' "$here/link.ld" >"$work/link.ld"
small() { # NAME OPTION...
    name=$1
    shift
    arm-none-eabi-gcc -mcpu=cortex-m0plus -mthumb -O1 -g -Wall -Werror -ffreestanding -nostdlib -I"$SOURCE/target/include" \
        -I"$here" "$@" -T "$work/link.ld" "$here/start.c" "$here/samr21.c" -o "$work/$name.elf" -lgcc ||
        { fail "$name should compile" && finish; }
}
small samr21
motet run --board samr21-xpro --for 1s --trace leds "$work/samr21.elf"
expect_status 0
expect_out "hello from a Cortex-M0+"
expect_not_in_out WRONG
[ "$(grep -c ' good$' "$work/out")" -eq 3 ] || fail "there should be three good lines"
[ "$(grep -c 'led LED0' "$work/err")" -ge 9 ] || fail "the LED should toggle"
for place in 1 2; do
    small wide -DWIDE=$place
    motet run --board samr21-xpro --for 1s --serial 0=null "$work/wide.elf"
    expect_status 1
    expect_err "illegal opcode at"
done
finish
