# What motet stack says: verdicts, doubts, errors, and firmware that is no firmware.
. "$SOURCE/tests/lib/expect.sh"
is() { jq -e "$1" "$work/out" >/dev/null || fail "there should be: $1"; }
refused() { # STATUS: no verdict that it fits
    expect_status 1
    expect_no_err
    expect_not_in_out "fits:"
}

motet stack "$FIRMWARE/monitor-nested.elf"
expect_status 0
expect_out "fits: at most 70 of 2046 bytes; 1976 are left"
expect_out "The stack begins at 0x08ff; variables end at 0x0102."
expect_out "__vector_11 (nested.c:24) turns interrupts on"
expect_out "    42  inner+0x"
expect_out "  <- interrupt 7"

# Too deep.
motet stack "$FIRMWARE/fault-stack_frame.elf"
refused
expect_out "may overflow: up to "

# Recursion, with the functions of the circle.
motet stack "$FIRMWARE/fault-stack_mutual.elf"
refused
expect_out "unbounded: "
motet stack --json "$FIRMWARE/fault-stack_mutual.elf"
is '.verdict == "unbounded"'
is '[.doubts[] | select(.kind == "recursion" and .indirect == false) | .cycle | length] | max == 2'

# Loops that push, stacks of its own, frames of a size that is not known, longjmp.
motet stack "$FIRMWARE/analysis-push-loop.elf"
refused
expect_out "a loop leaves more on the stack each time"
motet stack "$FIRMWARE/analysis-elsewhere.elf"
refused
expect_out "the stack pointer moves to another stack"
motet stack --json "$FIRMWARE/c-dynamic_frames-atmega328p-O3.elf"
is '.verdict != "fits" and ([.doubts[].kind] | index("stack pointer"))'
motet stack --json "$FIRMWARE/c-jumps-atmega328p-O3.elf"
is '[.doubts[] | select(.kind == "stack pointer") | .at] | any(startswith("longjmp"))'

# Pointers lead to any function whose address is taken; a user knows better.
deep=$FIRMWARE/analysis-deep-atmega328p-Os.elf
motet stack "$deep"
expect_out "Each may lead to any function whose address is taken"
expect_out "  through_pointer (deep.c:"
motet stack --board mica2 --json "$FIRMWARE/blink-mica2.elf"
expect_status 1
is '.verdict == "unknown" and ([.doubts[].indirect] | all)'
motet stack --board mica2 --json --calls fire=toggle "$FIRMWARE/blink-mica2.elf"
expect_status 0
is '.verdict == "fits" and .doubts == []'

# Without names there is nothing that a pointer could lead to.
if command -v avr-strip >/dev/null; then
    avr-strip -o "$work/stripped.elf" "$deep"
    motet stack "$work/stripped.elf"
    refused
    expect_out "no function whose address is known to be taken"
fi

motet stack --calls fire "$deep"
expect_complaint "not of the form CALLER=FUNCTION"
motet stack --calls main=through_pointr "$deep"
expect_complaint "no function 'through_pointr'; did you mean through_pointer?"
motet stack --calls nobody_at_all=leaf "$deep"
expect_complaint "no function 'nobody_at_all'"
motet stack "$work/none.elf"
expect_complaint "none.elf"
motet stack
expect_complaint "FILE"
motet stack --board nonsense "$deep"
expect_complaint "there is no board or chip 'nonsense'"

# Bytes without sense end in some verdict, soon.
random() { # SEED BYTES FIRST
    python3 - "$@" <<'PYTHON'
import random, sys
seed, size, first = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
random.seed(seed)
for at in range(first, first + size, 16):
    row = bytes([16, at >> 8, at & 255, 0]) + random.randbytes(16)
    print(":" + row.hex().upper() + "%02X" % (-sum(row) & 255))
print(":00000001FF")
PYTHON
}
PATIENCE=30
for seed in 1 2 3 4 5 6 7 8; do
    random $seed 32000 0 >"$work/random.hex"
    motet stack --board uno "$work/random.hex"
    [ "$status" -le 1 ] || fail "seed $seed should give a verdict"
    random $seed 32768 32768 >"$work/random.hex"
    motet stack --board telosb "$work/random.hex"
    [ "$status" -le 1 ] || fail "seed $seed should give a verdict"
done
finish
