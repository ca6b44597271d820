# Firmware for Cortex-M in the loop and in translated code: the same output, digests, counts, faults.
. "$SOURCE/tests/cortex/cortex.lib"

both() { # FIRMWARE OPTION...
    for engine in loop translate:1; do
        MOTET_ENGINE=$engine motet run --board nrf52840dk --serial 0=null --digest "$@"
        { cat "$work/out" && sed -e 's/simulated in [^,]*, //' "$work/err"; } >"$work/$engine"
        echo "$status" >>"$work/$engine"
        grep -q "digest" "$work/$engine" || fail "$1 should run in the engine $engine"
    done
    cmp -s "$work/loop" "$work/translate:1" ||
        { diff "$work/loop" "$work/translate:1" | head -20 && fail "the engines should do the same with $1"; }
}

for level in -O0 -O2 -Os; do
    LEVEL=$level
    compile "$work/exceptions.elf" "$here/exceptions.c"
    both "$work/exceptions.elf" --for 60s --fault ignore
done
both "$work/exceptions.elf" --for 60s
compile "$work/mpu.elf" "$here/mpu.c"
both "$work/mpu.elf" --for 60s
python3 "$here/operations.py" 3 800 >"$work/operations.S"
compile "$work/operations.elf" "$here/operations.c" "$work/operations.S"
both "$work/operations.elf" --for 60s
for kernel in crc sort16; do
    both "$FIRMWARE/bench-$kernel-nrf52840.elf" --for 1s
    both "$FIRMWARE/bench-$kernel-nrf52840.elf" --for 20ms --monitor profile
done
both "$FIRMWARE/multihop-oscilloscope-nrf52840dk.elf" --for 2s --nodes 4
finish
